//! What a row is rewarded with.

use std::str::FromStr;

use pacman2_rules::{BySeat, Seat};

/// A way to reward players, told by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reward {
    /// Each turn: how much more of all strength a player has than before it.
    Share,
    /// At the end: the official score in points.
    Score,
    /// At the end: the place, counted from the bottom, 1 to 4.
    Rank,
    /// At the end: the official score less the mean of all four.
    ZeroSum,
}

impl Reward {
    /// All ways.
    pub(crate) const ALL: [Reward; 4] = [Reward::Share, Reward::Score, Reward::Rank, Reward::ZeroSum];

    /// The way's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Reward::Share => "share",
            Reward::Score => "score",
            Reward::Rank => "rank",
            Reward::ZeroSum => "zero_sum",
        }
    }

    /// What each seat gets because its game ends so; nothing for [`Reward::Share`], which has told all turn by turn.
    pub(crate) fn at_end(self, end: &End) -> [f32; 4] {
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

impl FromStr for Reward {
    type Err = String;

    fn from_str(name: &str) -> Result<Reward, String> {
        let known = Reward::ALL.into_iter().find(|reward| reward.name() == name);
        let names = Reward::ALL.map(|reward| format!("\"{}\"", reward.name())).join(", ");
        known.ok_or_else(|| format!("there is no reward \"{name}\"; there are {names}"))
    }
}

/// Each one's share of all strength. A total of 0 counts as 1, as in the official score.
#[inline(always)]
pub(crate) fn shares(strength: &[i32; 4]) -> [f32; 4] {
    let total: i64 = strength.iter().map(|&strength| i64::from(strength)).sum();
    let total = if total == 0 { 1.0 } else { total as f32 };
    strength.map(|strength| strength as f32 / total)
}

/// How a game ended, seat by seat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The official scores in points.
    pub(crate) points: [f32; 4],
    /// The places, counted from the bottom, 1 to 4.
    pub(crate) ranks: [u8; 4],
    hundredths: [i64; 4],
}

impl End {
    /// The end of a game in which these are the strengths.
    pub(crate) fn of(strength: [i32; 4]) -> End {
        let scores = pacman2_rules::scores(&BySeat(strength));
        let hundredths = Seat::ALL.map(|seat| scores[seat].hundredths);
        End {
            points: hundredths.map(|hundredths| (hundredths as f64 / 100.0) as f32),
            ranks: Seat::ALL.map(|seat| scores[seat].rank as u8),
            hundredths,
        }
    }
}
