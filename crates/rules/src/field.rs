//! Directions, cells, and sets of cells.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// The longest side of a field.
pub const MAX_SIDE: u8 = 11;

/// The number of cells of the largest field.
pub const MAX_CELLS: usize = MAX_SIDE as usize * MAX_SIDE as usize;

/// One of the four ways to walk or to shoot. Up is towards row 0, left is towards column 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "each name says it")]
pub enum Direction {
    Up,
    Right,
    Down,
    Left,
}

impl Direction {
    /// All directions, in Botzone's order.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// The direction's place in [`Direction::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Rows and columns that one step adds.
    pub const fn delta(self) -> (i8, i8) {
        match self {
            Direction::Up => (-1, 0),
            Direction::Right => (0, 1),
            Direction::Down => (1, 0),
            Direction::Left => (0, -1),
        }
    }

    /// The way back.
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Right => Direction::Left,
            Direction::Down => Direction::Up,
            Direction::Left => Direction::Right,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Direction::Up => "up",
            Direction::Right => "right",
            Direction::Down => "down",
            Direction::Left => "left",
        })
    }
}

/// A cell of one arena. Only an [`Arena`](crate::Arena) makes one, so it always lies on the field it came from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cell(u8);

impl Cell {
    #[inline]
    pub(crate) const fn new(index: u8) -> Cell {
        Cell(index)
    }

    /// Where the dead are while a turn is played: no cell of any field, and so on no fruit, in no light's way, beside nobody.
    pub(crate) const NOWHERE: Cell = Cell(127);

    /// The cell as a byte, less than 128.
    #[inline(always)]
    pub(crate) const fn byte(self) -> u8 {
        self.0
    }

    /// The cell's number, row by row from the top left, less than [`MAX_CELLS`].
    #[inline]
    pub const fn index(self) -> usize {
        // Tables by cell have 128 rows, so that this mask, which changes nothing, spares their bounds checks.
        (self.0 & 127) as usize
    }
}

/// A set of cells of one arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CellSet([u64; 2]);

impl CellSet {
    /// No cell.
    pub const EMPTY: CellSet = CellSet([0; 2]);

    /// The set of this one cell.
    #[inline]
    pub const fn of(cell: Cell) -> CellSet {
        CELL_SETS[cell.index()]
    }

    /// Whether `cell` is in the set.
    #[inline]
    pub const fn contains(self, cell: Cell) -> bool {
        let word = if cell.index() < 64 { self.0[0] } else { self.0[1] };
        word >> (cell.index() % 64) & 1 != 0
    }

    /// Puts `cell` into the set.
    #[inline]
    pub fn insert(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.index() % 64);
    }

    /// Takes `cell` out of the set.
    #[inline]
    pub fn remove(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.index() % 64));
    }

    /// How many cells are in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Whether no cell is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// The set as bits: bit `i` stands for the cell of [index](Cell::index) `i`.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// The set that has these [bits](CellSet::bits), all of which stand for cells.
    #[inline]
    pub(crate) const fn from_bits(bits: u128) -> CellSet {
        CellSet([bits as u64, (bits >> 64) as u64])
    }

    /// The cells in the set, lowest index first.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        let mut rest = self.bits();
        std::iter::from_fn(move || {
            let lowest = (rest != 0).then(|| Cell(rest.trailing_zeros() as u8))?;
            rest &= rest - 1;
            Some(lowest)
        })
    }
}

/// The set of each cell by its index; empty for [`Cell::NOWHERE`]. To look them up and not to shift a bit there makes random
/// play a quarter faster.
static CELL_SETS: [CellSet; 128] = {
    let mut sets = [CellSet::EMPTY; 128];
    let mut index = 0;
    while index < Cell::NOWHERE.index() {
        sets[index].0[index / 64] = 1 << (index % 64);
        index += 1;
    }
    sets
};

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> CellSet {
        cells.into_iter().fold(CellSet::EMPTY, |set, cell| set | CellSet::of(cell))
    }
}

impl BitOr for CellSet {
    type Output = CellSet;
    #[inline]
    fn bitor(self, other: CellSet) -> CellSet {
        CellSet([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl BitOrAssign for CellSet {
    #[inline]
    fn bitor_assign(&mut self, other: CellSet) {
        *self = *self | other;
    }
}

impl BitAnd for CellSet {
    type Output = CellSet;
    #[inline]
    fn bitand(self, other: CellSet) -> CellSet {
        CellSet([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl Not for CellSet {
    type Output = CellSet;
    #[inline]
    fn not(self) -> CellSet {
        CellSet(self.0.map(|word| !word))
    }
}

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Cell::index)).finish()
    }
}
