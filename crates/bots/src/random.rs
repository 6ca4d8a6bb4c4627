//! `random`: a uniformly random legal action.

use pacman2_rules::{Action, Game, Seat};

use crate::playout::pick_uniform;
use crate::turn_rng;

pub(crate) fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    pick_uniform(game.state().legal_actions(game.maze(), seat), &mut turn_rng(game, seat, seed))
}
