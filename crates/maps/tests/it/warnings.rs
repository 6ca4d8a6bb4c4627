//! Warnings: what looks odd on a map and is played all the same.

use super::custom::{VALID, check_valid};

#[test]
fn fruit_without_a_mirror_image_is_odd() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0   .           .   1 |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        |                       |
        +   +   +   +   +   +   +
        |                       |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        | 2   .               3 |
        +---+---+---+---+---+---+
        ",
        &["the map is not symmetric along both axes"],
    );
}

#[test]
fn a_map_whose_left_and_right_differ_is_odd() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0   .           .   1 |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        |   |                   |
        +   +   +   +   +   +   +
        |   |                   |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        | 2   .           .   3 |
        +---+---+---+---+---+---+
        ",
        &["the map is not symmetric along both axes"],
    );
}

#[test]
fn a_map_whose_top_and_bottom_differ_is_odd() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0   .           .   1 |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        |   |               |   |
        +   +   +   +   +   +   +
        |                       |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        | 2   .           .   3 |
        +---+---+---+---+---+---+
        ",
        &["the map is not symmetric along both axes"],
    );
}

#[test]
fn exchanged_players_are_odd() {
    check_valid(&VALID.replace('0', "x").replace('1', "0").replace('x', "1"), &["the map is not symmetric along both axes"]);
}

#[test]
fn a_one_sided_wall_is_odd() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0   .           .   1 |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        |   >               <   |
        +   +   +   +   +   +   +
        |   >               <   |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        | 2   .           .   3 |
        +---+---+---+---+---+---+
        ",
        &["a wall stops only one direction: row 2, column 0 and 3 more"],
    );
}

#[test]
fn a_generator_that_is_not_walled_in_is_odd() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0   .           .   1 |
        +   +   +   +   +   +   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        |                       |
        +   +   +   +   +   +   +
        |                       |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   +   +   +   +   +   +
        | 2   .           .   3 |
        +---+---+---+---+---+---+
        ",
        &["a generator is not walled in: row 1, column 1 and 3 more"],
    );
}

#[test]
fn a_generator_that_can_only_be_left_is_odd() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0   .           .   1 |
        +   + ^ +   +   + ^ +   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        |                       |
        +   +   +   +   +   +   +
        |                       |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   + v +   +   + v +   +
        | 2   .           .   3 |
        +---+---+---+---+---+---+
        ",
        &[
            "a wall stops only one direction: row 1, column 1 and 3 more",
            "a generator is not walled in: row 1, column 1 and 3 more",
        ],
    );
}

#[test]
fn a_generator_that_can_only_be_entered_is_odd() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0   .           .   1 |
        +   + v +   +   + v +   +
        |   | G | o   o | G |   |
        +   +---+   +   +---+   +
        |                       |
        +   +   +   +   +   +   +
        |                       |
        +   +---+   +   +---+   +
        |   | G | o   o | G |   |
        +   + ^ +   +   + ^ +   +
        | 2   .           .   3 |
        +---+---+---+---+---+---+
        ",
        &[
            "a wall stops only one direction: row 0, column 1 and 3 more",
            "a generator is not walled in: row 1, column 1 and 3 more",
        ],
    );
}

#[test]
fn a_cell_out_of_reach_is_odd() {
    check_valid(&VALID.replace('G', " "), &["a cell is out of player 0's reach: row 1, column 1 and 3 more"]);
}

#[test]
fn players_that_share_a_cell_are_odd() {
    check_valid(
        "
        +----+----+----+----+----+----+
        | 01                          |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        | 2                        3  |
        +----+----+----+----+----+----+
        ",
        &["the map is not symmetric along both axes", "players share a cell: row 0, column 0"],
    );
}

#[test]
fn a_player_on_a_generator_is_odd() {
    check_valid(
        "
        +----+----+----+----+----+----+
        | 0G |                   | 1G |
        +----+    +    +    +    +----+
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +----+    +    +    +    +----+
        | 2G |                   | 3G |
        +----+----+----+----+----+----+
        ",
        &[
            "a cell is out of player 0's reach: row 0, column 1 and 31 more",
            "a player stands on a generator: row 0, column 0 and 3 more",
        ],
    );
}

#[test]
fn fruit_on_a_generator_is_odd() {
    check_valid(
        "
        +----+----+----+----+----+----+
        | 0                        1  |
        +    +----+    +    +----+    +
        |    | G. |         | G. |    |
        +    +----+    +    +----+    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +----+    +    +----+    +
        |    | G. |         | G. |    |
        +    +----+    +    +----+    +
        | 2                        3  |
        +----+----+----+----+----+----+
        ",
        &["fruit lies on a generator: row 1, column 1 and 3 more"],
    );
}

#[test]
fn both_kinds_of_fruit_in_a_cell_are_odd() {
    check_valid(
        "
        +----+----+----+----+----+----+
        | 0                        1  |
        +    +    +    +    +    +    +
        |      .o             .o      |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |      .o             .o      |
        +    +    +    +    +    +    +
        | 2                        3  |
        +----+----+----+----+----+----+
        ",
        &["both kinds of fruit share a cell: row 1, column 1 and 3 more"],
    );
}
