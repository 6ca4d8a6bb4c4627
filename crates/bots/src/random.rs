//! `random`: any legal order.

use pacman2_rules::{Action, Game, Seat};

use crate::chance;
use crate::playout::pick;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    pick(game.state().legal_actions(game.maze(), seat), &mut chance(game, seat, seed))
}
