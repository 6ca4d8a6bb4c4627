//! Directions, cells, and sets of cells.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// The largest width and height of a maze.
pub const MAX_SIDE: u8 = 11;

/// The number of cells of the largest maze.
pub const MAX_CELLS: usize = MAX_SIDE as usize * MAX_SIDE as usize;

/// One of the four directions to walk or shoot. Up is towards row 0, left is towards column 0.
///
/// ```
/// use pacman2_rules::Direction;
///
/// assert_eq!(Direction::ALL.map(|direction| direction.to_string()), ["up", "right", "down", "left"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Direction {
    Up,
    Right,
    Down,
    Left,
}

impl Direction {
    /// All directions, in Botzone's order.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// Returns the place in [`Direction::ALL`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the change of row and column of one step.
    ///
    /// ```
    /// use pacman2_rules::Direction;
    ///
    /// assert_eq!(Direction::Up.delta(), (-1, 0));
    /// ```
    #[must_use]
    pub const fn delta(self) -> (i8, i8) {
        match self {
            Direction::Up => (-1, 0),
            Direction::Right => (0, 1),
            Direction::Down => (1, 0),
            Direction::Left => (0, -1),
        }
    }

    /// Returns the opposite direction.
    ///
    /// ```
    /// use pacman2_rules::Direction;
    ///
    /// assert_eq!(Direction::Up.opposite(), Direction::Down);
    /// ```
    #[must_use]
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

/// A cell of one maze. Only a [`Maze`](crate::Maze) makes cells, so a cell always lies in the maze it came from.
///
/// ```
/// use pacman2_rules::{Maze, MazeSpec, Ruleset, Square};
///
/// let squares = vec![Square::default(); 12];
/// let maze = Maze::new(&MazeSpec { width: 4, height: 3, squares, ruleset: Ruleset::default() }).unwrap();
/// let cell = maze.cell(2, 1).unwrap();
/// assert_eq!((cell.index(), maze.row(cell), maze.col(cell)), (9, 2, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cell(u8);

impl Cell {
    #[inline]
    pub(crate) const fn new(index: u8) -> Cell {
        Cell(index)
    }

    /// The place of the dead while a turn is played: no cell of any maze, so without fruit, light and other players.
    pub(crate) const NOWHERE: Cell = Cell(127);

    /// Returns the index as a byte, less than 128.
    #[inline(always)]
    pub(crate) const fn byte(self) -> u8 {
        self.0
    }

    /// Returns the number of the cell, row by row from the top left, less than [`MAX_CELLS`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        // Tables by cell have 128 rows. The mask never changes the index; it spares their bounds checks.
        (self.0 & 127) as usize
    }
}

/// A set of cells of one maze.
///
/// ```
/// use pacman2_rules::{CellSet, picture};
///
/// let (maze, state) = picture::read("
///     +---+---+---+
///     | 0   .   . |
///     +---+---+---+
/// ").unwrap();
/// let mut fruits = state.small_fruits;
/// assert_eq!((fruits.len(), fruits.bits()), (2, 0b110));
/// fruits.remove(maze.cell(0, 1).unwrap());
/// assert_eq!(fruits, CellSet::of(maze.cell(0, 2).unwrap()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CellSet([u64; 2]);

impl CellSet {
    /// The empty set.
    pub const EMPTY: CellSet = CellSet([0; 2]);

    /// Returns the set of one cell.
    #[must_use]
    #[inline]
    pub const fn of(cell: Cell) -> CellSet {
        CELL_SETS[cell.index()]
    }

    /// Returns whether `cell` is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, cell: Cell) -> bool {
        let word = if cell.index() < 64 { self.0[0] } else { self.0[1] };
        word >> (cell.index() % 64) & 1 != 0
    }

    /// Adds `cell`.
    #[inline]
    pub fn insert(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.index() % 64);
    }

    /// Removes `cell`.
    #[inline]
    pub fn remove(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.index() % 64));
    }

    /// Returns the number of cells.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Returns whether the set is empty.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Returns the set as bits: bit `i` is the cell of [index](Cell::index) `i`.
    ///
    /// [`Maze::cells_of_bits`](crate::Maze::cells_of_bits) is the way back.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// Returns the set with these [bits](CellSet::bits), all of which must be cells.
    #[inline]
    pub(crate) const fn from_bits(bits: u128) -> CellSet {
        CellSet([bits as u64, (bits >> 64) as u64])
    }

    /// Returns the cells, lowest index first.
    ///
    /// ```
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     +---+---+
    ///     | 0   . |
    ///     +   +   +
    ///     | o   1 |
    ///     +---+---+
    /// ").unwrap();
    /// let fruits = state.small_fruits | state.large_fruits;
    /// let places: Vec<_> = fruits.iter().map(|cell| (maze.row(cell), maze.col(cell))).collect();
    /// assert_eq!(places, [(0, 1), (1, 0)]);
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        // Word by word, which takes fewer instructions than 128 bits at once.
        let [mut rest, mut high] = self.0;
        let mut base = 0;
        std::iter::from_fn(move || {
            if rest == 0 {
                (rest, high, base) = (high, 0, 64);
                if rest == 0 {
                    return None;
                }
            }
            let lowest = Cell(base + rest.trailing_zeros() as u8);
            rest &= rest - 1;
            Some(lowest)
        })
    }
}

/// The set of each cell by its index; empty for [`Cell::NOWHERE`]. Random play is a quarter faster with this table than with
/// shifts.
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
