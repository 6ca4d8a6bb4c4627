//! Steps 1 to 3: illegal actions and fright, moves, fights.

use pacman2_rules::{BySeat, PlayError, Seat, picture};

use crate::common::{check, check_report};

#[test]
fn step_1_illegal_actions_forfeit() {
    // A wall, too little strength to shoot, and an output that cannot be parsed. They die at once and lose everything.
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
        0 dies at 0,0, losing 7: illegal action left
        1 dies at 0,1, losing 3: illegal action shoot up
        2 dies at 0,2, losing 5: illegal action invalid
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
    // All stronger players are named. Equal and weaker ones do not frighten; frightened ones do.
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
        0 is frightened from going right by 1 and 2
        3 is frightened from going left by 1 and 2
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
fn step_1_fright_works_around_the_edge() {
    check_report(
        "
        +---+---+---+
          0       1
        +---+---+---+
        1: 2
        ",
        "0: left",
        "
        0 is frightened from going left by 1
        0: stay, +0
        1: stay, +0
        ",
    );
}

#[test]
fn step_1_the_dead_do_not_act() {
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
fn step_2_all_move_at_once() {
    // Neighbours of equal strength exchange places without meeting, and the maze wraps around both ways.
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
fn step_2_a_move_around_can_lead_back() {
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
    // Two share the loot of 1 + 2; 1 is lost.
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
fn step_3_every_shared_cell_has_its_fight() {
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
fn only_the_living_must_be_inside_the_maze() {
    let (maze, mut state) = picture::read("+---+---+---+\n| 0   1   2 |\n+---+---+---+\n3: 5 dead at 0,0\n").unwrap();
    let (larger, _) = picture::read("+---+---+---+---+\n| 0   1         |\n+---+---+---+---+\n").unwrap();
    let outside = larger.cell(0, 3).unwrap();
    state.cells[Seat::S3] = outside;
    state.small_fruits.insert(outside);
    assert_eq!(state.try_play(&maze, &BySeat::default(), &mut ()), Ok(true));
    state.cells[Seat::S0] = outside;
    assert_eq!(state.try_play(&maze, &BySeat::default(), &mut ()), Err(PlayError::OutsideMaze));
}
