//! One turn of a replay's public part.

use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_botzone::{Json, JsonText, action};
use pacman2_rules::{BySeat, Cause, Event, Ruleset, Seat};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::error::{Expectation, ReplayError, TurnMismatch};
use crate::format::is_all_none;
use crate::parse::{Parsed, at, four, named, optional, or_null, text, unexpected};

/// How many turns of a replay are read: one more than any game has, so that the rules find the one too many.
pub(crate) const MAX_TURNS: usize = Ruleset::MAX as usize + 1;

/// One turn. Lists have a value for each seat, `None` for players that were dead before the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnInfo {
    /// The actions that the players asked for, as Botzone's numbers; −10 where none could be read.
    pub actions: [Option<i32>; 4],
    /// The verdicts.
    pub verdicts: [Option<Verdict>; 4],
    /// The taunts.
    #[serde(skip_serializing_if = "is_all_none")]
    pub taunts: [Option<String>; 4],
    /// The [fingerprint](pacman2_rules::State::fingerprint) of the position after the turn; in JSON 16 hexadecimal digits.
    #[serde(serialize_with = "hexadecimal")]
    pub position: u64,
}

impl TurnInfo {
    /// Reads a turn from the public part of a replay.
    ///
    /// # Errors
    /// Fails with the path of the first value that is missing or not of the expected form.
    ///
    /// ```
    /// use pacman2_botzone::response::Verdict;
    /// use pacman2_replay::TurnInfo;
    /// use serde_json::json;
    ///
    /// let turn = TurnInfo::from_json(&json!({
    ///     "actions": [1, 99, null, -1],
    ///     "verdicts": ["OK", "ILLEGAL", null, "OK"],
    ///     "position": "62d746a0d0f5a33c",
    /// }));
    /// assert_eq!(turn.unwrap().verdicts[1], Some(Verdict::Illegal));
    ///
    /// let error = TurnInfo::from_json(&json!({ "actions": [1, 2] })).unwrap_err();
    /// assert_eq!(error.to_string(), "actions: expected a list of four, got a list of 2");
    /// ```
    pub fn from_json(value: &Value) -> Result<TurnInfo, ReplayError> {
        TurnInfo::read(JsonText::from(value).json())
    }

    pub(crate) fn read(value: Json<'_>) -> Parsed<TurnInfo> {
        Ok(TurnInfo {
            actions: at(value, "actions", |actions| four(actions, |action| or_null(action, action_number)))?,
            verdicts: at(value, "verdicts", |verdicts| four(verdicts, |verdict| or_null(verdict, named(Expectation::Verdict))))?,
            taunts: optional(value, "taunts", |taunts| four(taunts, |taunt| or_null(taunt, text)))?.unwrap_or_default(),
            position: at(value, "position", fingerprint)?,
        })
    }

    /// Returns what a replay keeps of a turn.
    #[must_use]
    pub fn from_turn(turn: &SessionTurn) -> TurnInfo {
        let illegal = |seat: Seat| {
            let of_seat = |event: &Event| matches!(event, Event::Died { seat: dead, cause: Cause::IllegalAction { .. }, .. } if *dead == seat);
            turn.report.events.iter().any(of_seat)
        };
        let verdict = |seat: Seat| match turn.responses[seat].as_ref()? {
            ParsedResponse::Nothing(verdict) if *verdict != Verdict::Ok => Some(*verdict),
            _ => Some(if illegal(seat) { Verdict::Illegal } else { Verdict::Ok }),
        };
        let number = |seat: Seat| Some(turn.responses[seat].as_ref()?.number().unwrap_or(action::UNREADABLE));
        let taunt = |seat: Seat| match turn.responses[seat].as_ref()? {
            ParsedResponse::Action { taunt, .. } => taunt.clone().filter(|taunt| !taunt.is_empty()),
            ParsedResponse::Nothing(_) => None,
        };
        TurnInfo {
            actions: Seat::ALL.map(number),
            verdicts: Seat::ALL.map(verdict),
            taunts: Seat::ALL.map(taunt),
            position: turn.state.fingerprint(),
        }
    }

    /// Plays this turn.
    ///
    /// # Errors
    /// Fails if the turn cannot be played, or if it ends differently by the rules. The session has played the turn in the
    /// second case.
    pub fn play(&self, session: &mut Session) -> Result<SessionTurn, TurnMismatch> {
        let responses = self.responses()?;
        let alive = session.game().state().alive;
        if let Some(seat) = Seat::ALL.into_iter().find(|&seat| responses[seat].is_some() != alive.contains(seat)) {
            let is_alive = alive.contains(seat);
            return Err(if is_alive { TurnMismatch::NoAction(seat) } else { TurnMismatch::ActionOfDead(seat) });
        }
        let turn = session.play(&responses).ok_or(TurnMismatch::GameOver)?;
        let expected = TurnInfo::from_turn(&turn);
        if expected.position != self.position {
            return Err(TurnMismatch::Position { expected: expected.position, found: self.position });
        }
        if expected.verdicts != self.verdicts {
            return Err(TurnMismatch::Verdicts { expected: expected.verdicts, found: self.verdicts });
        }
        Ok(turn)
    }

    fn responses(&self) -> Result<BySeat<Option<ParsedResponse>>, TurnMismatch> {
        let mut responses = BySeat::default();
        for seat in Seat::ALL {
            let index = seat.index();
            responses[seat] = match (self.actions[index], self.verdicts[index]) {
                (None, None) => None,
                (Some(action::UNREADABLE), Some(Verdict::Illegal)) => Some(ParsedResponse::Nothing(Verdict::Ok)),
                (Some(number), Some(Verdict::Ok | Verdict::Illegal)) => {
                    Some(ParsedResponse::Action { number, taunt: self.taunts[index].clone() })
                }
                (Some(action::UNREADABLE), Some(verdict)) => Some(ParsedResponse::Nothing(verdict)),
                _ => return Err(TurnMismatch::ActionAndVerdict(seat)),
            };
        }
        Ok(responses)
    }
}

fn action_number(value: Json<'_>) -> Parsed<i32> {
    action::integer(&value.scalar()).ok_or_else(|| unexpected(Expectation::Action, value))
}

fn fingerprint(value: Json<'_>) -> Parsed<u64> {
    let digits = value.string().filter(|text| text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
    let number = digits.and_then(|digits| u64::from_str_radix(&digits, 16).ok());
    number.ok_or_else(|| unexpected(Expectation::Fingerprint, value))
}

fn hexadecimal<S: Serializer>(position: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{position:016x}"))
}
