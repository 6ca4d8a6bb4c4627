//! `random`: any legal order.

use rules::{Game, Order, Seat};

use crate::chance;
use crate::playout::pick;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Order {
    pick(game.state().legal_orders(game.arena(), seat), &mut chance(game, seat, seed))
}
