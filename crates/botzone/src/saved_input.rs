//! The input of a bot, which its author kept: all requests to one seat, and so all actions but those of the last turn.

use pacman2_maps::MapError;
use pacman2_rules::{BySeat, Ruleset, Seat};
use serde_json::Value;

use crate::init_data;
use crate::json_text::JsonText;
use crate::match_log::{LoggedPlayer, MatchLog, by_any_ruling, decoded, responses};
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
    /// use serde_json::json;
    ///
    /// assert!(SavedInput::recognises(&json!({ "requests": [{ "id": 0, "seed": 42 }], "responses": [] })));
    /// assert!(!SavedInput::recognises(&json!({ "seed": 42 })));
    /// ```
    #[must_use]
    pub fn recognises(value: &Value) -> bool {
        value["requests"].as_array().is_some_and(|requests| !requests.is_empty())
    }

    /// Reads an input by the first ruling under which it agrees with the rules.
    ///
    /// # Errors
    /// Fails with the error of the first ruling if it can be read under none.
    pub fn read_by_any_ruling(value: &Value) -> Result<SavedInput, SavedInputError> {
        by_any_ruling(|base| SavedInput::read(value, base))
    }

    /// Reads an input. `base` gives the forfeit ruling, and the settings that the first request lacks.
    ///
    /// # Errors
    /// Fails if the first request has no map or seat, or if a later one lacks the action of a living player.
    ///
    /// ```
    /// use pacman2_botzone::saved_input::SavedInput;
    /// use pacman2_rules::Ruleset;
    /// use serde_json::json;
    ///
    /// let stay = json!({ "action": -1 });
    /// let input = json!({
    ///     "requests": [{ "id": 2, "seed": 42 }, { "0": stay, "1": stay, "2": stay, "3": stay }],
    ///     "responses": [{ "action": -1, "tauntText": "mine!" }],
    /// });
    /// let input = SavedInput::read(&input, Ruleset::default()).unwrap();
    /// assert_eq!((input.seat.index(), input.log.turns.len()), (2, 1));
    /// ```
    pub fn read(value: &Value, base: Ruleset) -> Result<SavedInput, SavedInputError> {
        let requests = value["requests"].as_array().map(Vec::as_slice);
        let Some([first, later @ ..]) = requests else { return Err(SavedInputError::NoRequests) };
        let first = decoded(first);
        let (map, _) = init_data::read(&first, 0, base).map_err(SavedInputError::InitData)?;
        let seat = seat_of(&first).map_err(SavedInputError::NoSeat)?;
        let mut names = BySeat::default();
        names[seat] = Some("bot".to_owned());
        let mut log = MatchLog { id: None, map, names, turns: Vec::new() };
        let mut session = Session::new(log.map.clone());
        for (index, request) in later.iter().enumerate() {
            let (turn, request) = (index + 1, decoded(request));
            let mut players = BySeat::default();
            for other in session.game().state().alive.iter() {
                let parsed = ParsedResponse::from_echo(&decoded(&request[other.to_string()]));
                let parsed = parsed.ok_or(SavedInputError::NoAction { turn, seat: other })?;
                let own = if other == seat { &value["responses"][index] } else { &Value::Null };
                players[other] = Some(logged(parsed, own));
            }
            session.play(&responses(&players)).ok_or(SavedInputError::GameOver { turn })?;
            log.turns.push(players);
        }
        Ok(SavedInput { seat, log, data: JsonText::stored(&value["data"]) })
    }
}

/// Returns what is known of a player in a turn. Its own response counts if it asks for the same action as others were shown.
fn logged(parsed: ParsedResponse, own: &Value) -> LoggedPlayer {
    let given = ParsedResponse::from_response(own, Verdict::Ok);
    let (parsed, response) = match given.number() {
        Some(number) if Some(number) == parsed.number() => (given, own.clone()),
        _ => (parsed.clone(), parsed.plain()),
    };
    LoggedPlayer { verdict: parsed.verdict(), response, parsed, debug: None, time_ms: None, memory_mb: None }
}
