//! Many games at once, compared with `pacman2_rules` after every turn.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::common::coverage::Coverage;
use crate::common::positions::{self, GameKind, TestRng, WallKind};
use crate::common::reference::ComparedGames;
use crate::common::{instruction_sets, number, pool};
use pacman2_batch::{GameRng, Games, InstructionSet, StartPosition, StartSource, seed_of_game};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{BySeat, Cell, CellSet, MAX_SIDE, Maze, MazeSpec, Ruleset, Seat, SeatSet, Square, State};

/// The number of games in the long test: fifteen blocks, and another that is not full.
const COUNT: usize = 1000;
const STEPS: u64 = 500;

/// Half a million turns for each instruction set, on mazes and from positions of all kinds, with legal and illegal actions.
#[test]
fn every_turn_matches_the_rules() {
    let source: Arc<dyn StartSource> = Arc::new(pool(1, 3000));
    for set in instruction_sets() {
        let (mut compared, mut rng, mut coverage) =
            (ComparedGames::new(set, COUNT, 5, Arc::clone(&source)), TestRng::new(6), Coverage::default());
        for _ in 0..STEPS {
            // Not every turn draws from the generator of the game.
            let mut actions =
                if rng.one_in(4) { compared.reference_games.random_legal_actions(&mut rng) } else { compared.random_actions() };
            make_some_illegal(&mut actions, &compared, &mut rng);
            compared.step(&actions, Some(&mut coverage));
        }
        assert!(coverage.of("turn") >= 400_000);
        coverage.assert_at_least(8, &Coverage::ALL);
        coverage.assert_at_least(
            300,
            &[
                "turn limit",
                "no player survives",
                "more than 255 turns left",
                "255 turns left, and there were more",
                "small from the beginning",
                "small in the beginning, large later",
                "large from the beginning",
                "living share a cell",
                "loser with negative strength",
            ],
        );
    }
}

/// Makes some actions illegal, and those of the dead arbitrary. Every fourth game stays legal, so that its players grow.
fn make_some_illegal(actions: &mut [[u8; 4]], compared: &ComparedGames, rng: &mut TestRng) {
    for (game, (actions, reference)) in actions.iter_mut().zip(&compared.reference_games.games).enumerate() {
        for (seat, action) in pacman2_rules::Seat::ALL.into_iter().zip(actions) {
            let once_in = if !reference.state.alive.contains(seat) {
                2
            } else if game % 4 == 0 {
                continue;
            } else {
                30
            };
            if rng.one_in(once_in) {
                *action = rng.of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 9, 10, 127, 128, 200, 255]);
            }
        }
    }
}

/// Returns a start that encodes its seed in the fruit on the first 64 cells.
fn start_encoding_seed(seed: u64) -> Arc<StartPosition> {
    // In one of three games lanes cannot hold the position.
    let interval = if seed.is_multiple_of(3) { 1000 } else { 20 };
    let settings = Ruleset { turn_limit: 1 + (seed >> 60) as u32, generator_interval: interval, ..Ruleset::default() };
    let squares = vec![Square::default(); 7 * 10];
    let maze = Maze::new(&MazeSpec { width: 7, height: 10, squares, ruleset: settings }).expect("the maze is valid");
    let cells: Vec<Cell> = maze.cells().collect();
    let fruit = cells.iter().copied().filter(|cell| cell.index() < 64 && seed >> cell.index() & 1 != 0).collect();
    let state = State::start(&maze, BySeat([63, 65, 67, 69].map(|cell| cells[cell])), fruit, CellSet::EMPTY);
    Arc::new(StartPosition::new(maze, state))
}

/// Returns the seed encoded in a start.
fn encoded_seed(state: &State) -> u64 {
    state.small_fruits.bits() as u64
}

/// The `n`-th game in slot `g` of games of seed `s` has the `n`-th seed of the `g`-th seed of `s`, which determines its start
/// and its random numbers.
#[test]
fn each_game_has_its_own_seed() {
    for set in instruction_sets() {
        let (mut games, seed) = (Games::new(set, 130, 77, Arc::new(start_encoding_seed)), 77);
        let mut games_begun = vec![0; games.count()];
        let (mut actions, mut rewards) = (vec![[0; 4]; games.count()], vec![[0; 4]; games.count()]);
        for _ in 0..60 {
            for (game, games_begun) in games_begun.iter().enumerate() {
                let state = games.state(game);
                if state.turn == 0 {
                    assert_eq!(
                        encoded_seed(&state),
                        seed_of_game(seed_of_game(seed, game as u64), *games_begun),
                        "{set}, {game}, {games_begun}"
                    );
                }
            }
            // All players stay, so that only the turn limit ends games.
            games.step(&actions, &mut rewards);
            games.ended().for_each(|ended| games_begun[ended.game] += 1);
        }
        assert!(games_begun.iter().all(|&games_begun| games_begun >= 3), "{games_begun:?}");

        // The first draw of each in its next game.
        games.random_actions(&mut actions);
        let mut fresh = 0;
        for (game, games_begun) in games_begun.into_iter().enumerate() {
            let state = games.state(game);
            if state.turn == 0 {
                let mut rng = GameRng::new(seed_of_game(seed_of_game(seed, game as u64), games_begun));
                assert_eq!(actions[game], rng.actions(games.maze(game), &state).map(number).0, "{set}, {game}, {games_begun}");
                fresh += 1;
            }
        }
        assert!(fresh >= 5, "{fresh}");
    }
}

/// The course of some games: the actions, the rewards and the position of each step and each game.
type Record = Vec<Vec<([u8; 4], [i32; 4], u64)>>;

/// Plays games with random actions and records the first `recorded` of them.
fn record(games: &mut Games, recorded: usize, steps: usize, step: impl Fn(&mut Games, &[[u8; 4]], &mut [[i32; 4]])) -> Record {
    let (mut actions, mut rewards) = (vec![[0; 4]; games.count()], vec![[0; 4]; games.count()]);
    let mut one_step = || {
        games.random_actions(&mut actions);
        step(games, &actions, &mut rewards);
        (0..recorded).map(|game| (actions[game], rewards[game], games.state(game).fingerprint())).collect()
    };
    (0..steps).map(|_| one_step()).collect()
}

/// What happens in a slot depends neither on the number of slots, nor on threads, nor on the instruction set.
#[test]
fn slots_do_not_depend_on_count_threads_or_instruction_set() {
    let source: Arc<dyn StartSource> = Arc::new(pool(2, 300));
    let new = |set, count| Games::new(set, count, 9, Arc::clone(&source));
    let expected = record(&mut new(InstructionSet::Portable, 1500), 1500, 60, Games::step);
    let positions: HashSet<u64> = expected.iter().flatten().map(|&(.., position)| position).collect();
    assert!(positions.len() > 50_000, "{}", positions.len());
    for set in instruction_sets() {
        for count in [0, 1, 2, 63, 64, 65, 127, 128, 200, 511, 513, 1500] {
            let found = record(&mut new(set, count), count, 60, Games::step);
            assert!(found.iter().zip(&expected).all(|(found, expected)| *found == expected[..count]), "{set}, {count} games");
        }
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| record(&mut new(set, 1500), 1500, 60, Games::step_in_parallel));
            assert!(found == expected, "{set}, {threads} threads");
        }
    }
}

/// The same games are reported as ended on one thread and on several.
#[test]
fn ended_games_are_the_same_on_threads() {
    let source: Arc<dyn StartSource> = Arc::new(pool(3, 300));
    for set in instruction_sets() {
        let mut games = [(); 2].map(|()| Games::new(set, 1100, 10, Arc::clone(&source)));
        let (mut actions, mut rewards) = (vec![[0; 4]; 1100], vec![[0; 4]; 1100]);
        let mut ended = 0;
        for _ in 0..50 {
            let [one, several] = &mut games;
            one.random_actions(&mut actions);
            one.step(&actions, &mut rewards);
            several.step_in_parallel(&actions, &mut rewards);
            let [one, several] =
                [one, several].map(|games| games.ended().map(|ended| (ended.game, ended.state)).collect::<Vec<_>>());
            assert_eq!(one, several, "{set}");
            ended += one.len();
        }
        assert!(ended > 1000, "{ended}");
    }
}

/// What happens in a slot does not depend on other slots.
#[test]
fn slots_do_not_depend_on_other_slots() {
    let source: Arc<dyn StartSource> = Arc::new(pool(4, 300));
    for set in instruction_sets() {
        let mut games = [(); 2].map(|()| Games::new(set, 100, 11, Arc::clone(&source)));
        let mut rng = TestRng::new(12);
        let (mut actions, mut rewards) = ([[[0; 4]; 100]; 2], [[0; 4]; 100]);
        for _ in 0..200 {
            for (games, actions) in games.iter_mut().zip(&mut actions) {
                games.random_actions(actions);
            }
            // In one of the two, players in all other slots forfeit again and again.
            for (game, actions) in actions[1].iter_mut().enumerate().filter(|(game, _)| game % 10 != 3) {
                *actions = [rng.of(&[0, 1, 9]), rng.of(&[2, 200]), rng.of(&[0, 8]), game as u8 % 9];
            }
            let mut observed = [[([0; 4], 0); 10]; 2];
            for ((games, actions), observed) in games.iter_mut().zip(&actions).zip(&mut observed) {
                games.step(actions, &mut rewards);
                *observed = [3, 13, 23, 33, 43, 53, 63, 73, 83, 93].map(|game| (rewards[game], games.state(game).fingerprint()));
            }
            assert_eq!(observed[0], observed[1], "{set}");
        }
        let same = (0..100).filter(|&game| games[0].state(game) == games[1].state(game)).count();
        assert!(same < 50, "{same} games are the same in the end");
    }
}

/// Games that are longer than a byte can count end with their last turn, and not before.
#[test]
fn long_games_end_at_their_limits() {
    let limits = [1, 2, 254, 255, 256, 257, 509, 510, 511, 512, 765, 766, 1021];
    for set in instruction_sets() {
        let mut compared = ComparedGames::new(set, limits.len(), 21, Arc::new(pool(22, 20))).without_new_games();
        for (game, turn_limit) in limits.into_iter().enumerate() {
            // No player moves, so nothing else ends the game.
            let start = start_encoding_seed(1);
            let settings = Ruleset { turn_limit, ..*start.maze().ruleset() };
            let maze = start.maze().with_ruleset(settings).expect("the settings are possible");
            compared.put(game, &Arc::new(StartPosition::new(maze, *start.state())));
        }
        for turn in 1..=1021 {
            compared.step(&[[0; 4]; 13], None);
            let ended: Vec<u32> = compared.games.ended().map(|ended| limits[ended.game]).collect();
            assert!(
                ended.iter().all(|&limit| limit == turn) && limits.contains(&turn) != ended.is_empty(),
                "{set}, {turn}: {ended:?}"
            );
        }
    }
}

/// A clone goes on like the original, and neither affects the other.
#[test]
fn a_clone_goes_on_like_the_original() {
    let source: Arc<dyn StartSource> = Arc::new(pool(5, 300));
    for set in instruction_sets() {
        let mut games = Games::new(set, 150, 13, Arc::clone(&source));
        record(&mut games, 0, 40, Games::step);
        let (mut clone, mut other) = (games.clone(), games.clone());
        let ended = |games: &Games| games.ended().map(|ended| (ended.game, ended.state)).collect::<Vec<_>>();
        assert_eq!(ended(&clone), ended(&games));
        let before: Vec<State> = (0..150).map(|game| games.state(game)).collect();
        let expected = record(&mut games, 150, 40, Games::step);
        other.step(&[[9; 4]; 150], &mut [[0; 4]; 150]);
        assert_eq!((0..150).map(|game| clone.state(game)).collect::<Vec<_>>(), before, "{set}");
        assert!(record(&mut clone, 150, 40, Games::step) == expected, "{set}");
        assert_eq!(ended(&clone), ended(&games), "{set}");
    }
}

/// Without new games, a game that is over stays as it is, and its state can still be read.
#[test]
fn finished_games_are_left_alone() {
    let source: Arc<dyn StartSource> = Arc::new(pool(6, 300));
    for set in instruction_sets() {
        let mut compared = ComparedGames::new(set, 300, 14, Arc::clone(&source));
        compared.play_randomly(10);
        let mut compared = compared.without_new_games();
        let mut ended = 0;
        for _ in 0..650 {
            compared.play_randomly(1);
            ended += compared.games.ended().count();
        }
        assert_eq!(ended, 300, "each ends once");
        assert!((0..300).all(|game| compared.games.state(game).is_over(compared.games.maze(game))));
    }
}

/// Positions of all kinds replace others: small ones, large ones, and games that are over.
#[test]
fn positions_can_be_replaced() {
    let (source, starts): (Arc<dyn StartSource>, _) = (Arc::new(pool(7, 100)), pool(8, 400));
    for set in instruction_sets() {
        for new_games in [true, false] {
            let (mut compared, mut rng) = (ComparedGames::new(set, 90, 15, Arc::clone(&source)), TestRng::new(16));
            if !new_games {
                compared = compared.without_new_games();
            }
            for start in &starts {
                for _ in 0..10 {
                    compared.put(rng.below(90), start);
                }
                compared.compare();
                compared.play_randomly(2);
            }
        }
    }
}

/// Mazes of every size, without walls, with rings, and with one-sided walls.
#[test]
fn mazes_of_every_size() {
    let mut rng = TestRng::new(41);
    let mut starts = Vec::new();
    for (width, height) in (1..=MAX_SIDE).flat_map(|width| (1..=MAX_SIDE).map(move |height| (width, height))) {
        let wall_kind = WallKind::ALL[usize::from(width + height) % 5];
        let game = GameKind::ALL[usize::from(width + height / 3) % 4];
        let maze = positions::maze_of_size(&mut rng, game, wall_kind, width, height);
        let state = positions::state(&mut rng, game, &maze);
        starts.push(Arc::new(StartPosition::new(maze, state)));
    }
    for set in instruction_sets() {
        let mut compared = ComparedGames::new(set, 130, 42, Arc::new(starts.clone()));
        starts.iter().enumerate().for_each(|(game, start)| compared.put(game, start));
        compared.play_randomly(200);
    }
}

/// Cells of the dead and fruits outside the maze, which positions built by hand may have.
#[test]
fn cells_outside_the_maze_match_the_rules() {
    let map = |width, height| {
        let size = MapSize { width: Some(width), height: Some(height) };
        Map::generate(6, size, Ruleset::default()).expect("the size is possible")
    };
    let (Map { maze, start, .. }, larger) = (map(6, 6), map(11, 11).maze);
    let dead = State { alive: !SeatSet::of(Seat::S3), ..start };
    let mut elsewhere = dead;
    elsewhere.cells[Seat::S3] = larger.cell(10, 10).unwrap();
    let everywhere = State { small_fruits: !CellSet::EMPTY, ..dead };
    let large_everywhere = State { large_fruits: !CellSet::EMPTY, ..dead };
    for (start, set) in [dead, elsewhere, everywhere, large_everywhere]
        .into_iter()
        .flat_map(|start| instruction_sets().into_iter().map(move |set| (start, set)))
    {
        let mut compared = ComparedGames::new(set, 100, 3, Arc::new(vec![Arc::new(StartPosition::new(maze.clone(), start))]));
        compared.play_randomly(110);
    }
}

/// A position that is over can be put, and stays.
#[test]
fn a_position_that_is_over_stays() {
    let mut rng = TestRng::new(17);
    let over = pool(18, 40).into_iter().map(|start| {
        let mut state = *start.state();
        if rng.one_in(2) {
            state.turn = start.maze().ruleset().turn_limit;
        } else {
            state.alive = SeatSet::of(rng.of(&Seat::ALL));
        }
        Arc::new(StartPosition::new(Arc::clone(start.maze()), state))
    });
    let over: Vec<_> = over.collect();
    for set in instruction_sets() {
        let mut compared = ComparedGames::new(set, 70, 19, Arc::new(pool(20, 50)));
        compared.play_randomly(5);
        over.iter().enumerate().for_each(|(game, start)| compared.put(game, start));
        compared.compare();
        compared.play_randomly(5);
        assert!((0..40).all(|game| compared.games.state(game) == *over[game].state()));
    }
}

/// Slices must have one item per game.
#[test]
fn wrong_lengths_panic() {
    for set in instruction_sets() {
        let mut games = Games::new(set, 4, 0, Arc::new(start_encoding_seed));
        let mut rejection = |ask: &mut dyn FnMut(&mut Games)| {
            let refused = catch_unwind(AssertUnwindSafe(|| ask(&mut games))).expect_err("it panics");
            refused.downcast_ref::<String>().cloned().expect("the message is a string")
        };
        let mut rejections = [
            rejection(&mut |games| games.step(&[[0; 4]; 3], &mut [[0; 4]; 4])),
            rejection(&mut |games| games.step(&[[0; 4]; 4], &mut [[0; 4]; 5])),
            rejection(&mut |games| games.step_in_parallel(&[[0; 4]; 65], &mut [[0; 4]; 4])),
            rejection(&mut |games| games.step_in_parallel(&[[0; 4]; 4], &mut [])),
            rejection(&mut |games| games.random_actions(&mut [[0; 4]; 64])),
            rejection(&mut |games| assert!(!games.state(4).alive.is_empty())),
            rejection(&mut |games| drop(Arc::clone(games.maze(64)))),
            rejection(&mut |games| games.put(4, start_encoding_seed(1))),
        ]
        .into_iter();
        for expected in [
            "expected 4 actions, one per game, got 3",
            "expected 4 rewards, one per game, got 5",
            "expected 4 actions, one per game, got 65",
            "expected 4 rewards, one per game, got 0",
            "expected 4 actions, one per game, got 64",
            "game 4 is out of range; there are 4 games",
            "game 64 is out of range; there are 4 games",
            "game 4 is out of range; there are 4 games",
        ] {
            assert_eq!(rejections.next().as_deref(), Some(expected), "{set}");
        }
        assert_eq!(games.count(), 4);
    }
}
