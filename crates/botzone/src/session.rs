//! What everybody is told of a turn: the request that bots get, and what the player page displays.

use pacman2_maps::Map;
use pacman2_rules::{BySeat, Game, Report, Score, Seat, State, scores};
use serde_json::{Value, json};

use crate::action::{UNREADABLE, to_number};
use crate::response::ParsedResponse;
use crate::{by_seat, init_data};

/// A game as Botzone's judge keeps it: it hears the players and tells everybody what came of it.
#[derive(Clone, Debug)]
pub struct Session {
    map: Map,
    game: Game,
    /// The action that the judge shows for each player: that of this turn, or a dead player's last.
    shown: BySeat<i32>,
}

/// A turn that has been played.
#[derive(Clone, Debug)]
pub struct SessionTurn {
    /// What the judge heard from each player that was alive.
    pub heard: BySeat<Option<ParsedResponse>>,
    /// What happened.
    pub report: Report,
    /// The position after it.
    pub state: State,
    /// The scores, if the game is over.
    pub scores: Option<BySeat<Score>>,
    shown: BySeat<i32>,
}

impl Session {
    /// A game that begins with this map.
    pub fn new(map: Map) -> Session {
        let game = Game::new(map.maze.clone(), map.start);
        Session { map, game, shown: BySeat([to_number(pacman2_rules::Action::Stay); 4]) }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The map it began with.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Plays a turn with what was heard; a living player from whom nothing was heard gave no order. `None` if the game is
    /// over.
    pub fn play(&mut self, heard: &BySeat<Option<ParsedResponse>>) -> Option<SessionTurn> {
        let was_alive = self.game.state().alive;
        let actions = BySeat::from_fn(|seat| heard[seat].as_ref().map_or(pacman2_rules::Action::Invalid, ParsedResponse::action));
        let report = self.game.play(&actions)?;
        let heard = BySeat::from_fn(|seat| heard[seat].clone().filter(|_| was_alive.contains(seat)));
        for seat in was_alive.iter() {
            self.shown[seat] = match (report.actions[seat], &heard[seat]) {
                (Some(pacman2_rules::Action::Invalid) | None, Some(ParsedResponse::Action { number, .. })) => *number,
                (Some(action), _) => to_number(action),
                (None, _) => UNREADABLE,
            };
        }
        let state = self.game.state();
        let scores = self.game.is_over().then(|| scores(&state.strength));
        Some(SessionTurn { heard, report, state: *state, scores, shown: self.shown })
    }
}

/// A bot's first request: the map and its own seat.
pub fn first_request(map: &Map, seat: Seat) -> Value {
    let mut request = init_data::write(map);
    request["id"] = seat.index().into();
    request
}

impl SessionTurn {
    /// What living bots are told of this turn: what each player asked for, and `null` for those who were dead before.
    pub fn request(&self) -> Value {
        self.actions(false)
    }

    /// What the player page displays: as the request, with taunts, and with what came of it.
    pub fn display(&self) -> Value {
        let mut display = self.actions(true);
        display["trace"] = json!({
            "actions": self.shown.0,
            "change": self.report.change.0.map(|change| change.0),
            "strengthDelta": self.report.strength_delta.0,
        });
        if let Some(scores) = &self.scores {
            display["result"] = result(scores);
        }
        display
    }

    fn actions(&self, with_taunts: bool) -> Value {
        let show = |heard: &Option<ParsedResponse>| match heard {
            None => Value::Null,
            Some(ParsedResponse::Nothing(verdict)) => {
                json!({ "action": UNREADABLE, "reason": format!("INVALID_INPUT_VERDICT_{verdict}") })
            }
            Some(ParsedResponse::Action { number, taunt: Some(taunt) }) if with_taunts => {
                json!({ "action": number, "tauntText": taunt })
            }
            Some(ParsedResponse::Action { number, .. }) => json!({ "action": number }),
        };
        by_seat(self.heard.iter().map(|(seat, heard)| (seat, show(heard))))
    }
}

/// Scores as Botzone writes them.
pub fn result(scores: &BySeat<Score>) -> Value {
    by_seat(scores.iter().map(|(seat, &score)| (seat, points(score))))
}

/// A score as Botzone writes it: a number of points, not of hundredths.
pub fn points(score: Score) -> Value {
    (score.hundredths as f64 / 100.0).into()
}
