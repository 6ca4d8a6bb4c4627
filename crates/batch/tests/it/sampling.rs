//! Actions sampled from logits.

use std::sync::Arc;

use crate::common::positions::TestRng;
use crate::common::{instruction_sets, pool};
use pacman2_batch::observe::ACTIONS;
use pacman2_batch::{Games, StartSource};

const INFINITE: f32 = f32::INFINITY;

fn masks(games: &Games) -> Vec<[[u8; ACTIONS]; 4]> {
    let mut masks = vec![0; games.count() * 4 * ACTIONS];
    games.action_masks(&mut masks);
    masks.as_chunks::<ACTIONS>().0.as_chunks().0.to_vec()
}

/// Returns the expected probabilities, computed with the standard library and in double precision.
fn softmax(logits: &[f32], mask: &[u8; ACTIONS]) -> [f64; ACTIONS] {
    let logits: [f64; ACTIONS] =
        std::array::from_fn(
            |action| {
                if mask[action] == 0 || logits[action].is_nan() { f64::NEG_INFINITY } else { logits[action].into() }
            },
        );
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: [f64; ACTIONS] = std::array::from_fn(|action| match max.is_infinite() {
        true => f64::from(u8::from(mask[action] != 0 && logits[action] == max)),
        false => (logits[action] - max).exp(),
    });
    weights.map(|weight| weight / weights.iter().sum::<f64>())
}

/// Draws logits of all sizes, some of them not finite.
fn logits(rng: &mut TestRng, count: usize) -> Vec<f32> {
    let mut logit = || match rng.below(12) {
        0 => rng.of(&[f32::NAN, -INFINITE, INFINITE, -1e30, 1e30, f32::MAX, f32::MIN, 0.0, -0.0, 1e-40]),
        _ => rng.within(-6000..=6000) as f32 / 1000.0,
    };
    (0..count).map(|_| logit()).collect()
}

/// Whatever the logits: nothing is sampled that is masked or has probability 0, and the log-probability is right.
#[test]
fn samples_have_nonzero_probability() {
    let source: Arc<dyn StartSource> = Arc::new(pool(51, 400));
    for set in instruction_sets() {
        let mut games = Games::new(set, 150, 52, Arc::clone(&source)).keep_ended();
        let (mut rng, mut actions, mut rewards) = (TestRng::new(53), vec![[77; 4]; 150], vec![[0; 4]; 150]);
        let mut log_probabilities = vec![77.0; 600];
        for _ in 0..150 {
            let mut logits = logits(&mut rng, 150 * 36);
            // For one seat in ten all are the same.
            for all in logits.chunks_mut(ACTIONS).step_by(10) {
                all.fill(rng.of(&[f32::NAN, -INFINITE, INFINITE, 3.0]));
            }
            games.sample(&logits, &mut actions, Some(&mut log_probabilities));
            for (game, masks) in masks(&games).iter().enumerate() {
                for (seat, mask) in masks.iter().enumerate() {
                    let (place, action) = (4 * game + seat, usize::from(actions[game][seat]));
                    let expected = softmax(&logits[ACTIONS * place..ACTIONS * (place + 1)], mask)[action];
                    assert!(mask[action] == 1 && expected > 0.0, "{set}, game {game}, seat {seat}: {action} of {mask:?}");
                    let error = (f64::from(log_probabilities[place]) - expected.ln()).abs();
                    assert!(error < 1e-5, "{set}, game {game}, seat {seat}: {} for {expected}", log_probabilities[place]);
                }
            }
            games.step(&actions, &mut rewards);
        }
    }
}

/// A chi-square test of the samples, for each seat of some games.
#[test]
fn sample_frequencies_match_softmax() {
    const DRAWS: u32 = 40_000;
    let source: Arc<dyn StartSource> = Arc::new(pool(54, 100));
    for set in instruction_sets() {
        let mut games = Games::new(set, 12, 55, Arc::clone(&source));
        let logits: Vec<f32> = (0..12 * 36).map(|place| (place * place % 17) as f32 / 8.0 - 1.0).collect();
        let (masks, mut counts, mut actions) = (masks(&games), vec![[0_u32; ACTIONS]; 48], vec![[0; 4]; 12]);
        for _ in 0..DRAWS {
            games.sample(&logits, &mut actions, None);
            actions.as_flattened().iter().zip(&mut counts).for_each(|(&action, counts)| counts[usize::from(action)] += 1);
        }
        let mut tested = 0;
        for (place, (counts, mask)) in counts.iter().zip(masks.as_flattened()).enumerate() {
            let chances = softmax(&logits[ACTIONS * place..ACTIONS * (place + 1)], mask);
            let expected = chances.map(|rng| rng * f64::from(DRAWS));
            let chi_square: f64 = (0..ACTIONS)
                .filter(|&action| mask[action] != 0)
                .map(|action| (f64::from(counts[action]) - expected[action]).powi(2) / expected[action])
                .sum();
            // With 8 degrees of freedom, one in ten thousand is above 32, and these are 48 tests with fixed seeds.
            assert!(chi_square < 32.0, "{set}, place {place}: {counts:?} for {expected:?}");
            tested += u32::from(mask.iter().sum::<u8>() > 2);
        }
        assert!(tested > 20, "{tested}");
    }
}

/// The samples of a slot depend neither on the number of slots, nor on the instruction set, nor on the logits of other slots.
#[test]
fn samples_of_a_slot_do_not_depend_on_others() {
    let source: Arc<dyn StartSource> = Arc::new(pool(56, 300));
    let record = |set, count: usize| {
        let mut games = Games::new(set, count, 57, Arc::clone(&source));
        let (mut actions, mut rewards) = (vec![[0; 4]; count], vec![[0; 4]; count]);
        let logits: Vec<f32> = (0..count * 36).map(|place| ((place * 31) % 101) as f32 / 30.0).collect();
        let turn = |_| {
            games.sample(&logits, &mut actions, None);
            games.step(&actions, &mut rewards);
            actions.clone()
        };
        (0..60).map(turn).collect::<Vec<_>>()
    };
    let expected = record(instruction_sets()[0], 200);
    for set in instruction_sets() {
        for count in [1, 63, 64, 65, 200] {
            let found = record(set, count);
            assert!(found.iter().zip(&expected).all(|(found, expected)| *found == expected[..count]), "{set}, {count} games");
        }
    }
}

/// Sampling advances the generator by four words, as two turns of random actions do.
#[test]
fn sampling_takes_four_words() {
    let source: Arc<dyn StartSource> = Arc::new(pool(58, 100));
    for set in instruction_sets() {
        let mut games = Games::new(set, 70, 59, Arc::clone(&source));
        let (mut twice, mut actions) = (games.clone(), vec![[0; 4]; 70]);
        games.sample(&[0.0; 70 * 36], &mut actions, None);
        twice.random_actions(&mut actions);
        twice.random_actions(&mut actions);
        assert!((0..70).all(|game| games.slot(game) == twice.slot(game)), "{set}");
    }
}
