//! Steps 4 and 5: lights, and deaths by light.

use crate::common::check_report;

#[test]
fn step_4_lights_cross_everything_but_walls() {
    // Through player 1 and the fruit, around the edge, up to the wall.
    check_report(
        "
        +---+---+---+---+
          1 | 0   2   o
        +---+---+---+---+
        |         3     |
        +---+---+---+---+
        0: 5
        1: 20
        2: 20
        3: 20
        ",
        "0: shoot right",
        "
        0 shoots right from 0,1 for 4
        0 hits 1: now 7 and 14
        0 hits 2: now 13 and 14
        0: shoot right, +8
        1: stay, -6
        2: stay, -6
        3: stay, +0
        ",
    );
}

#[test]
fn step_4_lights_come_after_moves() {
    // Player 1 moves into the light, player 2 out of it.
    check_report(
        "
        +---+---+---+
        | 0       2 |
        +   +   +   +
        |     1     |
        +---+---+---+
        0: 5
        1: 20
        2: 20
        ",
        "0: shoot right, 1: up, 2: down",
        "
        1 goes up from 1,1 to 0,1
        2 goes down from 0,2 to 1,2
        0 shoots right from 0,0 for 4
        0 hits 1: now 7 and 14
        0: shoot right, +2
        1: up, -6
        2: down, +0
        ",
    );
}

#[test]
fn step_4_lights_in_all_directions_add_up() {
    check_report(
        "
        +---+---+---+
        |     1     |
        +   +   +   +
        | 2   0   3 |
        +---+---+---+
        0: 30
        1: 30
        2: 30
        3: 30
        ",
        "0: shoot up, 1: shoot down, 2: shoot right, 3: shoot left",
        "
        0 shoots up from 1,1 for 4
        0 hits 1: now 32 and 24
        1 shoots down from 0,1 for 4
        1 hits 0: now 26 and 26
        2 shoots right from 1,0 for 4
        2 hits 0: now 32 and 20
        2 hits 3: now 38 and 24
        3 shoots left from 1,2 for 4
        3 hits 0: now 26 and 14
        3 hits 2: now 32 and 32
        0: shoot up, -16
        1: shoot down, -4
        2: shoot right, +2
        3: shoot left, +2
        ",
    );
}

#[test]
fn step_4_a_shot_into_a_wall_only_costs() {
    check_report(
        "
        +---+---+
        | 0 | 1 |
        +---+---+
        0: 5
        ",
        "0: shoot right",
        "
        0 shoots right from 0,0 for 4
        0: shoot right, -4
        1: stay, +0
        ",
    );
}

#[test]
fn step_4_at_an_odd_cost_deltas_are_rounded_separately() {
    // Player 1 goes from 8 to 3 to -1 to 0 and loses 8, but its delta, booked as in the sample, goes from 0 to -4 to -8 to
    // -7. Player 2 gains nothing, and its delta goes from 0 to -4 to -7 to -2 to 2.
    check_report(
        "
        light 3
        +---+---+---+
        | 0   1   2 |
        +---+---+---+
        0: 10
        1: 8
        2: 7
        ",
        "0: shoot right, 2: shoot left",
        "
        0 shoots right from 0,0 for 3
        0 hits 1: now 11 and 3
        0 hits 2: now 15 and 2
        2 shoots left from 0,2 for 3
        2 hits 0: now 3 and 10
        2 hits 1: now 7 and -1
        1 dies at 0,1, losing -1: light of 0 and 2
        0: shoot right, +0
        1: stay, -7, died
        2: shoot left, +2
        ",
    );
}

#[test]
fn step_5_death_by_light_names_all_shooters() {
    // Players die after the last light, and only those without strength then.
    check_report(
        "
        +---+---+---+
        | 0   1   2 |
        +   +---+---+
        | 3         |
        +---+---+---+
        0: 12
        1: 6 +5
        2: 12
        3: 3
        ",
        "0: shoot right, 1: shoot left, 2: shoot left",
        "
        0 shoots right from 0,0 for 4
        0 hits 1: now 14 and 0
        0 hits 2: now 20 and 6
        1 shoots left from 0,1 for 4
        1 hits 0: now 2 and 14
        2 shoots left from 0,2 for 4
        2 hits 0: now 8 and 8
        2 hits 1: now 14 and -4
        1 dies at 0,1, losing -4: light of 0 and 2
        0: shoot right, -4
        1: shoot left, -6, died
        2: shoot left, +2
        3: stay, +0
        ",
    );
}

#[test]
fn step_5_forfeited_players_are_reset_only_under_prose() {
    let before = |witness| {
        format!(
            "
            forfeited {witness}
            +----+----+----+
            | 0    12 | 3  |
            +----+----+----+
            0: 9
            1: 8
            2: 8
            "
        )
    };
    check_report(
        &before("sample"),
        "0: shoot right, 1: invalid",
        "
        1 dies at 0,1, losing 8: illegal action invalid
        0 shoots right from 0,0 for 4
        0 hits 2: now 11 and 2
        0: shoot right, +2
        1: invalid, -8, illegal
        2: stay, -6
        3: stay, +0
        ",
    );
    check_report(
        &before("judge"),
        "0: shoot right, 1: invalid",
        "
        1 dies at 0,1, losing 8: illegal action invalid
        0 shoots right from 0,0 for 4
        0 hits 1: now 11 and -6
        0 hits 2: now 17 and 2
        0: shoot right, +8
        1: invalid, -14, illegal
        2: stay, -6
        3: stay, +0
        ",
    );
    check_report(
        &before("prose"),
        "0: shoot right, 1: invalid",
        "
        1 dies at 0,1, losing 8: illegal action invalid
        0 shoots right from 0,0 for 4
        0 hits 1: now 11 and -6
        0 hits 2: now 17 and 2
        1 is reset, gaining 6
        0: shoot right, +8
        1: invalid, -8, illegal
        2: stay, -6
        3: stay, +0
        ",
    );
}

#[test]
fn step_5_players_that_no_light_hit_are_not_reset() {
    check_report(
        "
        forfeited prose
        +---+---+---+
        | 0 | 1 | 2 |
        +---+---+---+
        0: 9
        1: 8
        ",
        "0: shoot right, 1: invalid",
        "
        1 dies at 0,1, losing 8: illegal action invalid
        0 shoots right from 0,0 for 4
        0: shoot right, -4
        1: invalid, -8, illegal
        2: stay, +0
        ",
    );
}
