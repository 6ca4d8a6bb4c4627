//! Observations and action masks: a few written by hand, and those of many games compared with the reference.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::common::coverage::{Coverage, is_large, is_small};
use crate::common::positions::TestRng;
use crate::common::reference::ComparedGames;
use crate::common::{instruction_sets, pool};
use pacman2_batch::observe::{self, ACTIONS, View, action_mask, observe};
use pacman2_batch::{GameRng, Games, PlayerRows, ShownPlanes, StartPosition, StartSource};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Direction, MAX_CELLS, Maze, Ruleset, Seat, State, picture};

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

fn coverage(view: View, (maze, state): &(Maze, State), seat: Seat) -> Vec<u8> {
    // The old content must not matter.
    let mut bytes = vec![77; view.len()];
    observe(view, maze, state, seat, &mut bytes);
    bytes
}

/// Puts rows of cells in the upper left corner of 11 rows of 11.
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
    assert_eq!(coverage(View::Compact, &position, Seat::S1), expected);
}

/// In the centred view the observer is in the middle, and what is around it as far as 5 steps is what it would meet.
#[test]
fn the_centred_view_shows_what_is_around_the_observer() {
    for_each_position(|maze, state| {
        for seat in Seat::ALL {
            let [mut corner, mut planes] = [View::Compact, View::PlanesCentred].map(|view| vec![7; view.len()]);
            observe(View::Compact, maze, state, seat, &mut corner);
            observe(View::PlanesCentred, maze, state, seat, &mut planes);
            let own = state.cells[seat];
            for direction in Direction::ALL {
                let (mut cell, mut index) = (own, 60);
                for _ in 0..5 {
                    cell = maze.neighbour(cell, direction);
                    index = match direction {
                        Direction::Up => index - 11,
                        Direction::Right => index + 1,
                        Direction::Down => index + 11,
                        Direction::Left => index - 1,
                    };
                    let code = corner[usize::from(maze.row(cell)) * 11 + usize::from(maze.col(cell))];
                    let shown: u8 = (0..8).map(|bit| planes[bit * MAX_CELLS + index] << bit).sum();
                    assert_eq!(shown, code, "{direction} of seat {seat} in turn {}", state.turn);
                }
            }
            // A player is in all cells of the planes that look like its own.
            for (number, player) in corner[observe::PLAYERS..observe::TURNS_LEFT].chunks(observe::PLAYER).enumerate() {
                let expected = player[observe::STRENGTH] * player[observe::ALIVE];
                let [height, width] = [maze.height(), maze.width()].map(usize::from);
                let first = |place: u8, observer: u8, side: usize| {
                    (usize::from(place) + usize::from(observe::MIDDLE) + side - usize::from(observer)) % side
                };
                let plane = &planes[(observe::PLAYER_PLANES + 2 * number) * MAX_CELLS..][..MAX_CELLS];
                for row in (first(player[observe::ROW], maze.row(own), height)..11).step_by(height) {
                    for col in (first(player[observe::COL], maze.col(own), width)..11).step_by(width) {
                        assert_eq!(plane[row * 11 + col], expected, "player {number} of seat {seat} in turn {}", state.turn);
                    }
                }
            }
        }
    });
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
        // The dead are in no cell.
        on(&[], 0),
        on(&[], 0),
        on(&[(0, 0)], 5),
        on(&[(0, 0)], 3),
        on(&field, 7),
        on(&field, 17),
    ];
    assert_eq!(coverage(View::Planes, &position, Seat::S1), expected.concat());
    // In the centred view, the maze is repeated from row 4 and column 5 on in all directions: the observer is in its lower left corner.
    let tiled = expected.map(|plane| {
        let tiled = |index: usize| plane[(index / 11 + 2) % 2 * 11 + (index % 11 + 1) % 3];
        (0..MAX_CELLS).map(tiled).collect::<Vec<_>>()
    });
    assert_eq!(coverage(View::PlanesCentred, &position, Seat::S1), tiled.concat());
}

/// Numbers are clamped to bytes. Walls are those that a player in the cell meets, not those met from the other side.
#[test]
fn numbers_are_clamped_and_walls_are_one_sided() {
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
    let found = coverage(View::Compact, &position, Seat::S0);
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
    let rejection = "compakt".parse::<View>().unwrap_err().to_string();
    assert_eq!(rejection, "unknown view \"compakt\"; expected compact, planes or planes_centred");
}

/// Compares the observations of many games with those of each one alone.
fn compare(games: &Games, at: &str, coverage: &mut Coverage, updated: &mut Updated) {
    let count = games.count();
    updated.compare(games, at);
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
        count_position(maze, &state, coverage);
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
        let all = players(games, view, Games::observe_players);
        assert!(all == (views, masks.clone(), alive.clone()), "{at}, {view}: all at once differ");
    }
}

/// A buffer that receives only what changes.
struct Updated {
    shown: ShownPlanes,
    views: Vec<u8>,
    rng: TestRng,
    threads: rayon::ThreadPool,
}

impl Updated {
    fn new(games: usize) -> Updated {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let views = vec![77; games * 4 * View::Planes.len()];
        Updated { shown: ShownPlanes::default(), views, rng: TestRng::new(38), threads }
    }

    fn compare(&mut self, games: &Games, at: &str) {
        match self.rng.below(2) {
            0 => games.update_planes(&mut self.shown, &mut self.views),
            _ => self.threads.install(|| games.update_planes_in_parallel(&mut self.shown, &mut self.views)),
        }
        let mut expected = vec![0; self.views.len()];
        games.observe(View::Planes, &mut expected);
        let place = self.views.iter().zip(&expected).position(|(found, expected)| found != expected);
        let place = place.map(|place| (place / View::Planes.len(), place % View::Planes.len()));
        assert_eq!(place, None, "{at}, the updated view and the byte in it that differ");
        // Overwritten views are written anew.
        let overwritten = self.rng.below(4 * games.count());
        self.views[overwritten * View::Planes.len()..][..View::Planes.len()].fill(self.rng.below(2) as u8);
    }
}

/// Returns views, masks and which players are alive, as this function writes them.
fn players(games: &Games, view: View, observe: impl FnOnce(&Games, View, PlayerRows<'_>)) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let rows = 4 * games.count();
    let (mut views, mut action_masks, mut alive) = (vec![77; rows * view.len()], vec![77; rows * ACTIONS], vec![77; rows]);
    observe(games, view, PlayerRows { views: &mut views, action_masks: &mut action_masks, alive: &mut alive });
    (views, action_masks, alive)
}

fn count_position(maze: &Maze, state: &State, coverage: &mut Coverage) {
    let both = (state.small_fruits & state.large_fruits).len();
    for (what, is) in [
        ("in a lane", is_small(maze, state)),
        ("in the fallback", is_large(maze, state)),
        ("a player is dead", state.alive.len() < 4),
        ("a player is boosted", state.boost_turns_left.0.iter().any(|&turns| turns > 0)),
        ("both fruits in a cell", both > 0),
        ("more than 255 turns left", maze.ruleset().turn_limit - state.turn > 255),
        ("over", state.is_over(maze)),
        ("largest field", usize::from(maze.width()) * usize::from(maze.height()) == MAX_CELLS),
        ("one row", maze.height() == 1),
        ("one column", maze.width() == 1),
    ] {
        if is {
            coverage.count(what);
        }
    }
}

/// All views of all kinds of games, turn by turn.
#[test]
fn observations_of_random_games_match_the_reference() {
    let source: Arc<dyn StartSource> = Arc::new(pool(31, 2000));
    for set in instruction_sets() {
        let (mut compared, mut rng, mut coverage) =
            (ComparedGames::new(set, 130, 32, Arc::clone(&source)), TestRng::new(33), Coverage::default());
        let mut updated = Updated::new(130);
        for turn in 0..120 {
            let mut actions = compared.random_actions();
            for actions in actions.iter_mut().step_by(3) {
                actions[rng.below(4)] = rng.below(10) as u8;
            }
            compared.step(&actions, None);
            compare(&compared.games, &format!("{set}, turn {turn}"), &mut coverage, &mut updated);
        }
        coverage.assert_at_least(
            40,
            &[
                "in a lane",
                "in the fallback",
                "a player is dead",
                "a player is boosted",
                "both fruits in a cell",
                "more than 255 turns left",
                "largest field",
                "one row",
                "one column",
            ],
        );
    }
}

/// Games on Botzone's maps, from beginning to end.
#[test]
fn observations_on_botzone_maps_match_the_reference() {
    let source: Arc<dyn StartSource> = Arc::new(|seed: u64| {
        let map = Map::generate(seed as i32, MapSize { width: None, height: None }, Ruleset::default()).unwrap();
        Arc::new(StartPosition::new(map.maze, map.start))
    });
    for set in instruction_sets() {
        let (mut games, mut coverage) = (Games::new(set, 70, 34, Arc::clone(&source)).keep_ended(), Coverage::default());
        let (mut actions, mut rewards) = (vec![[0; 4]; 70], vec![[0; 4]; 70]);
        let mut updated = Updated::new(70);
        for turn in 0..110 {
            compare(&games, &format!("{set}, turn {turn}"), &mut coverage, &mut updated);
            games.random_actions(&mut actions);
            games.step(&actions, &mut rewards);
        }
        coverage.assert_at_least(500, &["in a lane", "a player is dead", "a player is boosted", "over"]);
    }
}

#[test]
fn observations_are_the_same_on_threads() {
    let source: Arc<dyn StartSource> = Arc::new(pool(35, 300));
    for set in instruction_sets() {
        for count in [0, 1, 64, 65, 300] {
            let games = Games::new(set, count, 36, Arc::clone(&source));
            for view in View::ALL {
                let expected = players(&games, view, Games::observe_players);
                for threads in [1, 2, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let found = pool.install(|| players(&games, view, Games::observe_players_in_parallel));
                    assert!(found == expected, "{set}, {count} games, {threads} threads, {view}");
                }
            }
        }
    }
}

#[test]
fn wrong_lengths_panic() {
    let source: Arc<dyn StartSource> = Arc::new(pool(37, 10));
    for set in instruction_sets() {
        let games = Games::new(set, 2, 0, Arc::clone(&source));
        let rows = |lengths: [usize; 3]| {
            let [views, action_masks, alive] = lengths.map(|length| vec![0; length].leak());
            PlayerRows { views, action_masks, alive }
        };
        let rejection = |ask: &dyn Fn()| {
            let refused = catch_unwind(AssertUnwindSafe(ask)).expect_err("it panics");
            refused.downcast_ref::<String>().cloned().expect("the message is a string")
        };
        for (found, expected) in [
            (
                rejection(&|| games.observe(View::Compact, &mut [0; 1199])),
                "expected room for 1200 bytes, the views of 2 games, got 1199",
            ),
            (
                rejection(&|| games.observe_players(View::Planes, rows([0, 72, 8]))),
                "expected room for 17424 bytes, the views of 2 games, got 0",
            ),
            (
                rejection(&|| games.observe_players_in_parallel(View::Compact, rows([1200, 71, 8]))),
                "expected room for 72 bytes, the masks of 2 games, got 71",
            ),
            (
                rejection(&|| games.observe_players_in_parallel(View::Compact, rows([1200, 72, 9]))),
                "expected room for 8 bytes, the life flags of 2 games, got 9",
            ),
            (rejection(&|| games.action_masks(&mut [0; 73])), "expected room for 72 bytes, the masks of 2 games, got 73"),
            (rejection(&|| games.alive(&mut [0; 9])), "expected room for 8 bytes, the life flags of 2 games, got 9"),
            (rejection(&|| games.strengths(&mut [[0; 4]; 3])), "expected 2 lists of strengths, one per game, got 3"),
        ] {
            assert_eq!(found, expected, "{set}");
        }
    }
}

/// Calls `check` with the positions of random games on maps of all sizes.
fn for_each_position(mut check: impl FnMut(&Maze, &State)) {
    for seed in 0..40 {
        let ruleset = Ruleset { turn_limit: if seed % 4 == 0 { 300 } else { 100 }, ..Ruleset::default() };
        let Map { maze, start, .. } = Map::generate(seed, MapSize::default(), ruleset).unwrap();
        let (mut state, mut rng) = (start, GameRng::new(seed as u64));
        check(&maze, &state);
        while !state.is_over(&maze) {
            let actions = rng.actions(&maze, &state);
            state.play(&maze, &actions, &mut ());
            check(&maze, &state);
        }
    }
}
