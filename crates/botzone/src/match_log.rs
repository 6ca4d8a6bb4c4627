//! The logs of whole matches, as users download them from Botzone: read in all of their forms, and written.

use std::borrow::Cow;

use pacman2_maps::{Map, MapError};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Score, Seat, SeatSet};
use serde_json::{Value, json};

use crate::judge::{first_output, later_output, parse_responses, response_of, verdict_of};
use crate::response::{ParsedResponse, Verdict};
use crate::session::{Session, SessionTurn, result};
use crate::{by_seat, init_data};

/// A match that Botzone logged.
#[derive(Clone, Debug)]
pub struct MatchLog {
    /// The match's id, if the log has one.
    pub id: Option<String>,
    /// The map that the match was played on.
    pub map: Map,
    /// The name of the player on each seat, if the log has one.
    pub names: BySeat<Option<String>>,
    /// The turns in order, with an entry for each player that was alive.
    pub turns: Vec<BySeat<Option<LoggedPlayer>>>,
}

/// What a log holds about one player in one turn.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedPlayer {
    /// The response as the judge understood it.
    pub parsed: ParsedResponse,
    /// The platform's verdict on the run.
    pub verdict: Verdict,
    /// The response as the player gave it; `null` if there was none.
    pub response: Value,
    /// What the bot wrote for the reader of the log.
    pub debug: Option<Value>,
    /// The time that the run took, in milliseconds.
    pub time_ms: Option<u64>,
    /// The memory that the run took, in megabytes.
    pub memory_mb: Option<u64>,
}

/// Why a log cannot be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchLogError {
    /// There is no list of log items.
    #[error("expected a match log with a non-empty list log (or logs)")]
    NoItems,
    /// The match's init data is not a map that can be played.
    #[error("the match log's init data cannot be played: {0}")]
    InitData(MapError),
    /// The log has a turn after the last.
    #[error("turn {turn} comes after the end of the game")]
    GameOver {
        /// The turn that does not exist; turns count from 1.
        turn: usize,
    },
    /// The changes of strength that the judge displayed are not those of the rules.
    #[error("turn {turn}: by the rules strengths change by {expected:?}, in the log by {logged}")]
    StrengthDelta {
        /// The turn, counted from 1.
        turn: usize,
        /// The changes in the log.
        logged: Value,
        /// The changes by the rules.
        expected: [i32; 4],
    },
    /// The scores that the judge displayed are not those of the rules.
    #[error("turn {turn}: by the rules the scores are {expected}, in the log {logged}")]
    Scores {
        /// The turn, counted from 1.
        turn: usize,
        /// The scores in the log.
        logged: Value,
        /// The scores by the rules.
        expected: Value,
    },
}

impl MatchLog {
    /// Returns whether this JSON looks like a match log: it has a list of `log` items, or of `logs` in the light form, or it is
    /// nothing but such a list, as the log editor of a match page shows it.
    ///
    /// ```
    /// use pacman2_botzone::match_log::MatchLog;
    /// use serde_json::json;
    ///
    /// assert!(MatchLog::recognises(&json!({ "log": [{ "output": {} }] })));
    /// assert!(MatchLog::recognises(&json!([{ "output": {} }])));
    /// assert!(!MatchLog::recognises(&json!({ "format": "pacman2 replay" })));
    /// ```
    #[must_use]
    pub fn recognises(value: &Value) -> bool {
        items(value).is_some()
    }

    /// Reads a log by the first ruling under which the log agrees with the rules, [`ForfeitRuling::Sample`] first.
    ///
    /// Rulings make a difference only if light hits a player that forfeits.
    ///
    /// # Errors
    /// Fails with the error of the first ruling if the log can be read under none.
    pub fn read_by_any_ruling(value: &Value) -> Result<MatchLog, MatchLogError> {
        by_any_ruling(|base| MatchLog::read(value, base))
    }

    /// Reads a log: the object that Botzone lets users download, the light form with `logs`, or a list of log items. A list, an
    /// output, a display and init data may each be a text that holds the JSON.
    ///
    /// `base` gives the forfeit ruling, and the settings that the init data lacks. Actions are those that the judge
    /// displayed, so that what the judge forgave is forgiven here too.
    ///
    /// # Errors
    /// Fails if the value is not a log, if its map cannot be played, or if the changes of strength and the scores that
    /// the judge displayed are not those of the rules.
    ///
    /// ```
    /// use pacman2_botzone::match_log::MatchLog;
    /// use pacman2_rules::{ForfeitRuling, Ruleset, Seat};
    /// use serde_json::json;
    ///
    /// let log = json!({
    ///     "initdata": "{\"seed\": 42}",
    ///     "log": [
    ///         { "output": {} },
    ///         { "0": { "response": { "action": -1 } }, "1": { "verdict": "TLE" } },
    ///     ],
    /// });
    /// let log = MatchLog::read(&log, Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge)).unwrap();
    /// assert_eq!(log.turns.len(), 1);
    /// assert_eq!(log.turns[0][Seat::S1].as_ref().unwrap().verdict.name(), "TLE");
    /// ```
    pub fn read(value: &Value, base: Ruleset) -> Result<MatchLog, MatchLogError> {
        let items = items(value).ok_or(MatchLogError::NoItems)?;
        let items: &[Value] = items.as_array().ok_or(MatchLogError::NoItems)?;
        let (map, _) = init_data::read(&find_init_data(value, &items[0]), 0, base).map_err(MatchLogError::InitData)?;
        let mut log = MatchLog {
            id: value["_id"].as_str().map(str::to_owned),
            map,
            names: BySeat::from_fn(|seat| name(&value["players"][seat.index()])),
            turns: Vec::new(),
        };
        let mut session = Session::new(log.map.clone());
        let mut forgiven = SeatSet::EMPTY;
        for (turn, pair) in (1..).zip(items[1..].chunks(2)) {
            let judged = parse_responses(&pair[0], session.game().state().alive, &mut forgiven);
            let output = decoded(pair.get(1).map_or(&Value::Null, |item| &item["output"]));
            let display = decoded(&output["display"]);
            let players = BySeat::from_fn(|seat| {
                let parsed = judged[seat].clone()?;
                Some(logged_player(
                    &pair[0][seat.to_string()],
                    ParsedResponse::from_echo(&display[seat.to_string()]).unwrap_or(parsed),
                ))
            });
            let played = session.play(&responses(&players)).ok_or(MatchLogError::GameOver { turn })?;
            let (logged, expected) = (&display["trace"]["strengthDelta"], played.report.strength_delta.0);
            if logged.is_array() && *logged != json!(expected) {
                return Err(MatchLogError::StrengthDelta { turn, logged: logged.clone(), expected });
            }
            let (logged, expected) = (&display["result"], session.game().scores());
            if logged.is_object() && !is_same_score(logged, &expected) {
                return Err(MatchLogError::Scores { turn, logged: logged.clone(), expected: result(&expected) });
            }
            log.turns.push(players);
        }
        Ok(log)
    }

    /// Returns the log in the form that Botzone lets users download.
    #[must_use]
    pub fn write(&self) -> Value {
        let mut items = vec![judge_item(first_output(&self.map))];
        for (turn, played) in self.turns.iter().zip(self.replay()) {
            items.push(by_seat(turn.iter().filter_map(|(seat, logged)| Some((seat, player_item(logged.as_ref()?))))));
            items.push(judge_item(later_output(&played)));
        }
        let players: Vec<Value> = Seat::ALL.into_iter().map(|seat| json!({ "bot": self.name(seat) })).collect();
        json!({
            "_id": self.id,
            "players": players,
            "initdata": init_data::write(&self.map).to_string(),
            "log": items,
        })
    }

    /// Returns the name of the player on a seat, or "player" and the seat if the log has no name.
    #[must_use]
    pub fn name(&self, seat: Seat) -> String {
        self.names[seat].clone().unwrap_or_else(|| format!("player {seat}"))
    }

    /// Plays the match again and returns its turns.
    #[must_use]
    pub fn replay(&self) -> Vec<SessionTurn> {
        let mut session = Session::new(self.map.clone());
        self.turns.iter().map_while(|players| session.play(&responses(players))).collect()
    }

    /// Returns the scores, if the match was played to its end.
    #[must_use]
    pub fn scores(&self) -> Option<BySeat<Score>> {
        self.replay().last().and_then(|turn| turn.scores)
    }
}

/// Compares scores in hundredths, because programs write floating-point numbers differently.
fn is_same_score(logged: &Value, scores: &BySeat<Score>) -> bool {
    scores.iter().all(|(seat, score)| {
        let points = logged[seat.to_string()].as_f64();
        points.is_some_and(|points| (points * 100.0).round() == score.hundredths as f64)
    })
}

/// Reads by the first ruling under which that succeeds, [`ForfeitRuling::Sample`] first.
pub(crate) fn by_any_ruling<T, E>(read: impl Fn(Ruleset) -> Result<T, E>) -> Result<T, E> {
    let mut readings = ForfeitRuling::ALL.into_iter().map(|ruling| read(Ruleset::default().with_forfeit_ruling(ruling)));
    let first = readings.next().expect("there is a ruling");
    first.or_else(|error| readings.find_map(Result::ok).ok_or(error))
}

/// Returns the JSON that a text holds, or the value itself.
pub(crate) fn decoded(value: &Value) -> Cow<'_, Value> {
    let held = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    held.map_or(Cow::Borrowed(value), Cow::Owned)
}

/// Returns the items of a log as a list that is not empty.
fn items(value: &Value) -> Option<Cow<'_, Value>> {
    if let Some([first, ..]) = value.as_array().map(Vec::as_slice) {
        return first.get("output").map(|_| Cow::Borrowed(value));
    }
    let items = ["log", "logs"].into_iter().map(|key| decoded(&value[key]));
    items.into_iter().find(|items| items.as_array().is_some_and(|items| !items.is_empty()))
}

/// Returns the init data in the judge's first output, or else those that the match was started with, or else a player's first request.
fn find_init_data(value: &Value, first: &Value) -> Value {
    let output = decoded(&first["output"]);
    let places = [&output["initdata"], &output["display"], &value["initdata"], &output["content"]["0"]].map(decoded);
    let found =
        places.iter().find(|init_data| init_data::recognises(init_data)).or(places.iter().find(|place| place.is_object()));
    found.map_or(Value::Null, |init_data| init_data.clone().into_owned())
}

fn name(player: &Value) -> Option<String> {
    let bot = &player["bot"];
    [bot, &bot["name"], &bot["_id"], &player["name"]].into_iter().find_map(Value::as_str).map(str::to_owned)
}

pub(crate) fn responses(players: &BySeat<Option<LoggedPlayer>>) -> BySeat<Option<ParsedResponse>> {
    BySeat::from_fn(|seat| Some(players[seat].as_ref()?.parsed.clone()))
}

fn logged_player(item: &Value, parsed: ParsedResponse) -> LoggedPlayer {
    // A time-out may stand beside the response; in its place it means the same.
    let response = match (response_of(item), item.get("error")) {
        (Value::Null, Some(error)) => json!({ "error": error }),
        (response, _) => response.clone(),
    };
    LoggedPlayer {
        verdict: verdict_of(item).unwrap_or(parsed.verdict()),
        response,
        parsed,
        debug: item.get("debug").cloned(),
        time_ms: item["time"].as_u64(),
        memory_mb: item["memory"].as_u64(),
    }
}

fn judge_item(output: Value) -> Value {
    json!({ "memory": 0, "time": 0, "verdict": "OK", "output": output })
}

fn player_item(logged: &LoggedPlayer) -> Value {
    let mut item = json!({
        "memory": logged.memory_mb,
        "time": logged.time_ms,
        "verdict": logged.verdict.name(),
        "response": logged.response,
    });
    if let Some(debug) = &logged.debug {
        item["debug"] = debug.clone();
    }
    item
}
