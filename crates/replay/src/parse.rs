//! Reads a [`Replay`] from JSON, or returns which value is not of the expected form.
//!
//! Written by hand, because a derived reader does not know the path of a value once the JSON has been parsed, and would be a
//! tenth of the page's engine.

use pacman2_botzone::{action, init_data};
use pacman2_maps::Map;
use pacman2_rules::{ForfeitRuling, Ruleset};
use pacman2_runner::Tier;
use serde_json::Value;

use crate::{
    FORMAT, LimitsInfo, PrivatePart, PublicPart, Replay, ReplayError, SeatInfo, TurnDiagnostics, TurnInfo, TurnVerdict, VERSION,
};

type Parsed<T> = Result<T, ReplayError>;

/// Reads a whole replay.
pub(crate) fn read(value: &Value) -> Parsed<Replay> {
    if value["format"] != FORMAT {
        return Err(ReplayError::Format);
    }
    at(value, "version", |version| if *version == VERSION { Ok(()) } else { Err(ReplayError::Version(version.clone())) })?;
    Ok(Replay { public: at(value, "public", public)?, private: optional(value, "private", private)?.unwrap_or_default() })
}

/// Reads one turn of the public part.
pub(crate) fn read_turn(value: &Value) -> Parsed<TurnInfo> {
    Ok(TurnInfo {
        actions: at(value, "actions", |actions| four(actions, |action| or_null(action, action_number)))?,
        verdicts: at(value, "verdicts", |verdicts| four(verdicts, |verdict| or_null(verdict, turn_verdict)))?,
        taunts: optional(value, "taunts", |taunts| four(taunts, |taunt| or_null(taunt, text)))?.unwrap_or_default(),
        position: at(value, "position", fingerprint)?,
    })
}

/// Reads one turn of the private part.
pub(crate) fn read_diagnostics(value: &Value) -> Parsed<[Option<TurnDiagnostics>; 4]> {
    four(value, |seat| or_null(seat, diagnostics))
}

fn public(value: &Value) -> Parsed<PublicPart> {
    Ok(PublicPart {
        map: map(value)?,
        seats: at(value, "seats", |seats| four(seats, seat))?,
        limits: at(value, "limits", limits)?,
        turns: at(value, "turns", |turns| list(turns, read_turn))?,
        scores: at(value, "scores", |scores| or_null(scores, |scores| four(scores, score)))?,
    })
}

fn map(public: &Value) -> Parsed<Map> {
    let ruling = at(public, "ruling", ruling)?;
    at(public, "init", |init| Ok(init_data::read(init, 0, Ruleset::default().with_forfeit_ruling(ruling))?.0))
}

fn ruling(value: &Value) -> Parsed<ForfeitRuling> {
    named(value, |name| name.parse().ok(), "\"sample\", \"judge\" or \"prose\"")
}

fn seat(value: &Value) -> Parsed<SeatInfo> {
    let factor =
        |value: &Value| u32::try_from(number(value)?).map_err(|_| unexpected("a whole number from 0 to 4294967295", value));
    Ok(SeatInfo {
        name: at(value, "name", text)?,
        program: optional(value, "program", text)?,
        time_factor: optional(value, "time_factor", factor)?,
    })
}

fn limits(value: &Value) -> Parsed<LimitsInfo> {
    Ok(LimitsInfo {
        time_ms: optional(value, "time_ms", number)?,
        memory_mb: optional(value, "memory_mb", number)?,
        output_bytes: optional(value, "output_bytes", number)?,
    })
}

fn action_number(value: &Value) -> Parsed<i32> {
    action::integer(value).ok_or_else(|| unexpected("a whole number of 32 bits or null", value))
}

fn turn_verdict(value: &Value) -> Parsed<TurnVerdict> {
    named(value, TurnVerdict::from_name, "OK, TLE, MLE, OLE, NJ, RE, ILLEGAL or null")
}

fn fingerprint(value: &Value) -> Parsed<u64> {
    let digits = value.as_str().filter(|text| text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| unexpected("16 hexadecimal digits in lower case", value))
}

fn private(value: &Value) -> Parsed<PrivatePart> {
    Ok(PrivatePart {
        sandbox: optional(value, "sandbox", |tiers| four(tiers, |seat| or_null(seat, tier)))?.unwrap_or_default(),
        turns: at(value, "turns", |turns| list(turns, read_diagnostics))?,
    })
}

fn tier(value: &Value) -> Parsed<Tier> {
    named(value, Tier::from_name, "\"A\", \"B\", \"C\" or null")
}

fn diagnostics(value: &Value) -> Parsed<TurnDiagnostics> {
    let any = |value: &Value| Ok(value.clone());
    Ok(TurnDiagnostics {
        wall_us: optional(value, "wall_us", number)?.unwrap_or_default(),
        cpu_us: optional(value, "cpu_us", number)?,
        cpu_between_turns_us: optional(value, "cpu_between_turns_us", number)?,
        memory_bytes: optional(value, "memory_bytes", number)?,
        output_bytes: optional(value, "output_bytes", number)?.unwrap_or_default(),
        complaint: optional(value, "complaint", text)?,
        debug: optional(value, "debug", any)?,
        stderr: optional(value, "stderr", text)?.unwrap_or_default(),
        output: optional(value, "output", text)?.unwrap_or_default(),
        response: optional(value, "response", any)?,
        data: optional(value, "data", text)?.unwrap_or_default(),
    })
}

/// Reads the value of a key, which must be there.
fn at<T>(value: &Value, key: &str, read: impl FnOnce(&Value) -> Parsed<T>) -> Parsed<T> {
    match value.get(key) {
        Some(inner) => read(inner).map_err(|error| within(key, error)),
        None => Err(ReplayError::Missing { path: key.to_owned() }),
    }
}

/// Reads the value of a key, which may be missing or null.
fn optional<T>(value: &Value, key: &str, read: impl FnOnce(&Value) -> Parsed<T>) -> Parsed<Option<T>> {
    or_null(&value[key], read).map_err(|error| within(key, error))
}

fn or_null<T>(value: &Value, read: impl FnOnce(&Value) -> Parsed<T>) -> Parsed<Option<T>> {
    if value.is_null() { Ok(None) } else { read(value).map(Some) }
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> Parsed<T>) -> Parsed<Vec<T>> {
    let items = value.as_array().ok_or_else(|| unexpected("a list", value))?;
    let read = |(index, item)| read(item).map_err(|error| within(&format!("[{index}]"), error));
    items.iter().enumerate().map(read).collect()
}

fn four<T>(value: &Value, read: impl Fn(&Value) -> Parsed<T>) -> Parsed<[T; 4]> {
    list(value, read)?.try_into().map_err(|_| unexpected("a list of four", value))
}

fn text(value: &Value) -> Parsed<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| unexpected("a string", value))
}

fn named<T>(value: &Value, from_name: impl FnOnce(&str) -> Option<T>, expected: &'static str) -> Parsed<T> {
    value.as_str().and_then(from_name).ok_or_else(|| unexpected(expected, value))
}

fn number(value: &Value) -> Parsed<u64> {
    value.as_u64().ok_or_else(|| unexpected("a whole number of 0 or more", value))
}

fn score(value: &Value) -> Parsed<f64> {
    value.as_f64().ok_or_else(|| unexpected("a number", value))
}

fn unexpected(expected: &'static str, value: &Value) -> ReplayError {
    let got = match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > 40 => "a long string".to_owned(),
        other => other.to_string(),
    };
    ReplayError::Value { path: String::new(), expected, got }
}

/// Adds the key or the index of the outer value to the path of an error.
fn within(outer: &str, error: ReplayError) -> ReplayError {
    let join = |path: String| match path.as_bytes().first() {
        None => outer.to_owned(),
        Some(b'[') => format!("{outer}{path}"),
        Some(_) => format!("{outer}.{path}"),
    };
    match error {
        ReplayError::Missing { path } => ReplayError::Missing { path: join(path) },
        ReplayError::Value { path, expected, got } => ReplayError::Value { path: join(path), expected, got },
        other => other,
    }
}
