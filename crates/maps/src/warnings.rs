//! Warnings: what looks odd on a custom map, although the sample program plays it.

use pacman2_rules::{Cell, CellSet, Direction, Maze, Seat};

use crate::bits::{LARGE_FRUIT, SMALL_FRUIT, static_bits};
use crate::map::Map;

/// Returns a sentence for each kind of oddity.
pub(crate) fn find(map: &Map, content: &[u8]) -> Vec<String> {
    let maze = &map.maze;
    let mut sentences = Vec::new();
    if !is_symmetric(maze, content) {
        sentences.push("the map is not symmetric along both axes".to_owned());
    }
    let mut warn = |cells: CellSet, what: &str| {
        if let Some(first) = cells.iter().next() {
            let place = format!("row {}, column {}", maze.row(first), maze.col(first));
            let more = if cells.len() > 1 { format!(" and {} more", cells.len() - 1) } else { String::new() };
            sentences.push(format!("{what}: {place}{more}"));
        }
    };
    let occupied = |bits: u8| -> CellSet { maze.cells().filter(|cell| content[cell.index()] & bits != 0).collect() };
    warn(maze.cells().filter(|&cell| has_one_sided_wall(maze, cell)).collect(), "a wall stops only one direction");
    warn(maze.generators().iter().filter(|&cell| is_accessible(maze, cell)).collect(), "a generator is not walled in");
    let reached = reachable(maze, map.start.cells[Seat::S0]);
    warn(
        maze.cells().filter(|&cell| !(reached | maze.generators()).contains(cell)).collect(),
        "a cell is out of player 0's reach",
    );
    let shared = maze.cells().filter(|cell| (content[cell.index()] & 15).count_ones() > 1);
    warn(shared.collect(), "players share a cell");
    warn(occupied(15) & maze.generators(), "a player stands on a generator");
    warn(occupied(SMALL_FRUIT | LARGE_FRUIT) & maze.generators(), "fruit lies on a generator");
    warn(occupied(SMALL_FRUIT) & occupied(LARGE_FRUIT), "both kinds of fruit share a cell");
    sentences
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
