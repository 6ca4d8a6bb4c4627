//! How fast many games are seen: a turn of each with orders that are known before, what everybody sees then, and what
//! everybody may do. An item is a turn of one game.
//!
//! What is timed is right: the bytes that were written come to what portable code comes to.

use std::sync::{Arc, LazyLock};

use batch::observe::{ACTIONS, View};
use batch::{Games, InstructionSet, Start};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use maps::{Map, Size};
use rules::Settings;

static SETS: LazyLock<Vec<InstructionSet>> = LazyLock::new(|| InstructionSet::available().collect());

fn main() {
    divan::main();
}

/// So many games, each on a map of its own as Botzone makes them.
fn games(set: InstructionSet, count: usize) -> Games {
    let start = |seed| {
        let map = Map::generate(seed, Size { width: None, height: None }, Settings::default()).expect("Botzone has maps");
        Arc::new(Start::new(map.arena, map.start))
    };
    Games::new(set, count, 1, Arc::new((1..=2048).map(start).collect::<Vec<_>>()))
}

/// So many turns with everything that a learner wants of them, again and again.
struct Learner {
    games: Games,
    orders: Vec<Vec<[u8; 4]>>,
    rewards: Vec<[i32; 4]>,
    views: Vec<u8>,
    masks: Vec<u8>,
    view: View,
}

impl Learner {
    fn new(set: InstructionSet, count: usize, turns: usize, view: View) -> Learner {
        let mut games = games(set, count);
        let begin = games.clone();
        let mut rewards = vec![[0; 4]; count];
        let orders = (0..turns).map(|_| {
            let mut orders = vec![[0; 4]; count];
            games.orders_at_random(&mut orders);
            games.step(&orders, &mut rewards);
            orders
        });
        Learner {
            orders: orders.collect(),
            rewards,
            views: vec![0; count * 4 * view.len()],
            masks: vec![0; count * 4 * ACTIONS],
            view,
            games: begin,
        }
    }

    fn play(&mut self) {
        for orders in &self.orders {
            self.games.step(black_box(orders), &mut self.rewards);
            self.games.observe(self.view, black_box(&mut self.views));
            self.games.action_masks(black_box(&mut self.masks));
        }
    }

    /// What was written last, added up.
    fn sum(&self) -> u64 {
        self.views.iter().chain(&self.masks).fold(0, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
    }
}

fn bench(bencher: Bencher<'_, '_>, set: InstructionSet, count: usize, turns: usize, view: View) {
    let learner = |set| Learner::new(set, count, turns, view);
    let mut portable = learner(InstructionSet::Portable);
    portable.play();
    let expected = portable.sum();
    let mut learner = learner(set);
    let begin = learner.games.clone();
    bencher.counter(ItemsCount::new(turns * count)).bench_local(|| {
        learner.games = begin.clone();
        learner.play();
    });
    assert_eq!(learner.sum(), expected);
}

macro_rules! views {
    ($($name:ident $view:ident),+) => { $(
        mod $name {
            use super::*;

            #[divan::bench(args = &*SETS)]
            fn of_1024_games(bencher: Bencher<'_, '_>, set: InstructionSet) {
                bench(bencher, set, 1024, 100, View::$view);
            }

            #[divan::bench(args = &*SETS)]
            fn of_one_game(bencher: Bencher<'_, '_>, set: InstructionSet) {
                bench(bencher, set, 1, 10_000, View::$view);
            }
        }
    )+ };
}

views!(compact Compact, compact_centred CompactCentred, planes Planes, planes_centred PlanesCentred);

/// The parts of a turn of 1024 games, each by itself.
mod parts {
    use super::*;

    #[divan::bench(args = &*SETS)]
    fn compact_only(bencher: Bencher<'_, '_>, set: InstructionSet) {
        let learner = Learner::new(set, 1024, 0, View::Compact);
        let mut views = learner.views;
        bencher.counter(ItemsCount::new(1024u32)).bench_local(|| learner.games.observe(View::Compact, black_box(&mut views)));
    }

    #[divan::bench(args = &*SETS)]
    fn masks_only(bencher: Bencher<'_, '_>, set: InstructionSet) {
        let learner = Learner::new(set, 1024, 0, View::Compact);
        let mut masks = learner.masks;
        bencher.counter(ItemsCount::new(1024u32)).bench_local(|| learner.games.action_masks(black_box(&mut masks)));
    }

    #[divan::bench(args = &*SETS)]
    fn step_only(bencher: Bencher<'_, '_>, set: InstructionSet) {
        let Learner { mut games, orders, mut rewards, .. } = Learner::new(set, 1024, 100, View::Compact);
        let begin = games.clone();
        bencher.counter(ItemsCount::new(1024u32 * 100)).bench_local(|| {
            games = begin.clone();
            orders.iter().for_each(|orders| games.step(black_box(orders), &mut rewards));
        });
    }
}
