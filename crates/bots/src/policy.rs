//! A quick way to play, for looking ahead: to fruit, out of the reach of stronger players, and lights only if they must hit.

use pacman2_rules::{Action, BySeat, Cell, CellSet, Direction, Maze, Seat, State};

use crate::distance_tables::DistanceTables;

/// Plays so many turns, or until the game is over.
pub fn play_policy(knowledge: &DistanceTables, maze: &Maze, state: &mut State, turns: u32) {
    let mut goes_on = !state.is_over(maze);
    for _ in 0..turns {
        if !goes_on {
            return;
        }
        let actions = BySeat::from_fn(|seat| quick_action(knowledge, maze, state, seat));
        goes_on = state.play(maze, &actions, &mut ());
    }
}

/// A legal order that is not foolish; `Stay` for the dead.
pub fn quick_action(knowledge: &DistanceTables, maze: &Maze, state: &State, seat: Seat) -> Action {
    if !state.alive.contains(seat) {
        return Action::Stay;
    }
    let here = state.cells[seat];
    let mut danger = CellSet::EMPTY;
    let mut prey = None;
    for other in state.alive.iter().filter(|&other| other != seat) {
        let there = state.cells[other];
        if state.strength[other] > state.strength[seat] {
            danger |= knowledge.reach(there);
        } else if state.strength[other] < state.strength[seat] && is_caught(knowledge, here, there) {
            prey = Some(there);
        }
        if let Some(direction) = knowledge.sure_light(here, there).filter(|_| state.is_legal(maze, seat, SHOT)) {
            return Action::Shoot(direction);
        }
    }
    let Some(goal) = prey.or_else(|| nearest(knowledge, maze, state, here)) else {
        return flee(knowledge, maze, here, here, danger);
    };
    match knowledge.towards(here, goal) {
        Some(direction) if !danger.contains(maze.neighbour(here, direction)) => Action::Move(direction),
        None if !danger.contains(here) => Action::Stay,
        _ => flee(knowledge, maze, here, goal, danger),
    }
}

/// Any light, to ask whether one may be shot at all.
const SHOT: Action = Action::Shoot(Direction::Up);

/// Whether a stronger player has somebody in a dead end, and the way out is closed.
fn is_caught(knowledge: &DistanceTables, hunter: Cell, victim: Cell) -> bool {
    let end = knowledge.dead_end(victim);
    end.depth > 0 && knowledge.steps(hunter, end.exit) <= end.depth && knowledge.steps(hunter, victim) <= 6
}

/// The nearest fruit, or where some will be born.
fn nearest(knowledge: &DistanceTables, maze: &Maze, state: &State, here: Cell) -> Option<Cell> {
    let steps = knowledge.steps_from(here);
    let fruit = state.small_fruits | state.large_fruits;
    let wanted = if fruit.is_empty() { maze.spawn_cells() } else { fruit };
    wanted.iter().min_by_key(|cell| steps[cell.index()])
}

/// A step out of danger, the nearest to the goal of those.
fn flee(knowledge: &DistanceTables, maze: &Maze, here: Cell, goal: Cell, danger: CellSet) -> Action {
    let mut best = (u8::from(danger.contains(here)), knowledge.steps(here, goal), Action::Stay);
    for direction in Direction::ALL.into_iter().filter(|&direction| maze.is_open(here, direction)) {
        let next = maze.neighbour(here, direction);
        let way = (u8::from(danger.contains(next)), knowledge.steps(next, goal), Action::Move(direction));
        if (way.0, way.1) < (best.0, best.1) {
            best = way;
        }
    }
    best.2
}
