//! The built-in bots: opponents that are always there.
//!
//! Every one is reproducible, but for those that were told to think until the clock says stop: what it decides follows from
//! the seed, its seat and the game so far, and is the same whether it lives on or is started afresh for every turn.

#![deny(unsafe_code)]

#[cfg(feature = "all")]
pub mod arithmetic;
#[cfg(feature = "all")]
mod config;
pub mod distance;
#[cfg(feature = "all")]
pub mod distance_tables;
#[cfg(feature = "all")]
pub mod evaluation;
mod greedy;
#[cfg(feature = "all")]
mod hunter;
#[cfg(feature = "all")]
mod joint;
#[cfg(feature = "all")]
pub mod net;
pub mod playout;
#[cfg(feature = "all")]
pub mod policy;
mod random;
#[cfg(feature = "all")]
pub mod sage;
mod sample;
#[cfg(feature = "all")]
mod spec;

use std::time::Duration;

#[cfg(feature = "all")]
pub use config::{Agent, BotConfig, BotConfigError};
use pacman2_rules::{Action, Game, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
#[cfg(feature = "all")]
pub use spec::{BotSpec, ParseBotError};

/// A bot: it sees a game that is not over, and decides for a seat that is alive.
pub type BotFn = fn(game: &Game, seat: Seat, seed: i32) -> Action;

/// How much a bot that searches may think in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// So many simulations, at least one: what it decides is the same everywhere.
    Simulations(u32),
    /// So much time on the clock.
    Time(Duration),
}

/// A bot that comes with this program.
#[derive(Clone, Copy)]
pub struct BuiltIn {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub description: &'static str,
    /// Whether it decides within microseconds.
    pub at_once: bool,
    /// How it decides.
    pub decide: BotFn,
}

/// The bots that are small enough to travel with every page, the weakest first.
const LIGHT: [BuiltIn; 3] = [
    BuiltIn { name: "random", description: "any legal order, each as likely", at_once: true, decide: random::decide },
    sample::SAMPLE,
    BuiltIn {
        name: "greedy",
        description: "the nearest fruit by true distance, out of the reach of stronger players",
        at_once: true,
        decide: greedy::decide,
    },
];

/// All built-in bots, the weakest first.
#[cfg(feature = "all")]
pub const BUILT_IN: [BuiltIn; 5] = [LIGHT[0], LIGHT[1], LIGHT[2], hunter::HUNTER, sage::SAGE];

/// All built-in bots, the weakest first.
#[cfg(not(feature = "all"))]
pub const BUILT_IN: [BuiltIn; 3] = LIGHT;

impl BuiltIn {
    /// The built-in bot of that name.
    pub fn named(name: &str) -> Option<BuiltIn> {
        BUILT_IN.into_iter().find(|bot| bot.name == name)
    }
}

/// A source of chance of its own for each seed, seat and turn.
fn turn_rng(game: &Game, seat: Seat, seed: i32) -> Xoshiro256PlusPlus {
    let turn = u64::from(game.state().turn);
    Xoshiro256PlusPlus::seed_from_u64(u64::from(seed as u32) << 32 | turn << 2 | seat.index() as u64)
}
