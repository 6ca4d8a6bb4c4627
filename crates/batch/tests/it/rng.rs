//! The generators compared with other implementations, and the distribution of drawn actions.

use crate::common::positions::{self, GameKind, TestRng, WallKind};
use pacman2_batch::{GameRng, seed_of_game};
use pacman2_rules::{Action, BySeat, Seat, SeatSet};
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro128PlusPlus};

const SEEDS: [u64; 8] = [0, 1, 2, 0x1234_5678_9abc_def0, u64::MAX, u64::MAX / 3, 1 << 32, 1 << 63];

#[test]
fn game_rng_is_xoshiro128plusplus() {
    for seed in SEEDS {
        let (mut ours, mut theirs) = (GameRng::new(seed), Xoshiro128PlusPlus::seed_from_u64(seed));
        for index in 0..10_000 {
            assert_eq!(ours.word(), theirs.next_u32(), "seed {seed}, word {index}");
        }
    }
}

#[test]
fn seeds_of_games_are_those_of_splitmix64() {
    for seed in SEEDS {
        let mut theirs = SplitMix64::from_seed(seed.to_le_bytes());
        for number in 0..10_000 {
            assert_eq!(seed_of_game(seed, number), theirs.next_u64(), "seed {seed}, game {number}");
        }
    }
}

/// Known numbers, for other implementations to compare with.
#[test]
fn known_numbers() {
    let words = |seed| {
        let mut rng = GameRng::new(seed);
        [(); 4].map(|()| rng.word())
    };
    assert_eq!(words(0), KNOWN_WORDS[0], "{:#x?}", words(0));
    assert_eq!(words(1), KNOWN_WORDS[1], "{:#x?}", words(1));
    assert_eq!([0, 1, 2].map(|number| seed_of_game(0, number)), KNOWN_SEEDS);
    assert_eq!(seed_of_game(1, u64::MAX), 0x5692_161d_100b_05e5, "number 0 of the sequence is the hashed seed");
}

const KNOWN_WORDS: [[u32; 4]; 2] =
    [[0x4653_daa3, 0x7392_2b58, 0xb82b_4add, 0xd9fa_bd3b], [0x7ff7_8de4, 0x9a17_0265, 0xdac1_27b8, 0x9859_e914]];

/// The sequence of Steele, Lea and Flood for seed 0.
const KNOWN_SEEDS: [u64; 3] = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];

/// Each turn takes two words. The lower half of the first is for seat 0. The action is half times count, shifted.
#[test]
fn actions_are_drawn_from_halves_of_words() {
    let mut rng = TestRng::new(1);
    for seed in 0..2000 {
        let (maze, state) = positions::start(&mut rng);
        let (mut rng, mut words) = (GameRng::new(seed), GameRng::new(seed));
        for _ in 0..3 {
            let [first, second] = [words.word(), words.word()];
            let halves = [first & 0xffff, first >> 16, second & 0xffff, second >> 16];
            let expected = BySeat::from_fn(|seat| {
                let actions = state.legal_actions(&maze, seat);
                actions.get(halves[seat.index()] as usize * actions.len() / 65_536).copied().unwrap_or(Action::Stay)
            });
            assert_eq!(rng.actions(&maze, &state), expected, "seed {seed}");
        }
    }
}

/// A chi-square test for each seat with each number of legal actions, with fixed seeds.
#[test]
fn actions_are_drawn_uniformly() {
    const DRAWS: usize = 90_000;
    let mut rng = TestRng::new(2);
    let mut tested = [[false; 10]; 4];
    for seed in 0..400 {
        let maze = positions::maze_of_size(&mut rng, GameKind::Botzone, WallKind::TwoSided, 5, 5);
        let mut state = positions::state(&mut rng, GameKind::Lively, &maze);
        state.alive = SeatSet::FULL;
        let legal = BySeat::from_fn(|seat| state.legal_actions(&maze, seat));
        if Seat::ALL.iter().all(|&seat| tested[seat.index()][legal[seat].len()]) {
            continue;
        }
        let (mut rng, mut counts) = (GameRng::new(seed), [[0_u32; 9]; 4]);
        for _ in 0..DRAWS {
            let actions = rng.actions(&maze, &state);
            for seat in Seat::ALL {
                counts[seat.index()][legal[seat].iter().position(|&action| action == actions[seat]).unwrap()] += 1;
            }
        }
        for seat in Seat::ALL {
            let kinds = legal[seat].len();
            let expected = DRAWS as f64 / kinds as f64;
            let counts = &counts[seat.index()];
            let chi_square: f64 = counts[..kinds].iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            // With 8 degrees of freedom, one in a thousand is above 26.
            assert!(chi_square < 26.0, "seed {seed}, seat {seat}, {counts:?}");
            tested[seat.index()][kinds] = true;
        }
    }
    // From one legal action, for a weak player between four walls, to nine.
    for tested in tested {
        assert!((1..=9).all(|count| tested[count]), "{tested:?}");
    }
}
