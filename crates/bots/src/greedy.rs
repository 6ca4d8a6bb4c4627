//! `greedy`: to the nearest fruit by true distance, out of the reach of stronger players. It never shoots.

use pacman2_rules::{Action, Cell, CellSet, Direction, Game, Maze, Seat, State};
use rand_xoshiro::rand_core::Rng;

use crate::chance;
use crate::distance::Path;

/// Steps that a way through danger counts for beyond its own.
const DANGER: u8 = 100;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    let (maze, state) = (game.maze(), game.state());
    let danger = reach_of_the_stronger(maze, state, seat);
    let ways = ways(game, seat, seed);
    let safe = prefer(ways.iter().map(|&(_, cell)| cell).collect(), !danger);
    // Who shares a cell eats nothing there.
    let best = prefer(safe, !taken_by_others(state, seat));
    let cells: Vec<Cell> = ways.iter().map(|&(_, cell)| cell).filter(|&cell| best.contains(cell)).collect();
    let cell = nearest(maze, &cells, wanted(maze, state), danger);
    ways.iter().find(|&&(_, other)| other == cell).map_or(Action::Stay, |&(action, _)| action)
}

/// What can be done, and the cell that it leads to: steps first, for they are preferred to staying. Chance decides between
/// steps that are equally good, so that four of these do not move as in a mirror.
fn ways(game: &Game, seat: Seat, seed: i32) -> Vec<(Action, Cell)> {
    let (maze, here) = (game.maze(), game.state().cells[seat]);
    let first = chance(game, seat, seed).next_u64() as usize;
    let mut ways = Vec::with_capacity(5);
    for turn in 0..4 {
        let direction = Direction::ALL[(first + turn) % 4];
        if maze.is_open(here, direction) {
            ways.push((Action::Move(direction), maze.neighbour(here, direction)));
        }
    }
    ways.push((Action::Stay, here));
    ways
}

/// The cells on which a stronger player could stand after this turn.
fn reach_of_the_stronger(maze: &Maze, state: &State, seat: Seat) -> CellSet {
    let mut reach = CellSet::EMPTY;
    for other in state.alive.iter().filter(|&other| state.strength[other] > state.strength[seat]) {
        let cell = state.cells[other];
        reach.insert(cell);
        for direction in Direction::ALL.into_iter().filter(|&direction| maze.is_open(cell, direction)) {
            reach.insert(maze.neighbour(cell, direction));
        }
    }
    reach
}

/// The cells on which somebody else stands.
fn taken_by_others(state: &State, seat: Seat) -> CellSet {
    state.alive.iter().filter(|&other| other != seat).map(|other| state.cells[other]).collect()
}

/// Where fruit lies, or, if there is none, where it will be born.
fn wanted(maze: &Maze, state: &State) -> CellSet {
    let fruit = state.small_fruits | state.large_fruits;
    if fruit.is_empty() { maze.spawn_cells() } else { fruit }
}

/// Those of the cells that are preferred, or all of them if none is.
fn prefer(cells: CellSet, preferred: CellSet) -> CellSet {
    let both = cells & preferred;
    if both.is_empty() { cells } else { both }
}

/// The first of the cells from which it is nearest to one that is wanted: around danger if there is such a way.
///
/// One search from all cells at once instead of up to two from each makes a decision nine times as fast.
fn nearest(maze: &Maze, cells: &[Cell], wanted: CellSet, danger: CellSet) -> Cell {
    let first = cells.first().copied().unwrap_or_default();
    match Path::shortest(maze, cells, wanted, danger) {
        Some(way) if way.steps <= DANGER => way.from,
        None => Path::shortest(maze, cells, wanted, CellSet::EMPTY).map_or(first, |way| way.from),
        // Hardly any map has a way so long. Here one through danger may be nearer, from a cell that has no other.
        Some(_) => cells.iter().copied().min_by_key(|&cell| steps_from(maze, cell, wanted, danger)).unwrap_or(first),
    }
}

/// Steps from a cell to the nearest that is wanted, and more if only ways through danger lead there.
fn steps_from(maze: &Maze, cell: Cell, wanted: CellSet, danger: CellSet) -> u8 {
    let steps = |danger| Path::shortest(maze, &[cell], wanted, danger).map(|way| way.steps);
    steps(danger).or_else(|| steps(CellSet::EMPTY).map(|steps| steps + DANGER)).unwrap_or(u8::MAX)
}
