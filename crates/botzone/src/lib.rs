//! Botzone's protocol for Pacman2: the JSON that its judge, its bots and its match logs consist of.
//!
//! This is the only crate that knows Botzone's JSON and its numbers for actions. Everything else works with the types of
//! [`pacman2_rules`].
//!
//! - [`bot`]: a library for bots in Rust. Start here to write one;
//! - [`judge`]: Botzone's judge, which is started afresh for every turn;
//! - [`local_ai`]: Local AI, by which a bot on its author's machine plays on Botzone;
//! - [`match_log`]: the logs of whole matches that users download from Botzone;
//! - [`saved_input`]: the input of a bot, which authors keep;
//! - [`session`]: one match as the judge keeps it, with the requests and the display of each turn;
//! - [`response`]: what a bot writes in a turn, and Botzone's verdicts;
//! - [`init_data`]: maps in JSON, as bots and judges receive them;
//! - [`action`]: actions and their numbers;
//! - [`problem`]: errors and warnings as codes with parameters, and [`words`]: their sentences in English and Chinese.

#![forbid(unsafe_code)]

// Its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod action;
pub mod bot;
mod change_flags;
pub mod init_data;
mod javascript;
mod json;
mod json_text;
pub mod judge;
pub mod local_ai;
mod log_difference;
pub mod match_log;
mod output_fields;
pub mod problem;
pub mod response;
pub mod saved_input;
pub mod session;
pub mod words;

pub use change_flags::ChangeFlags;
pub use javascript::checked_pasted;
pub use json::{HeldJson, Items, Json, limited_tree};
pub use json_text::JsonText;

use pacman2_rules::Seat;
use serde_json::{Map, Value};

/// The line with which a bot asks to keep running. What it printed before that line is its answer.
pub const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Returns an object with the seat numbers as keys, for the seats that have a value.
pub(crate) fn by_seat(values: impl Iterator<Item = (Seat, Value)>) -> Value {
    let mut object = Map::new();
    for (seat, value) in values {
        object.insert(seat.to_string(), value);
    }
    Value::Object(object)
}
