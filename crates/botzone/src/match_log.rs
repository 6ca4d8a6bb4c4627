//! The logs of whole matches, as users download them from Botzone: written, and read in both forms.

use std::fmt;

use pacman2_maps::Map;
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Score, Seat};
use serde_json::{Value, json};

use crate::judge::{first_output, given, hear_all, later_output};
use crate::response::{ParsedResponse, TAUNT_BYTES, Verdict};
use crate::session::{Session, SessionTurn, result};
use crate::{action, by_seat, cut, init_data};

/// A match that was logged.
#[derive(Clone, Debug)]
pub struct MatchLog {
    /// The match's id, if the log has one.
    pub id: Option<String>,
    /// The map it was played on.
    pub map: Map,
    /// Who sat where, if the log says so.
    pub names: BySeat<Option<String>>,
    /// What the players said, turn by turn; `None` for the dead.
    pub turns: Vec<BySeat<Option<LoggedPlayer>>>,
}

/// What the log says of a player in a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedPlayer {
    /// What the judge heard.
    pub heard: ParsedResponse,
    /// What the platform said of the run.
    pub verdict: Verdict,
    /// The response as it was given; `null` if there was none.
    pub response: Value,
    /// For the reader of the log.
    pub debug: Option<Value>,
    /// How long the run took, in milliseconds.
    pub time_ms: Option<u64>,
    /// How much memory it took, in megabytes.
    pub memory_mb: Option<u64>,
}

/// Why a log cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchLogError(String);

impl fmt::Display for MatchLogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MatchLogError {}

impl MatchLog {
    /// Whether this JSON looks like a match log: it has a list of `log` items, or of `logs` in the light form.
    pub fn recognises(value: &Value) -> bool {
        items(value).is_some()
    }

    /// Reads a log by the first ruling that agrees with what the log itself says: `sample`, unless light was decisive for
    /// somebody who had forfeited.
    pub fn read_by_any_ruling(value: &Value) -> Result<MatchLog, MatchLogError> {
        let [sample, others @ ..] =
            ForfeitRuling::ALL.map(|ruling| MatchLog::read(value, Ruleset::default().with_forfeit_ruling(ruling)));
        sample.or_else(|error| others.into_iter().find_map(Result::ok).ok_or(error))
    }

    /// Reads a log: the object that Botzone lets users download, or the light form with `logs`. Orders are those that the
    /// judge displayed, so that what it forgave is forgiven here too; the changes of strength and the scores that it
    /// displayed must agree with the rules. `base` gives the forfeit ruling and the settings that the init data lacks.
    pub fn read(value: &Value, base: Ruleset) -> Result<MatchLog, MatchLogError> {
        let items = items(value).ok_or_else(|| MatchLogError("the match log has no list of log (or logs) items".into()))?;
        let (map, _) = init_data::read(&find_init_data(value, items), 0, base)
            .map_err(|refusal| MatchLogError(format!("the match log's init data cannot be played: {refusal}")))?;
        let mut log = MatchLog {
            id: value["_id"].as_str().map(str::to_owned),
            map,
            names: BySeat::from_fn(|seat| name(&value["players"][seat.index()])),
            turns: Vec::new(),
        };
        let mut table = Session::new(log.map.clone());
        let mut forgiven = Default::default();
        for (number, pair) in (1..).zip(items[1.min(items.len())..].chunks(2)) {
            let judged = hear_all(&pair[0], table.game().state().alive, &mut forgiven);
            let display = pair.get(1).map_or(&Value::Null, |item| &item["output"]["display"]);
            let turn = BySeat::from_fn(|seat| {
                let heard = judged[seat].clone()?;
                Some(logged(&pair[0][seat.to_string()], displayed(&display[seat.to_string()]).unwrap_or(heard)))
            });
            let played = table.play(&heard(&turn));
            let played = played.ok_or_else(|| MatchLogError(format!("turn {number} comes after the end of the game")))?;
            let told = &display["trace"]["strengthDelta"];
            let ours = played.report.strength_delta.0;
            if told.is_array() && *told != json!(ours) {
                return Err(MatchLogError(format!(
                    "turn {number}: the log says that strengths changed by {told}, the rules say {ours:?}"
                )));
            }
            let told = &display["result"];
            let scores = table.game().scores();
            if told.is_object() && !agree(told, &scores) {
                let ours = result(&scores);
                return Err(MatchLogError(format!(
                    "turn {number}: the log says that the scores are {told}, the rules say {ours}"
                )));
            }
            log.turns.push(turn);
        }
        Ok(log)
    }

    /// The log in the form that Botzone lets users download.
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

    /// Who sat on a seat, or just which player that is.
    pub fn name(&self, seat: Seat) -> String {
        self.names[seat].clone().unwrap_or_else(|| format!("player {seat}"))
    }

    /// Plays the match again and returns what came of each turn.
    pub fn replay(&self) -> Vec<SessionTurn> {
        let mut table = Session::new(self.map.clone());
        self.turns.iter().map_while(|turn| table.play(&heard(turn))).collect()
    }

    /// The scores, if the match was played to its end.
    pub fn scores(&self) -> Option<BySeat<Score>> {
        self.replay().last().and_then(|turn| turn.scores)
    }
}

/// Whether the scores are the same in hundredths: programs write floating-point numbers differently.
fn agree(told: &Value, scores: &BySeat<Score>) -> bool {
    scores.iter().all(|(seat, score)| {
        let told = told[seat.to_string()].as_f64();
        told.is_some_and(|told| (told * 100.0).round() == score.hundredths as f64)
    })
}

fn items(value: &Value) -> Option<&Vec<Value>> {
    ["log", "logs"].into_iter().find_map(|key| value[key].as_array()).filter(|items| !items.is_empty())
}

/// What the judge made of the init data, or else what the match was started with.
fn find_init_data(value: &Value, items: &[Value]) -> Value {
    let output = &items[0]["output"];
    for made in [&output["initdata"], &output["display"], &value["initdata"]] {
        match made {
            Value::String(text) => return serde_json::from_str(text).unwrap_or(Value::Null),
            Value::Object(_) => return made.clone(),
            _ => {}
        }
    }
    Value::Null
}

fn name(player: &Value) -> Option<String> {
    let bot = &player["bot"];
    [bot, &bot["name"], &bot["_id"], &player["name"]].into_iter().find_map(Value::as_str).map(str::to_owned)
}

fn heard(turn: &BySeat<Option<LoggedPlayer>>) -> BySeat<Option<ParsedResponse>> {
    BySeat::from_fn(|seat| Some(turn[seat].as_ref()?.heard.clone()))
}

/// What the judge displayed as a player's action, if it did.
fn displayed(display: &Value) -> Option<ParsedResponse> {
    let number = display.get("action").and_then(action::integer)?;
    if let Some(verdict) = display["reason"].as_str().and_then(|reason| reason.strip_prefix("INVALID_INPUT_VERDICT_")) {
        return Some(ParsedResponse::Nothing(Verdict::from_name(verdict)?));
    }
    let taunt = display["tauntText"].as_str();
    // Botzone's judge may have cut it within a character, and then the mark of that is more than 40 bytes.
    Some(ParsedResponse::Action { number, taunt: taunt.map(|taunt| cut(taunt.to_owned(), TAUNT_BYTES)) })
}

fn logged(item: &Value, heard: ParsedResponse) -> LoggedPlayer {
    // A time-out may stand beside the response; here, in its place, it says the same.
    let response = match (given(item), item.get("error")) {
        (Value::Null, Some(error)) => json!({ "error": error }),
        (response, _) => response.clone(),
    };
    let of_platform = item["verdict"].as_str().and_then(Verdict::from_name);
    let heard_verdict = match heard {
        ParsedResponse::Nothing(verdict) => verdict,
        ParsedResponse::Action { .. } => Verdict::Ok,
    };
    LoggedPlayer {
        verdict: of_platform.unwrap_or(heard_verdict),
        response,
        heard,
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
