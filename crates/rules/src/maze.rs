//! The maze: walls, generators and rules of one game. No turn changes it.

use std::fmt;

use crate::action::Action;
use crate::cell::{Cell, CellSet, Direction, MAX_CELLS, MAX_SIDE};
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

/// Walls, generators and rules of one game, with tables of everything that follows from them.
///
/// Mazes wrap around: what leaves on one side enters on the opposite one.
#[derive(Clone)]
pub struct Maze {
    width: u8,
    height: u8,
    ruleset: Ruleset,
    squares: [Square; 128],
    generators: CellSet,
    /// The cells around the generators, where fruit spawns.
    spawn_cells: CellSet,
    /// By cell: bit `d` is set if no wall blocks direction `d`.
    open: [u8; 128],
    /// By cell and direction: the next cell, regardless of walls.
    neighbours: [[Cell; 4]; 128],
    /// By cell and action code: the [aim](Aims) of a player.
    aims: [[u8; 16]; 128],
    /// By cell and whether the player can shoot: the aims of legal actions; the last byte is their number.
    choices: [[[u8; 16]; 2]; 128],
    /// By cell and direction: the cells that a shot lights.
    rays: [[CellSet; 4]; 128],
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
        let mut maze = Maze {
            width: spec.width,
            height: spec.height,
            ruleset: spec.ruleset,
            squares: [Square::default(); 128],
            generators: CellSet::EMPTY,
            spawn_cells: CellSet::EMPTY,
            open: [0; 128],
            neighbours: [[Cell::default(); 4]; 128],
            aims: [[Aims::IMPOSSIBLE; 16]; 128],
            choices: [[[0; 16]; 2]; 128],
            rays: [[CellSet::EMPTY; 4]; 128],
        };
        maze.squares[..spec.squares.len()].copy_from_slice(&spec.squares);
        maze.generators = maze.cells().filter(|cell| maze.squares[cell.index()].generator).collect();
        maze.spawn_cells =
            maze.generators.iter().flat_map(|cell| maze.surroundings(cell)).collect::<CellSet>() & !maze.generators;
        for cell in maze.cells() {
            maze.open[cell.index()] = maze.walls(cell).open_sides();
            maze.neighbours[cell.index()] = maze.neighbours_of(cell);
        }
        Direction::ALL.into_iter().for_each(|direction| maze.find_rays(direction));
        for cell in maze.cells() {
            for action in Action::ALL {
                maze.aims[cell.index()][action.code()] = maze.aim_from(cell, action);
            }
            for can_shoot in [false, true] {
                let actions = Action::legal(maze.open_sides(cell), can_shoot);
                // In place: to fill a small array and then move it costs more than to fill it.
                let choices = &mut maze.choices[cell.index()][usize::from(can_shoot)];
                for (choice, action) in choices.iter_mut().zip(actions) {
                    *choice = maze.aims[cell.index()][action.code()];
                }
                choices[15] = actions.len() as u8;
            }
        }
        Ok(maze)
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> u8 {
        self.height
    }

    /// Returns the rules of the game.
    #[inline]
    #[must_use]
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
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
        Maze::new(&MazeSpec { ruleset, ..self.spec() })
    }

    /// Returns the description that this maze was built from.
    #[must_use]
    pub fn spec(&self) -> MazeSpec {
        let squares = self.cells().map(|cell| self.squares[cell.index()]).collect();
        MazeSpec { width: self.width, height: self.height, squares, ruleset: self.ruleset }
    }

    /// Returns all cells, row by row from the top left.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + use<> {
        (0..self.width * self.height).map(Cell::new)
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
        let inside = row < usize::from(self.height) && col < usize::from(self.width);
        inside.then(|| Cell::new((row * usize::from(self.width) + col) as u8))
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
        CellSet::from_bits(bits & ((1 << (self.width * self.height)) - 1))
    }

    /// Returns the row of a cell, 0 at the top.
    #[must_use]
    pub fn row(&self, cell: Cell) -> u8 {
        cell.index() as u8 / self.width
    }

    /// Returns the column of a cell, 0 at the left.
    #[must_use]
    pub fn col(&self, cell: Cell) -> u8 {
        cell.index() as u8 % self.width
    }

    /// Returns the walls of a cell, as seen from it.
    #[must_use]
    #[inline]
    pub fn walls(&self, cell: Cell) -> Walls {
        self.squares[cell.index()].walls
    }

    /// Returns the cells with a generator.
    #[must_use]
    pub fn generators(&self) -> CellSet {
        self.generators
    }

    /// Returns the cells where generators put fruit: those around them that have no generator.
    #[must_use]
    #[inline]
    pub fn spawn_cells(&self) -> CellSet {
        self.spawn_cells
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
        self.open[cell.index()] >> direction.index() & 1 != 0
    }

    /// Returns bits: bit `d` is set if a player can leave `cell` in the `d`-th of [`Direction::ALL`].
    #[must_use]
    #[inline]
    pub fn open_sides(&self, cell: Cell) -> u8 {
        self.open[cell.index()]
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
        self.neighbours[cell.index()][direction.index()]
    }

    /// Returns the aim of an action in a cell.
    #[inline(always)]
    pub(crate) fn aim(&self, cell: Cell, action: Action) -> u8 {
        self.aims[cell.index()][action.code() % 16]
    }

    /// Returns the aims of the legal actions in a cell, in the order of [`Action::ALL`]; the last byte is their number.
    #[inline(always)]
    pub(crate) fn choices(&self, cell: Cell, can_shoot: bool) -> &[u8; 16] {
        &self.choices[cell.index()][usize::from(can_shoot)]
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
        self.rays[from.index()][direction.index()]
    }

    /// Returns whether a shot from `from` in that direction lights `target`.
    #[must_use]
    #[inline]
    pub fn is_lit(&self, from: Cell, direction: Direction, target: Cell) -> bool {
        self.ray(from, direction).contains(target)
    }

    fn aim_from(&self, cell: Cell, action: Action) -> u8 {
        match action {
            Action::Stay => cell.byte(),
            Action::Move(direction) if self.is_open(cell, direction) => self.neighbour(cell, direction).byte(),
            Action::Shoot(direction) => Aims::LIGHT | direction.index() as u8,
            Action::Move(_) | Action::Invalid => Aims::IMPOSSIBLE,
        }
    }

    /// Finds the rays in a direction line by line, each from the ray of the cell ahead.
    fn find_rays(&mut self, direction: Direction) {
        let back = direction.opposite();
        let (length, across) = match direction {
            Direction::Up | Direction::Down => (self.height, Direction::Right),
            Direction::Left | Direction::Right => (self.width, Direction::Down),
        };
        let mut first = Cell::default();
        for _ in 0..self.cells().len() / usize::from(length) {
            // Lines are rings. On the second round the ray ahead of the first cell is known.
            let (mut ahead, mut ray) = (first, 0);
            for _ in 0..2 * length {
                let cell = self.neighbour(ahead, back);
                ray = if self.is_open(cell, direction) { ray | 1 << ahead.index() } else { 0 };
                // Light that goes all the way round stops before its origin.
                self.rays[cell.index()][direction.index()] = CellSet::from_bits(ray & !(1 << cell.index()));
                ahead = cell;
            }
            first = self.neighbour(first, across);
        }
    }

    /// Returns the next cell in each direction, around the edges.
    fn neighbours_of(&self, cell: Cell) -> [Cell; 4] {
        let (row, col) = (self.row(cell), self.col(cell));
        // Comparisons, since remainders would take most of the time that it takes to build a maze.
        let before = |place: u8, side: u8| if place == 0 { side - 1 } else { place - 1 };
        let after = |place: u8, side: u8| if place + 1 == side { 0 } else { place + 1 };
        Direction::ALL.map(|direction| {
            let (row, col) = match direction {
                Direction::Up => (before(row, self.height), col),
                Direction::Right => (row, after(col, self.width)),
                Direction::Down => (after(row, self.height), col),
                Direction::Left => (row, before(col, self.width)),
            };
            Cell::new(row * self.width + col)
        })
    }

    /// Returns the eight cells around a cell.
    fn surroundings(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        let steps = (-1..=1).flat_map(|rows| (-1..=1).map(move |cols| (rows, cols)));
        steps.filter(|&step| step != (0, 0)).map(move |(rows, cols)| self.shifted(cell, rows, cols))
    }

    fn shifted(&self, cell: Cell, rows: i8, cols: i8) -> Cell {
        let row = (self.row(cell) as i8 + rows).rem_euclid(self.height as i8) as u8;
        let col = (self.col(cell) as i8 + cols).rem_euclid(self.width as i8) as u8;
        Cell::new(row * self.width + col)
    }
}

impl fmt::Debug for Maze {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec().fmt(f)
    }
}

impl PartialEq for Maze {
    fn eq(&self, other: &Maze) -> bool {
        self.spec() == other.spec()
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
    let mut reasons = Vec::new();
    let sides = 1..=MAX_SIDE;
    reasons.extend((!sides.contains(&spec.width)).then_some(MazeErrorReason::Width(spec.width)));
    reasons.extend((!sides.contains(&spec.height)).then_some(MazeErrorReason::Height(spec.height)));
    let (expected, got) = (usize::from(spec.width) * usize::from(spec.height), spec.squares.len());
    if got != expected && expected <= MAX_CELLS {
        reasons.push(MazeErrorReason::SquareCount { expected, got });
    }
    reasons.extend(spec.ruleset.errors().map(MazeErrorReason::Ruleset));
    if reasons.is_empty() { Ok(()) } else { Err(MazeError { reasons }) }
}
