//! What a bot says in a turn.

use std::fmt;

use pacman2_rules::Action;
use serde_json::Value;

use crate::{action, cut, javascript};

/// A taunt has at most this many bytes (ruling *taunt-cut*).
pub const TAUNT_BYTES: usize = 40;
/// The log keeps at most this many bytes of `debug`.
pub const DEBUG_BYTES: usize = 1024;
/// `data` and `globaldata` have at most this many bytes each.
pub const DATA_BYTES: usize = 100 * 1024;

/// What Botzone says of one run of a bot's program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// It ran and answered in JSON.
    Ok,
    /// It took too long.
    Tle,
    /// It took too much memory.
    Mle,
    /// It wrote too much.
    Ole,
    /// It wrote something that is not JSON.
    Nj,
    /// It crashed.
    Re,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 6] = [Verdict::Ok, Verdict::Tle, Verdict::Mle, Verdict::Ole, Verdict::Nj, Verdict::Re];

    /// The verdict's name in Botzone's logs.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Ok => "OK",
            Verdict::Tle => "TLE",
            Verdict::Mle => "MLE",
            Verdict::Ole => "OLE",
            Verdict::Nj => "NJ",
            Verdict::Re => "RE",
        }
    }

    /// The verdict of that name.
    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a judge hears from a living player in a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParsedResponse {
    /// It asks for an action. Any number can be asked for; most are illegal.
    Action {
        /// Botzone's number of the action.
        number: i32,
        /// What it taunts, cut to [`TAUNT_BYTES`].
        taunt: Option<String>,
    },
    /// Nothing that could be understood.
    Nothing(Verdict),
}

impl ParsedResponse {
    /// The order that this amounts to.
    pub fn action(&self) -> Action {
        match self {
            ParsedResponse::Action { number, .. } => action::from_number(*number),
            ParsedResponse::Nothing(_) => Action::Invalid,
        }
    }

    /// What Botzone's judge makes of a `response`: an object, or a string holding one, with a whole number as `action`.
    pub fn from_response(response: &Value, verdict: Verdict) -> ParsedResponse {
        let parsed;
        let response = match response {
            Value::String(text) => {
                parsed = javascript::parse(text).unwrap_or(Value::Null);
                &parsed
            }
            other => other,
        };
        match response.get("action").and_then(action::integer) {
            Some(number) if verdict == Verdict::Ok => {
                let taunt = response.get("tauntText").and_then(Value::as_str);
                ParsedResponse::Action { number, taunt: taunt.map(|taunt| cut(taunt.to_owned(), TAUNT_BYTES)) }
            }
            _ => ParsedResponse::Nothing(verdict),
        }
    }
}

/// A bot's whole answer.
#[derive(Clone, PartialEq, Debug)]
pub struct BotOutput {
    /// The response as it was given; the bot sees it again among its `responses`.
    pub response: Value,
    /// What the judge hears of it.
    pub heard: ParsedResponse,
    /// For the log, cut to [`DEBUG_BYTES`].
    pub debug: Option<Value>,
    /// What the bot wants to be told next turn; empty where it said nothing.
    pub data: String,
    /// What the bot wants to be told in later matches; `None` where it said nothing, and then it stays as it was.
    pub globaldata: Option<String>,
}

impl BotOutput {
    /// Reads what a bot wrote in a turn, or says why it is not JSON.
    ///
    /// Bytes that are not UTF-8 become replacement characters, as on Botzone.
    pub fn read(output: &[u8]) -> Result<BotOutput, ParseOutputError> {
        let text = String::from_utf8_lossy(output);
        if text.trim().is_empty() {
            return Err(ParseOutputError("no answer".to_owned()));
        }
        let mut value = javascript::parse(&text).map_err(|error| ParseOutputError(error.to_string()))?;
        let mut take = |key| value.get_mut(key).map(Value::take).filter(|value| !value.is_null());
        let response = take("response").or_else(|| take("content")).unwrap_or(Value::Null);
        Ok(BotOutput {
            heard: ParsedResponse::from_response(&response, Verdict::Ok),
            response,
            debug: take("debug").map(cut_debug),
            data: take("data").map(text_of).unwrap_or_default(),
            globaldata: take("globaldata").map(text_of),
        })
    }
}

/// Why an answer is not JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseOutputError(String);

impl fmt::Display for ParseOutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON: {}", self.0)
    }
}

impl std::error::Error for ParseOutputError {}

fn cut_debug(debug: Value) -> Value {
    match debug {
        Value::String(text) => Value::String(cut(text, DEBUG_BYTES)),
        other => {
            let text = other.to_string();
            if text.len() <= DEBUG_BYTES { other } else { Value::String(cut(text, DEBUG_BYTES)) }
        }
    }
}

fn text_of(data: Value) -> String {
    let text = match data {
        Value::String(text) => text,
        other => other.to_string(),
    };
    cut(text, DATA_BYTES)
}
