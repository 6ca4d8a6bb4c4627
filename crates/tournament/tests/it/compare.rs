//! The error rates of comparisons, measured on observations with a known true difference.
//!
//! The observations come from distributions like those of blocks of games, and worse ones: heavy tails, skew, few values. Each has mean
//! 0 and standard deviation 1 before scaling and shifting. The seed is fixed, so every run is the same.

use pacman2_tournament::compare::{Comparison, ComparisonConfig, Conclusion};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The distribution of blocks around their mean.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Normal.
    Normal,
    /// Normal, with one in ten values from a distribution three times as wide.
    HeavyTails,
    /// Three values: zero in six of ten, otherwise up or down equally.
    ThreeValues,
    /// Zero in nine of ten blocks: NEW seldom differs from OLD.
    MostlyNothing,
    /// A small gain in nine of ten blocks and a ninefold loss in the tenth: NEW sometimes runs out of time.
    Disasters,
    /// The mirror image.
    Triumphs,
}

const EVEN: [Shape; 4] = [Shape::Normal, Shape::HeavyTails, Shape::ThreeValues, Shape::MostlyNothing];
const SKEWED: [Shape; 2] = [Shape::Disasters, Shape::Triumphs];

struct Chance(Xoshiro256PlusPlus);

impl Chance {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a normal number by the Box-Muller method.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Returns up or down with this probability each, otherwise zero; with variance 1.
    fn up_or_down(&mut self, chance: f64) -> f64 {
        let far = (0.5 / chance).sqrt();
        match self.uniform() {
            drawn if drawn < chance => far,
            drawn if drawn < 2.0 * chance => -far,
            _ => 0.0,
        }
    }

    fn draw(&mut self, shape: Shape) -> f64 {
        match shape {
            Shape::Normal => self.normal(),
            Shape::HeavyTails => {
                let width = if self.uniform() < 0.1 { 3.0 } else { 1.0 };
                width * self.normal() / 1.8_f64.sqrt()
            }
            Shape::ThreeValues => self.up_or_down(0.2),
            Shape::MostlyNothing => self.up_or_down(0.05),
            Shape::Disasters => {
                let step = if self.uniform() < 0.1 { -27.0 } else { 3.0 };
                (step + 3.0 * self.normal()) / 90.0_f64.sqrt()
            }
            Shape::Triumphs => -self.draw(Shape::Disasters),
        }
    }
}

/// The rates of conclusions over many comparisons.
#[derive(Default, Debug)]
struct Rates {
    better: f64,
    worse: f64,
    not_better: f64,
    /// The mean number of blocks until the conclusion.
    blocks: f64,
    /// The share of intervals that contain the truth.
    covered: f64,
}

fn rates(shape: Shape, deviation: f64, difference: f64, truth: f64, comparisons: usize) -> Rates {
    let mut chance = Chance(Xoshiro256PlusPlus::seed_from_u64(1));
    let one = 1.0 / comparisons as f64;
    let mut rates = Rates::default();
    for _ in 0..comparisons {
        let mut comparison = Comparison::new(ComparisonConfig { difference, ..ComparisonConfig::default() }).unwrap();
        while !comparison.is_decided() {
            comparison.observe(truth + deviation * chance.draw(shape));
        }
        match comparison.conclusion() {
            Conclusion::Better => rates.better += one,
            Conclusion::Worse => rates.worse += one,
            _ => rates.not_better += one,
        }
        rates.blocks += one * comparison.blocks() as f64;
        let interval = comparison.estimate();
        rates.covered += if (interval.low..=interval.high).contains(&truth) { one } else { 0.0 };
    }
    println!("{shape:?}, deviation {deviation}, difference {difference}, truth {truth}: {rates:.3?}");
    rates
}

/// Returns spreads in points and differences to detect. One-sided tails are tried at the spread of this game; the documentation of
/// `compare` says what happens with wider ones.
fn settings() -> impl Iterator<Item = (Shape, f64, f64)> {
    let even = EVEN.into_iter().flat_map(|shape| [(shape, 5.0, 2.0), (shape, 10.0, 2.0), (shape, 10.0, 5.0), (shape, 20.0, 4.0)]);
    let skewed = SKEWED.into_iter().flat_map(|shape| [(shape, 5.0, 2.0), (shape, 10.0, 2.0), (shape, 10.0, 5.0)]);
    even.chain(skewed)
}

#[test]
fn an_equal_bot_is_seldom_called_better_or_worse() {
    for (shape, deviation, difference) in settings() {
        let rates = rates(shape, deviation, difference, 0.0, 6000);
        assert!(rates.better <= 0.06 && rates.worse <= 0.06, "{shape:?} {deviation} {difference}: {rates:?}");
        assert!(rates.not_better >= 0.88, "{shape:?} {deviation} {difference}: {rates:?}");
    }
}

#[test]
fn a_better_bot_is_found() {
    for (shape, deviation, difference) in settings() {
        let rates = rates(shape, deviation, difference, difference, 2000);
        assert!(rates.better >= 0.9 && rates.worse <= 0.01, "{shape:?} {deviation} {difference}: {rates:?}");
    }
}

#[test]
fn a_worse_bot_is_found() {
    for (shape, deviation, difference) in settings() {
        let rates = rates(shape, deviation, difference, -difference, 2000);
        assert!(rates.worse >= 0.9 && rates.better <= 0.01, "{shape:?} {deviation} {difference}: {rates:?}");
    }
}

#[test]
fn a_large_difference_is_found_quickly() {
    for shape in EVEN {
        let small = rates(shape, 10.0, 2.0, 2.0, 300);
        let large = rates(shape, 10.0, 2.0, 6.0, 300);
        assert!(large.better > 0.999 && large.blocks < small.blocks / 2.0, "{shape:?}: {small:?} {large:?}");
    }
}

#[test]
fn intervals_have_nearly_their_nominal_coverage() {
    for truth in [-3.0, 0.0, 1.0, 3.0] {
        let rates = rates(Shape::Normal, 10.0, 2.0, truth, 1000);
        assert!(rates.covered >= 0.92, "{truth}: {rates:?}");
    }
}

/// Compares the estimate of missing blocks after 64 blocks with the true number, in the mean over undecided comparisons.
#[test]
fn missing_blocks_are_estimated() {
    for (deviation, truth) in [(10.0, 2.0), (10.0, 0.0), (10.0, -2.0), (15.0, 2.0), (15.0, 0.0)] {
        let mut chance = Chance(Xoshiro256PlusPlus::seed_from_u64(2));
        let (mut estimated, mut missing) = (0.0, 0.0);
        for _ in 0..1000 {
            let mut comparison = Comparison::new(ComparisonConfig::default()).unwrap();
            let mut estimate = None;
            while !comparison.is_decided() {
                comparison.observe(truth + deviation * chance.draw(Shape::HeavyTails));
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
