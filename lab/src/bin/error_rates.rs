//! Measures the sequential test of `pacman2 arena compare`: how often it is wrong, how many games it needs, and how often its interval
//! contains the true lead. The last columns show a test that stops when a confidence sequence excludes one of the two means.
//!
//!     cargo run --release -p lab --bin error_rates

#[path = "../../../crates/tournament/tests/it/rates.rs"]
mod rates;
#[path = "../../../crates/tournament/tests/it/shapes.rs"]
mod shapes;

use pacman2_tournament::compare::ComparisonConfig;
use shapes::{SHAPES, Shape, ShapeRng};

/// Games in a block against three copies of the old bot.
const GAMES: f64 = 4.0;
const COMPARISONS: usize = 5_000;

fn main() {
    println!("shape           deviation   truth  better  not better   worse    games  covered   sequence: better   games");
    for shape in SHAPES {
        for deviation in [5.0, 10.0, 20.0] {
            for truth in [-5.0, 0.0, 1.0, 2.0, 3.0, 5.0, 20.0] {
                let config = ComparisonConfig::default();
                let rates::Rates { better, worse, not_better, blocks, covered } =
                    rates::rates(config, (shape, deviation), truth, COMPARISONS, usize::MAX);
                let (sequence_better, sequence_blocks) = by_confidence_sequence(config, shape, deviation, truth);
                println!(
                    "{:<15} {deviation:>9}  {truth:>6}  {:>5.1}%  {:>9.1}%  {:>5.1}%  {:>7.0}  {:>6.1}%            {:>5.1}%  {:>7.0}",
                    format!("{shape:?}"),
                    100.0 * better,
                    100.0 * not_better,
                    100.0 * worse,
                    GAMES * blocks,
                    100.0 * covered,
                    100.0 * sequence_better,
                    GAMES * sequence_blocks
                );
            }
        }
    }
}

/// Returns the rate of "better" and the mean number of blocks of the test by Robbins' normal mixture, which knows the true variance.
fn by_confidence_sequence(config: ComparisonConfig, shape: Shape, deviation: f64, truth: f64) -> (f64, f64) {
    const RUNS: usize = COMPARISONS / 10;
    let ComparisonConfig { points0, points1, alpha, .. } = config;
    // Each side may be wrong as often as one side of the sequential test. The mixture is narrowest about where the test ends.
    let scale = (points1 - points0) / deviation;
    let mut rng = ShapeRng::new(1);
    let (mut better, mut blocks) = (0.0, 0.0);
    for _ in 0..RUNS {
        let (mut sum, mut count) = (0.0, 0.0);
        loop {
            sum += truth + deviation * rng.draw(shape);
            count += 1.0;
            let mixed = 1.0 + count * scale * scale;
            let reach = deviation * ((2.0 * (0.5 / alpha).ln() + mixed.ln()) * mixed / (count * scale * scale) / count).sqrt();
            let mean: f64 = sum / count;
            if mean - reach >= points0 || mean + reach <= points1 {
                better += f64::from(u8::from(mean - reach >= points0));
                break;
            }
        }
        blocks += count;
    }
    (better / RUNS as f64, blocks / RUNS as f64)
}
