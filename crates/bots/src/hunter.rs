//! `hunter`: one turn ahead against every answer of the others, and from there by hand.
//!
//! All sensible orders of all four are played against each other by the rules. Each result is played on for a few turns by
//! a quick policy and then judged by hand. So every player has a table of what it may expect; from these it is worked out
//! how likely each order of each other player is, and which own order is best against that.

use pacman2_rules::{Action, Game, Seat};
use rand_xoshiro::rand_core::Rng;

use crate::distance_tables::DistanceTables;
use crate::evaluation::evaluate;
use crate::joint::{Choices, Table};
use crate::policy::play_policy;
use crate::{BuiltIn, chance};

pub(crate) const HUNTER: BuiltIn = BuiltIn {
    name: "hunter",
    description: "one turn ahead against every answer, judged by hand: hunts, flees, shoots what must hit, minds the places",
    at_once: false,
    decide,
};

/// Turns that a quick policy plays on before a position is judged.
const PLAYED_ON: u32 = 4;
/// How much the position right after the turn counts against the one that the quick policy makes of it. Without the first
/// it puts everything off: what can be done now is done a few turns later in the quick policy's mind.
const AT_ONCE: f32 = 0.75;
/// At most so many joint orders are played; if there were more, the farthest players are expected to do the obvious.
const MOST_JOINT: usize = 1200;
/// How much the worst likely answer counts against the mean.
const CAUTION: f32 = 0.05;
/// Chance decides between orders that are less than so many points apart, so that four of these do not move as in a mirror.
const HESITATION: f32 = 0.1;
/// The same for who shares a cell. Two of these would think the same there, go on together and never eat again.
const DISAGREEMENT: f32 = 2.0;

fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    let (maze, state) = (game.maze(), game.state());
    let knowledge = DistanceTables::new(maze);
    let mut choices = Choices::sensible(&knowledge, maze, state);
    choices.thin_out(&knowledge, maze, state, seat, MOST_JOINT);
    let own = choices.of(seat);
    if own.len() == 1 {
        return own[0];
    }
    let table = Table::new(maze, state, &choices, |mut after| {
        let now = evaluate(&knowledge, maze, &after);
        play_policy(&knowledge, maze, &mut after, PLAYED_ON);
        let then = evaluate(&knowledge, maze, &after);
        std::array::from_fn(|seat| AT_ONCE * now[seat] + (1.0 - AT_ONCE) * then[seat])
    });
    let likely = table.likely_actions();
    let values = table.values(seat, &likely, CAUTION);
    let mut random = chance(game, seat, seed);
    let most = if state.standing_on(state.cells[seat]).len() > 1 { DISAGREEMENT } else { HESITATION };
    let noise = own.iter().map(|_| (random.next_u64() >> 40) as f32 / (1 << 24) as f32 * most);
    let best = own.iter().zip(values).zip(noise).map(|((&action, value), noise)| (action, value + noise));
    best.max_by(|one, other| one.1.total_cmp(&other.1)).map_or(Action::Stay, |(action, _)| action)
}
