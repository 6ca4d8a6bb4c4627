//! The twelve steps of a turn, in their order, and what the report tells of each: what happened, with causes and culprits,
//! and what came of each player, in gains of strength and in the bits of Botzone's log.

mod common;

use common::{check, check_end, check_report};

#[test]
fn step_1_illegal_orders_forfeit() {
    // A wall, too little strength for light, and an answer that could not be read. They die at once, with all they have.
    check_report(
        "
        +---+---+---+---+
        | 0 | 1 | 2 | 3 |
        +---+---+---+---+
        0: 7
        1: 3
        2: 5 +4
        ",
        "0: left, 1: shoot up, 2: invalid",
        "
        0 dies at 0,0, losing 7: ordered left
        1 dies at 0,1, losing 3: ordered shoot up
        2 dies at 0,2, losing 5: ordered invalid
        3 inherits 0
        0: left, -7, illegal
        1: shoot up, -3, illegal
        2: invalid, -5, illegal
        3: stay, +0
        ",
    );
}

#[test]
fn step_1_the_stronger_frighten() {
    // All stronger players are named. The equal and the weaker frighten nobody, and the frightened frighten all the same.
    check_report(
        "
        +----+----+----+----+
        | 0    12   3       |
        +----+----+----+----+
        0: 4
        1: 5
        2: 5
        3: 4
        ",
        "0: right, 1: right, 2: right, 3: left",
        "
        0 dares not go right for fear of 1 and 2
        3 dares not go left for fear of 1 and 2
        1 goes right from 0,1 to 0,2
        2 goes right from 0,1 to 0,2
        3 is looted of 2
        3 dies at 0,2, losing 0: eaten by 1 and 2
        1 and 2 ate 3 at 0,2: loot 2, share 1
        0: stay, +0
        1: right, +1
        2: right, +1
        3: stay, -2, died
        ",
    );
}

#[test]
fn step_1_fright_looks_round_the_edge() {
    check_report(
        "
        +---+---+---+
          0       1
        +---+---+---+
        1: 2
        ",
        "0: left",
        "
        0 dares not go left for fear of 1
        0: stay, +0
        1: stay, +0
        ",
    );
}

#[test]
fn step_1_the_dead_are_not_asked() {
    check_report(
        "
        +---+---+
        | 0 | 1 |
        +---+---+
        2: 3 dead at 0,0
        ",
        "2: invalid, 3: shoot up",
        "
        0: stay, +0
        1: stay, +0
        ",
    );
}

#[test]
fn step_2_all_walk_at_once() {
    // Neighbours of equal strength change places without meeting, and the field wraps both ways.
    check_report(
        "
        +---+---+---+
          0   1   2
        +---+   +---+
        |     3     |
        +---+---+---+
        ",
        "0: left, 1: down, 2: right, 3: up",
        "
        0 goes left from 0,0 to 0,2
        1 goes down from 0,1 to 1,1
        2 goes right from 0,2 to 0,0
        3 goes up from 1,1 to 0,1
        0: left, +0
        1: down, +0
        2: right, +0
        3: up, +0
        ",
    );
    check(
        "
        +   +---+
        | 0 | 1 |
        +---+---+
        | . | 2 |
        +   +---+
        ",
        "0: up",
        "
        +   +---+
        |   | 1 |
        +---+---+
        | 0 | 2 |
        +   +---+
        0: 2
        ",
    );
}

#[test]
fn step_2_a_way_round_may_lead_home() {
    check_report(
        "
        +   +---+
        | 0 | 1 |
        +   +---+
        ",
        "0: up",
        "
        0 goes up from 0,0 to 0,0
        0: up, +0
        1: stay, +0
        ",
    );
}

#[test]
fn step_3_the_strongest_eat() {
    check_report(
        "
        +---+---+---+---+
        | 0       1 | 2 |
        +---+---+---+---+
        0: 5
        1: 4
        ",
        "0: right, 1: left",
        "
        0 goes right from 0,0 to 0,1
        1 goes left from 0,2 to 0,1
        1 is looted of 2
        1 dies at 0,1, losing 0: eaten by 0
        0 ate 1 at 0,1: loot 2, share 2
        0: right, +2
        1: left, -2, died
        2: stay, +0
        ",
    );
}

#[test]
fn step_3_the_equally_strong_share() {
    // The loot of 1 + 2 is shared by two; 1 is left over.
    check_report(
        "
        +------+------+
        | 0123 |      |
        +------+------+
        0: 6
        1: 3
        2: 6
        3: 4
        ",
        "",
        "
        1 is looted of 1
        1 dies at 0,0, losing 0: eaten by 0 and 2
        3 is looted of 2
        3 dies at 0,0, losing 0: eaten by 0 and 2
        0 and 2 ate 1 and 3 at 0,0: loot 3, share 1
        0: stay, +1
        1: stay, -1, died
        2: stay, +1
        3: stay, -2, died
        ",
    );
}

#[test]
fn step_3_equals_do_not_fight() {
    check_report(
        "
        +----+----+
        | 01 |    |
        +----+----+
        0: 6
        1: 6 +3
        ",
        "",
        "
        1 has a boost for 2 more
        0: stay, +0
        1: stay, +0, boost counted
        ",
    );
}

#[test]
fn step_3_every_crowded_cell_has_its_fight() {
    check_report(
        "
        +----+----+
        | 03 | 12 |
        +----+----+
        0: 3
        1: 3
        2: 5
        3: 5
        ",
        "",
        "
        0 is looted of 1
        0 dies at 0,0, losing 0: eaten by 3
        3 ate 0 at 0,0: loot 1, share 1
        1 is looted of 1
        1 dies at 0,1, losing 0: eaten by 2
        2 ate 1 at 0,1: loot 1, share 1
        0: stay, -1, died
        1: stay, -1, died
        2: stay, +1
        3: stay, +1
        ",
    );
}

#[test]
fn step_4_lights_cross_everything_but_walls() {
    // Through player 1 and the fruit, round the edge, and up to the wall.
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
fn step_4_lights_shine_after_all_have_walked() {
    // Player 1 walks into the light, player 2 out of it.
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
fn step_4_a_light_into_a_wall_only_costs() {
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
fn step_4_at_an_odd_cost_the_books_round_by_themselves() {
    // Player 1 goes from 8 to 3 to -1 to 0 and loses 8, but its book, kept as the sample keeps it, goes from 0 to -4 to -8 to
    // -7. Player 2 gains nothing, and its book goes from 0 to -4 to -7 to -2 to 2.
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
fn step_5_death_by_light_names_all_who_hit() {
    // Death follows after the last light, and only for those who then have nothing.
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
fn step_5_who_forfeited_is_settled_only_under_prose() {
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
        1 dies at 0,1, losing 8: ordered invalid
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
        1 dies at 0,1, losing 8: ordered invalid
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
        1 dies at 0,1, losing 8: ordered invalid
        0 shoots right from 0,0 for 4
        0 hits 1: now 11 and -6
        0 hits 2: now 17 and 2
        1 is settled with 6
        0: shoot right, +8
        1: invalid, -8, illegal
        2: stay, -6
        3: stay, +0
        ",
    );
}

#[test]
fn step_5_nobody_is_settled_whom_no_light_has_hit() {
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
        1 dies at 0,1, losing 8: ordered invalid
        0 shoots right from 0,0 for 4
        0: shoot right, -4
        1: invalid, -8, illegal
        2: stay, +0
        ",
    );
}

#[test]
fn step_6_generators_bear_all_round() {
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
        fruit is born at 0,0 0,1 0,2 1,0 1,2 2,1
        0: stay, +0
        1: stay, +0
        ",
    );
    // Not a turn earlier, and the count starts anew.
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
fn step_6_generators_bear_round_the_edge() {
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
fn step_6_without_room_the_count_starts_anew_all_the_same() {
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
fn step_7_who_is_alone_eats() {
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
fn step_7_who_shares_a_cell_does_not_eat() {
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
fn step_9_who_lives_on_a_boost_dies_with_it() {
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
fn step_11_the_last_one_inherits_small_fruit() {
    // Also what is born in this very turn, and not the large one.
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
        0 dies at 0,0, losing 1: ordered up
        fruit is born at 0,0 1,2 1,3
        1 inherits 5
        0: up, -1, illegal
        1: stay, +5
        ",
    );
}

#[test]
fn step_11_nobody_left_nobody_inherits() {
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

/// The events of all steps in one turn stand in the order of the steps.
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
        1 dares not go right for fear of 2
        2 dies at 0,2, losing 8: ordered up
        3 goes left from 0,3 to 0,2
        0 shoots right from 0,0 for 4
        0 hits 1: now 11 and -4
        0 hits 3: now 17 and 2
        1 dies at 0,1, losing -4: light of 0
        fruit is born at 0,0 0,3
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
