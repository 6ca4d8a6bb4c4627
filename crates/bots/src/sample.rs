//! `sample`: the bot of the wiki's sample program. It plays random games and takes the first action with the best mean share of all
//! strength.
//!
//! It does not copy the sample program's mistakes: that never considers the last of its nine actions (ruling
//! *last-action-never-chosen*), and compares sums instead of means.

#[cfg(feature = "all")]
use std::time::Instant;

use pacman2_rules::{Action, Game, Maze, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;

#[cfg(feature = "all")]
use crate::built_in::Effort;
use crate::built_in::{BuiltIn, Method, turn_rng};
#[cfg(feature = "all")]
use crate::playout::play_randomly;
use crate::playout::{play_out, random_actions};

pub(crate) const SAMPLE: BuiltIn = BuiltIn {
    name: "sample",
    description: "the wiki's sample bot: 1000 random games, then the first action with the best mean share of strength",
    method: Method::Simulation,
    at_once: false,
    decide,
};

const PLAYOUTS: u32 = 1000;

fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    decide_after(game, seat, seed, |games| games < PLAYOUTS, play_out)
}

/// Decides with a given number of games, or as many as fit into the time, at least one.
#[cfg(feature = "all")]
pub(crate) fn decide_within(game: &Game, seat: Seat, seed: i32, effort: Effort) -> Action {
    let begin = Instant::now();
    let goes_on = |games| match effort {
        Effort::Simulations(most) => games < most.max(1),
        Effort::Time(time) => games == 0 || begin.elapsed() < time,
    };
    decide_after(game, seat, seed, goes_on, play_out)
}

/// Decides with this many random games of at most `turns` turns after the first.
#[cfg(feature = "all")]
pub(crate) fn decide_by_short_games(game: &Game, seat: Seat, seed: i32, most: u32, turns: u32) -> Action {
    decide_after(game, seat, seed, |games| games < most, |maze, state, rng| play_randomly(maze, state, turns, rng))
}

/// Plays random games, each continued by `play_on` after its first turn, as long as `goes_on` returns true for their number so far.
fn decide_after(
    game: &Game,
    seat: Seat,
    seed: i32,
    mut goes_on: impl FnMut(u32) -> bool,
    play_on: impl Fn(&Maze, State, &mut Xoshiro256PlusPlus) -> State,
) -> Action {
    let (maze, state) = (game.maze(), game.state());
    let mut rng = turn_rng(game, seat, seed);
    let own = state.legal_actions(maze, seat);
    let mut tried = [ActionStats::default(); Action::ALL.len()];
    let mut games = 0;
    while goes_on(games) {
        games += 1;
        let actions = random_actions(maze, state, &mut rng);
        let mut after = *state;
        if after.play(maze, &actions, &mut ()) {
            after = play_on(maze, after, &mut rng);
        }
        let total: i64 = after.strength.0.iter().map(|&strength| i64::from(strength)).sum();
        let share = if total == 0 { 0 } else { 10_000 * i64::from(after.strength[seat]) / total };
        let action = own.iter().position(|&action| action == actions[seat]).unwrap_or(0);
        tried[action].add(share);
    }
    let best = (0..own.len()).max_by_key(|&action| (tried[action].mean(), std::cmp::Reverse(action)));
    best.map_or(Action::Stay, |action| own[action])
}

#[derive(Clone, Copy, Default)]
struct ActionStats {
    games: i64,
    sum: i64,
}

impl ActionStats {
    fn add(&mut self, share: i64) {
        self.games += 1;
        self.sum += share;
    }

    /// Returns the mean share in millionths of a percent: integers in which ties are rare.
    fn mean(&self) -> i64 {
        10_000 * self.sum / self.games.max(1)
    }
}
