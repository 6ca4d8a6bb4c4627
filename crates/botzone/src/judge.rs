//! Botzone's judge: a program that is started afresh for every turn, reads the whole match, and says what comes next.

use std::fmt;

use pacman2_rules::{BySeat, Ruleset, Seat, SeatSet};
use serde_json::{Value, json};

use crate::response::{ParsedResponse, Verdict};
use crate::session::{Session, first_request, result};
use crate::{by_seat, init_data};

/// Why the judge cannot say what comes next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgeError(String);

impl fmt::Display for JudgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for JudgeError {}

/// Answers the judge's input, `{"log": […], "initdata": …}`, as Botzone's judge does. `clock` is the seed of a match that
/// comes without one; `base` gives the forfeit ruling and the settings that init data lacks.
pub fn answer(input: &str, base: Ruleset, clock: i32) -> Result<Value, JudgeError> {
    let input: Value = serde_json::from_str(input)
        .map_err(|error| JudgeError(format!("the input is not JSON ({error}); one object with log and initdata is wanted")))?;
    let no_log = Vec::new();
    let log = match &input["log"] {
        Value::Null => &no_log,
        Value::Array(items) => items,
        _ => {
            return Err(JudgeError(
                "log is not a list; the outputs of the judge and the players' answers in turn are wanted".into(),
            ));
        }
    };
    let map = init_data::read_as_judge(&match_init_data(&input, log), clock, base)
        .map_err(|refusal| JudgeError(format!("the init data cannot be played: {refusal}")))?;
    let mut table = Session::new(map);
    let mut forgiven = SeatSet::EMPTY;
    let mut last = None;
    for answers in log.iter().skip(1).step_by(2) {
        let alive = table.game().state().alive;
        let heard = hear_all(answers, alive, &mut forgiven);
        let turn = table.play(&heard);
        last = Some(turn.ok_or_else(|| JudgeError("the log goes on after the end of the game".into()))?);
    }
    Ok(match last {
        None => first_output(table.map()),
        Some(turn) => later_output(&turn),
    })
}

/// The init data of the match: what the judge itself made of it in its first output, if there is one.
fn match_init_data(input: &Value, log: &[Value]) -> Value {
    let first = log.first().map(|item| &item["output"]);
    let made =
        first.and_then(|output| [&output["initdata"], &output["display"]].into_iter().find(|made| made["static"].is_array()));
    match made.unwrap_or(&input["initdata"]) {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| json!({})),
        other => other.clone(),
    }
}

/// What the judge hears in a log item of the players' answers.
pub(crate) fn hear_all(answers: &Value, alive: SeatSet, forgiven: &mut SeatSet) -> BySeat<Option<ParsedResponse>> {
    BySeat::from_fn(|seat| alive.contains(seat).then(|| hear(&answers[seat.to_string()], seat, forgiven)))
}

/// What the judge hears in one player's part of a log item. A human who was too slow is forgiven once a game.
fn hear(item: &Value, seat: Seat, forgiven: &mut SeatSet) -> ParsedResponse {
    let response = given(item);
    let timed_out = [item, response].iter().any(|value| value["error"] == "Timeout");
    if timed_out && !forgiven.contains(seat) {
        forgiven.insert(seat);
        return ParsedResponse::Action { number: crate::action::to_number(pacman2_rules::Action::Stay), taunt: None };
    }
    let verdict = item["verdict"].as_str().and_then(Verdict::from_name).unwrap_or(Verdict::Ok);
    ParsedResponse::from_response(response, verdict)
}

/// The response in one player's part of a log item, or the `content` where there is none.
pub(crate) fn given(item: &Value) -> &Value {
    [&item["response"], &item["content"]].into_iter().find(|given| !given.is_null()).unwrap_or(&Value::Null)
}

/// What the judge says before the first turn.
pub fn first_output(map: &pacman2_maps::Map) -> Value {
    let content = by_seat(Seat::ALL.into_iter().map(|seat| (seat, first_request(map, seat))));
    let init_data = init_data::write(map);
    json!({ "command": "request", "content": content, "display": init_data, "initdata": init_data })
}

/// What the judge says after a turn.
pub fn later_output(turn: &crate::session::SessionTurn) -> Value {
    match &turn.scores {
        Some(scores) => json!({ "command": "finish", "content": result(scores), "display": turn.display() }),
        None => {
            let content = by_seat(turn.state.alive.iter().map(|seat| (seat, turn.request())));
            json!({ "command": "request", "content": content, "display": turn.display() })
        }
    }
}
