//! Trains the nets of `sage`: self-play games, training samples, backpropagation, and duels that measure the gain.
//!
//! This crate uses no files, threads or clock. A game depends only on the league, the options and the seed of its map, and training
//! only on the samples and a seed. The same run therefore gives the same net, however its games are distributed and ordered.

#![forbid(unsafe_code)]

mod adam;
mod duel;
mod fit;
mod gradient;
mod league;
mod league_player;
mod opponents;
mod policy_fit;
mod policy_games;
mod record;
mod sample;
mod self_play;
mod share;
mod standings;

pub use duel::{DuelBlock, DuelEstimate, SEATINGS};
pub use fit::{Epoch, Fit, FitResult, loss};
pub use gradient::Gradient;
pub use league::League;
pub use league_player::{LeaguePlayer, UnknownPlayerError};
pub use opponents::{GroupPlayers, OpponentGroup, OpponentKind, OpponentShares, Opponents, SharesError};
pub use policy_fit::{PolicyFit, PolicyGradient};
pub use policy_games::{PolicyDecision, PolicyGame, PolicyGames, PolicyPlayer, PolicyTurn};
pub use record::{GameRecord, RecordError, RecordedTurn};
pub use sample::Sample;
pub use self_play::SelfPlay;
pub use standings::{Standing, Standings};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Returns the random numbers of one part of a run.
fn part_rng(seed: u32, part: u32) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(u64::from(seed) << 32 | u64::from(part))
}

/// Puts the items in random order.
fn shuffle<T>(items: &mut [T], rng: &mut Xoshiro256PlusPlus) {
    for end in (2..=items.len()).rev() {
        items.swap(end - 1, below(rng, end as u32) as usize);
    }
}

/// Returns a uniform number below `end`.
fn below(rng: &mut Xoshiro256PlusPlus, end: u32) -> u32 {
    (((rng.next_u64() >> 32) * u64::from(end)) >> 32) as u32
}

/// Draws an item in proportion to the weights. Returns `None` if their sum is 0.
fn draw<'a, T>(items: &'a [T], weight: impl Fn(&T) -> u32, rng: &mut Xoshiro256PlusPlus) -> Option<&'a T> {
    let mut rest = below(rng, items.iter().map(&weight).sum());
    items.iter().find(|item| match rest.checked_sub(weight(item)) {
        Some(less) => {
            rest = less;
            false
        }
        None => true,
    })
}
