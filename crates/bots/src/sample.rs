//! `sample`: the wiki's sample bot. It plays random games from here and takes the first order after which its mean share
//! of all strength was best.
//!
//! It keeps the sample program's way of playing, not its slip: that one never looks at the last of its nine orders (ruling
//! *last-action-never-chosen*), and compares sums where the means are meant.

use rules::{BySeat, Game, Order, Seat};

use crate::chance;
use crate::playout::{pick, play_out};

const PLAYOUTS: usize = 1000;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Order {
    let (arena, state) = (game.arena(), game.state());
    let mut random = chance(game, seat, seed);
    let own = state.legal_orders(arena, seat);
    let mut tried = [Tried::default(); Order::ALL.len()];
    for _ in 0..PLAYOUTS {
        let orders = BySeat::from_fn(|other| match state.legal_orders(arena, other) {
            [] => Order::Stay,
            legal => pick(legal, &mut random),
        });
        let mut after = *state;
        if after.play(arena, &orders, &mut ()) {
            after = play_out(arena, after, &mut random);
        }
        let total: i64 = after.strength.0.iter().map(|&strength| i64::from(strength)).sum();
        let share = if total == 0 { 0 } else { 10_000 * i64::from(after.strength[seat]) / total };
        let order = own.iter().position(|&order| order == orders[seat]).unwrap_or(0);
        tried[order].add(share);
    }
    let best = (0..own.len()).max_by_key(|&order| (tried[order].mean(), std::cmp::Reverse(order)));
    best.map_or(Order::Stay, |order| own[order])
}

#[derive(Clone, Copy, Default)]
struct Tried {
    games: i64,
    sum: i64,
}

impl Tried {
    fn add(&mut self, share: i64) {
        self.games += 1;
        self.sum += share;
    }

    /// In millionths of a percent, so that ties are rare without a floating point in sight.
    fn mean(&self) -> i64 {
        10_000 * self.sum / self.games.max(1)
    }
}
