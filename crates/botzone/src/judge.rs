//! Botzone's judge: a program that is started afresh for every turn, reads the whole match, and writes what comes next.

use pacman2_maps::{Map, MapError};
use pacman2_rules::{Action, BySeat, Ruleset, Seat, SeatSet};
use serde_json::{Value, json};

use crate::json::Json;
use crate::response::{ParsedResponse, Verdict};
use crate::session::{Session, SessionTurn, first_request, result};
use crate::{action, by_seat, init_data};

/// Why the judge cannot answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The input is not JSON.
    #[error("the input is not JSON ({0}); expected one object with log and initdata")]
    NotJson(serde_json::Error),
    /// The `log` of the input is not a list.
    #[error("log: expected a list that alternates between the judge's outputs and the players' responses")]
    LogNotAList,
    /// The match's init data is not a map that can be played.
    #[error("the init data cannot be played: {0}")]
    InitData(MapError),
    /// The log has responses to a turn after the last.
    #[error("the log goes on after the end of the game, in turn {turn}")]
    GameOver {
        /// The turn that does not exist; turns count from 1.
        turn: usize,
    },
}

/// Answers the judge's input, `{"log": […], "initdata": …}`, as Botzone's judge does.
///
/// `base` gives the forfeit ruling, and the settings that the init data lacks. `default_seed` is the seed of a match whose
/// init data has none; Botzone's judge takes the clock.
///
/// # Errors
/// Fails if the input is not JSON, if its map cannot be played, or if its log has more turns than the game.
///
/// ```
/// use pacman2_botzone::judge::{self, JudgeError};
/// use pacman2_rules::{ForfeitRuling, Ruleset};
///
/// let rules = Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge);
/// let output = judge::answer(r#"{"log": [], "initdata": {"seed": 3}}"#, rules, 0)?;
/// assert_eq!(output["command"], "request");
/// assert_eq!(output["content"]["2"]["id"], 2);
/// # Ok::<(), JudgeError>(())
/// ```
pub fn answer(input: &str, base: Ruleset, default_seed: i32) -> Result<Value, JudgeError> {
    let input = Json::parse(input).map_err(JudgeError::NotJson)?;
    let [log, init_data] = input.get_all(["log", "initdata"]).map(|value| value.unwrap_or(Json::NULL));
    if !log.is_list() && !log.is_null() {
        return Err(JudgeError::LogNotAList);
    }
    let map = read_map(init_data, log, default_seed, base).map_err(JudgeError::InitData)?;
    let mut session = Session::new(map);
    let mut forgiven = SeatSet::EMPTY;
    let mut last = None;
    for (turn, item) in (1..).zip(log.items().skip(1).step_by(2)) {
        let (items, alive) = (of_seats(item), session.game().state().alive);
        let responses =
            BySeat::from_fn(|seat| alive.contains(seat).then(|| PlayerItem::from_json(items[seat]).parse(seat, &mut forgiven)));
        last = Some(session.play(&responses).ok_or(JudgeError::GameOver { turn })?);
    }
    Ok(match last {
        None => first_output(session.map()),
        Some(turn) => later_output(&turn),
    })
}

/// Returns the judge's output before the first turn: the map, and each player's first request.
///
/// ```
/// use pacman2_botzone::judge;
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_rules::Ruleset;
///
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// assert_eq!(judge::first_output(&map)["initdata"]["seed"], 42);
/// ```
#[must_use]
pub fn first_output(map: &Map) -> Value {
    let content = by_seat(Seat::ALL.into_iter().map(|seat| (seat, first_request(map, seat))));
    let init_data = init_data::write(map);
    json!({ "command": "request", "content": content, "display": init_data, "initdata": init_data })
}

/// Returns the judge's output after a turn: the next requests, or the scores if the game is over.
///
/// ```
/// use pacman2_botzone::judge;
/// use pacman2_botzone::session::Session;
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_rules::{BySeat, Ruleset};
///
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// // No player responds: all four die.
/// let turn = Session::new(map).play(&BySeat::default()).unwrap();
/// assert_eq!(judge::later_output(&turn)["command"], "finish");
/// ```
#[must_use]
pub fn later_output(turn: &SessionTurn) -> Value {
    match &turn.scores {
        Some(scores) => json!({ "command": "finish", "content": result(scores), "display": turn.display() }),
        None => {
            let content = by_seat(turn.state.alive.iter().map(|seat| (seat, turn.request())));
            json!({ "command": "request", "content": content, "display": turn.display() })
        }
    }
}

/// Reads the map of the match: that of the judge's own first output, if there is one, or else that of the input.
fn read_map(init_data: Json<'_>, log: Json<'_>, default_seed: i32, base: Ruleset) -> Result<Map, MapError> {
    let output = log.items().next().map_or(Json::NULL, |first| first.at("output"));
    let from_judge = output.get_all(["initdata", "display"]).into_iter().flatten();
    let init_data = from_judge.into_iter().find(|init_data| init_data.at("static").is_list()).unwrap_or(init_data);
    match init_data.string() {
        Some(text) => init_data::read_as_judge(Json::parse(&text).unwrap_or(Json::NULL), default_seed, base),
        None => init_data::read_as_judge(init_data, default_seed, base),
    }
}

/// Returns the values of the keys `0` to `3`; null for those that are missing.
pub(crate) fn of_seats(item: Json<'_>) -> BySeat<Json<'_>> {
    BySeat(item.get_all(["0", "1", "2", "3"]).map(|value| value.unwrap_or(Json::NULL)))
}

/// One player's part of a log item.
pub(crate) struct PlayerItem<'a> {
    /// Its `response`, or its `content` if there is none.
    pub(crate) response: Json<'a>,
    /// Botzone's verdict on the run.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) error: Option<Json<'a>>,
    pub(crate) debug: Option<Json<'a>>,
    pub(crate) time: Option<Json<'a>>,
    pub(crate) memory: Option<Json<'a>>,
}

impl<'a> PlayerItem<'a> {
    pub(crate) fn from_json(item: Json<'a>) -> PlayerItem<'a> {
        let [response, content, verdict, error, debug, time, memory] =
            item.get_all(["response", "content", "verdict", "error", "debug", "time", "memory"]);
        let response = response.filter(|response| !response.is_null()).or(content).unwrap_or(Json::NULL);
        let verdict = verdict.and_then(Json::string).and_then(|name| name.parse().ok()).filter(Verdict::is_of_run);
        PlayerItem { response, verdict, error, debug, time, memory }
    }

    /// Reads the response. A human's time-out is forgiven once a game and counts as a stay.
    pub(crate) fn parse(&self, seat: Seat, forgiven: &mut SeatSet) -> ParsedResponse {
        let errors = [self.error, self.response.get("error")];
        let timed_out = errors.into_iter().flatten().any(|error| error.string().is_some_and(|error| error == "Timeout"));
        if timed_out && !forgiven.contains(seat) {
            forgiven.insert(seat);
            return ParsedResponse::Action { number: action::to_number(Action::Stay), taunt: None };
        }
        ParsedResponse::from_json(self.response, self.verdict.unwrap_or(Verdict::Ok))
    }
}
