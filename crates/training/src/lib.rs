//! How sage's net is learned: games of self-play, samples made of them, backpropagation, and duels that say what was gained.
//!
//! Nothing here knows files, threads or the clock. A game follows from the league, the options and its number; a lesson from its
//! samples and its seed: the same run gives the same net, whoever plays its games in whatever order.

mod adam;
mod duel;
mod gradient;
mod league;
mod lesson;
mod record;
mod sample;
mod self_play;

pub use duel::{DuelBlock, DuelEstimate, SEATINGS};
pub use gradient::{Gradient, Layers};
pub use league::{League, LeaguePlayer, UnknownPlayerError};
pub use lesson::{Epoch, Learned, Lesson, loss};
pub use record::{GameRecord, RecordError, RecordedTurn};
pub use sample::Sample;
pub use self_play::SelfPlay;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A source of chance for the part of a run that has this number.
fn chance(seed: u32, part: u32) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(u64::from(seed) << 32 | u64::from(part))
}

/// A number below `end`, each as likely.
fn below(random: &mut Xoshiro256PlusPlus, end: u32) -> u32 {
    (((random.next_u64() >> 32) * u64::from(end)) >> 32) as u32
}
