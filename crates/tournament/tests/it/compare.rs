//! The error rates of comparisons, and what their intervals cover. `lab/src/bin/error_rates.rs` measures them at length.

use pacman2_tournament::compare::{Comparison, ComparisonConfig, Conclusion};

use super::rates::{Rates, rates};
use super::shapes::{SHAPES, Shape, ShapeRng};

/// A standard deviation of blocks in points. Those of this game have 10 to 30.
const DEVIATION: f64 = 10.0;
/// So many blocks that every comparison is decided.
const ENOUGH: usize = 1_000_000;

fn default_rates(shape: Shape, deviation: f64, truth: f64, comparisons: usize) -> Rates {
    rates(ComparisonConfig::default(), (shape, deviation), truth, comparisons, ENOUGH)
}

#[test]
fn an_equal_bot_is_seldom_called_better_or_worse() {
    for shape in SHAPES {
        for deviation in [DEVIATION, 2.0 * DEVIATION] {
            let rates = default_rates(shape, deviation, 0.0, 1500);
            // Rare disasters of 60 points may be missing from the first hundred blocks.
            let is_hard = matches!(shape, Shape::Disasters) && deviation > DEVIATION;
            let most = if is_hard { 0.12 } else { 0.06 };
            assert!(rates.better <= most && rates.worse <= 0.06, "{shape:?} {deviation}: {rates:?}");
        }
    }
}

#[test]
fn a_better_bot_is_found() {
    for shape in SHAPES {
        let rates = default_rates(shape, DEVIATION, 2.0, 1000);
        assert!(rates.better >= 0.93 && rates.worse <= 0.01, "{shape:?}: {rates:?}");
        let large = default_rates(shape, DEVIATION, 20.0, 100);
        assert!(large.better == 1.0 && large.blocks < 26.0, "{shape:?}: {large:?}");
    }
}

#[test]
fn a_much_worse_bot_is_found() {
    for shape in SHAPES {
        let rates = default_rates(shape, DEVIATION, -20.0, 300);
        assert!(rates.worse >= 0.9 && rates.better == 0.0, "{shape:?}: {rates:?}");
    }
}

#[test]
fn intervals_of_stopped_comparisons_contain_the_truth() {
    for truth in [-20.0, -3.0, 0.0, 1.0, 2.0, 5.0, 20.0] {
        for most_blocks in [20, 60, ENOUGH] {
            let rates = rates(ComparisonConfig::default(), (Shape::Normal, DEVIATION), truth, 1000, most_blocks);
            assert!(rates.covered >= 0.94, "{truth}, {most_blocks}: {rates:?}");
        }
    }
}

#[test]
fn error_rates_can_be_chosen() {
    let config = ComparisonConfig { alpha: 0.01, beta: 0.2, ..ComparisonConfig::default() };
    let of = |truth| rates(config, (Shape::Normal, DEVIATION), truth, 2000, ENOUGH);
    assert!(of(0.0).better <= 0.015, "{:?}", of(0.0));
    let missed = 1.0 - of(2.0).better;
    assert!((0.04..=0.2).contains(&missed), "{missed}");
}

/// Compares the estimate of missing blocks after 64 blocks with the true number, in the mean over undecided comparisons.
#[test]
fn missing_blocks_are_estimated() {
    for (deviation, truth) in [(10.0, 2.0), (10.0, 0.0), (15.0, 2.0), (15.0, 0.0)] {
        let mut rng = ShapeRng::new(2);
        let (mut estimated, mut missing) = (0.0, 0.0);
        for _ in 0..1000 {
            let mut comparison = Comparison::new(ComparisonConfig::default()).unwrap();
            let mut estimate = None;
            while !comparison.is_decided() {
                comparison.observe(truth + deviation * rng.draw(Shape::HeavyTails));
                if let (64, Conclusion::Undecided { more_blocks }) = (comparison.blocks(), comparison.conclusion()) {
                    estimate = Some(more_blocks);
                }
            }
            if let Some(more_blocks) = estimate {
                estimated += more_blocks as f64;
                missing += (comparison.blocks() - 64) as f64;
            }
        }
        let ratio = estimated / missing;
        println!("deviation {deviation}, truth {truth}: {ratio:.2} of the missing blocks were estimated");
        assert!((0.7..=1.5).contains(&ratio), "deviation {deviation}, truth {truth}: {ratio}");
    }
}
