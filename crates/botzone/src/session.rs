//! A match as Botzone's judge keeps it, with the requests that bots receive and what the player page displays.

use pacman2_maps::Map;
use pacman2_rules::{Action, BySeat, Game, Report, Score, Seat, State, scores};
use serde_json::{Value, json};

use crate::action::{UNREADABLE, to_number};
use crate::response::ParsedResponse;
use crate::{ChangeFlags, by_seat, init_data};

/// A match as Botzone's judge keeps it: it takes the players' responses and plays the turns.
///
/// ```
/// use pacman2_botzone::response::ParsedResponse;
/// use pacman2_botzone::session::{Session, first_request};
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_rules::{BySeat, Ruleset, Seat};
/// use serde_json::json;
///
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// let mut session = Session::new(map);
/// assert_eq!(first_request(session.map(), Seat::S1)["id"], 1);
///
/// // All four stay.
/// let stay = ParsedResponse::Action { number: -1, taunt: None };
/// let turn = session.play(&BySeat::from_fn(|_| Some(stay.clone()))).unwrap();
/// assert_eq!(turn.request()["3"], json!({ "action": -1 }));
/// assert_eq!(turn.display()["trace"]["strengthDelta"], json!([0, 0, 0, 0]));
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    map: Map,
    game: Game,
    /// The action that the judge displays for each player: that of this turn, or a dead player's last.
    displayed: BySeat<i32>,
}

/// A turn that has been played.
#[derive(Clone, Debug)]
pub struct SessionTurn {
    /// The response of each player that was alive before the turn.
    pub responses: BySeat<Option<ParsedResponse>>,
    /// What happened.
    pub report: Report,
    /// The position after the turn.
    pub state: State,
    /// The scores, if the game is over.
    pub scores: Option<BySeat<Score>>,
    displayed: BySeat<i32>,
}

impl Session {
    /// Creates a session that begins with this map.
    #[must_use]
    pub fn new(map: Map) -> Session {
        let game = Game::new(map.maze.clone(), map.start);
        Session { map, game, displayed: BySeat([to_number(Action::Stay); 4]) }
    }

    /// Returns the game.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the map that the match began with.
    #[must_use]
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Plays one turn. A living player without a response forfeits; responses of the dead are ignored.
    ///
    /// Returns `None` if the game is over.
    pub fn play(&mut self, responses: &BySeat<Option<ParsedResponse>>) -> Option<SessionTurn> {
        let was_alive = self.game.state().alive;
        let actions = BySeat::from_fn(|seat| responses[seat].as_ref().map_or(Action::Invalid, ParsedResponse::action));
        let report = self.game.play(&actions)?;
        let responses = BySeat::from_fn(|seat| responses[seat].clone().filter(|_| was_alive.contains(seat)));
        for seat in was_alive.iter() {
            self.displayed[seat] = match (report.actions[seat], &responses[seat]) {
                (Some(Action::Invalid) | None, Some(ParsedResponse::Action { number, .. })) => *number,
                (Some(action), _) => to_number(action),
                (None, _) => UNREADABLE,
            };
        }
        let state = self.game.state();
        let scores = self.game.is_over().then(|| scores(&state.strength));
        Some(SessionTurn { responses, report, state: *state, scores, displayed: self.displayed })
    }
}

impl SessionTurn {
    /// Returns the request that living bots receive after this turn: each player's action as it asked for it, and `null`
    /// for players that were dead before.
    #[must_use]
    pub fn request(&self) -> Value {
        by_seat(self.responses.iter().map(|(seat, response)| {
            let action = response.as_ref().map_or(Value::Null, |response| echo(response, false));
            (seat, action)
        }))
    }

    /// Returns what the player page displays: the request without players that were dead before, with taunts and with what
    /// the turn changed.
    #[must_use]
    pub fn display(&self) -> Value {
        let alive = self.responses.iter().filter_map(|(seat, response)| Some((seat, response.as_ref()?)));
        let mut display = by_seat(alive.map(|(seat, response)| (seat, echo(response, true))));
        display["trace"] = json!({
            "actions": self.displayed.0,
            "change": ChangeFlags::from_report(&self.report).0.map(ChangeFlags::bits),
            "strengthDelta": self.report.strength_delta.0,
        });
        if let Some(scores) = &self.scores {
            display["result"] = result(scores);
        }
        display
    }
}

/// Returns a response as the judge passes it on.
fn echo(response: &ParsedResponse, with_taunt: bool) -> Value {
    match response {
        ParsedResponse::Nothing(verdict) => {
            json!({ "action": UNREADABLE, "reason": format!("INVALID_INPUT_VERDICT_{verdict}") })
        }
        ParsedResponse::Action { number, taunt: Some(taunt) } if with_taunt => json!({ "action": number, "tauntText": taunt }),
        ParsedResponse::Action { number, .. } => json!({ "action": number }),
    }
}

/// Returns a bot's first request: the map as init data, and the bot's seat as `id`.
#[must_use]
pub fn first_request(map: &Map, seat: Seat) -> Value {
    let mut request = init_data::write(map);
    request["id"] = seat.index().into();
    request
}

/// Returns the seat that the id of a first request names, or what stands in its place.
pub(crate) fn seat_of(id: &Value) -> Result<Seat, Value> {
    id.as_u64().and_then(|id| Seat::new(id as usize)).ok_or_else(|| id.clone())
}

/// Returns a bot's limits as Botzone's wiki names them in a request, `time_limit` and `memory_limit`: in seconds and MB, as local
/// runners send them; `null` for none.
///
/// ```
/// use pacman2_botzone::session::limits;
/// use serde_json::json;
///
/// assert_eq!(limits(Some(3000), Some(256)), [json!(3), json!(256)]);
/// assert_eq!(limits(Some(500), None), [json!(0.5), json!(null)]);
/// ```
#[must_use]
pub fn limits(time_ms: Option<u64>, memory_mb: Option<u64>) -> [Value; 2] {
    let seconds = |ms: u64| if ms.is_multiple_of(1000) { (ms / 1000).into() } else { (ms as f64 / 1000.0).into() };
    [time_ms.map_or(Value::Null, seconds), memory_mb.into()]
}

/// Returns scores as Botzone writes them: points by seat.
///
/// ```
/// use pacman2_botzone::session::result;
/// use pacman2_rules::{BySeat, scores};
/// use serde_json::json;
///
/// let scores = scores(&BySeat([60, 20, 20, 0]));
/// assert_eq!(result(&scores), json!({ "0": 100.0, "1": 40.0, "2": 40.0, "3": 10.0 }));
/// ```
#[must_use]
pub fn result(scores: &BySeat<Score>) -> Value {
    by_seat(scores.iter().map(|(seat, score)| (seat, score.points().into())))
}
