//! The rows of an engine's arrays.

use super::buffers::shape_text;

/// The rows of arrays: the same number for each game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rows {
    /// The number of games.
    pub(super) games: usize,
    /// The number of rows of a game: all four seats, or those of learners.
    pub(super) seats: usize,
}

impl Rows {
    /// Returns the number of rows.
    pub(super) fn count(self) -> usize {
        self.games * self.seats
    }

    /// Returns whether an array of this shape has a row for each seat, with `last` as the shape of a row.
    pub(super) fn fit(self, shape: &[usize], last: &[usize]) -> bool {
        let Some(first) = shape.strip_suffix(last) else { return false };
        *first == [self.count()] || *first == [self.games, self.seats]
    }

    /// Returns the two possible shapes as a text, with `last` as the shape of a row.
    pub(super) fn expected(self, last: &[usize]) -> String {
        let shape = |first: &[usize]| shape_text(&[first, last].concat());
        format!("{} or {}", shape(&[self.count()]), shape(&[self.games, self.seats]))
    }

    /// Returns what messages call a row.
    pub(super) fn name(self, row: usize) -> String {
        let (game, seat) = (row / self.seats, row % self.seats);
        if self.seats == 4 { format!("game {game}, seat {seat}") } else { format!("game {game}, row {row}") }
    }
}
