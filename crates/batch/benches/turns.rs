//! The speed of games in lanes, for each instruction set of this CPU. An item is a turn of one game.
//!
//! Results are checked while they are timed: they must equal those of portable code.

use std::sync::{Arc, LazyLock};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use pacman2_batch::{Games, InstructionSet, StartPosition};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;

const SIZES: [(u8, u8); 3] = [(6, 6), (8, 9), (11, 11)];

static SETS: LazyLock<Vec<InstructionSet>> = LazyLock::new(|| InstructionSet::available().collect());

fn main() {
    divan::main();
}

fn map(seed: i32, (width, height): (u8, u8)) -> Map {
    let size = MapSize { width: Some(width), height: Some(height) };
    Map::generate(seed, size, Ruleset::default()).expect("Botzone has maps of this size")
}

/// Games side by side, on maps of all three sizes, with actions prepared in advance.
mod given_actions {
    use super::*;

    const GAMES: usize = 4096;
    const TURNS: usize = 100;
    const MAPS: i32 = 64;

    fn games(set: InstructionSet) -> Games {
        let seeds = SIZES.iter().flat_map(|&size| (1..=MAPS).map(move |seed| (seed, size)));
        let starts = seeds.map(|(seed, size)| {
            let map = map(seed, size);
            Arc::new(StartPosition::new(map.maze, map.start))
        });
        Games::new(set, GAMES, 1, Arc::new(starts.collect::<Vec<_>>()))
    }

    type Actions = Vec<Vec<[u8; 4]>>;

    /// Adds the rewards of a turn to a checksum of all rewards so far.
    fn add(sum: i64, rewards: &[[i32; 4]]) -> i64 {
        sum.wrapping_mul(31).wrapping_add(rewards.as_flattened().iter().map(|&reward| i64::from(reward)).sum())
    }

    /// Returns random actions, and the checksum of their rewards.
    fn record(mut games: Games) -> (Actions, i64) {
        let (mut rewards, mut sum) = (vec![[0; 4]; GAMES], 0);
        let actions = (0..TURNS).map(|_| {
            let mut actions = vec![[0; 4]; GAMES];
            games.random_actions(&mut actions);
            games.step(&actions, &mut rewards);
            sum = add(sum, &rewards);
            actions
        });
        (actions.collect(), sum)
    }

    #[divan::bench(args = &*SETS)]
    fn step(bencher: Bencher<'_, '_>, set: InstructionSet) {
        let (actions, expected) = record(games(InstructionSet::Portable));
        let begin = games(set);
        bencher.counter(ItemsCount::new(TURNS * GAMES)).with_inputs(|| (begin.clone(), vec![[0; 4]; GAMES])).bench_values(
            |(mut games, mut rewards)| {
                let mut sum = 0;
                for actions in &actions {
                    games.step(black_box(actions), &mut rewards);
                    sum = add(sum, &rewards);
                }
                assert_eq!(sum, expected);
                games
            },
        );
    }
}
