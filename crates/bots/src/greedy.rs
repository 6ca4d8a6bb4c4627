//! `greedy`: walks to the nearest fruit, out of reach of stronger players. It never shoots.

use pacman2_rules::{Action, Cell, CellSet, Direction, Game, Maze, Seat, State};
use rand_xoshiro::rand_core::Rng;

use crate::distance::Path;
use crate::turn_rng;

/// The extra length of a path through danger, in steps.
const DANGER: u8 = 100;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    let (maze, state) = (game.maze(), game.state());
    let danger = reach_of_the_stronger(maze, state, seat);
    let options = options(game, seat, seed);
    let safe = prefer(options.iter().map(|&(_, cell)| cell).collect(), !danger);
    // Players that share a cell eat nothing there.
    let best = prefer(safe, !taken_by_others(state, seat));
    let cells: Vec<Cell> = options.iter().map(|&(_, cell)| cell).filter(|&cell| best.contains(cell)).collect();
    let cell = nearest(maze, &cells, targets(maze, state), danger);
    options.iter().find(|&&(_, other)| other == cell).map_or(Action::Stay, |&(action, _)| action)
}

/// Returns the possible actions with the cells they lead to. Moves come first, since they are preferred to staying, in random order, so
/// that four copies do not move symmetrically.
fn options(game: &Game, seat: Seat, seed: i32) -> Vec<(Action, Cell)> {
    let (maze, here) = (game.maze(), game.state().cells[seat]);
    let first = turn_rng(game, seat, seed).next_u64() as usize;
    let mut options = Vec::with_capacity(5);
    for turn in 0..4 {
        let direction = Direction::ALL[(first + turn) % 4];
        if maze.is_open(here, direction) {
            options.push((Action::Move(direction), maze.neighbour(here, direction)));
        }
    }
    options.push((Action::Stay, here));
    options
}

/// Returns the cells on which a stronger player could stand after this turn.
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

/// Returns the cells of the other players.
fn taken_by_others(state: &State, seat: Seat) -> CellSet {
    state.alive.iter().filter(|&other| other != seat).map(|other| state.cells[other]).collect()
}

/// Returns the cells with fruit, or, if there is none, those where it will spawn.
fn targets(maze: &Maze, state: &State) -> CellSet {
    let fruit = state.small_fruits | state.large_fruits;
    if fruit.is_empty() { maze.spawn_cells() } else { fruit }
}

/// Returns the preferred ones of the cells, or all of them if none is preferred.
fn prefer(cells: CellSet, preferred: CellSet) -> CellSet {
    let both = cells & preferred;
    if both.is_empty() { cells } else { both }
}

/// Returns the first of the cells with the shortest path to a target, around danger if possible.
///
/// One search from all cells at once instead of up to two from each makes a decision nine times as fast.
fn nearest(maze: &Maze, cells: &[Cell], targets: CellSet, danger: CellSet) -> Cell {
    let first = cells.first().copied().unwrap_or_default();
    match Path::shortest(maze, cells, targets, danger) {
        Some(way) if way.steps <= DANGER => way.from,
        None => Path::shortest(maze, cells, targets, CellSet::EMPTY).map_or(first, |way| way.from),
        // Paths this long are very rare. A path through danger may then be shorter, from a cell that has no other.
        Some(_) => cells.iter().copied().min_by_key(|&cell| steps_from(maze, cell, targets, danger)).unwrap_or(first),
    }
}

/// Returns the steps from a cell to the nearest target, plus [`DANGER`] if all paths lead through danger.
fn steps_from(maze: &Maze, cell: Cell, targets: CellSet, danger: CellSet) -> u8 {
    let steps = |danger| Path::shortest(maze, &[cell], targets, danger).map(|way| way.steps);
    steps(danger).or_else(|| steps(CellSet::EMPTY).map(|steps| steps + DANGER)).unwrap_or(u8::MAX)
}
