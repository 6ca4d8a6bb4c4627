//! `greedy`: to the nearest fruit by true distance, out of the reach of stronger players. It never shoots.

use rand_xoshiro::rand_core::Rng;
use rules::{Arena, Cell, CellSet, Direction, Game, Order, Seat, SeatSet, State};

use crate::chance;
use crate::distance::Distances;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Order {
    let (arena, state) = (game.arena(), game.state());
    let here = state.cells[seat];
    let danger = reach_of_the_stronger(arena, state, seat);
    let fruit = wanted(arena, state);
    // Chance decides between ways that are equally good, so that four of these do not move as in a mirror.
    let first = chance(game, seat, seed).next_u64() as usize;
    let steps = (0..4).map(|turn| Direction::ALL[(first + turn) % 4]).filter(|&direction| arena.is_open(here, direction));
    let ways = steps.map(|direction| (Order::Move(direction), arena.neighbour(here, direction)));
    let best = ways.chain([(Order::Stay, here)]).min_by_key(|&(order, cell)| {
        let in_danger = danger.contains(cell);
        // Who shares a cell eats nothing there.
        let shared = !state.standing_on(cell).and(!SeatSet::of(seat)).is_empty();
        (in_danger, shared, way_to(arena, cell, fruit, danger), order == Order::Stay)
    });
    best.map_or(Order::Stay, |(order, _)| order)
}

/// The cells on which a stronger player could stand after this turn.
fn reach_of_the_stronger(arena: &Arena, state: &State, seat: Seat) -> CellSet {
    let mut reach = CellSet::EMPTY;
    for other in state.alive.iter().filter(|&other| state.strength[other] > state.strength[seat]) {
        let cell = state.cells[other];
        reach.insert(cell);
        for direction in Direction::ALL.into_iter().filter(|&direction| arena.is_open(cell, direction)) {
            reach.insert(arena.neighbour(cell, direction));
        }
    }
    reach
}

/// Where fruit lies, or, if there is none, where it will be born.
fn wanted(arena: &Arena, state: &State) -> CellSet {
    let fruit = state.small_fruits | state.large_fruits;
    if fruit.is_empty() { arena.births() } else { fruit }
}

/// Steps from a cell to the nearest that is wanted: around danger if there is such a way.
fn way_to(arena: &Arena, from: Cell, wanted: CellSet, danger: CellSet) -> u8 {
    let nearest = |distances: Distances| wanted.iter().filter_map(|cell| distances.to(cell)).min();
    let safe = nearest(Distances::from(arena, from, |cell| !danger.contains(cell)));
    safe.or_else(|| nearest(Distances::from(arena, from, |_| true)).map(|steps| steps.saturating_add(100))).unwrap_or(u8::MAX)
}
