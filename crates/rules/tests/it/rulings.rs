//! The rulings of `docs/RULINGS.md`: places where the wiki's prose, its sample program and Botzone's judge differ, or that
//! only the program defines. Each ruling has a test of its name.

use crate::common::{check, check_end, check_scores, check_undo};

#[test]
fn light_on_the_forfeited() {
    // Player 1 moves into a wall while player 0 shoots at its cell: once it is alone there, and once player 3 shares the cell, in
    // which player 2 died earlier.
    for (witness, shooter_alone, shooter_beside, forfeited_beside) in
        [("sample", 5, 11, 0), ("judge", 5, 17, -6), ("prose", 11, 17, 0)]
    {
        check(
            &format!(
                "
                forfeited {witness}
                +---+---+---+
                | 0   1 | 2 |
                +---+---+---+
                0: 9
                1: 8
                "
            ),
            "0: shoot right, 1: right",
            &format!(
                "
                +---+---+---+
                | 0     | 2 |
                +---+---+---+
                0: {shooter_alone}
                1: 0 dead at 0,1
                "
            ),
        );
        check(
            &format!(
                "
                forfeited {witness}
                +----+----+
                | 0    13 |
                +----+----+
                0: 9
                1: 8
                2: 8 dead at 0,1
                3: 8
                "
            ),
            "0: shoot right, 1: right",
            &format!(
                "
                +----+----+
                | 0    3  |
                +----+----+
                0: {shooter_beside}
                1: {forfeited_beside} dead at 0,1
                2: 8 dead at 0,1
                3: 2
                "
            ),
        );
    }
}

#[test]
fn fright_in_seat_order() {
    // Places are those before anyone moves, although player 1 moves away.
    check(
        "
        +---+---+---+
        | 0   1     |
        +---+---+---+
        1: 5
        ",
        "0: right, 1: right",
        "
        +---+---+---+
        | 0       1 |
        +---+---+---+
        1: 5
        ",
    );
    // A higher seat that is about to forfeit still frightens ...
    check(
        "
        +---+---+---+
        | 0   1 | 2 |
        +---+---+---+
        1: 5
        ",
        "0: right, 1: right",
        "
        +---+---+---+
        | 0     | 2 |
        +---+---+---+
        1: 0 dead at 0,1
        ",
    );
    // ... and a lower seat that has forfeited does not.
    check(
        "
        +---+---+---+
        | 0   1 | 2 |
        +---+---+---+
        0: 5
        ",
        "0: left, 1: left",
        "
        +---+---+---+
        | 1     | 2 |
        +---+---+---+
        0: 0 dead at 0,0
        ",
    );
}

#[test]
fn walls_only() {
    // Without walls around it, a generator can be entered, and light passes.
    check(
        "
        +---+---+---+
        | 0   G   1 |
        +---+---+---+
        0: 9
        1: 8
        ",
        "0: right, 1: shoot left",
        "
        +----+----+----+
        |      0G   1  |
        +----+----+----+
        0: 3
        1: 10
        ",
    );
    // The walls of the cell that is left count, not those of the cell that is entered: for moves ...
    check(
        "
        +---+---+---+
        | 0 >   | 1 |
        +---+---+---+
        ",
        "0: right",
        "
        +---+---+---+
        |   > 0 | 1 |
        +---+---+---+
        ",
    );
    check(
        "
        +---+---+---+
        |   > 0 | 1 |
        +---+---+---+
        |     2     |
        +---+---+---+
        ",
        "0: left",
        "
        +---+---+---+
        |   >   | 1 |
        +---+---+---+
        |     2     |
        +---+---+---+
        0: 0 dead at 0,1
        ",
    );
    // ... and for light, here in both directions at once.
    check(
        "
        +---+---+
        | 0 > 1 |
        +---+---+
        0: 20
        1: 20
        ",
        "0: shoot right, 1: shoot left",
        "
        +---+---+
        | 0 > 1 |
        +---+---+
        0: 22
        1: 10
        ",
    );
}

#[test]
fn halved_with_the_boost() {
    check(
        "
        +---+---+---+
        | 0   1 | 2 |
        +---+---+---+
        0: 30
        1: 15 +3
        ",
        "0: right; 5 turns",
        "
        +---+---+---+
        |     0 | 2 |
        +---+---+---+
        0: 37
        1: 8 +3 dead at 0,1
        ",
    );
}

#[test]
fn loot_rounds_twice() {
    // 2 and 3 are looted, 5 in total; each of the two strongest gains 2, and 1 is lost.
    check(
        "
        +------+
        | 0123 |
        +------+
        0: 5
        1: 9
        2: 7
        3: 9
        ",
        "",
        "
        +----+
        | 13 |
        +----+
        0: 3 dead at 0,0
        1: 11
        2: 4 dead at 0,0
        3: 11
        ",
    );
}

#[test]
fn light_rounds_toward_zero() {
    // 10 - 4.5 is 5, and 10 - 3 + 4.5 is 11.
    check(
        "
        light 3
        +---+---+
        | 0   1 |
        +---+---+
        0: 10
        1: 10
        ",
        "0: shoot right",
        "
        +---+---+
        | 0   1 |
        +---+---+
        0: 11
        1: 5
        ",
    );
    // Seat by seat: player 1 falls to 4 - 4.5 = 0, not -1; pays 3; and -3 + 4.5 = 1 saves it.
    check(
        "
        light 3
        +---+---+
        | 0   1 |
        +---+---+
        0: 10
        1: 4
        ",
        "0: shoot right, 1: shoot left",
        "
        +---+---+
        | 0   1 |
        +---+---+
        0: 6
        1: 1
        ",
    );
    // Shooters, too, are rounded below zero: player 2 falls to 0 and -4, pays 3, and rises to -2 and 2.
    check(
        "
        light 3
        +---+---+---+
          0   1   2
        +---+---+---+
        0: 20
        1: 20
        2: 4
        ",
        "0: shoot right, 1: shoot right, 2: shoot right",
        "
        +---+---+---+
          0   1   2
        +---+---+---+
        0: 15
        1: 15
        2: 2
        ",
    );
}

#[test]
fn light_counts_the_dying() {
    // Player 1 falls to -1, pays, and is saved by its hit on player 2, which is below zero by then.
    check(
        "
        +---+---+---+---+
        | 0   1   2 | 3 |
        +---+---+---+---+
        0: 9
        1: 5
        2: 5
        ",
        "0: shoot right, 1: shoot right",
        "
        +---+---+---+---+
        | 0   1     | 3 |
        +---+---+---+---+
        0: 17
        1: 1
        2: 0 dead at 0,2
        ",
    );
    // Player 1 is dying of the first light, and the second one still takes 6 from it.
    check(
        "
        +---+---+---+
        | 0   1   2 |
        +---+---+---+
        0: 9
        2: 9
        ",
        "0: shoot right, 2: shoot left",
        "
        +---+---+---+
        | 0       2 |
        +---+---+---+
        0: 11
        1: 0 dead at 0,1
        2: 11
        ",
    );
}

#[test]
fn light_never_hits_home() {
    // All the way round once, without player 1, which shares the shooter's cell.
    check(
        "
        +----+----+----+
          01   2    3
        +----+----+----+
        0: 9
        1: 9
        2: 20
        3: 20
        ",
        "0: shoot right",
        "
        +----+----+----+
          01   2    3
        +----+----+----+
        0: 17
        1: 9
        2: 14
        3: 14
        ",
    );
    // A player eaten in the fight does not shoot.
    check(
        "
        +----+----+----+
          01   2    3
        +----+----+----+
        0: 8
        1: 9
        2: 20
        3: 20
        ",
        "0: shoot right",
        "
        +---+---+---+
          1   2   3
        +---+---+---+
        0: 4 dead at 0,0
        1: 13
        2: 20
        3: 20
        ",
    );
}

#[test]
fn shoot_needs_more() {
    check(
        "
        +---+---+---+---+
        | 0   1 | 2   3 |
        +---+---+---+---+
        0: 4
        1: 20
        2: 5
        3: 20
        ",
        "0: shoot right, 2: shoot right",
        "
        +---+---+---+---+
        |     1 | 2   3 |
        +---+---+---+---+
        0: 0 dead at 0,0
        1: 20
        2: 7
        3: 14
        ",
    );
}

#[test]
fn both_fruits() {
    check(
        "
        +----+----+----+
        | 0    .o | 1  |
        +----+----+----+
        ",
        "0: right",
        "
        +----+----+----+
        |      0o | 1  |
        +----+----+----+
        0: 2
        ",
    );
    check(
        "
        +----+----+----+
        | 0    .o | 1  |
        +----+----+----+
        ",
        "0: right; 1 turns",
        "
        +---+---+---+
        |     0 | 1 |
        +---+---+---+
        0: 12 +9
        ",
    );
}

#[test]
fn boost_counts_the_turn_of_eating() {
    let before = "
        +---+---+---+---+
        | 0   o   o | 1 |
        +---+---+---+---+
        ";
    let after = |line| {
        format!(
            "
            +---+---+---+---+
            |     0   o | 1 |
            +---+---+---+---+
            0: {line}
            "
        )
    };
    check(before, "0: right", &after("11 +9"));
    check(before, "0: right; 8 turns", &after("11 +1"));
    check(before, "0: right; 9 turns", &after("1"));
    // With a duration of 1 a boost comes and goes in one turn.
    check(&format!("boost 10 for 1\n{before}"), "0: right", &after("1"));
    // A second one adds turns, not strength.
    check(
        before,
        "0: right; 0: right",
        "
        +---+---+---+---+
        |         0 | 1 |
        +---+---+---+---+
        0: 11 +18
        ",
    );
}

#[test]
fn bear_before_eating() {
    // At the end of turns 2 and 4, and eaten at once.
    let before = "
        turn 0/100, fruit in 2/2
        +---+---+---+
        | 0 | G | 1 |
        +---+---+---+
        ";
    for (turns, counter, strength) in [(1, 1, 1), (2, 2, 2), (3, 1, 2), (4, 2, 3)] {
        check(
            before,
            &format!("{turns} turns"),
            &format!(
                "
                turn {turns}/100, fruit in {counter}/2
                +---+---+---+
                | 0 | G | 1 |
                +---+---+---+
                0: {strength}
                1: {strength}
                "
            ),
        );
    }
    // Also under players that share a cell and do not eat; never on a generator or on fruit.
    check(
        "
        fruit in 1/20
        +----+----+----+----+----+----+
        | 01 | G  | G  | .  | G  | o  |
        +----+----+----+----+----+----+
        ",
        "",
        "
        fruit in 20/20
        +-----+-----+-----+-----+-----+-----+
        | 01. |  G  |  G  |  .  |  G  |  o  |
        +-----+-----+-----+-----+-----+-----+
        ",
    );
    // Deaths by light come first: the dead do not eat, the living on their cells do.
    check(
        "
        fruit in 1/20
        +---+---+---+---+---+
        | 0   1 | G | 2 | 3 |
        +---+---+---+---+---+
        0: 9
        1: 6
        ",
        "0: shoot right",
        "
        +---+---+---+---+---+
        | 0   . | G | 2 | 3 |
        +---+---+---+---+---+
        0: 11
        1: 0 dead at 0,1
        2: 2
        ",
    );
}

#[test]
fn last_one_standing() {
    for turn in [7, 99] {
        check_end(
            &format!(
                "
                turn {turn}/100
                +---+---+---+---+---+
                | 0   1 | . | . | o |
                +---+---+---+---+---+
                0: 9
                1: 8
                "
            ),
            "0: right",
            "
            +---+---+---+---+---+
            |     0 | . | . | o |
            +---+---+---+---+---+
            0: 15
            1: 4 dead at 0,1
            ",
        );
    }
    // No survivor: no player receives fruit.
    check_end(
        "
        +---+---+---+---+
        | 0 | 1 | . | . |
        +---+---+---+---+
        ",
        "0: up, 1: invalid",
        "
        +---+---+---+---+
        |   |   | . | . |
        +---+---+---+---+
        0: 0 dead at 0,0
        1: 0 dead at 0,1
        ",
    );
    // Several survivors at the turn limit: no player receives fruit.
    check_end(
        "
        turn 99/100
        +---+---+---+---+
        | 0 | 1 | . | o |
        +---+---+---+---+
        ",
        "",
        "
        turn 100/100
        +---+---+---+---+
        | 0 | 1 | . | o |
        +---+---+---+---+
        ",
    );
}

#[test]
fn score() {
    // The wiki's own example of ranks: 1, 2, 2 and 4 from the bottom. 10000 * 23 / 2822 is 81, 10000 * 233 / 2822 is 825.
    check_scores([23, 233, 233, 2333], ["1 10.81", "2 28.25", "2 28.25", "4 122.67"]);
    check_scores([1, 1, 1, 1], ["1 35.00", "1 35.00", "1 35.00", "1 35.00"]);
    check_scores([0, 0, 0, 7], ["1 10.00", "1 10.00", "1 10.00", "4 140.00"]);
    // A total of 0 counts as 1.
    check_scores([0, 0, 0, 0], ["1 10.00", "1 10.00", "1 10.00", "1 10.00"]);
    check_scores([6, -6, 0, 0], ["4 640.00", "1 -590.00", "2 20.00", "2 20.00"]);
    // Negative strengths of forfeited players count, and shares are rounded towards zero.
    check_scores([17, -6, 2, 1], ["4 161.42", "1 -32.85", "3 44.28", "2 27.14"]);
    check_scores([1, -6, 0, 0], ["4 20.00", "1 130.00", "2 20.00", "2 20.00"]);
}

#[test]
fn exact_undo() {
    // Two shots at an odd cost, one deadly; large and small fruit, spawned fruit; the end of a boost; fright; a fight; a forfeit;
    // and an inheritance.
    check_undo(
        "
        fruit in 2/3, light 3, boost 10 for 2
        +---+---+---+---+
        | 0   1   2 | 3 |
        +   +---+   +---+
        | o   .   . | G |
        +---+---+---+---+
        0: 10
        1: 8
        2: 7
        3: 30
        ",
        "0: shoot right, 2: shoot left; 0: down, 2: down; 0: right; 2: left; 0: right; 3: invalid",
    );
}

/// Both documents have the same rulings, and each ruling that links to this file has its test.
#[test]
fn the_documents_and_the_tests_agree() {
    let [english, chinese] = [include_str!("../../../../docs/RULINGS.md"), include_str!("../../../../docs/RULINGS.zh.md")];
    let source = include_str!("rulings.rs");
    let rulings = |document: &'static str| -> Vec<(&str, bool)> {
        let sections = document.split("\n## ").skip(1).map(|section| section.split_once('\n').unwrap_or((section, "")));
        sections.map(|(name, text)| (name, text.contains(&format!("[`{}`]", name.replace('-', "_"))))).collect()
    };
    assert_eq!(rulings(english), rulings(chinese));
    let tested: Vec<String> =
        rulings(english).into_iter().filter(|&(_, tested)| tested).map(|(name, _)| name.replace('-', "_")).collect();
    let tests: Vec<&str> = source.lines().filter_map(|line| line.strip_prefix("fn ")?.strip_suffix("() {")).collect();
    assert_eq!(tested, tests[..tests.len() - 1], "the document's rulings and the tests of this file");
}
