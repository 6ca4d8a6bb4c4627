//! Rewards.

use pacman2_rules::{BySeat, Seat};
use pyo3::prelude::*;

use crate::options::{impl_named, named};

/// How players are rewarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reward {
    /// Each turn: the change in the player's share of all strength.
    Share,
    /// At the end: the official score in points.
    Score,
    /// At the end: the rank, 1 (worst) to 4 (best).
    Rank,
    /// At the end: the official score minus the mean of all four.
    ZeroSum,
}

impl Reward {
    /// All rewards.
    pub(crate) const ALL: [Reward; 4] = [Reward::Share, Reward::Score, Reward::Rank, Reward::ZeroSum];

    /// Returns the name in Python.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Reward::Share => "share",
            Reward::Score => "score",
            Reward::Rank => "rank",
            Reward::ZeroSum => "zero_sum",
        }
    }

    /// Returns the final reward of each seat; 0 for [`Reward::Share`], which rewards every turn.
    pub(crate) fn at_end(self, end: &GameEnd) -> [f32; 4] {
        match self {
            Reward::Share => [0.0; 4],
            Reward::Score => end.points,
            Reward::Rank => end.ranks.map(f32::from),
            Reward::ZeroSum => {
                let mean = end.hundredths.iter().sum::<i64>() as f64 / 4.0;
                end.hundredths.map(|hundredths| ((hundredths as f64 - mean) / 100.0) as f32)
            }
        }
    }
}

/// Returns each seat's share of all strength. A total of 0 counts as 1, as in the official score.
#[inline(always)]
pub(crate) fn shares(strength: &[i32; 4]) -> [f32; 4] {
    let total: i64 = strength.iter().map(|&strength| i64::from(strength)).sum();
    let total = if total == 0 { 1.0 } else { total as f32 };
    strength.map(|strength| strength as f32 / total)
}

/// The result of a game by seat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameEnd {
    /// The official scores in points.
    pub(crate) points: [f32; 4],
    /// The ranks, 1 (worst) to 4 (best).
    pub(crate) ranks: [u8; 4],
    hundredths: [i64; 4],
}

impl GameEnd {
    /// Computes the result from the final strengths.
    pub(crate) fn from_strength(strength: [i32; 4]) -> GameEnd {
        let scores = pacman2_rules::scores(&BySeat(strength));
        let hundredths = Seat::ALL.map(|seat| scores[seat].hundredths);
        GameEnd {
            points: Seat::ALL.map(|seat| scores[seat].points() as f32),
            ranks: Seat::ALL.map(|seat| scores[seat].rank as u8),
            hundredths,
        }
    }
}

impl_named!(Reward);

/// Converts the argument `reward`.
pub(crate) fn reward(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Reward>("reward", given).map(Reward::name)
}

/// Converts what the values of a search are, which is called like a reward.
pub(crate) fn value(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Reward>("value", given).map(Reward::name)
}
