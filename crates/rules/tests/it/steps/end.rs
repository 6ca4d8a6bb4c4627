//! Steps 10 to 12: the turn count and the end of the game; and all twelve steps in one turn.

use crate::common::{check, check_end, check_report};

#[test]
fn step_10_the_turn_is_counted() {
    check(
        "
        turn 41/100, fruit in 19/20
        +---+---+
        | 0 | 1 |
        +---+---+
        ",
        "3 turns",
        "
        turn 44/100, fruit in 16/20
        +---+---+
        | 0 | 1 |
        +---+---+
        ",
    );
    check_end(
        "
        turn 41/100
        +---+---+
        | 0 | 1 |
        +---+---+
        ",
        "0: invalid",
        "
        turn 42/100
        +---+---+
        |   | 1 |
        +---+---+
        0: 0 dead at 0,0
        ",
    );
}

#[test]
fn step_11_the_survivor_inherits_small_fruit() {
    // Fruit that spawns in this turn included, large fruit excluded.
    check_report(
        "
        fruit in 1/20
        +---+---+---+---+
        | 0 | 1 | . | G |
        +---+---+---+---+
        | o | . |   |   |
        +---+---+---+---+
        1: 7
        ",
        "0: up",
        "
        0 dies at 0,0, losing 1: illegal action up
        fruit spawns at 0,0 1,2 1,3
        1 inherits 5
        0: up, -1, illegal
        1: stay, +5
        ",
    );
}

#[test]
fn step_11_without_survivors_no_player_inherits() {
    check_report(
        "
        +---+---+---+
        | 0 | 1 | . |
        +---+---+---+
        0: 10 +1
        1: 10 +1
        ",
        "",
        "
        0 has a boost for 0 more
        0 loses its boost of 10
        1 has a boost for 0 more
        1 loses its boost of 10
        0 dies at 0,0, losing 0: no boost
        1 dies at 0,1, losing 0: no boost
        0: stay, -10, boost counted, died
        1: stay, -10, boost counted, died
        ",
    );
}

#[test]
fn step_12_the_turn_limit_ends_the_game() {
    check(
        "
        turn 6/8
        +---+---+---+
        | 0 | 1 | . |
        +---+---+---+
        ",
        "",
        "
        turn 7/8
        +---+---+---+
        | 0 | 1 | . |
        +---+---+---+
        ",
    );
    check_end(
        "
        turn 6/8
        +---+---+---+
        | 0 | 1 | . |
        +---+---+---+
        ",
        "2 turns",
        "
        turn 8/8
        +---+---+---+
        | 0 | 1 | . |
        +---+---+---+
        ",
    );
}

/// The events of a turn are in the order of the steps.
#[test]
fn all_twelve_steps() {
    check_report(
        "
        turn 99/100, fruit in 1/20
        +----+----+----+----+----+
        | 0    1    2    3  | G  |
        +----+----+----+----+----+
        0: 9
        1: 2 +1
        2: 8
        3: 8 +1
        ",
        "0: shoot right, 1: right, 2: up, 3: left",
        "
        1 is frightened from going right by 2
        2 dies at 0,2, losing 8: illegal action up
        3 goes left from 0,3 to 0,2
        0 shoots right from 0,0 for 4
        0 hits 1: now 11 and -4
        0 hits 3: now 17 and 2
        1 dies at 0,1, losing -4: light of 0
        fruit spawns at 0,0 0,3
        0 eats small fruit at 0,0: +1
        3 has a boost for 0 more
        3 loses its boost of 10
        3 dies at 0,2, losing -8: no boost
        0 inherits 1
        0: shoot right, +10, ate small
        1: stay, -2, died
        2: up, -8, illegal
        3: left, -8, boost counted, died
        ",
    );
}
