//! One match of the Local AI: its turns so far, and the answer that is on its way.

use pacman2_maps::MapError;
use pacman2_rules::{BySeat, Ruleset, Seat};
use serde_json::{Value, json};

use super::poll::{Envelope, Message, is_first_request};
use crate::response::{ParsedResponse, Verdict};
use crate::session::{Session, SessionTurn, seat_of};
use crate::{JsonText, init_data};

/// A match as the client knows it.
#[derive(Clone, Debug)]
pub struct LocalMatch {
    seat: Seat,
    ruleset: Ruleset,
    /// The requests so far. The last one is being answered.
    requests: Vec<JsonText>,
    /// Our own responses to all requests but the last.
    responses: Vec<JsonText>,
    session: Session,
    turns: Vec<SessionTurn>,
    answer: Answer,
}

/// The answer to the last request.
#[derive(Clone, PartialEq, Debug)]
enum Answer {
    Awaited,
    Unsent(JsonText),
    Delivered(JsonText),
}

/// What a request means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Received {
    /// It is a new turn, which needs an answer.
    NewTurn,
    /// It is the last request again. If its answer was delivered, it is to be sent again.
    Repeated,
    /// It is an older state of the match, and means nothing.
    Older,
    /// It is another past of the match, from which it goes on with a new turn.
    Replaced,
}

/// Why a request cannot be played.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The match is unknown, and the request is not its first.
    #[error("the match began before, and the request holds nothing but its last turn")]
    NoBeginning,
    /// The first request has no map that can be played.
    #[error("the first request is not that of Pacman2: {0}")]
    InitData(MapError),
    /// The first request does not say which player the bot is.
    #[error("the first request has no seat: expected an id from 0 to 3, got {0}")]
    NoSeat(Value),
    /// A request lacks the action of a living player.
    #[error("turn {turn}: expected an action of player {seat}, which is alive, got {got}")]
    NoAction {
        /// The turn whose actions the request reports, counted from 1.
        turn: usize,
        /// The player.
        seat: Seat,
        /// What stands there.
        got: Value,
    },
    /// The game was over before.
    #[error("a request came after the end of the game")]
    GameOver,
    /// Our own player is dead.
    #[error("turn {turn}: a request came although the bot is dead")]
    Dead {
        /// The turn that the request asks for, counted from 1.
        turn: usize,
    },
    /// It is the first request of another match.
    #[error("the request begins another match under the same id")]
    OtherMatch,
}

impl LocalMatch {
    /// Begins a match with its first request, or with an envelope of all its requests. `base` gives the forfeit ruling, and the
    /// settings that the init data lacks.
    ///
    /// # Errors
    /// Fails if the message does not hold the first request, or if a request cannot be played.
    pub fn begin(message: &Message, base: Ruleset) -> Result<LocalMatch, RequestError> {
        let whole;
        let envelope = match message {
            Message::Envelope(envelope) => envelope,
            Message::Turn(request) => {
                whole = Envelope { requests: vec![request.clone()], ..Envelope::default() };
                &whole
            }
        };
        let (first, later) = envelope.requests.split_first().ok_or(RequestError::NoBeginning)?;
        if !is_first_request(first) && Seat::ALL.into_iter().any(|seat| first.get(seat.to_string()).is_some()) {
            return Err(RequestError::NoBeginning);
        }
        let (map, _) = init_data::read(first, 0, base).map_err(RequestError::InitData)?;
        let seat = seat_of(&first["id"]).map_err(RequestError::NoSeat)?;
        let mut game = LocalMatch {
            seat,
            ruleset: base,
            requests: vec![JsonText::from(first)],
            responses: Vec::new(),
            session: Session::new(map),
            turns: Vec::new(),
            answer: Answer::Awaited,
        };
        for (request, response) in later.iter().zip(envelope.responses.iter().map(Some).chain(std::iter::repeat(None))) {
            if let Some(response) = response.filter(|response| !response.is_null()) {
                game.answer = Answer::Delivered(response.into());
            }
            game.play(request)?;
        }
        Ok(game)
    }

    /// Takes in a request. `answered` is whether the poll that brought it carried the answer to the last one.
    ///
    /// Two turns can have the same bare request, if all players do the same again. It is a new turn if our answer was delivered
    /// before and the request shows it as our action; otherwise Botzone asks again for the same turn.
    ///
    /// # Errors
    /// Fails if the request cannot be played. The match is then as before.
    pub fn receive(&mut self, message: &Message, answered: bool) -> Result<Received, RequestError> {
        match message {
            Message::Turn(request) => self.receive_turn(request, answered),
            Message::Envelope(envelope) => self.receive_envelope(envelope, answered),
        }
    }

    fn receive_turn(&mut self, request: &Value, answered: bool) -> Result<Received, RequestError> {
        let is_last = self.requests.last().is_some_and(|last| *last == *request);
        if is_last && !(answered && self.shows_our_answer(request)) {
            return Ok(self.repeat(answered));
        }
        if is_first_request(request) {
            return if self.requests[0] == *request { Ok(Received::Older) } else { Err(RequestError::OtherMatch) };
        }
        self.try_play(std::slice::from_ref(request), &[])
    }

    fn receive_envelope(&mut self, envelope: &Envelope, answered: bool) -> Result<Received, RequestError> {
        let known = self.requests.len();
        let is_same = self.requests.iter().zip(&envelope.requests).all(|(ours, theirs)| *ours == *theirs);
        match &envelope.requests[..] {
            _ if !is_same => {
                *self = LocalMatch::begin(&Message::Envelope(envelope.clone()), self.ruleset)?;
                Ok(Received::Replaced)
            }
            requests if requests.len() < known => Ok(Received::Older),
            requests if requests.len() == known => Ok(self.repeat(answered)),
            requests => self.try_play(&requests[known..], envelope.responses.get(known - 1..).unwrap_or_default()),
        }
    }

    /// The last request came again. If Botzone had taken our answer, it would not ask.
    fn repeat(&mut self, answered: bool) -> Received {
        if let (Answer::Delivered(answer), true) = (&self.answer, answered) {
            self.answer = Answer::Unsent(answer.clone());
        }
        Received::Repeated
    }

    fn shows_our_answer(&self, request: &Value) -> bool {
        matches!(&self.answer, Answer::Delivered(answer) if self.is_shown(answer, request))
    }

    /// Plays these requests, or none of them.
    fn try_play(&mut self, requests: &[Value], responses: &[Value]) -> Result<Received, RequestError> {
        let mut after = self.clone();
        for (index, request) in requests.iter().enumerate() {
            if let Some(response) = responses.get(index).filter(|response| !response.is_null()) {
                after.answer = Answer::Delivered(response.into());
            }
            after.play(request)?;
        }
        *self = after;
        Ok(Received::NewTurn)
    }

    /// Plays the turn that a request reports. It asks for the next one.
    fn play(&mut self, request: &Value) -> Result<(), RequestError> {
        let turn = self.requests.len();
        let state = self.session.game().state();
        if self.session.game().is_over() {
            return Err(RequestError::GameOver);
        }
        let mut responses = BySeat::default();
        for seat in state.alive.iter() {
            let shown = &request[seat.to_string()];
            let echo = ParsedResponse::from_echo(JsonText::from(shown).json());
            responses[seat] = Some(echo.ok_or_else(|| RequestError::NoAction { turn, seat, got: shown.clone() })?);
        }
        // Botzone may have given up waiting for our answer, or not have understood it.
        let own = match &self.answer {
            Answer::Delivered(answer) | Answer::Unsent(answer) if self.is_shown(answer, request) => answer.clone(),
            _ => responses[self.seat].as_ref().map_or_else(|| Value::Null.into(), ParsedResponse::without_more),
        };
        let played = self.session.play(&responses).ok_or(RequestError::GameOver)?;
        self.turns.push(played);
        self.responses.push(own);
        self.requests.push(request.into());
        self.answer = Answer::Awaited;
        if self.session.game().is_over() {
            return Err(RequestError::GameOver);
        }
        if !self.session.game().state().alive.contains(self.seat) {
            return Err(RequestError::Dead { turn: turn + 1 });
        }
        Ok(())
    }

    /// Returns whether a request shows the action of this answer as ours.
    fn is_shown(&self, answer: &JsonText, request: &Value) -> bool {
        let ours = ParsedResponse::from_json(answer.json(), Verdict::Ok);
        let theirs = ParsedResponse::from_echo(JsonText::from(&request[self.seat.to_string()]).json());
        theirs.is_some_and(|theirs| theirs.without_more() == ours.without_more())
    }

    /// Sets the answer to the last request.
    pub fn answer(&mut self, response: JsonText) {
        self.answer = Answer::Unsent(response);
    }

    /// Returns whether the last request has no answer yet.
    #[must_use]
    pub fn awaits_answer(&self) -> bool {
        self.answer == Answer::Awaited
    }

    /// Returns the answer if it has to be sent with the next poll.
    #[must_use]
    pub fn unsent(&self) -> Option<&JsonText> {
        match &self.answer {
            Answer::Unsent(answer) => Some(answer),
            Answer::Awaited | Answer::Delivered(_) => None,
        }
    }

    /// Notes that a poll that carried the answer was replied to with status 200.
    pub fn delivered(&mut self) {
        if let Answer::Unsent(answer) = &self.answer {
            self.answer = Answer::Delivered(answer.clone());
        }
    }

    /// Returns our own seat.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the match after its last turn.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the turns so far.
    #[must_use]
    pub fn turns(&self) -> &[SessionTurn] {
        &self.turns
    }

    /// Returns our own response in each turn so far.
    #[must_use]
    pub fn responses(&self) -> &[JsonText] {
        &self.responses
    }

    /// Returns the match so far as an envelope, from which it [begins](LocalMatch::begin) again. `data` is what the bot stored.
    #[must_use]
    pub fn envelope(&self, data: &JsonText) -> Value {
        let list = |texts: &[JsonText]| texts.iter().map(JsonText::to_value).collect::<Value>();
        json!({ "requests": list(&self.requests), "responses": list(&self.responses), "data": data })
    }
}
