//! The official score.

use std::fmt;

use crate::seat::{BySeat, Seat};

/// A player's score at the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Score {
    /// The rank, 1 to 4, higher is better: one more than the number of players with less strength.
    pub rank: u32,
    /// The score in hundredths of a point: 10 points for each rank, and a point for each percent of the total strength.
    pub hundredths: i64,
}

impl Score {
    /// Returns the score in points, as Botzone writes it: hundredths divided by 100.
    ///
    /// ```
    /// use pacman2_rules::{BySeat, Seat, scores};
    ///
    /// let scores = scores(&BySeat([60, 20, 20, 0]));
    /// assert_eq!(scores[Seat::S0].points(), 100.0);
    /// ```
    #[must_use]
    pub fn points(self) -> f64 {
        self.hundredths as f64 / 100.0
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.hundredths < 0 { "-" } else { "" };
        let size = self.hundredths.unsigned_abs();
        f.pad(&format!("{sign}{}.{:02}", size / 100, size % 100))
    }
}

/// Returns the scores for these strengths (ruling *score*). A total of 0 counts as 1; shares are rounded towards zero.
///
/// ```
/// use pacman2_rules::{BySeat, Seat, scores};
///
/// let scores = scores(&BySeat([5, 2, 2, 1]));
/// assert_eq!(scores.map(|score| score.rank), BySeat([4, 2, 2, 1]));
/// assert_eq!(scores[Seat::S0].to_string(), "90.00");
/// ```
pub fn scores(strength: &BySeat<i32>) -> BySeat<Score> {
    let total: i64 = strength.0.iter().map(|&strength| i64::from(strength)).sum();
    let total = if total == 0 { 1 } else { total };
    BySeat::from_fn(|seat: Seat| {
        let own = strength[seat];
        let rank = 1 + strength.0.iter().filter(|&&other| other < own).count() as u32;
        Score { rank, hundredths: 1000 * i64::from(rank) + 10_000 * i64::from(own) / total }
    })
}
