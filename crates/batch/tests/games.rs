//! Many games at once against the rules, after every turn.

mod common;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use common::seen::Seen;
use common::starts::Chance;
use common::twins::Pair;
use common::{instruction_sets, number, pool};
use pacman2_batch::{GameRng, Games, InstructionSet, StartPosition, StartSource, seed_of_game};
use pacman2_rules::{BySeat, Cell, CellSet, Maze, MazeSpec, Ruleset, Seat, SeatSet, Square, State};

/// Games that are played side by side in the long test: fifteen blocks and the most of another.
const COUNT: usize = 1000;
const STEPS: u64 = 2000;

/// Two million turns, on maps and from positions of all kinds, with orders good and bad.
#[test]
fn every_turn_is_that_of_the_rules() {
    let source: Arc<dyn StartSource> = Arc::new(pool(1, 3000));
    for set in instruction_sets() {
        let (mut pair, mut chance, mut seen) = (Pair::new(set, COUNT, 5, Arc::clone(&source)), Chance::new(6), Seen::default());
        for _ in 0..STEPS {
            // A game's own chance must not depend on being asked for it in each turn.
            let mut actions = if chance.one_in(4) { pair.twins.orders_by(&mut chance) } else { pair.random_actions() };
            spoil(&mut actions, &pair, &mut chance);
            pair.step(&actions, Some(&mut seen));
        }
        assert!(seen.of("turn") >= 1_000_000);
        seen.assert_at_least(25, &Seen::ALL);
        seen.assert_at_least(
            1000,
            &[
                "turn limit",
                "nobody survives",
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

/// Makes some orders illegal, and those of the dead anything. Every fourth game is spared, for who never forfeits grows.
fn spoil(actions: &mut [[u8; 4]], pair: &Pair, chance: &mut Chance) {
    for (game, (actions, twin)) in actions.iter_mut().zip(&pair.twins.games).enumerate() {
        for (seat, action) in pacman2_rules::Seat::ALL.into_iter().zip(actions) {
            let once_in = if !twin.state.alive.contains(seat) {
                2
            } else if game % 4 == 0 {
                continue;
            } else {
                30
            };
            if chance.one_in(once_in) {
                *action = chance.of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 9, 10, 127, 128, 200, 255]);
            }
        }
    }
}

/// A start that tells the seed it was made for: as the bits of fruit that is on the first 64 cells.
fn telling(seed: u64) -> Arc<StartPosition> {
    // In one of three games lanes do not hold the position.
    let interval = if seed.is_multiple_of(3) { 1000 } else { 20 };
    let settings = Ruleset { turn_limit: 1 + (seed >> 60) as u32, generator_interval: interval, ..Ruleset::default() };
    let squares = vec![Square::default(); 7 * 10];
    let maze = Maze::new(&MazeSpec { width: 7, height: 10, squares, ruleset: settings }).expect("the plan is sound");
    let cells: Vec<Cell> = maze.cells().collect();
    let fruit = cells.iter().copied().filter(|cell| cell.index() < 64 && seed >> cell.index() & 1 != 0).collect();
    let state = State::start(&maze, BySeat([63, 65, 67, 69].map(|cell| cells[cell])), fruit, CellSet::EMPTY);
    Arc::new(StartPosition::new(maze, state))
}

/// What the start told.
fn told(state: &State) -> u64 {
    state.small_fruits.bits() as u64
}

/// The `n`-th game in place `g` of games of seed `s` begins with what the source has for the `n`-th seed of the `g`-th seed
/// of `s`; and its chance is that seed's.
#[test]
fn each_game_has_its_own_seed() {
    for set in instruction_sets() {
        let (mut games, seed) = (Games::new(set, 130, 77, Arc::new(telling)), 77);
        let mut begun = vec![0; games.count()];
        let (mut actions, mut rewards) = (vec![[0; 4]; games.count()], vec![[0; 4]; games.count()]);
        for _ in 0..60 {
            for (game, begun) in begun.iter().enumerate() {
                let state = games.state(game);
                if state.turn == 0 {
                    assert_eq!(told(&state), seed_of_game(seed_of_game(seed, game as u64), *begun), "{set}, {game}, {begun}");
                }
            }
            // Everybody stays, so that only the limit of turns ends games.
            games.step(&actions, &mut rewards);
            games.ended().for_each(|ended| begun[ended.game] += 1);
        }
        assert!(begun.iter().all(|&begun| begun >= 3), "{begun:?}");

        // What each draws first in its next game.
        games.random_actions(&mut actions);
        let mut fresh = 0;
        for (game, begun) in begun.into_iter().enumerate() {
            let state = games.state(game);
            if state.turn == 0 {
                let mut generator = GameRng::new(seed_of_game(seed_of_game(seed, game as u64), begun));
                assert_eq!(actions[game], generator.actions(games.maze(game), &state).map(number).0, "{set}, {game}, {begun}");
                fresh += 1;
            }
        }
        assert!(fresh >= 5, "{fresh}");
    }
}

/// What a run of games comes to: of each step and each game the orders, the rewards and the position.
type Story = Vec<Vec<([u8; 4], [i32; 4], u64)>>;

/// Plays games at random and tells of the first `told` of them.
fn story(games: &mut Games, told: usize, steps: usize, step: impl Fn(&mut Games, &[[u8; 4]], &mut [[i32; 4]])) -> Story {
    let (mut actions, mut rewards) = (vec![[0; 4]; games.count()], vec![[0; 4]; games.count()]);
    let mut one_step = || {
        games.random_actions(&mut actions);
        step(games, &actions, &mut rewards);
        (0..told).map(|game| (actions[game], rewards[game], games.state(game).fingerprint())).collect()
    };
    (0..steps).map(|_| one_step()).collect()
}

/// What happens in a place depends neither on how many there are, nor on threads, nor on the instruction set.
#[test]
fn a_place_is_the_same_everywhere() {
    let source: Arc<dyn StartSource> = Arc::new(pool(2, 300));
    let new = |set, count| Games::new(set, count, 9, Arc::clone(&source));
    let expected = story(&mut new(InstructionSet::Portable, 1500), 1500, 60, Games::step);
    let positions: HashSet<u64> = expected.iter().flatten().map(|&(.., position)| position).collect();
    assert!(positions.len() > 50_000, "{}", positions.len());
    for set in instruction_sets() {
        for count in [0, 1, 2, 63, 64, 65, 127, 128, 200, 511, 513, 1500] {
            let found = story(&mut new(set, count), count, 60, Games::step);
            assert!(found.iter().zip(&expected).all(|(found, expected)| *found == expected[..count]), "{set}, {count} games");
        }
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| story(&mut new(set, 1500), 1500, 60, Games::step_in_parallel));
            assert!(found == expected, "{set}, {threads} threads");
        }
    }
}

/// Which games ended is told alike on one thread and on several.
#[test]
fn ended_games_are_told_alike_on_threads() {
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

/// Nor does it depend on what happens in other places.
#[test]
fn a_place_does_not_see_the_others() {
    let source: Arc<dyn StartSource> = Arc::new(pool(4, 300));
    for set in instruction_sets() {
        let mut games = [(); 2].map(|()| Games::new(set, 100, 11, Arc::clone(&source)));
        let mut chance = Chance::new(12);
        let (mut actions, mut rewards) = ([[[0; 4]; 100]; 2], [[0; 4]; 100]);
        for _ in 0..200 {
            for (games, actions) in games.iter_mut().zip(&mut actions) {
                games.random_actions(actions);
            }
            // In one of the two all others forfeit again and again.
            for (game, actions) in actions[1].iter_mut().enumerate().filter(|(game, _)| game % 10 != 3) {
                *actions = [chance.of(&[0, 1, 9]), chance.of(&[2, 200]), chance.of(&[0, 8]), game as u8 % 9];
            }
            let mut told = [[([0; 4], 0); 10]; 2];
            for ((games, actions), told) in games.iter_mut().zip(&actions).zip(&mut told) {
                games.step(actions, &mut rewards);
                *told = [3, 13, 23, 33, 43, 53, 63, 73, 83, 93].map(|game| (rewards[game], games.state(game).fingerprint()));
            }
            assert_eq!(told[0], told[1], "{set}");
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
        let mut pair = Pair::new(set, limits.len(), 21, Arc::new(pool(22, 20))).without_new_games();
        for (game, turn_limit) in limits.into_iter().enumerate() {
            // Nobody ever moves, so that nothing else ends the game.
            let start = telling(1);
            let settings = Ruleset { turn_limit, ..*start.maze().ruleset() };
            let maze = start.maze().with_ruleset(settings).expect("the settings are possible");
            pair.put(game, &Arc::new(StartPosition::new(maze, *start.state())));
        }
        for turn in 1..=1021 {
            pair.step(&[[0; 4]; 13], None);
            let ended: Vec<u32> = pair.games.ended().map(|ended| limits[ended.game]).collect();
            assert!(
                ended.iter().all(|&limit| limit == turn) && limits.contains(&turn) != ended.is_empty(),
                "{set}, {turn}: {ended:?}"
            );
        }
    }
}

/// A clone goes on like the original, and neither changes the other.
#[test]
fn a_clone_is_a_way_back() {
    let source: Arc<dyn StartSource> = Arc::new(pool(5, 300));
    for set in instruction_sets() {
        let mut games = Games::new(set, 150, 13, Arc::clone(&source));
        story(&mut games, 0, 40, Games::step);
        let (mut way_back, mut other) = (games.clone(), games.clone());
        let ended = |games: &Games| games.ended().map(|ended| (ended.game, ended.state)).collect::<Vec<_>>();
        assert_eq!(ended(&way_back), ended(&games));
        let before: Vec<State> = (0..150).map(|game| games.state(game)).collect();
        let expected = story(&mut games, 150, 40, Games::step);
        other.step(&[[9; 4]; 150], &mut [[0; 4]; 150]);
        assert_eq!((0..150).map(|game| way_back.state(game)).collect::<Vec<_>>(), before, "{set}");
        assert!(story(&mut way_back, 150, 40, Games::step) == expected, "{set}");
        assert_eq!(ended(&way_back), ended(&games), "{set}");
    }
}

/// Without new games what is over stays as it is; what is asked of it is answered all the same.
#[test]
fn finished_games_are_left_alone() {
    let source: Arc<dyn StartSource> = Arc::new(pool(6, 300));
    for set in instruction_sets() {
        let mut pair = Pair::new(set, 300, 14, Arc::clone(&source));
        pair.steps_at_random(10);
        let mut pair = pair.without_new_games();
        let mut ended = 0;
        for _ in 0..650 {
            pair.steps_at_random(1);
            ended += pair.games.ended().count();
        }
        assert_eq!(ended, 300, "each ends once");
        assert!((0..300).all(|game| pair.games.state(game).is_over(pair.games.maze(game))));
    }
}

/// Positions of all kinds are put on all kinds of others: small ones on large ones, on games that are over, and the other way.
#[test]
fn positions_are_put() {
    let (source, starts): (Arc<dyn StartSource>, _) = (Arc::new(pool(7, 100)), pool(8, 400));
    for set in instruction_sets() {
        for new_games in [true, false] {
            let (mut pair, mut chance) = (Pair::new(set, 90, 15, Arc::clone(&source)), Chance::new(16));
            if !new_games {
                pair = pair.without_new_games();
            }
            for start in &starts {
                for _ in 0..10 {
                    pair.put(chance.below(90), start);
                }
                pair.compare();
                pair.steps_at_random(2);
            }
        }
    }
}

/// A position that is over can be put, and stays.
#[test]
fn a_position_that_is_over_stays() {
    let mut chance = Chance::new(17);
    let over = pool(18, 40).into_iter().map(|start| {
        let mut state = *start.state();
        if chance.one_in(2) {
            state.turn = start.maze().ruleset().turn_limit;
        } else {
            state.alive = SeatSet::of(chance.of(&Seat::ALL));
        }
        Arc::new(StartPosition::new(Arc::clone(start.maze()), state))
    });
    let over: Vec<_> = over.collect();
    for set in instruction_sets() {
        let mut pair = Pair::new(set, 70, 19, Arc::new(pool(20, 50)));
        pair.steps_at_random(5);
        over.iter().enumerate().for_each(|(game, start)| pair.put(game, start));
        pair.compare();
        pair.steps_at_random(5);
        assert!((0..40).all(|game| pair.games.state(game) == *over[game].state()));
    }
}

/// Where something is wanted for each game, it is wanted for just as many.
#[test]
fn wrong_counts_are_refused() {
    for set in instruction_sets() {
        let mut games = Games::new(set, 4, 0, Arc::new(telling));
        let mut refusal = |ask: &mut dyn FnMut(&mut Games)| {
            let refused = catch_unwind(AssertUnwindSafe(|| ask(&mut games))).expect_err("it was not refused");
            refused.downcast_ref::<String>().cloned().expect("a sentence")
        };
        let mut refusals = [
            refusal(&mut |games| games.step(&[[0; 4]; 3], &mut [[0; 4]; 4])),
            refusal(&mut |games| games.step(&[[0; 4]; 4], &mut [[0; 4]; 5])),
            refusal(&mut |games| games.step_in_parallel(&[[0; 4]; 65], &mut [[0; 4]; 4])),
            refusal(&mut |games| games.step_in_parallel(&[[0; 4]; 4], &mut [])),
            refusal(&mut |games| games.legal_actions(&mut [[0; 4]; 3])),
            refusal(&mut |games| games.random_actions(&mut [[0; 4]; 64])),
            refusal(&mut |games| assert!(!games.state(4).alive.is_empty())),
            refusal(&mut |games| drop(Arc::clone(games.maze(64)))),
            refusal(&mut |games| games.put(4, telling(1))),
        ]
        .into_iter();
        for expected in [
            "3 orders for 4 games",
            "5 rewards for 4 games",
            "65 orders for 4 games",
            "0 rewards for 4 games",
            "3 lists of legal orders for 4 games",
            "64 orders for 4 games",
            "there is no game 4; there are 4",
            "there is no game 64; there are 4",
            "there is no game 4; there are 4",
        ] {
            assert_eq!(refusals.next().as_deref(), Some(expected), "{set}");
        }
        assert_eq!(games.count(), 4);
    }
}
