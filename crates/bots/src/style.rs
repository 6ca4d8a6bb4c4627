//! Styles: many simple ways to play, against which stronger bots are tested and from which they learn what opponents do.
//!
//! `"style NAME"` is a bot like any other. Each style is a row of [`STYLES`]: a method with parameters, and how often it slips.

mod definition;
mod planner;
mod pool;
mod rule_follower;
mod searcher;
mod turn;

use crate::built_in::{BuiltIn, Method};
pub use definition::{Style, UnknownStyleError};
pub use pool::STYLES;

/// The bot that needs the name of a style.
pub(crate) const STYLE: BuiltIn = BuiltIn {
    name: "style",
    description: "one of many simple ways to play, by name: \"style sniper\"",
    method: Method::Style,
    at_once: true,
    decide: |game, seat, seed| STYLES[0].start()(game, seat, seed),
};
