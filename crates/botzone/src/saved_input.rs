//! The input of a bot, which its author kept: all requests to one seat, and so all actions but those of the last turn.

use pacman2_maps::MapError;
use pacman2_rules::{BySeat, Ruleset, Seat};
use serde_json::Value;

use crate::init_data;
use crate::json::{HeldJson, Json};
use crate::json_text::JsonText;
use crate::judge::of_seats;
use crate::match_log::{LoggedPlayer, MatchLog, by_any_ruling, responses};
use crate::response::{ParsedResponse, Verdict};
use crate::session::{Session, seat_of};

/// A bot's input as a match that ends with the last turn whose actions it has.
#[derive(Clone, Debug)]
pub struct SavedInput {
    /// The bot's seat.
    pub seat: Seat,
    /// The match so far. The responses of the bot are as it gave them.
    pub log: MatchLog,
    /// What the bot had stored for its next turn.
    pub data: JsonText,
}

/// Why a bot's input cannot be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedInputError {
    /// There is no list of requests.
    #[error("expected a bot's input with a non-empty list requests")]
    NoRequests,
    /// The first request is not a map that can be played.
    #[error("the init data of the first request cannot be played: {0}")]
    InitData(MapError),
    /// The first request does not name the bot's seat.
    #[error("the first request has no seat: expected an id from 0 to 3, got {0}")]
    NoSeat(Value),
    /// A later request lacks the action of a living player.
    #[error("turn {turn}: player {seat} is alive, but has no action in the request after the turn")]
    NoAction {
        /// The turn, counted from 1.
        turn: usize,
        /// The player.
        seat: Seat,
    },
    /// There are more requests than the game has turns.
    #[error("turn {turn} comes after the end of the game")]
    GameOver {
        /// The turn that does not exist, counted from 1.
        turn: usize,
    },
}

impl SavedInput {
    /// Returns whether this JSON looks like a bot's input.
    ///
    /// ```
    /// use pacman2_botzone::saved_input::SavedInput;
    /// use pacman2_botzone::Json;
    ///
    /// let recognises = |text| SavedInput::recognises(Json::parse(text).unwrap());
    /// assert!(recognises(r#"{"requests": [{"id": 0, "seed": 42}], "responses": []}"#));
    /// assert!(!recognises(r#"{"seed": 42}"#));
    /// ```
    #[must_use]
    pub fn recognises(json: Json<'_>) -> bool {
        json.at("requests").decoded().json().items().next().is_some()
    }

    /// Returns the init data of the first request.
    #[must_use]
    pub fn init_data(json: Json<'_>) -> JsonText {
        let requests = json.at("requests").decoded();
        let first = requests.json().items().next().unwrap_or(Json::NULL).decoded();
        first.json().into()
    }

    /// Reads an input, whose lists may each be a text that holds the JSON. `base` gives the forfeit ruling, and the settings that the first request lacks; without it, the input is read by
    /// the first ruling under which it agrees with the rules.
    ///
    /// # Errors
    /// Fails if the first request has no map or seat, or if a later one lacks the action of a living player.
    ///
    /// ```
    /// use pacman2_botzone::saved_input::SavedInput;
    /// use pacman2_botzone::JsonText;
    /// use serde_json::json;
    ///
    /// let stay = json!({ "action": -1 });
    /// let input = json!({
    ///     "requests": [{ "id": 2, "seed": 42 }, { "0": stay, "1": stay, "2": stay, "3": stay }],
    ///     "responses": [{ "action": -1, "tauntText": "mine!" }],
    /// });
    /// let input = SavedInput::read(JsonText::from(input).json(), None).unwrap();
    /// assert_eq!((input.seat.index(), input.log.turns.len()), (2, 1));
    /// ```
    pub fn read(json: Json<'_>, base: Option<Ruleset>) -> Result<SavedInput, SavedInputError> {
        base.map_or_else(|| by_any_ruling(|base| read(json, base)), |base| read(json, base))
    }
}

/// Joins what a bot that keeps running has read: its first input in the first line, and in each later one a request, either alone or
/// in `requests`. Returns `None` for any other text.
///
/// ```
/// use pacman2_botzone::saved_input::joined;
///
/// let first = r#"{"requests": [{"id": 2, "seed": 42}], "responses": []}"#;
/// let request = r#"{"0": {"action": -1}, "1": null, "2": {"action": 0}, "3": null}"#;
/// let input = joined(&format!("{first}\n{request}\n{request}\n")).unwrap();
/// assert_eq!(input.json().at("requests").items().count(), 3);
/// assert!(joined(&format!("{first}\n{first}\n")).is_none());
/// ```
#[must_use]
pub fn joined(text: &str) -> Option<HeldJson<'static>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).map(Json::parse);
    let first = lines.next()?.ok().filter(|json| SavedInput::recognises(*json))?;
    let [requests, responses, data] = first.get_all(["requests", "responses", "data"]);
    let mut all: Vec<&str> = requests?.items().map(Json::as_str).collect();
    let before = all.len();
    for line in lines {
        let line = line.ok()?;
        let requests: Vec<_> = line.at("requests").items().take(2).collect();
        let request = if let [request] = requests[..] { request } else { line };
        of_seats(request).iter().any(|(_, action)| !action.is_null()).then(|| all.push(request.as_str()))?;
    }
    let [responses, data] = [responses, data].map(|value| value.unwrap_or(Json::NULL));
    let input = format!("{{\"requests\":[{}],\"responses\":{responses},\"data\":{data}}}", all.join(","));
    (all.len() > before).then(|| HeldJson::from_checked(input.into()))
}

fn read(json: Json<'_>, base: Ruleset) -> Result<SavedInput, SavedInputError> {
    let [requests, answers, data] = json.get_all(["requests", "responses", "data"]).map(|value| value.unwrap_or(Json::NULL));
    let (requests, answers) = (requests.decoded(), answers.decoded());
    let (mut requests, mut answers) = (requests.json().items(), answers.json().items());
    let first = requests.next().ok_or(SavedInputError::NoRequests)?.decoded();
    let (map, _) = init_data::read_json(first.json(), 0, base).map_err(SavedInputError::InitData)?;
    let seat = seat_of(&first.json().at("id").quoted()).map_err(SavedInputError::NoSeat)?;
    let mut names = BySeat::default();
    names[seat] = Some("bot".to_owned());
    let mut log = MatchLog { id: None, map, names, turns: Vec::new(), difference: None };
    let mut session = Session::new(log.map.clone());
    for (turn, request) in (1..).zip(requests) {
        let request = request.decoded();
        let shown = of_seats(request.json());
        let given = answers.next().unwrap_or(Json::NULL);
        let mut players = BySeat::default();
        for other in session.game().state().alive.iter() {
            let parsed = ParsedResponse::from_echo(shown[other].decoded().json());
            let parsed = parsed.ok_or(SavedInputError::NoAction { turn, seat: other })?;
            players[other] = Some(logged(parsed, if other == seat { given } else { Json::NULL }));
        }
        session.play(&responses(&players)).ok_or(SavedInputError::GameOver { turn })?;
        log.turns.push(players);
    }
    let data = if data.is_null() { JsonText::default() } else { data.into() };
    Ok(SavedInput { seat, log, data })
}

/// Returns what is known of a player in a turn. Its own response counts if it asks for the same action as others were shown.
fn logged(parsed: ParsedResponse, own: Json<'_>) -> LoggedPlayer {
    let given = ParsedResponse::from_json(own, Verdict::Ok);
    let (parsed, response) = match given.number() {
        Some(number) if Some(number) == parsed.number() => (given, own.into()),
        _ => (parsed.clone(), parsed.plain().into()),
    };
    LoggedPlayer { verdict: parsed.verdict(), response, parsed, debug: None, time_ms: None, memory_mb: None }
}
