//! Replays: the record of a match, from which it can be played again and which its bots' authors read to learn what
//! happened. `docs/REPLAY.md` describes the format.
//!
//! Read one with [`Replay::read`], check it against the rules with [`Replay::verify`], and convert it to and from Botzone's
//! match logs with [`Replay::to_match_log`] and [`Replay::from_match_log`].

#![forbid(unsafe_code)]

mod error;
mod parse;
mod turn;

use pacman2_botzone::init_data;
use pacman2_botzone::match_log::{LoggedPlayer, MatchLog};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::Map;
use pacman2_rules::{BySeat, Score, Seat};
use pacman2_runner::Tier;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::Value;

pub use error::{ReplayDifference, ReplayError, TurnMismatch};
pub use turn::{TurnInfo, TurnVerdict, plain_response};

/// The name of the format, the first value in a replay.
pub const FORMAT: &str = "pacman2 replay";
/// The version of the format that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// The record of a match.
///
/// ```
/// use pacman2_botzone::session::Session;
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo};
/// use pacman2_rules::{BySeat, Ruleset};
///
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// // No player responds: all four die in the first turn.
/// let turns = [Session::new(map.clone()).play(&BySeat::default()).unwrap()];
/// let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("bot {seat}")));
/// let replay = Replay::new(&map, seats, LimitsInfo::default(), turns.iter(), PrivatePart::default());
/// assert_eq!(replay.public.scores, Some([10.0; 4]));
///
/// assert_eq!(Replay::read(&replay.write()).unwrap(), replay);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The part that the same seed and the same deterministic bots make the same, byte for byte, on every machine.
    pub public: PublicPart,
    /// The part that differs from run to run.
    pub private: PrivatePart,
}

/// The match played again, as far as a replay agrees with the rules.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Playback {
    /// The session after the last turn that was played.
    pub session: Session,
    /// The turns that agree with the rules.
    pub turns: Vec<SessionTurn>,
    /// The first difference, if there is one.
    pub difference: Option<ReplayDifference>,
}

impl Replay {
    /// Makes the record of a match, which may still be going on.
    pub fn new<'a>(
        map: &Map,
        seats: BySeat<SeatInfo>,
        limits: LimitsInfo,
        turns: impl DoubleEndedIterator<Item = &'a SessionTurn> + Clone,
        private: PrivatePart,
    ) -> Replay {
        let scores = turns.clone().next_back().and_then(|turn| turn.scores);
        Replay {
            public: PublicPart {
                map: map.clone(),
                seats: seats.0,
                limits,
                turns: turns.map(TurnInfo::of).collect(),
                scores: scores.map(points),
            },
            private,
        }
    }

    /// Reads a replay. Its map can be played then; use [`Replay::verify`] to compare its turns with the rules.
    ///
    /// # Errors
    /// Fails with the path of the first value that is missing or not of the expected form.
    ///
    /// ```
    /// use pacman2_replay::Replay;
    ///
    /// let error = Replay::read("{}").unwrap_err();
    /// assert_eq!(error.to_string(), "not a replay: expected the key format with the value \"pacman2 replay\"");
    /// ```
    pub fn read(text: &str) -> Result<Replay, ReplayError> {
        Replay::from_json(&serde_json::from_str(text).map_err(ReplayError::NotJson)?)
    }

    /// Reads a replay that has been parsed as JSON.
    ///
    /// # Errors
    /// As [`Replay::read`].
    pub fn from_json(value: &Value) -> Result<Replay, ReplayError> {
        parse::read(value)
    }

    /// Returns the replay as text: JSON, with a line for each turn.
    #[must_use]
    pub fn write(&self) -> String {
        let Replay { public, private } = self;
        let turns = public.turns.iter().map(line).collect::<Vec<_>>().join(",\n");
        let diagnostics = private.turns.iter().map(line).collect::<Vec<_>>().join(",\n");
        let tiers = Some(&private.sandbox).filter(|sandbox| !is_all_none(sandbox));
        let tiers = tiers.map_or_else(String::new, |sandbox| format!("\"sandbox\":{},", line(sandbox)));
        format!(
            "{{\"format\":{},\"version\":{VERSION},\"public\":{{\n\"init\":{},\n\"ruling\":{},\n\"seats\":{},\n\"limits\":{},\n\"turns\":[\n{turns}\n],\n\
             \"scores\":{}}},\n\"private\":{{{tiers}\"turns\":[\n{diagnostics}\n]}}}}\n",
            line(&FORMAT),
            init_data::write(&public.map),
            line(&public.map.maze.ruleset().forfeit_ruling.name()),
            line(&public.seats),
            line(&public.limits),
            line(&public.scores),
        )
    }

    /// Plays the match again and returns its turns.
    ///
    /// # Errors
    /// Fails with the first difference between the replay and the rules.
    pub fn verify(&self) -> Result<Vec<SessionTurn>, ReplayDifference> {
        let Playback { turns, difference, .. } = self.play_back();
        difference.map_or(Ok(turns), Err)
    }

    /// Plays the match again, up to the first difference between the replay and the rules.
    #[must_use]
    pub fn play_back(&self) -> Playback {
        let mut turns = Vec::new();
        let mut session = Session::new(self.public.map.clone());
        for (turn, info) in (1..).zip(&self.public.turns) {
            match info.play(&mut session) {
                Ok(played) => turns.push(played),
                Err(mismatch) => {
                    return Playback { session, turns, difference: Some(ReplayDifference::Turn { turn, mismatch }) };
                }
            }
        }
        let (expected, found) = (turns.last().and_then(|turn| turn.scores).map(points), self.public.scores);
        let difference = match expected {
            _ if expected == found => None,
            None => Some(ReplayDifference::MissingTurn { turn: turns.len() + 1 }),
            Some(_) => Some(ReplayDifference::Scores { expected, found }),
        };
        Playback { session, turns, difference }
    }

    /// Converts the replay to a match log of Botzone's.
    ///
    /// # Errors
    /// Fails with the first difference between the replay and the rules.
    pub fn to_match_log(&self) -> Result<MatchLog, ReplayDifference> {
        let turns = self.verify()?;
        let logged = |number: usize, turn: &SessionTurn, seat: Seat| {
            let parsed = turn.responses[seat].clone()?;
            let verdict = match &parsed {
                ParsedResponse::Nothing(verdict) => *verdict,
                ParsedResponse::Action { .. } => Verdict::Ok,
            };
            let diagnostics = self.private.turns.get(number).and_then(|turn| turn[seat.index()].as_ref());
            let response = diagnostics.and_then(|diagnostics| diagnostics.response.clone());
            Some(LoggedPlayer {
                verdict,
                response: response.unwrap_or_else(|| plain_response(&parsed)),
                parsed,
                debug: diagnostics.and_then(|diagnostics| diagnostics.debug.clone()),
                time_ms: diagnostics.map(|diagnostics| diagnostics.wall_us / 1000),
                memory_mb: diagnostics.and_then(|diagnostics| diagnostics.memory_bytes).map(|bytes| bytes / (1024 * 1024)),
            })
        };
        Ok(MatchLog {
            id: None,
            map: self.public.map.clone(),
            names: BySeat(self.public.seats.clone().map(|seat| Some(seat.name))),
            turns: (0..).zip(&turns).map(|(number, turn)| BySeat::from_fn(|seat| logged(number, turn, seat))).collect(),
        })
    }

    /// Converts a match log of Botzone's to a replay.
    ///
    /// ```
    /// use pacman2_botzone::match_log::MatchLog;
    /// use pacman2_replay::Replay;
    /// use pacman2_rules::Ruleset;
    /// use serde_json::json;
    ///
    /// let log = json!({ "initdata": "{\"seed\": 42}", "log": [{ "output": {} }, { "0": { "response": { "action": -1 } } }] });
    /// let log = MatchLog::read(&log, Ruleset::default()).unwrap();
    /// let replay = Replay::from_match_log(&log);
    /// assert_eq!(replay.public.turns[0].actions, [Some(-1), Some(-10), Some(-10), Some(-10)]);
    /// assert_eq!(replay.to_match_log().unwrap().turns.len(), 1);
    /// ```
    #[must_use]
    pub fn from_match_log(log: &MatchLog) -> Replay {
        let diagnostics = |logged: &Option<LoggedPlayer>| {
            let logged = logged.as_ref()?;
            let is_plain = logged.response == plain_response(&logged.parsed);
            Some(TurnDiagnostics {
                response: Some(logged.response.clone()).filter(|_| !is_plain),
                wall_us: logged.time_ms.unwrap_or_default().saturating_mul(1000),
                memory_bytes: logged.memory_mb.map(|mb| mb.saturating_mul(1024 * 1024)),
                debug: logged.debug.clone(),
                ..TurnDiagnostics::default()
            })
        };
        let turns = log.turns.iter().map(|turn| turn.0.each_ref().map(diagnostics)).collect();
        let private = PrivatePart { turns, ..PrivatePart::default() };
        let seats = BySeat::from_fn(|seat| SeatInfo::named(log.name(seat)));
        Replay::new(&log.map, seats, LimitsInfo::default(), log.replay().iter(), private)
    }
}

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
    /// Returns a player of whom only the name is known.
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
    /// The bot's `debug`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug: Option<Value>,
    /// The bot's standard error, as far as it was kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// The bot's standard output, as far as it was kept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The response as the bot wrote it, if its action and taunt are not all of it. The bot received it again in later
    /// turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// The `data` that the bot stored for its next turn.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub data: String,
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
    parse::read_diagnostics(value)
}

pub(crate) fn is_all_none<T>(seats: &[Option<T>; 4]) -> bool {
    seats.iter().all(Option::is_none)
}

fn points(scores: BySeat<Score>) -> [f64; 4] {
    scores.0.map(Score::points)
}

/// Returns the value as JSON in one line.
pub(crate) fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data always has a JSON form")
}
