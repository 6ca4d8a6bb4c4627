//! Botzone's judge: a program that is started afresh for every turn, reads the whole match, and writes what comes next.

use pacman2_maps::{Map, MapError};
use pacman2_rules::{Action, BySeat, Ruleset, Seat, SeatSet};
use serde_json::{Value, json};

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
    let input: Value = serde_json::from_str(input).map_err(JudgeError::NotJson)?;
    let log = match &input["log"] {
        Value::Null => &[][..],
        Value::Array(items) => items,
        _ => return Err(JudgeError::LogNotAList),
    };
    let map = init_data::read_as_judge(&match_init_data(&input, log), default_seed, base).map_err(JudgeError::InitData)?;
    let mut session = Session::new(map);
    let mut forgiven = SeatSet::EMPTY;
    let mut last = None;
    for (turn, item) in (1..).zip(log.iter().skip(1).step_by(2)) {
        let responses = parse_responses(item, session.game().state().alive, &mut forgiven);
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

/// Returns the init data of the match: those in the judge's own first output, if there is one, or else those of the input.
fn match_init_data(input: &Value, log: &[Value]) -> Value {
    let from_judge = log.first().map(|item| &item["output"]).and_then(|output| {
        [&output["initdata"], &output["display"]].into_iter().find(|init_data| init_data["static"].is_array())
    });
    match from_judge.unwrap_or(&input["initdata"]) {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| json!({})),
        other => other.clone(),
    }
}

/// Parses a log item with the players' responses, for the players in `alive`.
pub(crate) fn parse_responses(item: &Value, alive: SeatSet, forgiven: &mut SeatSet) -> BySeat<Option<ParsedResponse>> {
    BySeat::from_fn(|seat| alive.contains(seat).then(|| parse_player_item(&item[seat.to_string()], seat, forgiven)))
}

/// Parses one player's part of a log item. A human's time-out is forgiven once a game and counts as a stay.
fn parse_player_item(item: &Value, seat: Seat, forgiven: &mut SeatSet) -> ParsedResponse {
    let response = response_of(item);
    let timed_out = [item, response].iter().any(|value| value["error"] == "Timeout");
    if timed_out && !forgiven.contains(seat) {
        forgiven.insert(seat);
        return ParsedResponse::Action { number: action::to_number(Action::Stay), taunt: None };
    }
    let verdict = verdict_of(item).unwrap_or(Verdict::Ok);
    ParsedResponse::from_response(response, verdict)
}

/// Returns the `response` in one player's part of a log item, or its `content` if there is none.
pub(crate) fn response_of(item: &Value) -> &Value {
    [&item["response"], &item["content"]].into_iter().find(|response| !response.is_null()).unwrap_or(&Value::Null)
}

/// Returns Botzone's verdict on the run of a player in a log.
pub(crate) fn verdict_of(item: &Value) -> Option<Verdict> {
    item["verdict"].as_str()?.parse().ok().filter(Verdict::is_of_run)
}
