//! The speed of observations: a turn of each game with actions prepared in advance, then the observations and the action masks
//! of all players. An item is a turn of one game.
//!
//! Results are checked while they are timed: the bytes written must equal those of portable code.

use std::sync::{Arc, LazyLock};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use pacman2_batch::observe::{ACTIONS, View};
use pacman2_batch::{Games, InstructionSet, PlayerRows, ShownPlanes, StartPosition};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;

static SETS: LazyLock<Vec<InstructionSet>> = LazyLock::new(|| InstructionSet::available().collect());

fn main() {
    divan::main();
}

/// Returns games, each on a map as Botzone generates them.
fn games(set: InstructionSet, count: usize) -> Games {
    let start = |seed| {
        let map = Map::generate(seed, MapSize { width: None, height: None }, Ruleset::default()).expect("Botzone has maps");
        Arc::new(StartPosition::new(map.maze, map.start))
    };
    Games::new(set, count, 1, Arc::new((1..=2048).map(start).collect::<Vec<_>>()))
}

/// A learner: its actions, and buffers for everything that it observes.
struct Learner {
    actions: Vec<Vec<[u8; 4]>>,
    rewards: Vec<[i32; 4]>,
    views: Vec<u8>,
    /// Whether the views receive only what changes.
    shown: Option<ShownPlanes>,
    masks: Vec<u8>,
    alive: Vec<u8>,
    view: View,
}

impl Learner {
    fn new(mut games: Games, turns: usize, view: View, shown: Option<ShownPlanes>) -> Learner {
        let count = games.count();
        let mut rewards = vec![[0; 4]; count];
        let turn = |_| {
            let mut actions = vec![[0; 4]; count];
            games.random_actions(&mut actions);
            games.step(&actions, &mut rewards);
            actions
        };
        Learner {
            actions: (0..turns).map(turn).collect(),
            rewards,
            views: vec![0; count * 4 * view.len()],
            shown,
            masks: vec![0; count * 4 * ACTIONS],
            alive: vec![0; count * 4],
            view,
        }
    }

    fn play(&mut self, games: &mut Games) {
        for actions in &self.actions {
            games.step(black_box(actions), &mut self.rewards);
            match &mut self.shown {
                Some(shown) => {
                    games.update_planes(shown, black_box(&mut self.views));
                    games.action_masks(black_box(&mut self.masks));
                }
                None => games.observe_players(
                    self.view,
                    PlayerRows { views: black_box(&mut self.views), action_masks: &mut self.masks, alive: &mut self.alive },
                ),
            }
        }
    }

    /// Returns a checksum of what was written last.
    fn sum(&self) -> u64 {
        self.views.iter().chain(&self.masks).fold(0, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
    }
}

fn bench(bencher: Bencher<'_, '_>, set: InstructionSet, count: usize, turns: usize, view: View, shown: Option<ShownPlanes>) {
    let mut portable = games(InstructionSet::Portable, count);
    let mut learner = Learner::new(portable.clone(), turns, view, shown);
    learner.play(&mut portable);
    let expected = learner.sum();
    let games = games(set, count);
    let turns_of_games = bencher.counter(ItemsCount::new(turns * count));
    turns_of_games.with_inputs(|| games.clone()).bench_local_refs(|games| learner.play(games));
    assert_eq!(learner.sum(), expected);
}

macro_rules! views {
    ($($name:ident $view:ident $shown:expr),+) => { $(
        mod $name {
            use super::*;

            #[divan::bench(args = &*SETS)]
            fn of_1024_games(bencher: Bencher<'_, '_>, set: InstructionSet) {
                bench(bencher, set, 1024, 10, View::$view, $shown);
            }

            #[divan::bench(args = &*SETS)]
            fn of_one_game(bencher: Bencher<'_, '_>, set: InstructionSet) {
                bench(bencher, set, 1, 1000, View::$view, $shown);
            }
        }
    )+ };
}

views!(
    compact Compact None,
    planes Planes None,
    planes_centred PlanesCentred None,
    updated_planes Planes Some(ShownPlanes::default())
);

/// The parts of a turn of 1024 games, each on its own.
mod parts {
    use super::*;

    const COUNT: usize = 1024;

    #[divan::bench(args = &*SETS)]
    fn observe_compact(bencher: Bencher<'_, '_>, set: InstructionSet) {
        let games = games(set, COUNT);
        let mut views = vec![0; COUNT * 4 * View::Compact.len()];
        bencher.counter(ItemsCount::new(COUNT)).bench_local(|| games.observe(View::Compact, black_box(&mut views)));
    }

    #[divan::bench(args = &*SETS)]
    fn action_masks(bencher: Bencher<'_, '_>, set: InstructionSet) {
        let games = games(set, COUNT);
        let mut masks = vec![0; COUNT * 4 * ACTIONS];
        bencher.counter(ItemsCount::new(COUNT)).bench_local(|| games.action_masks(black_box(&mut masks)));
    }

    #[divan::bench(args = &*SETS)]
    fn sample(bencher: Bencher<'_, '_>, set: InstructionSet) {
        let mut games = games(set, COUNT);
        let logits: Vec<f32> = (0..COUNT * 4 * ACTIONS).map(|index| (index * 31 % 101) as f32 / 30.0).collect();
        let (mut actions, mut log_probabilities) = (vec![[0; 4]; COUNT], vec![0.0; COUNT * 4]);
        bencher
            .counter(ItemsCount::new(COUNT))
            .bench_local(|| games.sample(black_box(&logits), &mut actions, Some(&mut log_probabilities)));
    }
}
