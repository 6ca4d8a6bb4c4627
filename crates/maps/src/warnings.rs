//! Warnings: what looks odd on a custom map, although the sample program plays it.

use std::fmt;

use pacman2_rules::{Cell, CellSet, Direction, Maze, Seat};

use crate::bits::{LARGE_FRUIT, SMALL_FRUIT, static_bits};
use crate::map::Map;

/// What looks odd on a map, although it can be played. Displays as a sentence.
///
/// ```
/// use pacman2_maps::{CellOddity, MapWarning};
///
/// let warning = MapWarning::Cells { oddity: CellOddity::UnwalledGenerator, row: 1, col: 2, more: 3 };
/// assert_eq!(warning.to_string(), "a generator is not walled in: row 1, column 2 and 3 more");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapWarning {
    /// The map is not symmetric along both axes.
    Asymmetric,
    /// Some cells are odd.
    Cells {
        /// What is odd about them.
        oddity: CellOddity,
        /// The row of the first of them.
        row: u8,
        /// The column of the first of them.
        col: u8,
        /// How many others there are.
        more: u8,
    },
}

/// What is odd about a cell. Displays as a clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellOddity {
    /// A wall stops only one direction.
    OneSidedWall,
    /// A generator is not walled in.
    UnwalledGenerator,
    /// Player 0 cannot reach the cell.
    OutOfReach,
    /// Players share the cell.
    SharedByPlayers,
    /// A player stands on a generator.
    PlayerOnGenerator,
    /// Fruit lies on a generator.
    FruitOnGenerator,
    /// Both kinds of fruit lie on the cell.
    BothFruits,
}

impl fmt::Display for MapWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapWarning::Asymmetric => f.write_str("the map is not symmetric along both axes"),
            MapWarning::Cells { oddity, row, col, more } => {
                write!(f, "{oddity}: row {row}, column {col}")?;
                if *more > 0 { write!(f, " and {more} more") } else { Ok(()) }
            }
        }
    }
}

impl fmt::Display for CellOddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CellOddity::OneSidedWall => "a wall stops only one direction",
            CellOddity::UnwalledGenerator => "a generator is not walled in",
            CellOddity::OutOfReach => "a cell is out of player 0's reach",
            CellOddity::SharedByPlayers => "players share a cell",
            CellOddity::PlayerOnGenerator => "a player stands on a generator",
            CellOddity::FruitOnGenerator => "fruit lies on a generator",
            CellOddity::BothFruits => "both kinds of fruit share a cell",
        })
    }
}

/// Returns a warning for each kind of oddity.
pub(crate) fn find(map: &Map, content: &[u8]) -> Vec<MapWarning> {
    use CellOddity as Oddity;
    let maze = &map.maze;
    let mut warnings = Vec::new();
    if !is_symmetric(maze, content) {
        warnings.push(MapWarning::Asymmetric);
    }
    let mut warn = |cells: CellSet, oddity: Oddity| {
        if let Some(first) = cells.iter().next() {
            let (row, col) = (maze.row(first), maze.col(first));
            warnings.push(MapWarning::Cells { oddity, row, col, more: (cells.len() - 1) as u8 });
        }
    };
    let occupied = |bits: u8| -> CellSet { maze.cells().filter(|cell| content[cell.index()] & bits != 0).collect() };
    warn(maze.cells().filter(|&cell| has_one_sided_wall(maze, cell)).collect(), Oddity::OneSidedWall);
    warn(maze.generators().iter().filter(|&cell| is_accessible(maze, cell)).collect(), Oddity::UnwalledGenerator);
    let reached = reachable(maze, map.start.cells[Seat::S0]);
    warn(maze.cells().filter(|&cell| !(reached | maze.generators()).contains(cell)).collect(), Oddity::OutOfReach);
    let shared = maze.cells().filter(|cell| (content[cell.index()] & 15).count_ones() > 1);
    warn(shared.collect(), Oddity::SharedByPlayers);
    warn(occupied(15) & maze.generators(), Oddity::PlayerOnGenerator);
    warn(occupied(SMALL_FRUIT | LARGE_FRUIT) & maze.generators(), Oddity::FruitOnGenerator);
    warn(occupied(SMALL_FRUIT) & occupied(LARGE_FRUIT), Oddity::BothFruits);
    warnings
}

fn is_symmetric(maze: &Maze, content: &[u8]) -> bool {
    let (last_row, last_col) = (maze.height() - 1, maze.width() - 1);
    let at = |row: u8, col: u8| maze.cell(row.into(), col.into()).unwrap_or_default();
    maze.cells().all(|cell| {
        let (row, col) = (maze.row(cell), maze.col(cell));
        let (across, below) = (at(row, last_col - col), at(last_row - row, col));
        let bits = static_bits(maze, cell);
        let here = content[cell.index()];
        static_bits(maze, across) == swap(bits, 2, 8)
            && static_bits(maze, below) == swap(bits, 1, 4)
            && content[across.index()] == swap(swap(here, 1, 2), 4, 8)
            && content[below.index()] == swap(swap(here, 1, 4), 2, 8)
    })
}

/// Returns the number with two bits exchanged.
fn swap(bits: u8, one: u8, other: u8) -> u8 {
    let differ = (bits & one != 0) != (bits & other != 0);
    if differ { bits ^ (one | other) } else { bits }
}

fn has_one_sided_wall(maze: &Maze, cell: Cell) -> bool {
    Direction::ALL.into_iter().any(|direction| {
        let back = maze.is_open(maze.neighbour(cell, direction), direction.opposite());
        maze.is_open(cell, direction) && !back
    })
}

fn is_accessible(maze: &Maze, cell: Cell) -> bool {
    Direction::ALL.into_iter().any(|direction| {
        let back = maze.is_open(maze.neighbour(cell, direction), direction.opposite());
        maze.is_open(cell, direction) || back
    })
}

/// Returns the cells that a player can walk to.
fn reachable(maze: &Maze, from: Cell) -> CellSet {
    let mut reached = CellSet::of(from);
    let mut fresh = vec![from];
    while let Some(cell) = fresh.pop() {
        for direction in Direction::ALL.into_iter().filter(|&direction| maze.is_open(cell, direction)) {
            let next = maze.neighbour(cell, direction);
            if !reached.contains(next) {
                reached.insert(next);
                fresh.push(next);
            }
        }
    }
    reached
}
