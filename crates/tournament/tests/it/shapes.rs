//! Distributions of observations with a known mean: like those of blocks of games, and worse ones.
//!
//! Each has mean 0 and standard deviation 1 before scaling and shifting.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The distribution of blocks around their mean.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
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

pub(crate) const SHAPES: [Shape; 6] =
    [Shape::Normal, Shape::HeavyTails, Shape::ThreeValues, Shape::MostlyNothing, Shape::Disasters, Shape::Triumphs];

/// Draws observations.
pub(crate) struct ShapeRng(Xoshiro256PlusPlus);

impl ShapeRng {
    pub(crate) fn new(seed: u64) -> ShapeRng {
        ShapeRng(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

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

    pub(crate) fn draw(&mut self, shape: Shape) -> f64 {
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
