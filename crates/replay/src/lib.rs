//! Replays: the record of a match, from which it can be played again and which its bots' authors read to learn what
//! happened. `docs/REPLAY.md` describes the format.
//!
//! [`games`] reads games of any form, one or many. Read a replay with [`Replay::read`], check it against the rules with [`Replay::verify`], and convert it to and from Botzone's
//! match logs with [`Replay::to_match_log`] and [`Replay::from_match_log`], and to and from links with [`Replay::to_link`] and
//! [`Replay::from_link`].

#![forbid(unsafe_code)]

// Its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod error;
mod format;
pub mod games;
mod link;
mod parse;
mod private_part;
mod problem;
mod public_part;
mod turn;

use pacman2_botzone::match_log::{LoggedPlayer, MatchLog};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_botzone::{Json, JsonText, init_data};
use pacman2_maps::Map;
use pacman2_rules::{BySeat, Score, Seat};

pub use error::{Expectation, LinkError, ReplayDifference, ReplayError, TurnMismatch, UnexpectedValue};
pub use format::{FORMAT, VERSION};
pub use link::GameLink;
pub use pacman2_botzone::problem::Problem;
pub use private_part::{PrivatePart, TurnDiagnostics, read_diagnostics};
pub use public_part::{LimitsInfo, PublicPart, SeatInfo};
pub use turn::TurnInfo;

use format::{is_all_none, line, push_lines};
use link::LinkedGame;
use parse::{at, optional};

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
    /// The games that branch off the match, as the viewer wrote them. They are kept as they are; only the viewer plays them.
    pub branches: Option<JsonText>,
    /// What another bot answers to the questions of the match, as `pacman2 rerun` wrote it. It is kept as it is; only the viewer reads it.
    pub rerun: Option<JsonText>,
    /// The notes of a reader on turns, as the viewer wrote them. They are kept as they are; only the viewer shows them.
    pub notes: Option<JsonText>,
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
                turns: turns.map(TurnInfo::from_turn).collect(),
                scores: scores.map(points),
            },
            private,
            branches: None,
            rerun: None,
            notes: None,
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
        Replay::from_json(Json::parse(text).map_err(ReplayError::NotJson)?)
    }

    /// Reads a replay that is known to be JSON.
    ///
    /// # Errors
    /// As [`Replay::read`].
    pub fn from_json(json: Json<'_>) -> Result<Replay, ReplayError> {
        if json.at("format").string().is_none_or(|format| format != FORMAT) {
            return Err(ReplayError::Format);
        }
        at(
            json,
            "version",
            |version| if version.quoted() == VERSION { Ok(()) } else { Err(ReplayError::Version(version.quoted())) },
        )?;
        Ok(Replay {
            public: at(json, "public", PublicPart::from_json)?,
            private: optional(json, "private", PrivatePart::from_json)?.unwrap_or_default(),
            branches: json.get("branches").filter(|branches| branches.is_list()).map(JsonText::from),
            rerun: json.get("rerun").filter(|rerun| rerun.is_object()).map(JsonText::from),
            notes: json.get("notes").filter(|notes| notes.is_list()).map(JsonText::from),
        })
    }

    /// Returns the replay as text: JSON, with a line for each turn.
    #[must_use]
    pub fn write(&self) -> String {
        let Replay { public, private, branches, rerun, notes } = self;
        let tiers = Some(&private.sandbox).filter(|sandbox| !is_all_none(sandbox));
        let tiers = tiers.map_or_else(String::new, |sandbox| format!("\"sandbox\":{},", line(sandbox)));
        let mut text = format!(
            "{{\"format\":{},\"version\":{VERSION},\"public\":{{\n\"init\":{},\n\"ruling\":{},\n\"seats\":{},\n\"limits\":{},\n\"turns\":[",
            line(&FORMAT),
            init_data::write(&public.map),
            line(&public.map.maze.ruleset().forfeit_ruling.name()),
            line(&public.seats),
            line(&public.limits),
        );
        push_lines(&mut text, &public.turns);
        text += &format!("],\n\"scores\":{}}},\n\"private\":{{{tiers}\"turns\":[", line(&public.scores));
        push_lines(&mut text, &private.turns);
        text.push_str("]}");
        for (key, added) in [("branches", branches), ("rerun", rerun), ("notes", notes)] {
            if let Some(added) = added {
                text += &format!(",\n\"{key}\":{added}");
            }
        }
        text.push_str("}\n");
        text
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
            let diagnostics = self.private.turns.get(number).and_then(|turn| turn[seat.index()].as_ref());
            let response = diagnostics.and_then(|diagnostics| diagnostics.response.as_ref());
            Some(LoggedPlayer {
                verdict: parsed.verdict(),
                response: response.cloned().unwrap_or_else(|| parsed.plain().into()),
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
            difference: None,
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
            let is_plain = logged.response.is_null() || logged.response == logged.parsed.plain();
            Some(TurnDiagnostics {
                response: (!is_plain).then(|| logged.response.clone()),
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

    /// Returns the match as a link holds it: what comes after `#g=`. A game of a hundred turns has about 250 characters.
    ///
    /// A link holds the map with its settings, the actions, and the names of the players, shortened to 40 bytes. It does not
    /// hold taunts, programs, limits, nor anything private.
    ///
    /// # Errors
    /// Fails if the replay differs from the rules.
    ///
    /// ```
    /// use pacman2_botzone::response::ParsedResponse;
    /// use pacman2_botzone::session::Session;
    /// use pacman2_maps::{Map, MapSize};
    /// use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo};
    /// use pacman2_rules::{BySeat, Ruleset};
    ///
    /// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
    /// // All four stay, for one turn.
    /// let stay = ParsedResponse::Action { number: -1, taunt: None };
    /// let turns = [Session::new(map.clone()).play(&BySeat::from_fn(|_| Some(stay.clone()))).unwrap()];
    /// let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("bot {seat}")));
    /// let replay = Replay::new(&map, seats, LimitsInfo::default(), turns.iter(), PrivatePart::default());
    /// let link = replay.to_link().unwrap();
    /// assert_eq!(Replay::from_link(&link).unwrap(), replay);
    /// ```
    pub fn to_link(&self) -> Result<String, LinkError> {
        let turns = self.verify()?;
        let names = BySeat(self.public.seats.each_ref().map(|seat| seat.name.clone()));
        link::write(&LinkedGame { map: self.public.map.clone(), names, turns })
    }

    /// Reads a match from a link, as [`Replay::to_link`] returns it. The match is played again by the rules.
    ///
    /// # Errors
    /// Fails with what is damaged, or if the game ends differently by the rules.
    ///
    /// ```
    /// use pacman2_replay::Replay;
    ///
    /// let error = Replay::from_link("2AAo").unwrap_err();
    /// assert_eq!(error.to_string(), "the link is cut off: expected 5 bytes, got 2");
    /// ```
    pub fn from_link(code: &str) -> Result<Replay, LinkError> {
        let LinkedGame { map, names, turns } = link::read(code)?;
        let seats = names.map(SeatInfo::named);
        Ok(Replay::new(&map, seats, LimitsInfo::default(), turns.iter(), PrivatePart::default()))
    }
}

fn points(scores: BySeat<Score>) -> [f64; 4] {
    scores.0.map(Score::points)
}
