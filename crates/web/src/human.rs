//! A human as a match player: a match asks, a page answers, with or without a clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pacman2_botzone::action;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_match::complaint::Complaint;
use pacman2_match::player::{Player, Request, ResourceUsage, Response};
use pacman2_rules::{Action, BySeat, Seat};
use serde_json::json;

/// How often a waiting match checks whether it was abandoned.
const STOP_POLL: Duration = Duration::from_millis(20);

/// The actions that the humans of a match choose. The match waits here, and a page answers with [`HumanInput::choose`].
pub struct HumanInput {
    questions: Mutex<BySeat<Option<Question>>>,
    answered: Condvar,
    on_change: Box<dyn Fn(&Waiting) + Send + Sync>,
}

/// A turn for which a human is asked.
struct Question {
    turn: u32,
    deadline: Option<Instant>,
    choice: Option<HumanAction>,
}

/// What a human chose for a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HumanAction {
    /// Botzone's number of the action. Any number is accepted; the referee judges it.
    pub action: i32,
    /// A text that the others see.
    pub taunt: Option<String>,
}

/// The humans that a match waits for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Waiting {
    /// The turn that is about to be played, 1 for the first; 0 if the match waits for no human.
    pub turn: u32,
    /// The seats that have not chosen yet.
    pub seats: Vec<Seat>,
    /// The time until the first deadline; `None` without a clock.
    pub time_left: Option<Duration>,
}

/// An action came for a seat or a turn that the match is not waiting for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the match is not waiting for an action of player {seat} in turn {turn}")]
pub struct NotExpectedError {
    /// The seat.
    pub seat: Seat,
    /// The turn; 1 is the first.
    pub turn: u32,
}

impl HumanInput {
    /// Creates the input of one match. It calls `on_change` whenever the match waits for other humans than before.
    pub fn new(on_change: impl Fn(&Waiting) + Send + Sync + 'static) -> HumanInput {
        HumanInput { questions: Mutex::default(), answered: Condvar::new(), on_change: Box::new(on_change) }
    }

    /// Sets the action of a human for a turn.
    ///
    /// # Errors
    /// Fails if the match is not waiting for this seat in this turn.
    ///
    /// # Examples
    /// ```
    /// use pacman2_rules::Seat;
    /// use pacman2_web::human::{HumanAction, HumanInput};
    ///
    /// let input = HumanInput::new(|_| {});
    /// let error = input.choose(Seat::S1, 3, HumanAction { action: -1, taunt: None }).unwrap_err();
    /// assert_eq!(error.to_string(), "the match is not waiting for an action of player 1 in turn 3");
    /// ```
    pub fn choose(&self, seat: Seat, turn: u32, choice: HumanAction) -> Result<(), NotExpectedError> {
        let mut questions = self.questions();
        match &mut questions[seat] {
            Some(question) if question.turn == turn && question.choice.is_none() => question.choice = Some(choice),
            _ => return Err(NotExpectedError { seat, turn }),
        }
        (self.on_change)(&waiting(&questions));
        self.answered.notify_all();
        Ok(())
    }

    /// Returns the humans that the match waits for now.
    pub fn waiting(&self) -> Waiting {
        waiting(&self.questions())
    }

    /// Waits for a choice, the deadline, or the end of an abandoned match.
    fn wait(&self, seat: Seat, turn: u32, deadline: Option<Instant>, stop: &AtomicBool) -> Option<HumanAction> {
        let mut questions = self.questions();
        questions[seat] = Some(Question { turn, deadline, choice: None });
        (self.on_change)(&waiting(&questions));
        loop {
            let left = deadline.map_or(STOP_POLL, |deadline| deadline.saturating_duration_since(Instant::now()));
            let chosen = questions[seat].as_ref().is_some_and(|question| question.choice.is_some());
            if chosen || left.is_zero() || stop.load(Ordering::Relaxed) {
                break;
            }
            questions = self.answered.wait_timeout(questions, left.min(STOP_POLL)).unwrap_or_else(PoisonError::into_inner).0;
        }
        let choice = questions[seat].take().and_then(|question| question.choice);
        if choice.is_none() {
            (self.on_change)(&waiting(&questions));
        }
        choice
    }

    fn questions(&self) -> MutexGuard<'_, BySeat<Option<Question>>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn waiting(questions: &BySeat<Option<Question>>) -> Waiting {
    let open =
        || questions.iter().filter_map(|(seat, question)| Some((seat, question.as_ref()?))).filter(|(_, q)| q.choice.is_none());
    let deadline = open().filter_map(|(_, question)| question.deadline).min();
    Waiting {
        turn: open().map(|(_, question)| question.turn).next().unwrap_or(0),
        seats: open().map(|(seat, _)| seat).collect(),
        time_left: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
    }
}

/// A human in a seat.
pub struct Human {
    input: Arc<HumanInput>,
    time_limit: Option<Duration>,
    /// The first turn with a time limit.
    limited_from: u32,
    /// Whether the human was already too slow once, which Botzone forgives once per game.
    was_forgiven: bool,
}

impl Human {
    /// Creates a human who is asked through `input`, and has `time_limit` for each action; no limit if `None`.
    pub fn new(input: Arc<HumanInput>, time_limit: Option<Duration>) -> Human {
        Human { input, time_limit, limited_from: 1, was_forgiven: false }
    }

    /// Limits the time from a turn on only; 1 is the first.
    #[must_use]
    pub fn limited_from(mut self, turn: u32) -> Human {
        self.limited_from = turn;
        self
    }

    /// Turns a choice, or a missing one, into what the referee gets, and a complaint.
    fn respond(&mut self, choice: Option<HumanAction>) -> (ParsedResponse, Option<Complaint>) {
        if let Some(HumanAction { action, taunt }) = choice {
            return (ParsedResponse::from_response(&json!({ "action": action, "tauntText": taunt }), Verdict::Ok), None);
        }
        let limit_ms = self.time_limit.unwrap_or_default().as_millis() as u64;
        if self.was_forgiven {
            return (ParsedResponse::Nothing(Verdict::Tle), Some(Complaint::Late { limit_ms }));
        }
        self.was_forgiven = true;
        let stay = ParsedResponse::Action { number: action::to_number(Action::Stay), taunt: None };
        (stay, Some(Complaint::Forgiven { limit_ms }))
    }
}

impl Player for Human {
    fn ask(&mut self, request: &Request<'_>) -> Response {
        let begin = Instant::now();
        let turn = request.session.game().state().turn + 1;
        let limit = self.time_limit.filter(|_| turn >= self.limited_from);
        let deadline = limit.and_then(|limit| begin.checked_add(limit));
        let choice = self.input.wait(request.seat, turn, deadline, request.stop);
        let wall = begin.elapsed();
        let (response, complaint) = self.respond(choice);
        Response { complaint, ..Response::new(response, ResourceUsage { wall, ..ResourceUsage::default() }) }
    }

    fn is_human(&self) -> bool {
        true
    }
}
