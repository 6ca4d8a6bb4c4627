//! The rulings of `docs/RULINGS.md`: places where the wiki's prose, its sample program and Botzone's judge differ or where
//! only the program speaks. One test a ruling, bearing its name.

use crate::common::{check, check_end, check_scores, check_undo};

#[test]
fn light_on_the_forfeited() {
    // Player 1 walks into the wall while player 0 shoots at where it stands: alone; and with player 3 beside it, where player 2
    // has died earlier.
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
    // Places are those from before anyone moves: that player 1 walks away helps nobody.
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
    // ... and a lower seat that has forfeited frightens no more.
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
    // No wall around the generator, so one can walk onto it, and light passes.
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
    // The wall of the cell that is left counts, not the wall of the cell that is entered: steps ...
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
    // ... and light, here in both directions at once.
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
    // 2 and 3 are lost, 5 is looted, 2 goes to each of the two strongest, 1 vanishes.
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
    // Player 1 falls to -1, pays, and lives again by hitting player 2, which has less than nothing by then.
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
    // All the way round, once, and not player 1, which shares the shooter's cell.
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
    // Who is eaten in the fight does not shoot.
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
    // With a duration of 1 the strength comes and goes in one turn.
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
    // Also under players who share a cell and do not eat; never on a generator, nor where any fruit lies.
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
    // Deaths by light come first, so the dead eat nothing; who stands there alive does.
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
    // Nobody is left: nothing is paid.
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
    // Several are left after the last turn: nothing is paid either.
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
    // No strength at all counts as a total of 1.
    check_scores([0, 0, 0, 0], ["1 10.00", "1 10.00", "1 10.00", "1 10.00"]);
    check_scores([6, -6, 0, 0], ["4 640.00", "1 -590.00", "2 20.00", "2 20.00"]);
    // What light on the forfeited leaves below zero counts, and shares are cut towards zero.
    check_scores([17, -6, 2, 1], ["4 161.42", "1 -32.85", "3 44.28", "2 27.14"]);
    check_scores([1, -6, 0, 0], ["4 20.00", "1 130.00", "2 20.00", "2 20.00"]);
}

#[test]
fn exact_undo() {
    // Two lights at an odd cost, one deadly; a large fruit, small ones, births; a boost's end; fright; a feast; a forfeit
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

/// Both documents hold the same rulings, and each that points here has its test.
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
