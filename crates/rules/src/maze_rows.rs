//! Walls and generators as bits, row by row.

use crate::cell::{Cell, CellSet, MAX_SIDE};

/// The walls and generators of a maze as bits: the compact form of [`MazeSpec::squares`](crate::MazeSpec::squares), 112 bytes in one piece.
///
/// Bit `c` of a row is the cell in column `c`.
///
/// ```
/// use pacman2_rules::{Direction, picture};
///
/// let (maze, _) = picture::read("
///     +---+---+---+
///     | 0   1 | G |
///     +---+---+---+
/// ").unwrap();
/// let rows = maze.rows();
/// assert_eq!((rows.width, rows.height, rows.generators[0]), (3, 1, 0b100));
/// assert_eq!(rows.open[Direction::Right.index()][0], 0b001);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MazeRows {
    /// The number of columns.
    pub width: u8,
    /// The number of rows.
    pub height: u8,
    /// By direction and row: the cells that can be left in that direction.
    pub open: [[u16; MAX_SIDE as usize]; 4],
    /// By row: the cells with a generator.
    pub generators: [u16; MAX_SIDE as usize],
}

impl MazeRows {
    /// Returns the same rows without bits outside the maze.
    pub(crate) fn clipped(mut self) -> MazeRows {
        let (width, height) = (u32::from(self.width), usize::from(self.height));
        for rows in self.open.iter_mut().chain([&mut self.generators]) {
            for (row, bits) in rows.iter_mut().enumerate() {
                *bits &= if row < height { (1 << width) - 1 } else { 0 };
            }
        }
        self
    }

    /// Returns the cell in a row and column, or `None` if it is outside the maze.
    #[must_use]
    #[inline]
    pub fn cell(&self, row: usize, col: usize) -> Option<Cell> {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        (row < height && col < width).then(|| Cell::new((row * width + col) as u8))
    }

    /// Returns the row of a cell, 0 at the top.
    #[must_use]
    #[inline]
    pub fn row(&self, cell: Cell) -> u8 {
        cell.index() as u8 / self.width
    }

    /// Returns the column of a cell, 0 at the left.
    #[must_use]
    #[inline]
    pub fn col(&self, cell: Cell) -> u8 {
        cell.index() as u8 % self.width
    }

    /// Returns the cells whose [indices](Cell::index) are the set bits. Bits beyond the last cell are ignored.
    #[must_use]
    #[inline]
    pub fn cells_of_bits(&self, bits: u128) -> CellSet {
        CellSet::from_bits(bits & ((1 << (self.width * self.height)) - 1))
    }

    /// Returns the cells of which these are the bits, row by row. They must be in the maze.
    ///
    /// ```
    /// use pacman2_rules::picture;
    ///
    /// let (maze, _) = picture::read("
    ///     +---+---+---+
    ///     | 0   1 | G |
    ///     +---+---+---+
    /// ").unwrap();
    /// assert_eq!(maze.rows().set(&maze.rows().generators), maze.generators());
    /// ```
    #[must_use]
    pub fn set(&self, rows: &[u16; MAX_SIDE as usize]) -> CellSet {
        let last_first = rows[..self.height.into()].iter().rev();
        CellSet::from_bits(last_first.fold(0, |bits, &row| bits << self.width | u128::from(row)))
    }

    /// Returns the cells where generators put fruit, row by row: those around them that have no generator.
    #[must_use]
    pub fn spawn_cells(&self) -> [u16; MAX_SIDE as usize] {
        let (width, height) = (u32::from(self.width), usize::from(self.height));
        let widened = self.generators.map(|row| {
            let row = u32::from(row);
            (row | row << 1 | row >> 1 | row >> (width - 1) | row << (width - 1)) as u16 & ((1 << width) - 1)
        });
        let mut spawn = [0; MAX_SIDE as usize];
        for (row, spawn) in spawn.iter_mut().enumerate().take(height) {
            let (above, below) = (if row == 0 { height - 1 } else { row - 1 }, if row + 1 == height { 0 } else { row + 1 });
            *spawn = (widened[above] | widened[row] | widened[below]) & !self.generators[row];
        }
        spawn
    }
}
