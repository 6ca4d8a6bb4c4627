//! `random`: any legal order.

use rules::{Game, Action, Seat};

use crate::chance;
use crate::playout::pick;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    pick(game.state().legal_actions(game.maze(), seat), &mut chance(game, seat, seed))
}
