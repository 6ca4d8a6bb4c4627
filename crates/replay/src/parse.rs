//! The door for replays: JSON that a stranger wrote becomes a [`Replay`], or is refused with the place where it is wrong.
//!
//! Written by hand, for a derived reader does not tell the place once JSON has been read, and would be a tenth of the page's
//! engine.

use pacman2_botzone::action;
use pacman2_runner::Tier;
use serde_json::Value;

use crate::{FORMAT, LimitsInfo, PrivatePart, PublicPart, Replay, ReplayError, SeatInfo, TurnDiagnostics, TurnInfo, VERSION};

/// Reads the whole replay; its map has not been looked at then.
pub(crate) fn read(value: &Value) -> Result<Replay, ReplayError> {
    if value["format"] != FORMAT {
        return Err(ReplayError(format!("this is no replay: the key format with the value \"{FORMAT}\" is missing")));
    }
    if value["version"] != VERSION {
        let version = Some(&value["version"]).filter(|version| !version.is_null());
        let version = version.map_or("missing".to_owned(), Value::to_string);
        return Err(ReplayError(format!("the replay's version is {version}; version {VERSION} can be read")));
    }
    let read = || -> Result<Replay, Wrong> {
        Ok(Replay {
            format: FORMAT.to_owned(),
            version: VERSION,
            public: at(value, "public", public)?,
            private: optional(value, "private", private)?.unwrap_or_default(),
        })
    };
    read().map_err(|Wrong { place, wanted }| ReplayError(format!("this is no replay: {}: {wanted}", place.trim_matches('.'))))
}

/// Reads a turn of the public part, alone.
pub(crate) fn read_turn(value: &Value) -> Result<TurnInfo, ReplayError> {
    turn(value).map_err(wrong_alone)
}

/// Reads a turn of the private part, alone.
pub(crate) fn read_backstage(value: &Value) -> Result<[Option<TurnDiagnostics>; 4], ReplayError> {
    four(value, |seat| or_null(seat, backstage)).map_err(wrong_alone)
}

fn wrong_alone(Wrong { place, wanted }: Wrong) -> ReplayError {
    ReplayError(format!("this is no turn of a replay: {}: {wanted}", place.trim_matches('.')))
}

fn public(value: &Value) -> Result<PublicPart, Wrong> {
    Ok(PublicPart {
        init: at(value, "init", |init| Ok(init.clone()))?,
        ruling: at(value, "ruling", text)?,
        seats: at(value, "seats", |seats| four(seats, seat))?,
        limits: at(value, "limits", limits)?,
        turns: at(value, "turns", |turns| list(turns, turn))?,
        scores: at(value, "scores", |scores| or_null(scores, |scores| four(scores, score)))?,
    })
}

fn seat(value: &Value) -> Result<SeatInfo, Wrong> {
    let factor = |value: &Value| u32::try_from(number(value)?).map_err(|_| wants("a smaller number is wanted"));
    Ok(SeatInfo {
        name: at(value, "name", text)?,
        program: optional(value, "program", text)?,
        time_factor: optional(value, "time_factor", factor)?,
    })
}

fn limits(value: &Value) -> Result<LimitsInfo, Wrong> {
    Ok(LimitsInfo {
        time_ms: optional(value, "time_ms", number)?,
        memory_mb: optional(value, "memory_mb", number)?,
        output_bytes: optional(value, "output_bytes", number)?,
    })
}

fn turn(value: &Value) -> Result<TurnInfo, Wrong> {
    let number = |value: &Value| action::integer(value).ok_or_else(|| wants("a whole number or null is wanted"));
    Ok(TurnInfo {
        actions: at(value, "actions", |actions| four(actions, |action| or_null(action, number)))?,
        verdicts: at(value, "verdicts", |verdicts| four(verdicts, |verdict| or_null(verdict, text)))?,
        taunts: optional(value, "taunts", |taunts| four(taunts, |taunt| or_null(taunt, text)))?.unwrap_or_default(),
        position: at(value, "position", text)?,
    })
}

fn private(value: &Value) -> Result<PrivatePart, Wrong> {
    Ok(PrivatePart {
        sandbox: optional(value, "sandbox", |tiers| four(tiers, |seat| or_null(seat, tier)))?.unwrap_or_default(),
        turns: at(value, "turns", |turns| list(turns, |turn| four(turn, |seat| or_null(seat, backstage))))?,
    })
}

fn tier(value: &Value) -> Result<Tier, Wrong> {
    value.as_str().and_then(Tier::from_name).ok_or_else(|| wants("\"A\", \"B\", \"C\" or null is wanted"))
}

fn backstage(value: &Value) -> Result<TurnDiagnostics, Wrong> {
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

/// What is wrong, and where.
struct Wrong {
    /// Keys and places in lists, the outermost first, such as `.public.turns[3]`.
    place: String,
    wanted: &'static str,
}

impl Wrong {
    fn within(self, outer: &str) -> Wrong {
        Wrong { place: format!("{outer}{}", self.place), ..self }
    }
}

fn wants(wanted: &'static str) -> Wrong {
    Wrong { place: String::new(), wanted }
}

fn at<T>(value: &Value, key: &str, read: impl FnOnce(&Value) -> Result<T, Wrong>) -> Result<T, Wrong> {
    let within = |wrong: Wrong| wrong.within(&format!(".{key}"));
    read(value.get(key).ok_or_else(|| within(wants("it is missing")))?).map_err(within)
}

/// What a key holds; nothing if it is missing or null.
fn optional<T>(value: &Value, key: &str, read: impl FnOnce(&Value) -> Result<T, Wrong>) -> Result<Option<T>, Wrong> {
    or_null(&value[key], read).map_err(|wrong| wrong.within(&format!(".{key}")))
}

fn or_null<T>(value: &Value, read: impl FnOnce(&Value) -> Result<T, Wrong>) -> Result<Option<T>, Wrong> {
    if value.is_null() { Ok(None) } else { read(value).map(Some) }
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> Result<T, Wrong>) -> Result<Vec<T>, Wrong> {
    let mut items = Vec::new();
    for (number, item) in value.as_array().ok_or_else(|| wants("a list is wanted"))?.iter().enumerate() {
        items.push(read(item).map_err(|wrong| wrong.within(&format!("[{number}]")))?);
    }
    Ok(items)
}

fn four<T>(value: &Value, read: impl Fn(&Value) -> Result<T, Wrong>) -> Result<[T; 4], Wrong> {
    list(value, read)?.try_into().map_err(|_| wants("a list of four is wanted"))
}

fn text(value: &Value) -> Result<String, Wrong> {
    value.as_str().map(str::to_owned).ok_or_else(|| wants("a text is wanted"))
}

fn number(value: &Value) -> Result<u64, Wrong> {
    value.as_u64().ok_or_else(|| wants("a whole number, 0 or more, is wanted"))
}

fn score(value: &Value) -> Result<f64, Wrong> {
    value.as_f64().ok_or_else(|| wants("a number is wanted"))
}
