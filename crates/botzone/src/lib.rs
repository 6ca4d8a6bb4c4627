//! What Botzone's programs say to each other about Pacman2. This is the only room that knows Botzone's JSON and its
//! numbers for actions.
//!
//! - [`init_data`]: maps as bots and judges are told of them;
//! - [`answer`]: what a bot says in a turn;
//! - [`turn`]: what everybody is told of a turn;
//! - [`judge`]: Botzone's judge, started afresh for every turn;
//! - [`match_log`]: the logs of whole matches;
//! - [`bot`]: a bot's side of all this.

pub mod action;
pub mod bot;
pub mod init_data;
mod javascript;
pub mod judge;
pub mod match_log;
pub mod response;
pub mod session;

use pacman2_rules::Seat;
use serde_json::{Map, Value};

/// The line by which a bot asks to be kept running; what it printed before is its answer.
pub const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// An object with a key for each seat that has a value.
pub(crate) fn by_seat(values: impl Iterator<Item = (Seat, Value)>) -> Value {
    let mut object = Map::new();
    for (seat, value) in values {
        object.insert(seat.to_string(), value);
    }
    Value::Object(object)
}

/// The text of at most `bytes` bytes, cut between characters.
pub(crate) fn cut(mut text: String, bytes: usize) -> String {
    if text.len() > bytes {
        text.truncate(text.floor_char_boundary(bytes));
    }
    text
}
