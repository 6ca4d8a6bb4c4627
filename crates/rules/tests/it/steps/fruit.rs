//! Steps 6 to 9: fruit spawns and is eaten, boosts count down and end.

use crate::common::{check, check_report};

#[test]
fn step_6_fruit_spawns_around_generators() {
    check_report(
        "
        fruit in 1/5
        +---+---+---+---+
        |           | 0 |
        +   +---+   +   +
        |   | G |   |   |
        +   +---+   +   +
        | .       o | 1 |
        +---+---+---+---+
        ",
        "",
        "
        fruit spawns at 0,0 0,1 0,2 1,0 1,2 2,1
        0: stay, +0
        1: stay, +0
        ",
    );
    // Not a turn earlier, and the count restarts.
    check(
        "
        fruit in 3/5
        +---+---+---+---+
        | 0 |   | G |   |
        +---+---+---+---+
        | 1 |   |   |   |
        +---+---+---+---+
        ",
        "2 turns",
        "
        fruit in 1/5
        +---+---+---+---+
        | 0 |   | G |   |
        +---+---+---+---+
        | 1 |   |   |   |
        +---+---+---+---+
        ",
    );
    check(
        "
        fruit in 3/5
        +---+---+---+---+
        | 0 |   | G |   |
        +---+---+---+---+
        | 1 |   |   |   |
        +---+---+---+---+
        ",
        "3 turns",
        "
        fruit in 5/5
        +---+---+---+---+
        | 0 | . | G | . |
        +---+---+---+---+
        | 1 | . | . | . |
        +---+---+---+---+
        ",
    );
}

#[test]
fn step_6_fruit_spawns_around_the_edge() {
    check(
        "
        fruit in 1/5
        +---+---+---+---+
        | G |   |   |   |
        +---+---+---+---+
        |   |   | 0 |   |
        +---+---+---+---+
        |   |   | 1 |   |
        +---+---+---+---+
        |   |   |   |   |
        +---+---+---+---+
        ",
        "",
        "
        fruit in 5/5
        +---+---+---+---+
        | G | . |   | . |
        +---+---+---+---+
        | . | . | 0 | . |
        +---+---+---+---+
        |   |   | 1 |   |
        +---+---+---+---+
        | . | . |   | . |
        +---+---+---+---+
        ",
    );
}

#[test]
fn step_6_without_room_the_count_still_restarts() {
    check(
        "
        fruit in 1/5
        +---+---+---+---+
        | G | . | 0 | o |
        +---+---+---+---+
        | . | . | 1 | . |
        +---+---+---+---+
        ",
        "",
        "
        fruit in 5/5
        +---+---+---+---+
        | G | . | 0 | o |
        +---+---+---+---+
        | . | . | 1 | . |
        +---+---+---+---+
        ",
    );
}

#[test]
fn step_7_a_player_alone_eats() {
    check_report(
        "
        boost 10 for 5
        +-----+-----+-----+-----+
        | 0     .     .1    o2  |
        +-----+-----+-----+-----+
        | 3o              |     |
        +-----+-----+-----+-----+
        3: 8 +2
        ",
        "0: right",
        "
        0 goes right from 0,0 to 0,1
        0 eats small fruit at 0,1: +1
        1 eats small fruit at 0,2: +1
        2 eats large fruit at 0,3: +10
        3 eats large fruit at 1,0: +0
        2 has a boost for 4 more
        3 has a boost for 6 more
        0: right, +1, ate small
        1: stay, +1, ate small
        2: stay, +10, ate large, boost counted
        3: stay, +0, ate large, boost counted
        ",
    );
}

#[test]
fn step_7_players_that_share_a_cell_do_not_eat() {
    // Players 0 and 1 are equally strong and both stay alive. Player 2 eats player 3 first and is then alone.
    check_report(
        "
        +-----+-----+-----+
        | 0     .     1   |
        +-----+-----+-----+
        | 2     o     3   |
        +-----+-----+-----+
        2: 2
        ",
        "0: right, 1: left, 2: right, 3: left",
        "
        0 goes right from 0,0 to 0,1
        1 goes left from 0,2 to 0,1
        2 goes right from 1,0 to 1,1
        3 goes left from 1,2 to 1,1
        3 is looted of 0
        3 dies at 1,1, losing 0: eaten by 2
        2 ate 3 at 1,1: loot 0, share 0
        2 eats large fruit at 1,1: +10
        2 has a boost for 9 more
        0: right, +0
        1: left, +0
        2: right, +10, ate large, boost counted
        3: left, +0, died
        ",
    );
}

#[test]
fn step_8_boosts_count_down_and_end() {
    check_report(
        "
        boost 7 for 3
        +---+---+---+
        | 0 | 1 | 2 |
        +---+---+---+
        0: 12 +2
        1: 12 +1
        2: 12
        3: 12 +4 dead at 0,0
        ",
        "",
        "
        0 has a boost for 1 more
        1 has a boost for 0 more
        1 loses its boost of 7
        0: stay, +0, boost counted
        1: stay, -7, boost counted
        2: stay, +0
        ",
    );
}

#[test]
fn step_8_a_boost_renewed_in_its_last_turn_does_not_end() {
    check_report(
        "
        +-----+-----+
        | 0o  | 1.  |
        +-----+-----+
        0: 11 +1
        1: 11 +1
        ",
        "",
        "
        0 eats large fruit at 0,0: +0
        1 eats small fruit at 0,1: +1
        0 has a boost for 10 more
        1 has a boost for 0 more
        1 loses its boost of 10
        0: stay, +0, ate large, boost counted
        1: stay, -9, ate small, boost counted
        ",
    );
}

#[test]
fn step_9_a_player_with_only_its_boost_dies_with_it() {
    check_report(
        "
        +---+---+---+
        | 0 | 1 | 2 |
        +---+---+---+
        0: 4 +1
        1: 10 +1
        2: 11 +1
        ",
        "",
        "
        0 has a boost for 0 more
        0 loses its boost of 10
        1 has a boost for 0 more
        1 loses its boost of 10
        2 has a boost for 0 more
        2 loses its boost of 10
        0 dies at 0,0, losing -6: no boost
        1 dies at 0,1, losing 0: no boost
        2 inherits 0
        0: stay, -4, boost counted, died
        1: stay, -10, boost counted, died
        2: stay, -10, boost counted
        ",
    );
}
