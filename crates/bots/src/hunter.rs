//! `hunter`: searches one turn ahead against every reply, with the hand-made evaluation.
//!
//! It plays every combination of sensible actions, continues each for a few turns with a quick policy, and evaluates the result. From
//! this payoff table it estimates the probability of each opponent's actions and chooses its best action against them.

use pacman2_rules::{Action, Game, Seat};

use crate::built_in::{BuiltIn, Method, turn_rng};
use crate::choice::best;
use crate::distance_tables::DistanceTables;
use crate::evaluation::evaluate;
use crate::joint::{Candidates, PayoffTable};
use crate::policy::play_policy;

pub(crate) const HUNTER: BuiltIn = BuiltIn {
    name: "hunter",
    description: "one turn ahead against every reply, hand-made evaluation: hunts, flees, shoots when it cannot miss, plays for places",
    method: Method::Direct,
    at_once: false,
    decide,
};

/// Turns that the quick policy plays before a position is evaluated.
const POLICY_TURNS: u32 = 4;
/// The weight of the position right after the turn; the rest goes to the position after the quick policy. With the latter alone the
/// bot postpones everything, because the quick policy would do it a few turns later.
const IMMEDIATE_WEIGHT: f32 = 0.75;
/// The maximum number of joint actions. Beyond it, the farthest players are assumed to follow the quick policy.
const MAX_JOINT: usize = 1200;
/// The weight of the worst likely reply against the mean.
const CAUTION: f32 = 0.05;
/// Random noise on the values, in points, so that four copies do not move symmetrically.
const NOISE: f32 = 0.1;
/// The noise if the player shares its cell. Two copies there would otherwise choose the same actions forever and never eat.
const NOISE_ON_SHARED_CELL: f32 = 2.0;

fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    let (maze, state) = (game.maze(), game.state());
    let tables = DistanceTables::new(maze);
    let mut choices = Candidates::sensible(&tables, maze, state);
    choices.thin_out(&tables, maze, state, seat, MAX_JOINT);
    let own = choices.of(seat);
    if own.len() == 1 {
        return own[0];
    }
    let table = PayoffTable::new(maze, state, &choices, |mut after| {
        let now = evaluate(&tables, maze, &after);
        play_policy(&tables, maze, &mut after, POLICY_TURNS);
        let then = evaluate(&tables, maze, &after);
        std::array::from_fn(|seat| IMMEDIATE_WEIGHT * now[seat] + (1.0 - IMMEDIATE_WEIGHT) * then[seat])
    });
    let likely = table.quantal_response();
    let values = table.values(seat, &likely, CAUTION);
    let mut random = turn_rng(game, seat, seed);
    let most = if state.standing_on(state.cells[seat]).len() > 1 { NOISE_ON_SHARED_CELL } else { NOISE };
    best(own.iter().copied().zip(values), most, &mut random)
}
