//! Slots: games that are kept after their end, games that are cut short, and slots saved and restored.

use std::sync::Arc;

use crate::common::positions::TestRng;
use crate::common::{instruction_sets, number, pool};
use pacman2_batch::{GameRng, Games, InstructionSet, SlotState, StartPosition, StartSource, seed_of_game};
use pacman2_rules::{BySeat, State};

const COUNT: usize = 150;

fn games(set: InstructionSet, count: usize, seed: u64) -> Games {
    let source: Arc<dyn StartSource> = Arc::new(pool(41, 400));
    Games::new(set, count, seed, source)
}

/// What a step reports of a game: its actions, its rewards, its position, and the final one if the game has ended.
type StepResult = ([u8; 4], [i32; 4], State, Option<State>);

/// Plays a step with random actions.
fn step(games: &mut Games) -> Vec<StepResult> {
    let (mut actions, mut rewards) = (vec![[0; 4]; games.count()], vec![[0; 4]; games.count()]);
    games.random_actions(&mut actions);
    games.step(&actions, &mut rewards);
    let mut reported: Vec<StepResult> =
        (0..games.count()).map(|game| (actions[game], rewards[game], games.state(game), None)).collect();
    games.ended().for_each(|ended| reported[ended.game].3 = Some(ended.state));
    reported
}

/// A game that has ended stays as it is, and is reported once.
#[test]
fn ended_games_are_kept() {
    for set in instruction_sets() {
        let mut games = games(set, COUNT, 42).keep_ended();
        let (mut last, mut times) = (vec![None; COUNT], vec![0; COUNT]);
        for _ in 0..650 {
            for (game, (_, rewards, state, ended)) in step(&mut games).into_iter().enumerate() {
                if let Some(last) = last[game] {
                    assert_eq!((rewards, state), ([0; 4], last), "{set}, game {game}");
                }
                if ended.is_some() {
                    times[game] += 1;
                    last[game] = ended;
                    assert_eq!(ended, Some(state), "{set}, game {game}");
                }
            }
        }
        assert_eq!(times, [1; COUNT], "{set}");
    }
}

/// Beginning the next game when one has ended gives the same games as beginning them automatically.
#[test]
fn begin_matches_automatic_new_games() {
    for set in instruction_sets() {
        let (mut kept, mut replaced) = (games(set, COUNT, 43).keep_ended(), games(set, COUNT, 43));
        let mut games_begun = 0;
        for _ in 0..300 {
            let (kept_told, replaced_told) = (step(&mut kept), step(&mut replaced));
            for (game, (kept_told, replaced_told)) in kept_told.into_iter().zip(replaced_told).enumerate() {
                assert_eq!(kept_told.3, replaced_told.3, "{set}, game {game}");
                assert_eq!((kept_told.0, kept_told.1), (replaced_told.0, replaced_told.1), "{set}, game {game}");
                if kept_told.3.is_some() {
                    kept.begin(game);
                    games_begun += 1;
                }
                assert_eq!(kept.state(game), replaced.state(game), "{set}, game {game}");
            }
        }
        assert!(games_begun > 1000, "{games_begun}");
    }
}

/// A game can be cut short: the next one has the next seed and its random numbers, and no end is reported.
#[test]
fn games_can_be_cut_short() {
    for set in instruction_sets() {
        for keep in [false, true] {
            let source = pool(41, 400);
            let mut games = games(set, COUNT, 44);
            if keep {
                games = games.keep_ended();
            }
            let (mut games_begun, mut rng) = (vec![1; COUNT], TestRng::new(45));
            for _ in 0..100 {
                for (game, reported) in step(&mut games).into_iter().enumerate() {
                    games_begun[game] += u64::from(reported.3.is_some() && !keep);
                }
                let ended: Vec<usize> = games.ended().map(|ended| ended.game).collect();
                for game in (0..COUNT).filter(|_| rng.one_in(8)) {
                    games.begin(game);
                    let seed = seed_of_game(seed_of_game(44, game as u64), games_begun[game]);
                    games_begun[game] += 1;
                    let start = source.start(seed);
                    assert_eq!((&**games.maze(game), games.state(game)), (&**start.maze(), *start.state()), "{set}, {game}");
                    let mut drawn = vec![[0; 4]; COUNT];
                    games.clone().random_actions(&mut drawn);
                    let actions = GameRng::new(seed).actions(start.maze(), start.state());
                    assert_eq!(drawn[game], actions.map(number).0, "{set}, game {game}");
                }
                assert_eq!(games.ended().map(|ended| ended.game).collect::<Vec<_>>(), ended, "{set}");
            }
        }
    }
}

/// A saved slot goes on elsewhere as it does here, with all later games, even if the game was over.
#[test]
fn a_restored_slot_has_the_same_future() {
    for set in instruction_sets() {
        for keep in [false, true] {
            let kept = |games: Games| if keep { games.keep_ended() } else { games };
            let mut games = kept(games(set, COUNT, 46));
            (0..60).for_each(|_| drop(step(&mut games)));
            // To other slots, of other games with another seed, which have been played for some turns.
            let elsewhere = |game: usize| (game * 7 + 3) % 200;
            let mut others = kept(self::games(InstructionSet::Portable, 200, 47));
            (0..13).for_each(|_| drop(step(&mut others)));
            for game in 0..COUNT {
                let now = StartPosition::new(Arc::clone(games.maze(game)), games.state(game));
                others.set_slot(elsewhere(game), games.slot(game), Arc::new(now));
            }
            let mut ended = 0;
            for turn in 0..200 {
                let (expected, found) = (step(&mut games), step(&mut others));
                for (game, expected) in expected.iter().enumerate() {
                    assert_eq!(found[elsewhere(game)], *expected, "{set}, turn {turn}, game {game}");
                    assert_eq!(others.slot(elsewhere(game)), games.slot(game), "{set}, turn {turn}, game {game}");
                    ended += u32::from(expected.3.is_some());
                }
                if keep && turn % 20 == 0 {
                    (0..COUNT).for_each(|game| games.begin(game));
                    (0..COUNT).for_each(|game| others.begin(elsewhere(game)));
                }
            }
            assert!(ended > 300, "{ended}");
        }
    }
}

/// All numbers are valid.
#[test]
fn any_slot_state_can_be_set() {
    let start = &pool(48, 1)[0];
    for set in instruction_sets() {
        let mut games = games(set, 3, 49);
        let odd = SlotState { seed: u64::MAX, games_begun: u64::MAX, rng: [0; 4] };
        games.set_slot(1, odd, Arc::clone(start));
        assert_eq!(games.slot(1), odd);
        let mut actions = [[9; 4]; 3];
        games.random_actions(&mut actions);
        let first =
            BySeat::from_fn(|seat| start.state().legal_actions(start.maze(), seat).first().map_or(0, |&first| number(first)));
        assert_eq!(actions[1], first.0, "a generator whose state is 0 draws the first legal action");
        games.begin(1);
        assert_eq!((games.slot(1).games_begun, games.slot(1).seed), (0, u64::MAX));
    }
}
