//! `hunter`: its tables, its evaluation, and its decisions in drawn positions.

use pacman2_bots::BuiltIn;
use pacman2_bots::distance::Distances;
use pacman2_bots::distance_tables::{DeadEnd, DistanceTables};
use pacman2_bots::evaluation::evaluate;
use pacman2_bots::policy::{play_policy, quick_action};
use pacman2_rules::{Cell, CellSet, Direction, Game, Maze, MazeSpec, Ruleset, Seat, Square, Walls, picture, scores};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn read(drawn: &str) -> Game {
    let (maze, state) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}\n{drawn}"));
    Game::new(maze, state)
}

/// Returns the action of seat 0.
fn done(drawn: &str, seed: i32) -> String {
    ("hunter".parse::<BuiltIn>().unwrap().decide)(&read(drawn), Seat::S0, seed).to_string()
}

/// Checks that seat 0 chooses this action for all seeds.
#[track_caller]
fn check(drawn: &str, expected: &str) {
    let mut done: Vec<String> = (0..20).map(|seed| done(drawn, seed)).collect();
    done.sort();
    done.dedup();
    assert_eq!(done.join(" or "), expected);
}

/// Checks a picture, and the same picture with a change.
#[track_caller]
fn check_both(drawn: &str, expected: &str, (from, to): (&str, &str), then_expected: &str) {
    assert!(drawn.contains(from), "{from}");
    check(drawn, expected);
    check(&drawn.replace(from, to), then_expected);
}

// What it does.

#[test]
fn it_shoots_players_that_cannot_escape() {
    let drawn = "
        turn 50/100
        +---+---+---+---+---+
        | 0   .       1     |
        +---+---+---+---+---+
        | 2 | 3 |           |
        +---+---+---+---+---+
        0: 9
        1: 9
        ";
    check(drawn, "shoot right");
    // A wall stops the light.
    check(&drawn.replace("| 0   .       1     |", "| 0   .     | 1     |"), "right");
}

#[test]
fn it_leaves_a_ray_that_would_kill_it() {
    check_both(
        "
        turn 50/100
        +---+---+---+---+---+---+
        |   | 0       .       1 |
        +   +   +---+---+---+---+
        |       | 2 | 3 |       |
        +---+---+---+---+---+---+
        0: 4
        1: 20
        ",
        "down",
        ("1: 20", "1: 4"),
        "right",
    );
}

#[test]
fn it_does_not_enter_a_dead_end_before_a_stronger_player() {
    let drawn = "
        turn 50/100
        +---+---+---+---+---+---+---+
        | .       0       1         |
        +---+---+   +---+---+   +---+
        | 2 | 3 |                   |
        +---+---+---+   +   +---+   +
        |   |       |               |
        +---+---+---+---+---+---+---+
        0: 3
        1: 4
        ";
    assert_ne!(done(drawn, 1), "left");
    check(&drawn.replace("1: 4", "1: 3"), "left");
}

#[test]
fn it_eats_a_player_trapped_in_a_dead_end() {
    check_both(
        "
        turn 50/100
        +---+---+---+---+---+---+
        | 1   0               . |
        +---+---+   +---+---+   +
        | 2 | 3 |               |
        +---+---+---+---+---+---+
        0: 4
        1: 3
        ",
        "left",
        ("1: 3", "1: 4"),
        "right",
    );
}

#[test]
fn it_stands_next_to_a_generator_when_fruit_spawns() {
    let drawn = "
        turn 99/100, fruit in 1/20
        +---+---+---+---+---+---+
        |     0           G |   |
        +---+---+---+---+---+---+
        |   |   |   |   |   |   |
        +---+---+---+---+---+---+
        | 1 | 2 | 3 |   |   |   |
        +---+---+---+---+---+---+
        |   |   |   |   |   |   |
        +---+---+---+---+---+---+
        ";
    let one_nearer = drawn.replace("|     0           G |", "|         0       G |");
    check(&one_nearer, "right");
    // The mirror image.
    let mirrored = drawn.replace("|     0           G |   |", "|   | G       0         |");
    check(&mirrored, "left");
}

#[test]
fn it_waits_next_to_a_large_fruit_until_the_boost_is_permanent() {
    let drawn = "
        turn 90/100, fruit in 10/20
        +---+---+---+---+---+---+
        | o   0                 |
        +---+---+---+---+---+---+
        | 1 | 2 | 3 |           |
        +---+---+---+---+---+---+
        0: 5
        ";
    assert_ne!(done(drawn, 1), "left");
    check(&drawn.replace("turn 90", "turn 91"), "left");
}

#[test]
fn in_the_last_turn_it_shoots_for_a_place() {
    let drawn = "
        turn 99/100, fruit in 1/20
        +---+---+---+---+---+---+
        | .   0               1 |
        +---+---+---+---+---+---+
        | 2 | 3 |   |   |   |   |
        +---+---+---+---+---+---+
        0: 9
        1: 12
        2: 20
        3: 10
        ";
    check(drawn, "shoot right");
    // With no target it takes the fruit.
    check(&drawn.replace("0               1 |", "0             | 1 |"), "left");
}

#[test]
fn two_on_one_cell_separate_eventually() {
    let drawn = "
        turn 24/100
        +----+----+----+----+----+----+
        | .          01           .   |
        +----+----+----+----+----+----+
        | 2  | 3  |    |    |    |    |
        +----+----+----+----+----+----+
        ";
    let [mut apart, mut together] = [0, 0];
    for seed in 0..40 {
        let (game, hunter) = (read(drawn), "hunter".parse::<BuiltIn>().unwrap());
        let [one, other] = [Seat::S0, Seat::S1].map(|seat| (hunter.decide)(&game, seat, seed));
        *if one == other { &mut together } else { &mut apart } += 1;
    }
    assert!(apart >= 10, "{apart} apart, {together} together");
}

// What it knows.

/// Returns a random maze of any size, with walls that may be one-sided.
fn maze(below: &mut impl FnMut(usize) -> usize) -> Maze {
    let [width, height] = [1 + below(11), 1 + below(11)];
    let one_in = 1 + below(6);
    let squares = (0..width * height).map(|_| {
        let mut walls = Walls::NONE;
        Direction::ALL.into_iter().filter(|_| below(one_in) == 0).for_each(|side| walls.insert(side));
        Square { walls, generator: below(30) == 0 }
    });
    let squares = squares.collect();
    Maze::new(&MazeSpec { width: width as u8, height: height as u8, squares, ruleset: Ruleset::default() }).unwrap()
}

#[test]
fn tables_equal_searches() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut below = |most: usize| (random.next_u64() % most as u64) as usize;
    let mut lights = 0;
    for _ in 0..300 {
        let maze = maze(&mut below);
        let tables = DistanceTables::new(&maze);
        for from in maze.cells() {
            let distances = Distances::from(&maze, from, |_| true);
            let next = |side| steps_from_next(&tables, &maze, from, side);
            let ways = Direction::ALL.map(|side| maze.ray(from, side));
            assert_eq!(tables.light_targets(from), ways.into_iter().fold(CellSet::EMPTY, |all, way| all | way));
            for to in maze.cells() {
                let steps = tables.steps(from, to);
                assert_eq!(distances.to(to), Some(steps).filter(|&steps| steps != DistanceTables::UNREACHABLE));
                let first = Direction::ALL.into_iter().find(|&side| next(side).is_some_and(|next| next[to.index()] < steps));
                assert_eq!(tables.towards(from, to), first);
                let is_sure = |side: &Direction| (tables.reach(to) & !maze.ray(from, *side)).is_empty();
                assert_eq!(tables.sure_light(from, to), Direction::ALL.into_iter().rfind(is_sure));
                lights += i32::from(tables.sure_light(from, to).is_some());
            }
            let births = maze.spawn_cells().iter().filter_map(|birth| distances.to(birth)).min();
            assert_eq!(tables.steps_to_spawn(from), births.unwrap_or(DistanceTables::UNREACHABLE));
        }
    }
    assert!(lights > 1000, "{lights}");
}

fn steps_from_next<'a>(tables: &'a DistanceTables, maze: &Maze, from: Cell, side: Direction) -> Option<&'a [u8; 128]> {
    maze.is_open(from, side).then(|| tables.steps_from(maze.neighbour(from, side)))
}

#[test]
fn dead_ends_have_a_depth_and_an_exit() {
    let game = read(
        "
        +---+---+---+---+---+---+
        |                       |
        +---+---+   +---+---+   +
        | 0     |               |
        +   +---+---+   +---+---+
        |   | 1 |   | 2 | 3 |   |
        +---+---+---+---+---+---+
        ",
    );
    let (maze, tables) = (game.maze(), DistanceTables::new(game.maze()));
    let cell = |row, col| maze.cell(row, col).unwrap();
    let depth = |row, col| tables.dead_end(cell(row, col)).depth;
    assert_eq!(tables.dead_end(cell(0, 0)), DeadEnd { depth: 2, exit: cell(0, 2) });
    assert_eq!(tables.dead_end(cell(2, 3)), DeadEnd { depth: 1, exit: cell(1, 3) });
    assert_eq!([depth(0, 2), depth(0, 5), depth(1, 3)], [0, 0, 0]);
    // A part without a cycle is one dead end, except for one cell.
    assert_eq!([depth(1, 0), depth(1, 1), depth(2, 0)].iter().filter(|&&depth| depth == 0).count(), 1);
}

// How it judges.

#[test]
fn evaluations_are_finite_and_distinct_and_equal_the_final_scores() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut below = |most: usize| (random.next_u64() % most as u64) as usize;
    let mut judged = Vec::new();
    for _ in 0..200 {
        let maze = maze(&mut below);
        let tables = DistanceTables::new(&maze);
        let cells: Vec<Cell> = maze.cells().collect();
        let mut some = |most| (0..below(most)).map(|_| cells[below(cells.len())]).collect::<CellSet>();
        let (small, large) = (some(20), some(3));
        let places = pacman2_rules::BySeat::from_fn(|_| cells[below(cells.len())]);
        let mut state =
            pacman2_rules::State::start(&maze, places, small & !maze.generators(), large & !(small | maze.generators()));
        while !state.is_over(&maze) {
            let points = evaluate(&tables, &maze, &state);
            assert!(points.iter().all(|points| points.is_finite() && *points > 0.0), "{points:?} {state:?}");
            judged.push(points.map(f32::to_bits));
            let chance = below(usize::MAX) as u64;
            let actions = state.random_actions(&maze, chance);
            state.play(&maze, &actions, &mut ());
        }
        let scores = scores(&state.strength).0.map(|score| score.hundredths as f32 / 100.0);
        assert_eq!(evaluate(&tables, &maze, &state), scores);
    }
    let all = judged.len();
    judged.sort_unstable();
    judged.dedup();
    assert!(all > 3000 && judged.len() > all * 8 / 10, "{} of {all}", judged.len());
}

#[test]
fn nearer_fruit_raises_and_a_trap_lowers_the_evaluation() {
    let expected = |drawn: &str| {
        let game = read(drawn);
        evaluate(&DistanceTables::new(game.maze()), game.maze(), game.state())
    };
    let [nearer, farther, ..] = expected(
        "
        turn 50/100
        +---+---+---+---+---+---+
        |     .   0           1 |
        +---+---+---+---+---+---+
        | 2 | 3 |               |
        +---+---+---+---+---+---+
        ",
    );
    assert!(nearer > farther + 1.0, "{nearer} {farther}");
    // There is no escape from the end of a row, but there is from a ring.
    let caught = "
        turn 50/100
        +---+---+---+---+---+---+
        | 0       1             |
        +---+---+---+---+---+---+
        | 2 | 3 |               |
        +---+---+---+---+---+---+
        0: 10
        1: 20
        ";
    let ring = caught.replace("| 0       1             |", "  0       1              ");
    assert!(expected(&ring)[0] > expected(caught)[0] + 2.0, "{:?} {:?}", expected(&ring), expected(caught));
}

// How it looks ahead.

#[test]
fn the_quick_policy_is_legal_and_stops_with_the_game() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut below = |most: usize| (random.next_u64() % most as u64) as usize;
    for _ in 0..200 {
        let maze = maze(&mut below);
        let tables = DistanceTables::new(&maze);
        let cells: Vec<Cell> = maze.cells().collect();
        let places = pacman2_rules::BySeat::from_fn(|_| cells[below(cells.len())]);
        let mut state = pacman2_rules::State::start(&maze, places, CellSet::EMPTY, CellSet::EMPTY);
        while !state.is_over(&maze) {
            for seat in state.alive.iter() {
                state.strength[seat] += below(3) as i32;
                let action = quick_action(&tables, &maze, &state, seat);
                assert!(state.is_legal(&maze, seat, action), "{action:?} {state:?}");
            }
            let turn = state.turn;
            play_policy(&tables, &maze, &mut state, 1);
            assert_eq!(state.turn, turn + 1);
        }
        let over = state;
        play_policy(&tables, &maze, &mut state, 3);
        assert_eq!(state, over);
    }
}
