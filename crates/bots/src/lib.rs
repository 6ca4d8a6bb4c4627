//! The built-in bots.
//!
//! Their decisions depend only on the seed, the seat and the game so far, whether a bot keeps running or starts anew in every
//! turn. The exception is a bot that computes until a time on the clock.

#![forbid(unsafe_code)]

// Its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "all")]
pub mod arithmetic;
mod built_in;
#[cfg(feature = "all")]
mod choice;
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
#[cfg(feature = "all")]
pub mod policy_net;
mod random;
#[cfg(feature = "all")]
pub mod sage;
mod sample;
#[cfg(feature = "all")]
mod spec;
#[cfg(feature = "all")]
pub mod style;
#[cfg(feature = "all")]
mod weights_file;

use std::str::FromStr;

pub use built_in::{Agent, BotFn, BuiltIn, Effort, Method};
#[cfg(feature = "all")]
pub use config::{BotConfig, BotConfigError};
#[cfg(feature = "all")]
pub use spec::{BotSpec, OptionValues, ParseBotError};

/// The bots that are small enough to be part of every page, the weakest first.
const LIGHT: [BuiltIn; 3] = [
    BuiltIn {
        name: "random",
        description: "a uniformly random legal action",
        method: Method::Direct,
        at_once: true,
        decide: random::decide,
    },
    sample::SAMPLE,
    BuiltIn {
        name: "greedy",
        description: "goes to the nearest fruit by true distance, and stays out of reach of stronger players",
        method: Method::Direct,
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

/// Returns the names of the built-in bots that do not decide at once. Pages have them decide in a worker.
///
/// ```
/// assert_eq!(pacman2_bots::slow_bots(), ["sample", "hunter", "sage"]);
/// ```
#[cfg(feature = "all")]
#[must_use]
pub fn slow_bots() -> Vec<&'static str> {
    BUILT_IN.iter().filter(|bot| !bot.at_once).map(|bot| bot.name).collect()
}

/// The bot that takes the name of a style. It plays nothing without that name, so [`BUILT_IN`] does not include it.
#[cfg(feature = "all")]
const STYLE: Option<BuiltIn> = Some(style::STYLE);

#[cfg(not(feature = "all"))]
const STYLE: Option<BuiltIn> = None;

/// The error for a name that no built-in bot has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no built-in bot of this name")]
pub struct UnknownBotError;

impl FromStr for BuiltIn {
    type Err = UnknownBotError;

    /// Returns the built-in bot of this name.
    ///
    /// ```
    /// use pacman2_bots::BuiltIn;
    ///
    /// assert!("greedy".parse().is_ok_and(|bot: BuiltIn| bot.at_once));
    /// assert!("gredy".parse::<BuiltIn>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<BuiltIn, UnknownBotError> {
        BUILT_IN.into_iter().chain(STYLE).find(|bot| bot.name == name).ok_or(UnknownBotError)
    }
}
