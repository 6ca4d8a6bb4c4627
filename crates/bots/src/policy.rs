//! A quick way to play, for looking ahead: to fruit, out of the reach of stronger players, and lights only if they must hit.

use rules::{Arena, BySeat, Cell, CellSet, Direction, Order, Seat, State};

use crate::knowledge::Knowledge;

/// Plays so many turns, or until the game is over.
pub fn play_on(knowledge: &Knowledge, arena: &Arena, state: &mut State, turns: u32) {
    let mut goes_on = !state.is_over(arena);
    for _ in 0..turns {
        if !goes_on {
            return;
        }
        let orders = BySeat::from_fn(|seat| quick_order(knowledge, arena, state, seat));
        goes_on = state.play(arena, &orders, &mut ());
    }
}

/// A legal order that is not foolish; `Stay` for the dead.
pub fn quick_order(knowledge: &Knowledge, arena: &Arena, state: &State, seat: Seat) -> Order {
    if !state.alive.contains(seat) {
        return Order::Stay;
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
        if let Some(direction) = knowledge.sure_light(here, there).filter(|_| state.is_legal(arena, seat, SHOT)) {
            return Order::Shoot(direction);
        }
    }
    let Some(goal) = prey.or_else(|| nearest(knowledge, arena, state, here)) else {
        return flee(knowledge, arena, here, here, danger);
    };
    match knowledge.towards(here, goal) {
        Some(direction) if !danger.contains(arena.neighbour(here, direction)) => Order::Move(direction),
        None if !danger.contains(here) => Order::Stay,
        _ => flee(knowledge, arena, here, goal, danger),
    }
}

/// Any light, to ask whether one may be shot at all.
const SHOT: Order = Order::Shoot(Direction::Up);

/// Whether a stronger player has somebody in a dead end, and the way out is closed.
fn is_caught(knowledge: &Knowledge, hunter: Cell, victim: Cell) -> bool {
    let end = knowledge.dead_end(victim);
    end.depth > 0 && knowledge.steps(hunter, end.exit) <= end.depth && knowledge.steps(hunter, victim) <= 6
}

/// The nearest fruit, or where some will be born.
fn nearest(knowledge: &Knowledge, arena: &Arena, state: &State, here: Cell) -> Option<Cell> {
    let steps = knowledge.steps_from(here);
    let fruit = state.small_fruits | state.large_fruits;
    let wanted = if fruit.is_empty() { arena.births() } else { fruit };
    wanted.iter().min_by_key(|cell| steps[cell.index()])
}

/// A step out of danger, the nearest to the goal of those.
fn flee(knowledge: &Knowledge, arena: &Arena, here: Cell, goal: Cell, danger: CellSet) -> Order {
    let mut best = (u8::from(danger.contains(here)), knowledge.steps(here, goal), Order::Stay);
    for direction in Direction::ALL.into_iter().filter(|&direction| arena.is_open(here, direction)) {
        let next = arena.neighbour(here, direction);
        let way = (u8::from(danger.contains(next)), knowledge.steps(next, goal), Order::Move(direction));
        if (way.0, way.1) < (best.0, best.1) {
            best = way;
        }
    }
    best.2
}
