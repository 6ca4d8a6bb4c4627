//! A human as a player: asked at the desk, answered from outside, with or without a clock.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pacman2_botzone::action;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_match::player::{Player, Request, ResourceUsage, Response};
use pacman2_rules::{Action, BySeat, Seat};
use serde_json::json;

/// How soon a match that is abandoned is noticed.
const GLANCE: Duration = Duration::from_millis(20);

/// Where a match waits for its humans.
pub struct HumanInput {
    questions: Mutex<BySeat<Option<Question>>>,
    answered: Condvar,
    tell: Box<dyn Fn(&Waiting) + Send + Sync>,
}

/// What a human is asked.
struct Question {
    turn: u32,
    deadline: Option<Instant>,
    choice: Option<HumanAction>,
}

/// What a human chose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HumanAction {
    /// Botzone's number of the action; anything can be asked for.
    pub action: i32,
    /// What it says along with it.
    pub taunt: Option<String>,
}

/// Whom a match waits for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Waiting {
    /// The turn that is about to be played, 1 for the first; 0 if nobody is waited for.
    pub turn: u32,
    /// The seats that have not chosen yet.
    pub seats: Vec<Seat>,
    /// How much time the first of them has left; `None` without a clock.
    pub left: Option<Duration>,
}

/// Why a choice was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotExpectedError {
    seat: Seat,
    turn: u32,
}

impl fmt::Display for NotExpectedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {} is not asked for an order in turn {}", self.seat, self.turn)
    }
}

impl std::error::Error for NotExpectedError {}

impl HumanInput {
    /// A desk that tells `tell` whenever it waits for others than before.
    pub fn new(tell: impl Fn(&Waiting) + Send + Sync + 'static) -> HumanInput {
        HumanInput { questions: Mutex::default(), answered: Condvar::new(), tell: Box::new(tell) }
    }

    /// Hands in what a human chose for a turn.
    pub fn choose(&self, seat: Seat, turn: u32, choice: HumanAction) -> Result<(), NotExpectedError> {
        let mut questions = self.questions();
        match &mut questions[seat] {
            Some(question) if question.turn == turn && question.choice.is_none() => question.choice = Some(choice),
            _ => return Err(NotExpectedError { seat, turn }),
        }
        (self.tell)(&waiting(&questions));
        self.answered.notify_all();
        Ok(())
    }

    /// Whom it waits for now.
    pub fn waiting(&self) -> Waiting {
        waiting(&self.questions())
    }

    /// Waits for a choice, for the deadline, or until the match is abandoned.
    fn wait(&self, seat: Seat, turn: u32, deadline: Option<Instant>, stop: &AtomicBool) -> Option<HumanAction> {
        let mut questions = self.questions();
        questions[seat] = Some(Question { turn, deadline, choice: None });
        (self.tell)(&waiting(&questions));
        loop {
            let left = deadline.map_or(GLANCE, |deadline| deadline.saturating_duration_since(Instant::now()));
            let chosen = questions[seat].as_ref().is_some_and(|question| question.choice.is_some());
            if chosen || left.is_zero() || stop.load(Ordering::Relaxed) {
                break;
            }
            questions = self.answered.wait_timeout(questions, left.min(GLANCE)).unwrap_or_else(PoisonError::into_inner).0;
        }
        let choice = questions[seat].take().and_then(|question| question.choice);
        if choice.is_none() {
            (self.tell)(&waiting(&questions));
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
        left: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
    }
}

/// A human on a seat.
pub struct Human {
    desk: Arc<HumanInput>,
    clock: Option<Duration>,
    /// As on Botzone, being too slow is forgiven once a game.
    forgiven: bool,
}

impl Human {
    /// A human who is asked at `desk` and has so much time for each order.
    pub fn new(desk: Arc<HumanInput>, clock: Option<Duration>) -> Human {
        Human { desk, clock, forgiven: false }
    }

    /// What the judge hears, and what was wrong.
    fn hear(&mut self, choice: Option<HumanAction>) -> (ParsedResponse, Option<String>) {
        if let Some(HumanAction { action, taunt }) = choice {
            return (ParsedResponse::from_response(&json!({ "action": action, "tauntText": taunt }), Verdict::Ok), None);
        }
        let late = format!("no order within {} ms", self.clock.unwrap_or_default().as_millis());
        if self.forgiven {
            return (ParsedResponse::Nothing(Verdict::Tle), Some(late));
        }
        self.forgiven = true;
        let stay = ParsedResponse::Action { number: action::to_number(Action::Stay), taunt: None };
        (stay, Some(format!("{late}; it is forgiven once, as a stay")))
    }
}

impl Player for Human {
    fn ask(&mut self, asked: &Request<'_>) -> Response {
        let begin = Instant::now();
        let deadline = self.clock.and_then(|clock| begin.checked_add(clock));
        let choice = self.desk.wait(asked.seat, asked.game.state().turn + 1, deadline, asked.stop);
        let wall = begin.elapsed();
        let (heard, complaint) = self.hear(choice);
        Response {
            verdict: match heard {
                ParsedResponse::Nothing(verdict) => verdict,
                ParsedResponse::Action { .. } => Verdict::Ok,
            },
            heard,
            complaint,
            response: None,
            data: String::new(),
            debug: None,
            stderr: String::new(),
            output: String::new(),
            cost: ResourceUsage { wall, ..ResourceUsage::default() },
        }
    }
}
