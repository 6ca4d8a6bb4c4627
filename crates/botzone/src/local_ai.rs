//! Botzone's Local AI: a bot on its author's machine takes the place of a human player, over HTTP.
//!
//! A client asks with a long poll, `GET …/localai`. The reply, a [`Poll`], lists new requests and matches that ended. The answers
//! travel as [headers](answer_header) of the next poll. Nothing acknowledges them but its status 200, so an answer is kept until then.
//! [`LocalMatch`] is one match as the client knows it: it distinguishes a new turn from a repeated request. `GET …/runmatch` starts a
//! match ([`NewMatch`]), `GET …/abortmatch` ends one.
//!
//! Nothing here reads from a network or a clock. What a server sends is a stranger's text: sizes are the caller's to limit, and
//! everything else that can be wrong with it is a value.
//!
//! ```
//! use pacman2_botzone::local_ai::{LocalMatch, Poll, Received, answer_header};
//! use pacman2_botzone::session::first_request;
//! use pacman2_maps::{Map, MapSize};
//! use pacman2_rules::{Ruleset, Seat};
//! use serde_json::json;
//!
//! let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
//! let body = format!("1 0\n5f3a\n{}\n", first_request(&map, Seat::S2));
//! let poll = Poll::parse(&body)?;
//! let (id, message) = &poll.requests[0];
//! let mut game = LocalMatch::begin(message.as_ref().unwrap(), Ruleset::default())?;
//! assert_eq!(game.seat(), Seat::S2);
//!
//! game.answer(json!({ "action": -1 }).into());
//! let (name, value) = answer_header(id, game.unsent().unwrap());
//! assert_eq!((name.as_str(), value.as_str()), ("X-Match-5f3a", r#"{"action":-1}"#));
//! // The next reply acknowledges the answer and brings the next turn, in which all four stayed.
//! let next = Poll::parse(r#"1 0
//! 5f3a
//! {"0":{"action":-1},"1":{"action":-1},"2":{"action":-1},"3":{"action":-1}}"#)?;
//! game.delivered();
//! assert_eq!(game.receive(next.requests[0].1.as_ref().unwrap(), true)?, Received::NewTurn);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod local_match;
mod new_match;
mod poll;
mod status;

use std::fmt::{self, Write};
use std::str::FromStr;

use serde_json::Value;

use crate::JsonText;
use crate::response::{ParsedResponse, Verdict};

pub use local_match::{LocalMatch, Received, RequestError};
pub use new_match::{MatchPlayer, NewMatch, NewMatchError, parse_new_match};
pub use poll::{Envelope, MatchEnd, Message, Poll, PollError};
pub use status::Refusal;

/// The most bytes of an answer in a header. A longer one is sent as its action and its taunt alone, because web servers limit the
/// size of all headers together, often to 8 KiB.
pub const MAX_ANSWER_BYTES: usize = 512;

/// The id of a match or a bot on Botzone: 1 to 64 ASCII letters, digits, `-` and `_`. It can be part of a header and of a file name.
///
/// ```
/// use pacman2_botzone::local_ai::MatchId;
///
/// let id: MatchId = "594553a2630d4c0758e2b2b1".parse()?;
/// assert_eq!(id.as_str(), "594553a2630d4c0758e2b2b1");
/// assert!("../x".parse::<MatchId>().is_err());
/// # Ok::<(), pacman2_botzone::local_ai::MatchIdError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MatchId(String);

/// A text is not the id of a match or a bot.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected an id of 1 to 64 letters, digits, - and _, got {0:?}")]
pub struct MatchIdError(String);

impl MatchId {
    /// Returns the text of the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MatchId {
    type Err = MatchIdError;

    fn from_str(text: &str) -> Result<MatchId, MatchIdError> {
        let is_safe = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if is_safe && (1..=64).contains(&text.len()) { Ok(MatchId(text.to_owned())) } else { Err(MatchIdError(excerpt(text))) }
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Returns the header, name and value, that carries an answer. The value is ASCII in one line.
#[must_use]
pub fn answer_header(id: &MatchId, response: &JsonText) -> (String, String) {
    let mut value = ascii(response.as_str());
    if value.len() > MAX_ANSWER_BYTES {
        let parsed = ParsedResponse::from_json(response.json(), Verdict::Ok);
        value = match parsed {
            ParsedResponse::Nothing(_) => no_response().as_str().to_owned(),
            ParsedResponse::Action { .. } => ascii(&parsed.plain().to_string()),
        };
    }
    (format!("X-Match-{id}"), value)
}

/// Returns what is sent for a bot that gave no response: an object without an action, with which the player forfeits.
#[must_use]
pub fn no_response() -> JsonText {
    Value::Object(serde_json::Map::new()).into()
}

/// Escapes all characters of a JSON text that are not printable ASCII. They can only stand in strings.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, ' '..='~') {
            text.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(text, "\\u{unit:04x}").expect("a String takes any text");
        }
    }
    text
}

/// Returns the first characters of a stranger's text, for an error.
fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
