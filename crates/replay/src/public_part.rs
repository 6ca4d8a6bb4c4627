//! The public part of a replay: map, seats, limits, turns and scores.

use pacman2_botzone::{Json, init_data};
use pacman2_maps::Map;
use pacman2_rules::Ruleset;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::error::Expectation;
use crate::parse::{Parsed, at, four, list, named, number, optional, or_null, text, unexpected};
use crate::turn::{MAX_TURNS, TurnInfo};

/// The part of a replay from which the match can be played again.
#[derive(Clone, Debug, PartialEq)]
pub struct PublicPart {
    /// The map, with the rules and the ruling of the match.
    pub map: Map,
    /// The player on each seat.
    pub seats: [SeatInfo; 4],
    /// The limits for one answer, before the factor of a bot's language.
    pub limits: LimitsInfo,
    /// The turns in order.
    pub turns: Vec<TurnInfo>,
    /// The scores in points; `None` if the match was abandoned.
    pub scores: Option<[f64; 4]>,
}

impl PublicPart {
    /// Reads the public part from JSON.
    pub(crate) fn from_json(value: Json<'_>) -> Parsed<PublicPart> {
        Ok(PublicPart {
            map: map(value)?,
            seats: at(value, "seats", |seats| four(seats, seat))?,
            limits: at(value, "limits", limits)?,
            turns: at(value, "turns", |turns| list(turns, MAX_TURNS, TurnInfo::read))?,
            scores: at(value, "scores", |scores| or_null(scores, |scores| four(scores, score)))?,
        })
    }
}

impl Serialize for PublicPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PublicPart { map, seats, limits, turns, scores } = self;
        let mut object = serializer.serialize_struct("PublicPart", 6)?;
        object.serialize_field("init", &init_data::write(map))?;
        object.serialize_field("ruling", map.maze.ruleset().forfeit_ruling.name())?;
        object.serialize_field("seats", seats)?;
        object.serialize_field("limits", limits)?;
        object.serialize_field("turns", turns)?;
        object.serialize_field("scores", scores)?;
        object.end()
    }
}

/// The player on a seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatInfo {
    /// The bot's name.
    pub name: String,
    /// SHA-256 of the bot's program as 64 hexadecimal digits, or `built-in` and a version; `None` if it is not known.
    pub program: Option<String>,
    /// The factor by which the bot's language multiplies the time limit; `None` for players without limits, such as humans
    /// and built-in bots within the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_factor: Option<u32>,
}

impl SeatInfo {
    /// Returns a player of which only the name is known.
    #[must_use]
    pub fn named(name: impl Into<String>) -> SeatInfo {
        SeatInfo { name: name.into(), program: None, time_factor: None }
    }
}

/// The limits of a match; `None` where there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct LimitsInfo {
    /// Milliseconds of real time, and the same of CPU time.
    pub time_ms: Option<u64>,
    /// Megabytes of 1,048,576 bytes.
    pub memory_mb: Option<u64>,
    /// Bytes on standard output.
    pub output_bytes: Option<u64>,
}

fn map(public: Json<'_>) -> Parsed<Map> {
    let ruling = at(public, "ruling", named(Expectation::Ruling))?;
    at(public, "init", |init| Ok(init_data::read_json(init, 0, Ruleset::default().with_forfeit_ruling(ruling))?.0))
}

fn seat(value: Json<'_>) -> Parsed<SeatInfo> {
    let factor = |value: Json<'_>| u32::try_from(number(value)?).map_err(|_| unexpected(Expectation::Count32, value));
    Ok(SeatInfo {
        name: at(value, "name", text)?,
        program: optional(value, "program", text)?,
        time_factor: optional(value, "time_factor", factor)?,
    })
}

fn limits(value: Json<'_>) -> Parsed<LimitsInfo> {
    Ok(LimitsInfo {
        time_ms: optional(value, "time_ms", number)?,
        memory_mb: optional(value, "memory_mb", number)?,
        output_bytes: optional(value, "output_bytes", number)?,
    })
}

fn score(value: Json<'_>) -> Parsed<f64> {
    value.scalar().as_f64().ok_or_else(|| unexpected(Expectation::Number, value))
}
