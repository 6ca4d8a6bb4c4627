//! What a built-in bot is.

use std::time::Duration;

use pacman2_rules::{Action, Game, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// A bot without memory. It gets a game that is not over and decides for a seat that is alive.
pub type BotFn = fn(game: &Game, seat: Seat, seed: i32) -> Action;

/// A bot that plays a match. Called each turn like a [`BotFn`], it keeps what it learned.
pub type Agent = Box<dyn FnMut(&Game, Seat, i32) -> Action + Send>;

/// How much a bot that simulates may compute in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// This many simulations, at least one. The decision is the same on every machine.
    Simulations(u32),
    /// This much time on the clock.
    Time(Duration),
}

impl Effort {
    /// Returns what one of several threads does: its part of the simulations, at least one, or all of the time.
    #[cfg(feature = "all")]
    pub(crate) fn of_thread(self, number: usize, threads: usize) -> Effort {
        match self {
            Effort::Simulations(all) => {
                let (part, rest) = (all as usize / threads, all as usize % threads);
                Effort::Simulations((part + usize::from(number < rest)).max(1) as u32)
            }
            Effort::Time(_) => self,
        }
    }
}

/// How a built-in bot decides, which determines its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Method {
    /// Without simulations: it has no options.
    Direct,
    /// With random games: it takes an [`Effort`].
    Simulation,
    /// With a search that consists of components: it takes an [`Effort`], components to leave out, and a net. By default it
    /// computes for a time on the clock.
    Search,
    /// As one of many simple styles, whose name it takes.
    Style,
}

/// A built-in bot.
#[derive(Clone, Copy)]
pub struct BuiltIn {
    /// The name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub description: &'static str,
    /// How it decides.
    pub method: Method,
    /// Whether it decides within microseconds.
    pub at_once: bool,
    /// Its decisions without options.
    pub decide: BotFn,
}

/// Returns the random numbers of a seat's turn.
pub(crate) fn turn_rng(game: &Game, seat: Seat, seed: i32) -> Xoshiro256PlusPlus {
    let turn = u64::from(game.state().turn);
    Xoshiro256PlusPlus::seed_from_u64(u64::from(seed as u32) << 32 | turn << 2 | seat.index() as u64)
}
