//! The arena: walls, generators and settings of one game, which no turn changes.

use std::fmt;

use crate::action::Action;
use crate::field::{Cell, CellSet, Direction, MAX_CELLS, MAX_SIDE};
use crate::ruleset::{Ruleset, RulesetError};
use crate::turn::lanes::Aims;

/// The walls on the sides of one cell, as seen from that cell. The neighbour may see it otherwise: custom maps may have
/// walls that stop only one of the two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Walls(u8);

impl Walls {
    /// No wall.
    pub const NONE: Walls = Walls(0);
    /// All four walls.
    pub const ALL: Walls = Walls(0b1111);

    /// Whether a wall stands in that direction.
    #[inline]
    pub const fn stands(self, direction: Direction) -> bool {
        self.0 >> direction.index() & 1 != 0
    }

    /// Builds a wall in that direction.
    pub fn build(&mut self, direction: Direction) {
        self.0 |= 1 << direction.index();
    }

    /// Bit `d` is set where no wall stands in the `d`-th of [`Direction::ALL`].
    #[inline]
    const fn open_sides(self) -> u8 {
        !self.0 & 0b1111
    }
}

/// What never changes about one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Square {
    /// Its walls.
    pub walls: Walls,
    /// Whether a generator stands on it.
    pub generator: bool,
}

/// What an [`Arena`] is built from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MazeSpec {
    /// Columns, 1 to [`MAX_SIDE`].
    pub width: u8,
    /// Rows, 1 to [`MAX_SIDE`].
    pub height: u8,
    /// Its cells, row by row from the top left; `width * height` of them.
    pub squares: Vec<Square>,
    /// The rules of the game.
    pub ruleset: Ruleset,
}

/// A field with its walls, generators and settings, and what can be known of them before the first turn.
///
/// Fields wrap around: what leaves on one side enters on the opposite one.
#[derive(Clone)]
pub struct Maze {
    width: u8,
    height: u8,
    ruleset: Ruleset,
    squares: [Square; 128],
    generators: CellSet,
    /// Where the generators put fruit, if there is room.
    births: CellSet,
    /// Bit `d`: one can leave the cell in direction `d`.
    open: [u8; 128],
    /// The neighbours of a cell in each direction, walls or not.
    neighbours: [[Cell; 4]; 128],
    /// What a player in a cell aims at with an order, by the order's code.
    aims: [[u8; 16]; 128],
    /// What a player in a cell may aim at, without and with the strength to shoot; the last byte tells how many these are.
    choices: [[[u8; 16]; 2]; 128],
    /// The cells in the way of a light from a cell in each direction.
    ways: [[CellSet; 4]; 128],
}

impl Maze {
    /// Builds the arena, or says all that is wrong with the plan.
    pub fn new(plan: &MazeSpec) -> Result<Maze, MazeError> {
        check(plan)?;
        let mut maze = Maze {
            width: plan.width,
            height: plan.height,
            ruleset: plan.ruleset,
            squares: [Square::default(); 128],
            generators: CellSet::EMPTY,
            births: CellSet::EMPTY,
            open: [0; 128],
            neighbours: [[Cell::default(); 4]; 128],
            aims: [[Aims::IMPOSSIBLE; 16]; 128],
            choices: [[[0; 16]; 2]; 128],
            ways: [[CellSet::EMPTY; 4]; 128],
        };
        maze.squares[..plan.squares.len()].copy_from_slice(&plan.squares);
        maze.generators = maze.cells().filter(|cell| maze.squares[cell.index()].generator).collect();
        maze.births = maze.generators.iter().flat_map(|cell| maze.surroundings(cell)).collect::<CellSet>() & !maze.generators;
        for cell in maze.cells() {
            maze.open[cell.index()] = maze.walls(cell).open_sides();
            maze.neighbours[cell.index()] = maze.neighbours_of(cell);
        }
        Direction::ALL.into_iter().for_each(|direction| maze.find_ways_of_light(direction));
        for cell in maze.cells() {
            for action in Action::ALL {
                maze.aims[cell.index()][action.code()] = maze.aim_from(cell, action);
            }
            for can_shoot in [false, true] {
                let actions = Action::legal(maze.open_sides(cell), can_shoot);
                // Where they will stay: small arrays that move right after they were filled cost more than to fill them.
                let choices = &mut maze.choices[cell.index()][usize::from(can_shoot)];
                for (choice, action) in choices.iter_mut().zip(actions) {
                    *choice = maze.aims[cell.index()][action.code()];
                }
                choices[15] = actions.len() as u8;
            }
        }
        Ok(maze)
    }

    /// Columns.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u8 {
        self.height
    }

    /// The numbers of the game.
    #[inline]
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// The same arena with other numbers, or what is wrong with them.
    pub fn with_ruleset(&self, ruleset: Ruleset) -> Result<Maze, MazeError> {
        Maze::new(&MazeSpec { ruleset, ..self.spec() })
    }

    /// What this arena was built from.
    pub fn spec(&self) -> MazeSpec {
        let squares = self.cells().map(|cell| self.squares[cell.index()]).collect();
        MazeSpec { width: self.width, height: self.height, squares, ruleset: self.ruleset }
    }

    /// All cells, row by row from the top left.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + use<> {
        (0..self.width * self.height).map(Cell::new)
    }

    /// The cell at that place, if the field has it.
    pub fn cell(&self, row: usize, col: usize) -> Option<Cell> {
        let on_field = row < usize::from(self.height) && col < usize::from(self.width);
        on_field.then(|| Cell::new((row * usize::from(self.width) + col) as u8))
    }

    /// The cells whose [indices](Cell::index) are the places of the set bits, as in [`CellSet::bits`]. Bits of no cell of this
    /// field do not count.
    pub fn cells_of_bits(&self, bits: u128) -> CellSet {
        CellSet::from_bits(bits & ((1 << (self.width * self.height)) - 1))
    }

    /// The row of a cell, 0 at the top.
    pub fn row(&self, cell: Cell) -> u8 {
        cell.index() as u8 / self.width
    }

    /// The column of a cell, 0 at the left.
    pub fn col(&self, cell: Cell) -> u8 {
        cell.index() as u8 % self.width
    }

    /// The walls of a cell, as seen from it.
    #[inline]
    pub fn walls(&self, cell: Cell) -> Walls {
        self.squares[cell.index()].walls
    }

    /// The cells with a generator.
    pub fn generators(&self) -> CellSet {
        self.generators
    }

    /// The cells around the generators that bear fruit.
    #[inline]
    pub fn spawn_cells(&self) -> CellSet {
        self.births
    }

    /// Whether one can leave `cell` in that direction.
    #[inline]
    pub fn is_open(&self, cell: Cell, direction: Direction) -> bool {
        self.open[cell.index()] >> direction.index() & 1 != 0
    }

    /// Bit `d` is set where one can leave `cell` in the `d`-th of [`Direction::ALL`].
    #[inline]
    pub fn open_sides(&self, cell: Cell) -> u8 {
        self.open[cell.index()]
    }

    /// The next cell in that direction, walls or not.
    #[inline]
    pub fn neighbour(&self, cell: Cell, direction: Direction) -> Cell {
        self.neighbours[cell.index()][direction.index()]
    }

    /// What a player in that cell aims at with an order.
    #[inline(always)]
    pub(crate) fn aim(&self, cell: Cell, action: Action) -> u8 {
        self.aims[cell.index()][action.code() % 16]
    }

    /// What the legal orders in that cell aim at, in their order; the last byte tells how many they are.
    #[inline(always)]
    pub(crate) fn choices(&self, cell: Cell, can_shoot: bool) -> &[u8; 16] {
        &self.choices[cell.index()][usize::from(can_shoot)]
    }

    /// The cells in the way of a light: from the next cell up to a wall, or all the way round, without `from` itself.
    #[inline]
    pub fn ray(&self, from: Cell, direction: Direction) -> CellSet {
        self.ways[from.index()][direction.index()]
    }

    /// Whether `target` lies in the way of a light.
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

    /// Finds the ways of light in a direction line by line, each cell's from that of the cell ahead of it.
    fn find_ways_of_light(&mut self, direction: Direction) {
        let back = direction.opposite();
        let (length, across) = match direction {
            Direction::Up | Direction::Down => (self.height, Direction::Right),
            Direction::Left | Direction::Right => (self.width, Direction::Down),
        };
        let mut first = Cell::default();
        for _ in 0..self.cells().len() / usize::from(length) {
            // Lines are rings. The second time round it is known what lies ahead of the first cell.
            let (mut ahead, mut way) = (first, 0);
            for _ in 0..2 * length {
                let cell = self.neighbour(ahead, back);
                way = if self.is_open(cell, direction) { way | 1 << ahead.index() } else { 0 };
                // A light that comes all the way round stops before where it came from.
                self.ways[cell.index()][direction.index()] = CellSet::from_bits(way & !(1 << cell.index()));
                ahead = cell;
            }
            first = self.neighbour(first, across);
        }
    }

    /// The next cell in each direction, round the edges.
    fn neighbours_of(&self, cell: Cell) -> [Cell; 4] {
        let (row, col) = (self.row(cell), self.col(cell));
        // By comparing: a remainder for each would take most of the time that an arena takes.
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

    /// The eight cells around a cell.
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
