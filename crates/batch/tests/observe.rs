//! What players see and may do: a few views by hand, and those of many games against the plain ones.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use common::seen::{Seen, is_large, is_small};
use common::starts::Chance;
use common::twins::Pair;
use common::{instruction_sets, pool};
use pacman2_batch::observe::{self, ACTIONS, View, action_mask, observe};
use pacman2_batch::{Games, StartPosition, StartSource};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{MAX_CELLS, Maze, Ruleset, Seat, State, picture};

const ROOM: &str = "
    turn 93/100, fruit in 17/20
    +---+---+---+
    | 0   . | o |
    +   +   +   +
    | 1   G   2 |
    +---+---+---+
    0: 5 +3
    2: 300
    3: 7 dead at 1,1
";

fn seen(view: View, (maze, state): &(Maze, State), seat: Seat) -> Vec<u8> {
    // What was there before must not matter.
    let mut bytes = vec![77; view.len()];
    observe(view, maze, state, seat, &mut bytes);
    bytes
}

/// Some rows of cells in the upper left corner of 11 rows of 11.
fn cells(rows: &[&[u8]]) -> Vec<u8> {
    let mut cells = vec![0; MAX_CELLS];
    for (row, codes) in rows.iter().enumerate() {
        cells[11 * row..11 * row + codes.len()].copy_from_slice(codes);
    }
    cells
}

#[test]
fn a_compact_view() {
    let position = picture::read(ROOM).unwrap();
    let mut expected = cells(&[&[137, 147, 171], &[140, 196, 134]]);
    expected.extend([[1, 0, 1, 1, 0], [1, 2, 1, 255, 0], [1, 1, 0, 7, 0], [0, 0, 1, 5, 3]].as_flattened());
    expected.extend([7, 17, 3, 2, 1, 20, 10, 10, 4]);
    assert_eq!(seen(View::Compact, &position, Seat::S1), expected);
}

#[test]
fn a_compact_view_from_the_middle() {
    let position = picture::read(ROOM).unwrap();
    for (seat, rows, players) in [
        (Seat::S1, [[171, 137, 147], [134, 140, 196]], [[1, 1], [1, 0], [1, 2], [0, 1]]),
        (Seat::S0, [[134, 140, 196], [171, 137, 147]], [[1, 1], [0, 1], [0, 0], [0, 2]]),
        // The dead stand where they last stood.
        (Seat::S3, [[137, 147, 171], [140, 196, 134]], [[1, 1], [0, 0], [1, 0], [1, 2]]),
    ] {
        let found = seen(View::CompactCentred, &position, seat);
        assert_eq!(found[..MAX_CELLS], cells(&rows.each_ref().map(|row| &row[..])), "seat {seat}");
        let places = found[observe::PLAYERS..observe::TURNS_LEFT].chunks(observe::PLAYER).map(|player| [player[0], player[1]]);
        assert_eq!(places.collect::<Vec<_>>(), players, "seat {seat}");
        // All else is as it is from the corner.
        let from_corner = seen(View::Compact, &position, seat);
        assert_eq!(found[observe::TURNS_LEFT..], from_corner[observe::TURNS_LEFT..], "seat {seat}");
    }
}

#[test]
fn planes() {
    let position = picture::read(ROOM).unwrap();
    let on = |places: &[(usize, usize)], number| {
        let mut plane = vec![0; MAX_CELLS];
        places.iter().for_each(|&(row, col)| plane[11 * row + col] = number);
        plane
    };
    let field = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)];
    let expected = [
        on(&[(0, 0), (0, 1), (0, 2)], 1),
        on(&[(0, 1), (0, 2), (1, 2)], 1),
        on(&[(1, 0), (1, 1), (1, 2)], 1),
        on(&[(0, 0), (0, 2), (1, 0)], 1),
        on(&[(0, 1)], 1),
        on(&[(0, 2)], 1),
        on(&[(1, 1)], 1),
        on(&field, 1),
        on(&[(1, 0)], 1),
        on(&[], 0),
        on(&[(1, 2)], 255),
        on(&[], 0),
        // Who is dead is nowhere.
        on(&[], 0),
        on(&[], 0),
        on(&[(0, 0)], 5),
        on(&[(0, 0)], 3),
        on(&field, 7),
        on(&field, 17),
    ];
    assert_eq!(seen(View::Planes, &position, Seat::S1), expected.concat());
    // From the middle all of it has moved one column to the right.
    let moved = expected.map(|plane| {
        let moved = |place: usize| if place % 11 < 3 { plane[place - place % 11 + (place % 11 + 2) % 3] } else { 0 };
        (0..MAX_CELLS).map(moved).collect::<Vec<_>>()
    });
    assert_eq!(seen(View::PlanesCentred, &position, Seat::S1), moved.concat());
}

/// Numbers that a byte cannot tell are told as the nearest that it can; walls are those that one meets, not those that others
/// meet from behind.
#[test]
fn odd_numbers_and_walls() {
    let position = picture::read(
        "
        turn 1/700, fruit in 290/300, light 256, boost 1000 for 999
        +---+---+
        | 0 > 1 |
        +---+---+
        0: -3 +400
    ",
    )
    .unwrap();
    let found = seen(View::Compact, &position, Seat::S0);
    assert_eq!(found[..2], [128 + 1 + 4 + 8, 128 + 1 + 2 + 4 + 8]);
    assert_eq!(found[observe::PLAYERS..][..5], [0, 0, 1, 0, 255]);
    assert_eq!(found[observe::TURNS_LEFT..], [255, 255, 2, 1, 0, 255, 255, 255, 255]);
}

#[test]
fn masks() {
    let (maze, mut state) = picture::read(ROOM).unwrap();
    let masks = |state: &State| Seat::ALL.map(|seat| action_mask(&maze, state, seat));
    assert_eq!(
        masks(&state),
        [[1, 0, 1, 1, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0, 0, 0, 0]]
    );
    state.turn = 100;
    assert_eq!(masks(&state), [[1, 0, 0, 0, 0, 0, 0, 0, 0]; 4], "the game is over");
}

#[test]
fn views_have_names_and_shapes() {
    for view in View::ALL {
        assert_eq!(view.name().parse(), Ok(view));
        assert_eq!(view.shape().iter().product::<usize>(), view.len());
    }
    let refusal = "compakt".parse::<View>().unwrap_err().to_string();
    assert_eq!(refusal, "\"compakt\" is no view; compact, planes, compact_centred and planes_centred are");
}

/// Holds everything that many games tell against what is told of each by itself.
fn compare(games: &Games, at: &str, seen: &mut Seen) {
    let count = games.count();
    let mut masks = vec![77; count * 4 * ACTIONS];
    games.action_masks(&mut masks);
    let mut alive = vec![77; count * 4];
    games.alive(&mut alive);
    let mut strengths = vec![[-77; 4]; count];
    games.strengths(&mut strengths);
    for game in 0..count {
        let (maze, state) = (games.maze(game), games.state(game));
        let expected = Seat::ALL.map(|seat| action_mask(maze, &state, seat));
        assert_eq!(masks[36 * game..][..36], *expected.as_flattened(), "{at}, game {game}, masks");
        assert_eq!(alive[4 * game..][..4], Seat::ALL.map(|seat| u8::from(state.alive.contains(seat))), "{at}, game {game}");
        assert_eq!(strengths[game], state.strength.0, "{at}, game {game}");
        count_position(maze, &state, seen);
    }
    for view in View::ALL {
        let mut views = vec![77; count * 4 * view.len()];
        games.observe(view, &mut views);
        let mut expected = vec![0; view.len()];
        for (number, found) in views.chunks(view.len()).enumerate() {
            let (game, seat) = (number / 4, Seat::ALL[number % 4]);
            let (maze, state) = (games.maze(game), games.state(game));
            observe(view, maze, &state, seat, &mut expected);
            let place = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            let picture = || picture::write(maze, &state);
            assert_eq!(place, None, "{at}, {view} of seat {seat} of game {game} differs there\n{}", picture());
        }
    }
}

fn count_position(maze: &Maze, state: &State, seen: &mut Seen) {
    let both = (state.small_fruits & state.large_fruits).len();
    for (what, is) in [
        ("in a lane", is_small(maze, state)),
        ("beside a lane", is_large(maze, state)),
        ("somebody dead", state.alive.len() < 4),
        ("somebody boosted", state.boost_turns_left.0.iter().any(|&turns| turns > 0)),
        ("both fruits in a cell", both > 0),
        ("more than 255 turns left", maze.ruleset().turn_limit - state.turn > 255),
        ("over", state.is_over(maze)),
        ("largest field", usize::from(maze.width()) * usize::from(maze.height()) == MAX_CELLS),
        ("one row", maze.height() == 1),
        ("one column", maze.width() == 1),
    ] {
        if is {
            seen.count(what);
        }
    }
}

/// All views of all kinds of games, turn by turn.
#[test]
fn many_games_are_seen_as_each_by_itself() {
    let source: Arc<dyn StartSource> = Arc::new(pool(31, 2000));
    for set in instruction_sets() {
        let (mut pair, mut chance, mut seen) = (Pair::new(set, 130, 32, Arc::clone(&source)), Chance::new(33), Seen::default());
        for turn in 0..300 {
            let mut actions = pair.random_actions();
            for actions in actions.iter_mut().step_by(3) {
                actions[chance.below(4)] = chance.below(10) as u8;
            }
            pair.step(&actions, None);
            compare(&pair.games, &format!("{set}, turn {turn}"), &mut seen);
        }
        seen.assert_at_least(
            90,
            &[
                "in a lane",
                "beside a lane",
                "somebody dead",
                "somebody boosted",
                "both fruits in a cell",
                "more than 255 turns left",
                "largest field",
                "one row",
                "one column",
            ],
        );
    }
}

/// And games as Botzone plays them, from their beginnings to their ends.
#[test]
fn games_on_maps_of_botzone_are_seen_as_each_by_itself() {
    let source: Arc<dyn StartSource> = Arc::new(|seed: u64| {
        let map = Map::generate(seed as i32, MapSize { width: None, height: None }, Ruleset::default()).unwrap();
        Arc::new(StartPosition::new(map.maze, map.start))
    });
    for set in instruction_sets() {
        let (mut games, mut seen) = (Games::new(set, 70, 34, Arc::clone(&source)).keep_ended(), Seen::default());
        let (mut actions, mut rewards) = (vec![[0; 4]; 70], vec![[0; 4]; 70]);
        for turn in 0..110 {
            compare(&games, &format!("{set}, turn {turn}"), &mut seen);
            games.random_actions(&mut actions);
            games.step(&actions, &mut rewards);
        }
        seen.assert_at_least(500, &["in a lane", "somebody dead", "somebody boosted", "over"]);
    }
}

#[test]
fn views_are_the_same_on_threads() {
    let source: Arc<dyn StartSource> = Arc::new(pool(35, 300));
    for set in instruction_sets() {
        for count in [0, 1, 64, 65, 300] {
            let games = Games::new(set, count, 36, Arc::clone(&source));
            for view in View::ALL {
                let mut expected = vec![0; count * 4 * view.len()];
                games.observe(view, &mut expected);
                for threads in [1, 2, 3] {
                    let mut found = vec![77; expected.len()];
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| games.observe_in_parallel(view, &mut found));
                    assert!(found == expected, "{set}, {count} games, {threads} threads, {view}");
                }
            }
        }
    }
}

#[test]
fn wrong_room_is_refused() {
    let source: Arc<dyn StartSource> = Arc::new(pool(37, 10));
    for set in instruction_sets() {
        let games = Games::new(set, 2, 0, Arc::clone(&source));
        let refusal = |ask: &dyn Fn()| {
            let refused = catch_unwind(AssertUnwindSafe(ask)).expect_err("it was not refused");
            refused.downcast_ref::<String>().cloned().expect("a sentence")
        };
        for (found, expected) in [
            (
                refusal(&|| games.observe(View::Compact, &mut [0; 1199])),
                "room for 1199 bytes of views of 2 games; 1200 are wanted",
            ),
            (
                refusal(&|| games.observe_in_parallel(View::Planes, &mut [])),
                "room for 0 bytes of views of 2 games; 17424 are wanted",
            ),
            (refusal(&|| games.action_masks(&mut [0; 73])), "room for 73 bytes of masks of 2 games; 72 are wanted"),
            (refusal(&|| games.alive(&mut [0; 9])), "room for 9 bytes of lives of 2 games; 8 are wanted"),
            (refusal(&|| games.strengths(&mut [[0; 4]; 3])), "3 lists of strengths for 2 games"),
        ] {
            assert_eq!(found, expected, "{set}");
        }
    }
}
