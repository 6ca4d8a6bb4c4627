//! A quick policy for looking ahead: walks to fruit out of reach of stronger players, and shoots only if the light cannot miss.

use pacman2_rules::{Action, BySeat, Cell, CellSet, Direction, Maze, Seat, State};

use crate::distance_tables::DistanceTables;

/// Plays up to `turns` turns with [`quick_action`] for every seat, until the game is over.
pub fn play_policy(tables: &DistanceTables, maze: &Maze, state: &mut State, turns: u32) {
    let mut goes_on = !state.is_over(maze);
    for _ in 0..turns {
        if !goes_on {
            return;
        }
        let actions = BySeat::from_fn(|seat| quick_action(tables, maze, state, seat));
        goes_on = state.play(maze, &actions, &mut ());
    }
}

/// Returns a legal, sensible action; `Stay` for dead players.
#[must_use]
pub fn quick_action(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat) -> Action {
    if !state.alive.contains(seat) {
        return Action::Stay;
    }
    let here = state.cells[seat];
    let mut danger = CellSet::EMPTY;
    let mut prey = None;
    for other in state.alive.iter().filter(|&other| other != seat) {
        let there = state.cells[other];
        if state.strength[other] > state.strength[seat] {
            danger |= tables.reach(there);
        } else if state.strength[other] < state.strength[seat] && is_caught(tables, here, there) {
            prey = Some(there);
        }
        if let Some(direction) = tables.sure_light(here, there).filter(|_| state.is_legal(maze, seat, SHOT)) {
            return Action::Shoot(direction);
        }
    }
    let Some(goal) = prey.or_else(|| nearest(tables, maze, state, here)) else {
        return flee(tables, maze, here, here, danger);
    };
    match tables.towards(here, goal) {
        Some(direction) if !danger.contains(maze.neighbour(here, direction)) => Action::Move(direction),
        None if !danger.contains(here) => Action::Stay,
        _ => flee(tables, maze, here, goal, danger),
    }
}

/// Any light, to ask whether the player can shoot at all.
const SHOT: Action = Action::Shoot(Direction::Up);

/// Returns whether a stronger player has trapped a weaker one in a dead end.
fn is_caught(tables: &DistanceTables, hunter: Cell, victim: Cell) -> bool {
    let end = tables.dead_end(victim);
    end.depth > 0 && tables.steps(hunter, end.exit) <= end.depth && tables.steps(hunter, victim) <= 6
}

/// Returns the nearest fruit, or the nearest cell where fruit will spawn.
fn nearest(tables: &DistanceTables, maze: &Maze, state: &State, here: Cell) -> Option<Cell> {
    let steps = tables.steps_from(here);
    let fruit = state.small_fruits | state.large_fruits;
    let targets = if fruit.is_empty() { maze.spawn_cells() } else { fruit };
    targets.iter().min_by_key(|cell| steps[cell.index()])
}

/// Returns a step out of danger, the one nearest to the goal.
fn flee(tables: &DistanceTables, maze: &Maze, here: Cell, goal: Cell, danger: CellSet) -> Action {
    let mut best = (u8::from(danger.contains(here)), tables.steps(here, goal), Action::Stay);
    for direction in Direction::ALL.into_iter().filter(|&direction| maze.is_open(here, direction)) {
        let next = maze.neighbour(here, direction);
        let way = (u8::from(danger.contains(next)), tables.steps(next, goal), Action::Move(direction));
        if (way.0, way.1) < (best.0, best.1) {
            best = way;
        }
    }
    best.2
}
