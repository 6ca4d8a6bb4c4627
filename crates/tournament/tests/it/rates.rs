//! How often comparisons of observations with a known true lead come to which conclusion.

use pacman2_tournament::compare::{Comparison, ComparisonConfig, Conclusion};

use super::shapes::{Shape, ShapeRng};

/// The rates of conclusions over many comparisons.
#[derive(Default, Debug)]
pub(crate) struct Rates {
    pub(crate) better: f64,
    pub(crate) worse: f64,
    pub(crate) not_better: f64,
    /// The mean number of blocks until the conclusion.
    pub(crate) blocks: f64,
    /// The share of intervals that contain the truth.
    pub(crate) covered: f64,
}

/// Compares until the conclusion, or up to `most_blocks`. The seed is fixed, so every run is the same.
pub(crate) fn rates(
    config: ComparisonConfig,
    (shape, deviation): (Shape, f64),
    truth: f64,
    comparisons: usize,
    most_blocks: usize,
) -> Rates {
    let mut rng = ShapeRng::new(1);
    let mut rates = Rates::default();
    for _ in 0..comparisons {
        let mut comparison = Comparison::new(config).expect("a valid configuration");
        while !comparison.is_decided() && comparison.blocks() < most_blocks {
            comparison.observe(truth + deviation * rng.draw(shape));
        }
        match comparison.conclusion() {
            Conclusion::Better => rates.better += 1.0,
            Conclusion::Worse => rates.worse += 1.0,
            Conclusion::NotBetter => rates.not_better += 1.0,
            Conclusion::Undecided { .. } => {}
        }
        rates.blocks += comparison.blocks() as f64;
        let (_, interval) = comparison.estimate().expect("there are observations");
        rates.covered += if (interval.low..=interval.high).contains(&truth) { 1.0 } else { 0.0 };
    }
    for number in [&mut rates.better, &mut rates.worse, &mut rates.not_better, &mut rates.blocks, &mut rates.covered] {
        *number /= comparisons as f64;
    }
    rates
}
