//! The maze: walls, generators and rules of one game. No turn changes it.

use std::fmt;
use std::sync::Arc;

use crate::action::Action;
use crate::cell::{Cell, CellSet, Direction, MAX_CELLS, MAX_SIDE};
use crate::maze_rows::MazeRows;
use crate::ruleset::{Ruleset, RulesetError};
use crate::turn::lanes::Aims;

/// The walls on the sides of one cell, as seen from that cell. Custom maps can have one-sided walls, which the neighbour
/// does not have.
///
/// ```
/// use pacman2_rules::{Direction, Walls};
///
/// let mut walls = Walls::NONE;
/// walls.insert(Direction::Left);
/// assert!(walls.contains(Direction::Left) && !walls.contains(Direction::Right));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Walls(u8);

impl Walls {
    /// No wall.
    pub const NONE: Walls = Walls(0);
    /// All four walls.
    pub const ALL: Walls = Walls(0b1111);

    /// Returns whether there is a wall in that direction.
    #[must_use]
    #[inline]
    pub const fn contains(self, direction: Direction) -> bool {
        self.0 >> direction.index() & 1 != 0
    }

    /// Adds a wall in that direction.
    pub fn insert(&mut self, direction: Direction) {
        self.0 |= 1 << direction.index();
    }

    /// Returns the walls of a cell with these [open sides](Walls::open_sides).
    #[inline]
    const fn around(open_sides: u8) -> Walls {
        Walls(!open_sides & 0b1111)
    }

    /// Returns bits: bit `d` is set if no wall stands in the `d`-th of [`Direction::ALL`].
    #[inline]
    const fn open_sides(self) -> u8 {
        !self.0 & 0b1111
    }
}

/// The fixed properties of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Square {
    /// Its walls.
    pub walls: Walls,
    /// Whether it has a generator.
    pub generator: bool,
}

/// The description that a [`Maze`] is built from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MazeSpec {
    /// The number of columns, 1 to [`MAX_SIDE`].
    pub width: u8,
    /// The number of rows, 1 to [`MAX_SIDE`].
    pub height: u8,
    /// The cells, row by row from the top left, `width * height` of them.
    pub squares: Vec<Square>,
    /// The rules of the game.
    pub ruleset: Ruleset,
}

impl MazeSpec {
    /// Returns the squares as bits.
    fn rows(&self) -> MazeRows {
        let mut rows =
            MazeRows { width: self.width, height: self.height, open: Default::default(), generators: Default::default() };
        for (row, squares) in self.squares.chunks(self.width.into()).enumerate() {
            for (col, square) in squares.iter().enumerate() {
                let open = square.walls.open_sides();
                for (direction, rows) in rows.open.iter_mut().enumerate() {
                    rows[row] |= u16::from(open >> direction & 1) << col;
                }
                rows.generators[row] |= u16::from(square.generator) << col;
            }
        }
        rows
    }
}

/// Walls, generators and rules of one game, with tables of everything that follows from them.
///
/// Mazes wrap around: what leaves on one side enters on the opposite one. Clones share the tables, which take 11 KB.
#[derive(Clone)]
pub struct Maze {
    tables: Arc<Tables>,
}

/// What a maze is, and what follows from it. Tables by cell have zeros, or [`Aims::IMPOSSIBLE`], for what is no cell.
struct Tables {
    ruleset: Ruleset,
    rows: MazeRows,
    generators: CellSet,
    /// The cells around the generators, where fruit spawns.
    spawn_cells: CellSet,
    /// By cell: bit `d` is set if no wall blocks direction `d`.
    open: [u8; 128],
    /// By cell and direction: the next cell, regardless of walls.
    neighbours: [[Cell; 4]; 128],
    /// By cell and action code: the [aim](Aims) of a player.
    aims: [[u8; 16]; 128],
    /// By direction and cell: the cells that a shot lights.
    rays: [[CellSet; 128]; 4],
}

impl Maze {
    /// Builds a maze.
    ///
    /// # Errors
    ///
    /// Returns an error with everything that is wrong with the description.
    ///
    /// ```
    /// use pacman2_rules::{Maze, MazeSpec, Ruleset, Square, Walls};
    ///
    /// let mut squares = vec![Square::default(); 9];
    /// squares[4] = Square { walls: Walls::ALL, generator: true };
    /// let maze = Maze::new(&MazeSpec { width: 3, height: 3, squares, ruleset: Ruleset::default() }).unwrap();
    /// assert_eq!((maze.generators().len(), maze.spawn_cells().len()), (1, 8));
    /// ```
    pub fn new(spec: &MazeSpec) -> Result<Maze, MazeError> {
        check(spec)?;
        Ok(Maze::from_checked(spec.rows(), spec.ruleset))
    }

    /// Builds a maze from bits: several times as fast as [`Maze::new`]. Bits outside the maze are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if a side or a setting is out of range.
    ///
    /// ```
    /// use pacman2_rules::{Maze, picture};
    ///
    /// let (maze, _) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// assert_eq!(Maze::from_rows(*maze.rows(), *maze.ruleset()), Ok(maze));
    /// ```
    pub fn from_rows(rows: MazeRows, ruleset: Ruleset) -> Result<Maze, MazeError> {
        check_rows(&rows, &ruleset)?;
        Ok(Maze::from_checked(rows.clipped(), ruleset))
    }

    pub(crate) fn from_checked(rows: MazeRows, ruleset: Ruleset) -> Maze {
        Maze { tables: Arc::new(Tables::new(rows, ruleset)) }
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> u8 {
        self.tables.rows.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> u8 {
        self.tables.rows.height
    }

    /// Returns the rules of the game.
    #[inline]
    #[must_use]
    pub fn ruleset(&self) -> &Ruleset {
        &self.tables.ruleset
    }

    /// Returns walls and generators as bits.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> &MazeRows {
        &self.tables.rows
    }

    /// Returns the same maze with other rules.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is out of range.
    ///
    /// ```
    /// use pacman2_rules::{Ruleset, picture};
    ///
    /// let (maze, _) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// let short = maze.with_ruleset(Ruleset { turn_limit: 10, ..*maze.ruleset() }).unwrap();
    /// assert_eq!(short.ruleset().turn_limit, 10);
    /// assert!(maze.with_ruleset(Ruleset { turn_limit: 0, ..*maze.ruleset() }).is_err());
    /// ```
    pub fn with_ruleset(&self, ruleset: Ruleset) -> Result<Maze, MazeError> {
        Maze::from_rows(*self.rows(), ruleset)
    }

    /// Returns the description that this maze was built from.
    #[must_use]
    pub fn spec(&self) -> MazeSpec {
        let square = |cell| Square { walls: self.walls(cell), generator: self.generators().contains(cell) };
        let squares = self.cells().map(square).collect();
        MazeSpec { width: self.width(), height: self.height(), squares, ruleset: *self.ruleset() }
    }

    /// Returns all cells, row by row from the top left.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + use<> {
        (0..self.width() * self.height()).map(Cell::new)
    }

    /// Returns the cell in a row and column, or `None` if it is outside the maze.
    ///
    /// ```
    /// use pacman2_rules::picture;
    ///
    /// let (maze, _) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// assert!(maze.cell(0, 1).is_some());
    /// assert_eq!(maze.cell(1, 0), None);
    /// ```
    #[must_use]
    pub fn cell(&self, row: usize, col: usize) -> Option<Cell> {
        self.rows().cell(row, col)
    }

    /// Returns the cells whose [indices](Cell::index) are the set bits, as in [`CellSet::bits`]. Bits beyond the last cell are
    /// ignored.
    ///
    /// ```
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     +---+---+---+
    ///     | .   0   . |
    ///     +---+---+---+
    /// ").unwrap();
    /// assert_eq!(maze.cells_of_bits(0b1101), state.small_fruits);
    /// ```
    #[must_use]
    pub fn cells_of_bits(&self, bits: u128) -> CellSet {
        self.rows().cells_of_bits(bits)
    }

    /// Returns the row of a cell, 0 at the top.
    #[must_use]
    pub fn row(&self, cell: Cell) -> u8 {
        self.rows().row(cell)
    }

    /// Returns the column of a cell, 0 at the left.
    #[must_use]
    pub fn col(&self, cell: Cell) -> u8 {
        self.rows().col(cell)
    }

    /// Returns the walls of a cell, as seen from it.
    #[must_use]
    #[inline]
    pub fn walls(&self, cell: Cell) -> Walls {
        Walls::around(self.open_sides(cell))
    }

    /// Returns the cells with a generator.
    #[must_use]
    pub fn generators(&self) -> CellSet {
        self.tables.generators
    }

    /// Returns the cells where generators put fruit: those around them that have no generator.
    #[must_use]
    #[inline]
    pub fn spawn_cells(&self) -> CellSet {
        self.tables.spawn_cells
    }

    /// Returns whether a player can leave `cell` in that direction.
    ///
    /// ```
    /// use pacman2_rules::{Direction, picture};
    ///
    /// let (maze, _) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// let cell = maze.cell(0, 0).unwrap();
    /// assert!(maze.is_open(cell, Direction::Right) && !maze.is_open(cell, Direction::Left));
    /// ```
    #[must_use]
    #[inline]
    pub fn is_open(&self, cell: Cell, direction: Direction) -> bool {
        self.tables.is_open(cell, direction)
    }

    /// Returns bits: bit `d` is set if a player can leave `cell` in the `d`-th of [`Direction::ALL`].
    #[must_use]
    #[inline]
    pub fn open_sides(&self, cell: Cell) -> u8 {
        self.tables.open[cell.index()]
    }

    /// Returns the next cell in that direction, regardless of walls.
    ///
    /// ```
    /// use pacman2_rules::{Direction, picture};
    ///
    /// let (maze, _) = picture::read("
    ///     +---+---+---+
    ///       0       1
    ///     +---+---+---+
    /// ").unwrap();
    /// // Mazes wrap around.
    /// let (left, right) = (maze.cell(0, 0).unwrap(), maze.cell(0, 2).unwrap());
    /// assert_eq!(maze.neighbour(left, Direction::Left), right);
    /// ```
    #[must_use]
    #[inline]
    pub fn neighbour(&self, cell: Cell, direction: Direction) -> Cell {
        self.tables.neighbour(cell, direction)
    }

    /// Returns the aim of an action in a cell.
    #[inline(always)]
    pub(crate) fn aim(&self, cell: Cell, action: Action) -> u8 {
        self.tables.aims[cell.index()][action.code() % 16]
    }

    /// Returns the cells that a shot lights: from the next cell to a wall, or all the way round, without `from` itself.
    ///
    /// ```
    /// use pacman2_rules::{Direction, picture};
    ///
    /// let (maze, _) = picture::read("
    ///     +---+---+---+---+
    ///     | 0         | 1 |
    ///     +---+---+---+---+
    /// ").unwrap();
    /// let ray = maze.ray(maze.cell(0, 0).unwrap(), Direction::Right);
    /// assert_eq!(ray.iter().map(|cell| maze.col(cell)).collect::<Vec<_>>(), [1, 2]);
    /// ```
    #[must_use]
    #[inline]
    pub fn ray(&self, from: Cell, direction: Direction) -> CellSet {
        self.tables.rays[direction.index()][from.index()]
    }

    /// Returns whether a shot from `from` in that direction lights `target`.
    #[must_use]
    #[inline]
    pub fn is_lit(&self, from: Cell, direction: Direction, target: Cell) -> bool {
        self.ray(from, direction).contains(target)
    }
}

impl Tables {
    /// Makes the tables of rows and a ruleset that are valid.
    fn new(rows: MazeRows, ruleset: Ruleset) -> Tables {
        let mut tables = Tables {
            ruleset,
            rows,
            generators: rows.set(&rows.generators),
            spawn_cells: rows.set(&rows.spawn_cells()),
            open: [0; 128],
            neighbours: [[Cell::new(0); 4]; 128],
            aims: [[Aims::IMPOSSIBLE; 16]; 128],
            rays: [[CellSet::EMPTY; 128]; 4],
        };
        let (width, height) = (rows.width, rows.height);
        for (row, col) in (0..height).flat_map(|row| (0..width).map(move |col| (row, col))) {
            let cell = usize::from(row * width + col);
            let (above, below) = (if row == 0 { height - 1 } else { row - 1 }, if row + 1 == height { 0 } else { row + 1 });
            let (left, right) = (if col == 0 { width - 1 } else { col - 1 }, if col + 1 == width { 0 } else { col + 1 });
            let neighbours = [above * width + col, row * width + right, below * width + col, row * width + left];
            tables.neighbours[cell] = neighbours.map(Cell::new);
            for (direction, open) in rows.open.iter().enumerate() {
                tables.open[cell] |= ((open[usize::from(row)] >> col & 1) as u8) << direction;
            }
        }
        for cell in (0..width * height).map(Cell::new) {
            tables.aims[cell.index()][Action::Stay.code()] = cell.byte();
            for direction in Direction::ALL {
                tables.aims[cell.index()][Action::Shoot(direction).code()] = Aims::LIGHT | direction.index() as u8;
                if tables.is_open(cell, direction) {
                    tables.aims[cell.index()][Action::Move(direction).code()] = tables.neighbour(cell, direction).byte();
                }
                tables.rays[direction.index()][cell.index()] = tables.find_ray(cell, direction);
            }
        }
        tables
    }

    #[inline]
    fn is_open(&self, cell: Cell, direction: Direction) -> bool {
        self.open[cell.index()] >> direction.index() & 1 != 0
    }

    #[inline]
    fn neighbour(&self, cell: Cell, direction: Direction) -> Cell {
        self.neighbours[cell.index()][direction.index()]
    }

    fn find_ray(&self, from: Cell, direction: Direction) -> CellSet {
        let (mut ray, mut here) = (CellSet::EMPTY, from);
        while self.is_open(here, direction) {
            here = self.neighbour(here, direction);
            if here == from {
                break;
            }
            ray.insert(here);
        }
        ray
    }
}

impl fmt::Debug for Maze {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec().fmt(f)
    }
}

impl PartialEq for Maze {
    fn eq(&self, other: &Maze) -> bool {
        Arc::ptr_eq(&self.tables, &other.tables)
            || (self.tables.rows == other.tables.rows && self.tables.ruleset == other.tables.ruleset)
    }
}

/// Everything that is wrong with a [`MazeSpec`].
///
/// ```
/// use pacman2_rules::{Maze, MazeSpec, Ruleset, Square};
///
/// let squares = vec![Square::default(); 3];
/// let ruleset = Ruleset { turn_limit: 0, ..Ruleset::default() };
/// let error = Maze::new(&MazeSpec { width: 2, height: 2, squares, ruleset }).unwrap_err();
/// assert_eq!(error.reasons().len(), 2);
/// assert_eq!(error.to_string(), "expected 4 squares, got 3; turn_limit must be between 1 and 10000, got 0");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MazeError {
    reasons: Vec<MazeErrorReason>,
}

impl MazeError {
    /// Returns the reasons, at least one.
    #[must_use]
    pub fn reasons(&self) -> &[MazeErrorReason] {
        &self.reasons
    }
}

impl fmt::Display for MazeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, reason) in self.reasons.iter().enumerate() {
            f.write_str(if index > 0 { "; " } else { "" })?;
            reason.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for MazeError {}

/// One thing that is wrong with a [`MazeSpec`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MazeErrorReason {
    /// The width is not between 1 and [`MAX_SIDE`].
    Width(u8),
    /// The height is not between 1 and [`MAX_SIDE`].
    Height(u8),
    /// The number of squares is not `width * height`.
    SquareCount {
        /// `width * height`.
        expected: usize,
        /// The number of squares given.
        got: usize,
    },
    /// A setting is out of range.
    Ruleset(RulesetError),
}

impl fmt::Display for MazeErrorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MazeErrorReason::Width(width) => write!(f, "width must be between 1 and {MAX_SIDE}, got {width}"),
            MazeErrorReason::Height(height) => write!(f, "height must be between 1 and {MAX_SIDE}, got {height}"),
            MazeErrorReason::SquareCount { expected, got } => write!(f, "expected {expected} squares, got {got}"),
            MazeErrorReason::Ruleset(error) => error.fmt(f),
        }
    }
}

fn check(spec: &MazeSpec) -> Result<(), MazeError> {
    let mut reasons = side_errors(spec.width, spec.height);
    let (expected, got) = (usize::from(spec.width) * usize::from(spec.height), spec.squares.len());
    if got != expected && expected <= MAX_CELLS {
        reasons.push(MazeErrorReason::SquareCount { expected, got });
    }
    reasons.extend(spec.ruleset.errors().map(MazeErrorReason::Ruleset));
    if reasons.is_empty() { Ok(()) } else { Err(MazeError { reasons }) }
}

pub(crate) fn check_rows(rows: &MazeRows, ruleset: &Ruleset) -> Result<(), MazeError> {
    let mut reasons = side_errors(rows.width, rows.height);
    reasons.extend(ruleset.errors().map(MazeErrorReason::Ruleset));
    if reasons.is_empty() { Ok(()) } else { Err(MazeError { reasons }) }
}

fn side_errors(width: u8, height: u8) -> Vec<MazeErrorReason> {
    let sides = 1..=MAX_SIDE;
    let mut reasons = Vec::new();
    reasons.extend((!sides.contains(&width)).then_some(MazeErrorReason::Width(width)));
    reasons.extend((!sides.contains(&height)).then_some(MazeErrorReason::Height(height)));
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mazes of all sizes, with few and with many walls.
    #[test]
    fn tables_are_as_defined() {
        let mut random = 1u64;
        let mut below = |limit: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (random >> 33) % limit
        };
        for width in 1..=MAX_SIDE {
            for height in 1..=MAX_SIDE {
                for walls_in_ten in [0, 1, 2, 5, 10, 2, 2, 2] {
                    let mut squares = vec![Square::default(); usize::from(width) * usize::from(height)];
                    for square in &mut squares {
                        Direction::ALL.into_iter().filter(|_| below(10) < walls_in_ten).for_each(|d| square.walls.insert(d));
                        square.generator = below(10) == 0;
                    }
                    let spec = MazeSpec { width, height, squares, ruleset: Ruleset::default() };
                    check(&spec);
                }
            }
        }
    }

    #[test]
    fn bits_outside_the_maze_are_ignored() {
        let full = MazeRows { width: 3, height: 2, open: [[!0; 11]; 4], generators: [!0; 11] };
        let clipped =
            MazeRows { open: [[7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0]; 4], generators: [7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0], ..full };
        assert_eq!(*Maze::from_rows(full, Ruleset::default()).unwrap().rows(), clipped);
    }

    #[test]
    fn wrong_rows_are_rejected() {
        let rows = MazeRows { width: 0, height: 12, open: Default::default(), generators: Default::default() };
        let error = Maze::from_rows(rows, Ruleset { turn_limit: 0, ..Ruleset::default() }).unwrap_err();
        assert_eq!(error.reasons().len(), 3, "{error}");
    }

    /// The plain definitions of all tables.
    fn check(spec: &MazeSpec) {
        let maze = Maze::new(spec).unwrap();
        let tables = &*maze.tables;
        assert_eq!(maze.spec(), *spec);
        let neighbour = |cell: Cell, (rows, cols): (i8, i8)| {
            let row = (maze.row(cell) as i8 + rows).rem_euclid(spec.height as i8) as u8;
            let col = (maze.col(cell) as i8 + cols).rem_euclid(spec.width as i8) as u8;
            Cell::new(row * spec.width + col)
        };
        let generators: CellSet = maze.cells().filter(|cell| spec.squares[cell.index()].generator).collect();
        let around = |cell: Cell| (-1..=1).flat_map(move |rows| (-1..=1).map(move |cols| neighbour(cell, (rows, cols))));
        assert_eq!(maze.generators(), generators);
        assert_eq!(maze.spawn_cells(), generators.iter().flat_map(around).collect::<CellSet>() & !generators);
        for cell in maze.cells() {
            let index = cell.index();
            let walls = spec.squares[index].walls;
            assert_eq!(tables.open[index], walls.open_sides());
            assert_eq!(tables.neighbours[index], Direction::ALL.map(|direction| neighbour(cell, direction.delta())));
            let aim = |action| match action {
                Action::Stay => cell.byte(),
                Action::Move(to) if !walls.contains(to) => neighbour(cell, to.delta()).byte(),
                Action::Shoot(to) => Aims::LIGHT | to.index() as u8,
                Action::Move(_) | Action::Invalid => Aims::IMPOSSIBLE,
            };
            let mut aims = [Aims::IMPOSSIBLE; 16];
            Action::ALL.into_iter().for_each(|action| aims[action.code()] = aim(action));
            assert_eq!(tables.aims[index], aims);
            for direction in Direction::ALL {
                let (mut ray, mut here) = (CellSet::EMPTY, cell);
                while !spec.squares[here.index()].walls.contains(direction) {
                    here = neighbour(here, direction.delta());
                    if here == cell {
                        break;
                    }
                    ray.insert(here);
                }
                assert_eq!(maze.ray(cell, direction), ray, "{spec:?}, {cell:?} {direction}");
            }
        }
        for index in maze.cells().len()..128 {
            assert_eq!((tables.open[index], tables.neighbours[index]), (0, [Cell::new(0); 4]));
            assert_eq!(tables.aims[index], [Aims::IMPOSSIBLE; 16]);
            assert!(tables.rays.iter().all(|rays| rays[index].is_empty()));
        }
    }
}
