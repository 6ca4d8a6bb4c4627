//! The private part of a replay: what each answer cost, and what else the bots wrote.

use pacman2_botzone::problem::Problem;
use pacman2_botzone::{Json, JsonText};
use pacman2_runner::Tier;
use serde::Serialize;
use serde_json::Value;

use crate::error::{Expectation, ReplayError};
use crate::format::is_all_none;
use crate::parse::{Parsed, at, four, list, named, number, optional, or_null, text, unexpected};
use crate::turn::MAX_TURNS;

/// The part of a replay that differs from run to run.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct PrivatePart {
    /// The sandbox that each bot ran in; `None` for players that were no process, and where it is not known. It is private
    /// because it depends on the machine.
    #[serde(skip_serializing_if = "is_all_none")]
    pub sandbox: [Option<Tier>; 4],
    /// The diagnostics of each turn and seat; `None` for players that were dead before the turn.
    pub turns: Vec<[Option<TurnDiagnostics>; 4]>,
}

impl PrivatePart {
    /// Reads the private part from JSON.
    pub(crate) fn from_json(value: Json<'_>) -> Parsed<PrivatePart> {
        Ok(PrivatePart {
            sandbox: optional(value, "sandbox", |tiers| four(tiers, |seat| or_null(seat, named(Expectation::Tier))))?
                .unwrap_or_default(),
            turns: at(value, "turns", |turns| list(turns, MAX_TURNS, of_turn))?,
        })
    }
}

/// What one answer cost, and what else the bot wrote.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct TurnDiagnostics {
    /// Real time, in microseconds.
    pub wall_us: u64,
    /// CPU time, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// The part of the CPU time that the bot used between its turns, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_between_turns_us: Option<u64>,
    /// Peak memory, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Bytes on standard output.
    pub output_bytes: u64,
    /// What was wrong with the answer, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<String>,
    /// The same as a code with parameters; `None` for what only the sentence says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// The bot's `debug`, as far as it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug: Option<JsonText>,
    /// The bot's standard error, as far as it was kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// The bot's standard output, as far as it was kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The response as the bot wrote it, if its action and taunt are not all of it. The bot received it again in later
    /// turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<JsonText>,
    /// The `data` that the bot stored for its next turn, as far as it was kept.
    #[serde(skip_serializing_if = "JsonText::is_empty")]
    pub data: JsonText,
}

/// Reads the diagnostics of one turn, as the private part of a replay has them.
///
/// # Errors
/// Fails with the path of the first value that is not of the expected form.
///
/// ```
/// use serde_json::json;
///
/// let turn = pacman2_replay::read_diagnostics(&json!([{ "wall_us": 7 }, null, null, null])).unwrap();
/// assert_eq!(turn[0].as_ref().unwrap().wall_us, 7);
/// ```
pub fn read_diagnostics(value: &Value) -> Result<[Option<TurnDiagnostics>; 4], ReplayError> {
    of_turn(JsonText::from(value).json())
}

fn of_turn(value: Json<'_>) -> Parsed<[Option<TurnDiagnostics>; 4]> {
    four(value, |seat| or_null(seat, diagnostics))
}

fn problem(value: Json<'_>) -> Parsed<Problem> {
    let object = |value: Json<'_>| match value.small_tree() {
        Some(Value::Object(object)) => Ok(object),
        _ => Err(unexpected(Expectation::Object, value)),
    };
    Ok(Problem { code: at(value, "code", text)?, params: optional(value, "params", object)?.unwrap_or_default() })
}

fn diagnostics(value: Json<'_>) -> Parsed<TurnDiagnostics> {
    let any = |value: Json<'_>| Ok(JsonText::from(value));
    Ok(TurnDiagnostics {
        wall_us: optional(value, "wall_us", number)?.unwrap_or_default(),
        cpu_us: optional(value, "cpu_us", number)?,
        cpu_between_turns_us: optional(value, "cpu_between_turns_us", number)?,
        memory_bytes: optional(value, "memory_bytes", number)?,
        output_bytes: optional(value, "output_bytes", number)?.unwrap_or_default(),
        complaint: optional(value, "complaint", text)?,
        problem: optional(value, "problem", problem)?,
        debug: optional(value, "debug", any)?,
        stderr: optional(value, "stderr", text)?.unwrap_or_default(),
        output: optional(value, "output", text)?.unwrap_or_default(),
        response: optional(value, "response", any)?,
        data: optional(value, "data", any)?.unwrap_or_default(),
    })
}
