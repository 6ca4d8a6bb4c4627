//! What was wrong with an answer.

use std::slice;
use std::time::Duration;

use pacman2_botzone::action;
use pacman2_botzone::problem::Problem;
use pacman2_botzone::response::Verdict;
use pacman2_rules::{Action, Direction};
use pacman2_runner::{Clock, Exit, Limits, Outcome, RunResult, StartError};
use serde_json::{Value, json};

use crate::problem::of_start;

/// What was wrong with an answer; its text is for the bot's author.
///
/// ```
/// use pacman2_match::complaint::Complaint;
///
/// let complaint = Complaint::TooWeakToShoot { cost: 4, strength: 1 };
/// assert_eq!(complaint.to_string(), "it cannot shoot: a light needs more strength than 4, and it has 1");
/// ```
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Complaint {
    /// It wrote something after its answer, or before it was asked.
    #[error("it wrote more than one answer, or wrote before it was asked")]
    Unasked,
    /// It could not be started.
    #[error(transparent)]
    NotStarted(StartError),
    /// It took more wall-clock time than this.
    #[error("no answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// It used more CPU time than this.
    #[error("more than {} ms of CPU time", .0.as_millis())]
    CpuTime(Duration),
    /// It used more memory than this many bytes.
    #[error("more than {} MB of memory", .0 / (1024 * 1024))]
    Memory(u64),
    /// It had more processes and threads than this.
    #[error("more than {0} processes and threads")]
    Tasks(u64),
    /// It wrote more bytes than this.
    #[error("more than {0} bytes of output")]
    Output(u64),
    /// It ended in another way than with an answer and code 0.
    #[error("{}", describe(.0))]
    Crashed(Option<Exit>),
    /// The match was abandoned while it was asked.
    #[error("the match was abandoned")]
    Abandoned,
    /// Its output is not JSON.
    #[error("{reason}")]
    NotJson {
        /// What is wrong with it.
        reason: String,
        /// The same as a code.
        cause: Problem,
    },
    /// Its output is JSON without an action.
    #[error("the answer has no response with a whole number as action")]
    NoAction,
    /// There is a wall where it wants to go.
    #[error("it cannot go {0}: a wall is there")]
    Wall(Direction),
    /// It has too little strength to shoot.
    #[error("it cannot shoot: a light needs more strength than {cost}, and it has {strength}")]
    TooWeakToShoot {
        /// The strength that a shot costs.
        cost: i32,
        /// The strength that it has.
        strength: i32,
    },
    /// No action has this number.
    #[error("unknown action {0}; expected -1 to 7")]
    UnknownAction(i32),
    /// A human took more wall-clock time than this for the first time in a game.
    #[error("no answer within {} ms; forgiven once per game, the player stays", .0.as_millis())]
    Forgiven(Duration),
    /// Something that only this kind of player knows.
    #[error("{0}")]
    Other(String),
}

impl Complaint {
    /// Returns the code and parameters with which a replay keeps it beside the sentence. `None` for what only the sentence says.
    ///
    /// ```
    /// use pacman2_match::complaint::Complaint;
    ///
    /// let problem = Complaint::TooWeakToShoot { cost: 4, strength: 1 }.problem().unwrap();
    /// assert_eq!((problem.code.as_str(), &problem.params["cost"]), ("too-weak", &4.into()));
    /// ```
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let ms = |time: &Duration| time.as_millis() as u64;
        let caused = |reason: &str, causes: &[Problem]| json!({ "reason": reason, "causes": causes.iter().map(Problem::to_json).collect::<Value>() });
        let (code, params) = match self {
            Complaint::Unasked => ("unasked", json!({})),
            Complaint::Late(limit) => ("late", json!({ "limit_ms": ms(limit) })),
            Complaint::CpuTime(limit) => ("cpu-time", json!({ "limit_ms": ms(limit) })),
            Complaint::Memory(limit) => ("memory", json!({ "limit_mb": limit / (1024 * 1024) })),
            Complaint::Tasks(limit) => ("tasks", json!({ "limit": limit })),
            Complaint::Output(limit) => ("output", json!({ "limit_bytes": limit })),
            Complaint::Crashed(Some(Exit::Code(code))) => ("exit-code", json!({ "exit_code": code })),
            Complaint::Crashed(Some(Exit::Signal(signal))) => ("signal", json!({ "signal": signal.to_string() })),
            Complaint::Crashed(None) => ("ended", json!({})),
            Complaint::Abandoned => ("abandoned", json!({})),
            Complaint::NotJson { reason, cause } => ("not-json", caused(reason, slice::from_ref(cause))),
            Complaint::NoAction => ("no-action", json!({})),
            Complaint::Wall(direction) => ("wall", json!({ "action": action::to_number(Action::Move(*direction)) })),
            Complaint::TooWeakToShoot { cost, strength } => ("too-weak", json!({ "cost": cost, "strength": strength })),
            Complaint::UnknownAction(number) => ("unknown-action", json!({ "action": number })),
            Complaint::Forgiven(limit) => ("forgiven", json!({ "limit_ms": ms(limit) })),
            Complaint::NotStarted(error) => ("not-started", caused(&error.to_string(), of_start(error).as_slice())),
            Complaint::Other(_) => return None,
        };
        let Value::Object(params) = params else { unreachable!("each is an object") };
        Some(Problem { code: code.to_owned(), params })
    }
}

/// Returns the verdict of a run before its answer is read, and what was wrong.
pub(crate) fn judge(run: &RunResult, limits: &Limits) -> (Verdict, Option<Complaint>) {
    let wrong = |verdict, complaint| (verdict, Some(complaint));
    match &run.outcome {
        Outcome::Answered => (Verdict::Ok, None),
        Outcome::Unasked => wrong(Verdict::Nj, Complaint::Unasked),
        Outcome::NotStarted(error) => wrong(Verdict::Re, Complaint::NotStarted(error.clone())),
        Outcome::TimeOut(Clock::Wall) => wrong(Verdict::Tle, Complaint::Late(limits.wall.unwrap_or_default())),
        Outcome::TimeOut(Clock::Cpu) => wrong(Verdict::Tle, Complaint::CpuTime(limits.cpu.unwrap_or_default())),
        Outcome::MemoryOut => wrong(Verdict::Mle, Complaint::Memory(limits.memory_bytes.unwrap_or_default())),
        Outcome::TasksOut => wrong(Verdict::Re, Complaint::Tasks(limits.tasks.unwrap_or_default())),
        Outcome::OutputOut => wrong(Verdict::Ole, Complaint::Output(limits.output_bytes.unwrap_or_default())),
        Outcome::Crashed => wrong(Verdict::Re, Complaint::Crashed(run.exit)),
        Outcome::Stopped => wrong(Verdict::Tle, Complaint::Abandoned),
    }
}

fn describe(exit: &Option<Exit>) -> String {
    match exit {
        Some(Exit::Code(code)) => format!("it exited with code {code}"),
        Some(Exit::Signal(signal)) => format!("signal {signal} ended it"),
        None => "it ended before it answered".to_owned(),
    }
}
