//! The logs of whole matches, as users download them from Botzone: read in all of their forms, and written.

use std::borrow::Cow;

use pacman2_maps::{Map, MapError};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Score, Seat, SeatSet};
use serde_json::{Value, json};

use crate::json::{HeldJson, Items, Json};
use crate::json_text::JsonText;
use crate::judge::{PlayerItem, first_output, later_output, of_seats};
pub use crate::log_difference::LogDifference;
use crate::log_difference::{is_same_score, of_answers, of_scores};
use crate::response::{ParsedResponse, Verdict};
use crate::session::{Session, SessionTurn, result};
use crate::{by_seat, init_data};

/// What Botzone calls the game.
const GAME: &str = "Pacman2";

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
    /// The first place in which the log disagrees with the rules or with itself, and can be played all the same.
    pub difference: Option<LogDifference>,
}

/// What a log holds about one player in one turn.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedPlayer {
    /// The response as the judge understood it.
    pub parsed: ParsedResponse,
    /// The platform's verdict on the run.
    pub verdict: Verdict,
    /// The response as the player gave it; `null` if there was none.
    pub response: JsonText,
    /// What the bot wrote for the reader of the log.
    pub debug: Option<JsonText>,
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
    /// The match is one of another game.
    #[error("expected a match of Pacman2, got one of {0}")]
    OtherGame(String),
    /// No part of it has a map.
    #[error("expected a match log with the map of the match, its init data, in the first output or in initdata; got none")]
    NoMap,
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
    /// use pacman2_botzone::Json;
    ///
    /// let recognises = |text| MatchLog::recognises(Json::parse(text).unwrap());
    /// assert!(recognises(r#"{"log": [{"output": {}}]}"#));
    /// assert!(recognises(r#"[{"output": {}}]"#));
    /// assert!(!recognises(r#"{"format": "pacman2 replay"}"#));
    /// ```
    #[must_use]
    pub fn recognises(json: Json<'_>) -> bool {
        items(json, json.get_all(["log", "logs"])).is_some()
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
        MatchLog::read_json(JsonText::from(value).json(), Some(base))
    }

    /// Reads a log of a file, as [`MatchLog::read`] does. If `base` is `None`, it is read by the first ruling under which it agrees with
    /// the rules, [`ForfeitRuling::Sample`] first. Rulings make a difference only if light hits a player that forfeits.
    ///
    /// # Errors
    /// As [`MatchLog::read`]; with the error of the first ruling if the log can be read under none.
    pub fn read_json(json: Json<'_>, base: Option<Ruleset>) -> Result<MatchLog, MatchLogError> {
        let [log, logs, about @ ..] = json.get_all(["log", "logs", "_id", "players", "game", "initdata", "scores"]);
        let items = items(json, [log, logs]).ok_or(MatchLogError::NoItems)?;
        let read = |base| read_items(about, items.json().items(), base);
        base.map_or_else(|| by_any_ruling(read), read)
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

/// Reads the items of a log. The log itself has an id, players, a game, init data and scores.
fn read_items(about: [Option<Json<'_>>; 5], mut items: Items<'_>, base: Ruleset) -> Result<MatchLog, MatchLogError> {
    let first = items.next().ok_or(MatchLogError::NoItems)?;
    let [id, players, game, init_data, end_scores] = about.map(|value| value.unwrap_or(Json::NULL));
    if let Some(name) = name_of_game(game).filter(|name| !name.eq_ignore_ascii_case(GAME)) {
        return Err(MatchLogError::OtherGame(name.into_owned()));
    }
    let mut names = players.items().map(name);
    let mut log = MatchLog {
        id: id_of(id).map(Cow::into_owned),
        map: read_map(init_data, first, base)?,
        names: BySeat::from_fn(|_| names.next().flatten()),
        turns: Vec::new(),
        difference: None,
    };
    let mut session = Session::new(log.map.clone());
    let mut forgiven = SeatSet::EMPTY;
    while let Some(answers) = items.next() {
        let turn = log.turns.len() + 1;
        let (answers, alive) = (of_seats(answers), session.game().state().alive);
        let output = items.next().map_or(Json::NULL, |item| item.at("output")).decoded();
        let display = output.json().at("display").decoded();
        let [s0, s1, s2, s3, trace, scores] =
            display.json().get_all(["0", "1", "2", "3", "trace", "result"]).map(|value| value.unwrap_or(Json::NULL));
        let shown = BySeat([s0, s1, s2, s3]).map(ParsedResponse::from_echo);
        let given = BySeat::from_fn(|seat| alive.contains(seat).then(|| PlayerItem::from_json(answers[seat])));
        let parsed = BySeat::from_fn(|seat| Some(given[seat].as_ref()?.parse(seat, &mut forgiven)));
        let players = BySeat::from_fn(|seat| {
            let counts = shown[seat].as_ref().or(parsed[seat].as_ref())?;
            Some(logged_player(given[seat].as_ref()?, counts.clone()))
        });
        let played = session.play(&responses(&players)).ok_or(MatchLogError::GameOver { turn })?;
        let by_rules = session.game().scores();
        compare(trace, scores, turn, &played, &by_rules)?;
        let is_end = scores.is_object() || output.json().at("command").string().is_some_and(|command| command == "finish");
        let ends = [(output.json().at("content"), "content"), (end_scores, "scores")];
        log.difference =
            log.difference.take().or_else(|| of_answers(turn, &answers, &parsed, &shown)).or_else(|| {
                ends.into_iter().filter(|_| is_end).find_map(|(logged, key)| of_scores(turn, logged, &by_rules, key))
            });
        log.turns.push(players);
    }
    Ok(log)
}

/// Compares what the judge displayed after a turn with the rules.
fn compare(
    trace: Json<'_>,
    logged_scores: Json<'_>,
    turn: usize,
    played: &SessionTurn,
    scores: &BySeat<Score>,
) -> Result<(), MatchLogError> {
    let (logged, expected) = (trace.at("strengthDelta"), played.report.strength_delta.0);
    if logged.is_list() && logged.small_tree() != Some(json!(expected)) {
        return Err(MatchLogError::StrengthDelta { turn, logged: logged.quoted(), expected });
    }
    let by_seat = of_seats(logged_scores);
    if logged_scores.is_object() && !scores.iter().all(|(seat, score)| is_same_score(by_seat[seat], *score)) {
        return Err(MatchLogError::Scores { turn, logged: logged_scores.quoted(), expected: result(scores) });
    }
    Ok(())
}

/// Reads by the first ruling under which that succeeds, [`ForfeitRuling::Sample`] first.
pub(crate) fn by_any_ruling<T, E>(read: impl Fn(Ruleset) -> Result<T, E>) -> Result<T, E> {
    let mut readings = ForfeitRuling::ALL.into_iter().map(|ruling| read(Ruleset::default().with_forfeit_ruling(ruling)));
    let first = readings.next().expect("there is a ruling");
    first.or_else(|error| readings.find_map(Result::ok).ok_or(error))
}

/// Returns the items of a log, which it is or has in one of these places, as a list that is not empty.
fn items<'a>(json: Json<'a>, places: [Option<Json<'a>>; 2]) -> Option<HeldJson<'a>> {
    if let Some(first) = json.items().next() {
        return first.get("output").map(|_| HeldJson::from(json));
    }
    places.into_iter().flatten().map(Json::decoded).find(|items| items.json().items().next().is_some())
}

/// Reads the map of the init data in the judge's first output, or else those that the match was started with, or else a player's first
/// request.
fn read_map(init_data: Json<'_>, first: Json<'_>, base: Ruleset) -> Result<Map, MatchLogError> {
    let output = first.at("output").decoded();
    let [of_judge, display, content] = output.json().get_all(["initdata", "display", "content"]);
    let places = [of_judge, display, Some(init_data), content.and_then(|content| content.get("0"))];
    let mut places = places.into_iter().flatten().map(Json::decoded);
    let found = places.find(|place| init_data::recognises(place.json())).ok_or(MatchLogError::NoMap)?;
    let (map, _) = init_data::read_json(found.json(), 0, base).map_err(MatchLogError::InitData)?;
    Ok(map)
}

/// Returns the name of a game, which may be an object or a string. An id says nothing.
fn name_of_game(game: Json<'_>) -> Option<Cow<'_, str>> {
    let is_id = |name: &str| name.len() == 24 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    game.get("name").unwrap_or(game).string().filter(|name| !is_id(name))
}

fn name(player: Json<'_>) -> Option<String> {
    let [bot, name] = player.get_all(["bot", "name"]);
    let [bot_name, bot_id] = bot.map_or([None; 2], |bot| bot.get_all(["name", "_id"]));
    [bot, bot_name, bot_id, name].into_iter().flatten().find_map(id_of).map(Cow::into_owned)
}

/// Returns an id, which exports of MongoDB wrap in an object.
fn id_of(value: Json<'_>) -> Option<Cow<'_, str>> {
    value.get("$oid").unwrap_or(value).string()
}

pub(crate) fn responses(players: &BySeat<Option<LoggedPlayer>>) -> BySeat<Option<ParsedResponse>> {
    BySeat::from_fn(|seat| Some(players[seat].as_ref()?.parsed.clone()))
}

fn logged_player(item: &PlayerItem<'_>, parsed: ParsedResponse) -> LoggedPlayer {
    let &PlayerItem { response, verdict, error, debug, time, memory } = item;
    // A time-out may stand beside the response; in its place it means the same.
    let response = match (response, error) {
        (response, Some(error)) if response.is_null() => JsonText::from_text(&format!("{{\"error\":{}}}", JsonText::from(error))),
        (response, _) => response.into(),
    };
    LoggedPlayer {
        verdict: verdict.unwrap_or(parsed.verdict()),
        response,
        parsed,
        debug: debug.map(JsonText::from),
        time_ms: time.and_then(|time| time.scalar().as_u64()),
        memory_mb: memory.and_then(|memory| memory.scalar().as_u64()),
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
        item["debug"] = debug.to_value();
    }
    item
}
