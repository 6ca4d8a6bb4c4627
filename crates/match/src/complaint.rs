//! What was wrong with an answer.

use std::fmt;
use std::time::Duration;

use pacman2_botzone::action;
use pacman2_botzone::problem::Problem;
use pacman2_botzone::response::Verdict;
use pacman2_botzone::words::{Explanation, Locale};
use pacman2_rules::{Action, Direction};
use pacman2_runner::{Clock, Exit, Limits, Outcome, RunResult};
use serde::{Serialize, Serializer};

use crate::cause::Cause;
use crate::cause::output::has_answer;
use crate::problem::from_start;

/// What was wrong with an answer, for the bot's author. In JSON it is a code with parameters; its words are in the catalogue of
/// [`pacman2_botzone::words`].
///
/// ```
/// use pacman2_botzone::words::Locale;
/// use pacman2_match::complaint::Complaint;
///
/// let complaint = Complaint::TooWeak { cost: 4, strength: 1 };
/// assert_eq!(complaint.explanation(Locale::English).what, "it cannot shoot: a light needs more strength than 4, and it has 1");
/// assert_eq!(serde_json::to_string(&complaint).unwrap(), r#"{"code":"too-weak","params":{"cost":4,"strength":1}}"#);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "code", content = "params", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Complaint {
    /// It wrote something after its answer, or before it was asked.
    Unasked,
    /// It could not be started.
    NotStarted {
        /// Why, in English.
        reason: String,
        /// Why, as far as there are codes.
        #[serde(serialize_with = "as_objects")]
        causes: Vec<Problem>,
    },
    /// It took more wall-clock time than it has.
    Late {
        /// What it has, in milliseconds.
        limit_ms: u64,
    },
    /// It took more wall-clock time than it has, although its output has an answer.
    Unfinished {
        /// What it has, in milliseconds.
        limit_ms: u64,
    },
    /// It used more CPU time than it has.
    CpuTime {
        /// What it has, in milliseconds.
        limit_ms: u64,
    },
    /// It used more memory than it has.
    Memory {
        /// What it has, in units of 1024 KiB.
        limit_mb: u64,
    },
    /// It had more processes and threads than it may.
    Tasks {
        /// How many it may have.
        limit: u64,
    },
    /// It wrote more than it may.
    Output {
        /// How much it may write.
        limit_bytes: u64,
    },
    /// It exited with another code than 0.
    ExitCode {
        /// The code.
        exit_code: i32,
    },
    /// A signal ended it.
    Signal {
        /// The number of the signal.
        #[serde(serialize_with = "as_text")]
        signal: i32,
    },
    /// It ended before it answered, and how is not known.
    Ended,
    /// The match was abandoned while it was asked.
    Abandoned,
    /// Its output is not JSON.
    NotJson {
        /// What is wrong with it, in English.
        reason: String,
        /// The same as a code.
        #[serde(serialize_with = "as_objects")]
        causes: [Problem; 1],
    },
    /// Its output is JSON without an action.
    NoAction,
    /// There is a wall where it wants to go.
    Wall {
        /// Where it wants to go.
        #[serde(rename = "action", serialize_with = "as_action")]
        direction: Direction,
    },
    /// It has too little strength to shoot.
    TooWeak {
        /// The strength that a shot costs.
        cost: i32,
        /// The strength that it has.
        strength: i32,
    },
    /// No action has this number.
    UnknownAction {
        /// The number.
        action: i32,
    },
    /// A human took more wall-clock time than there is, for the first time in a game.
    Forgiven {
        /// The time that there is, in milliseconds.
        limit_ms: u64,
    },
    /// Something of the above whose cause is known. In JSON, its parameters have the cause besides.
    #[serde(skip)]
    Explained {
        /// What was wrong.
        complaint: Box<Complaint>,
        /// Why.
        cause: Cause,
    },
    /// Something that only this kind of player knows; it has no code.
    #[serde(skip)]
    Other(String),
}

impl fmt::Display for Complaint {
    /// Displays it in English, in one line; if its cause is known, with what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explanation = self.explanation(Locale::English);
        if self.cause().is_some() { explanation.fmt(f) } else { f.write_str(&explanation.what) }
    }
}

impl Complaint {
    /// Returns what was wrong and why, what shows it, and what to do.
    #[must_use]
    pub fn explanation(&self, locale: Locale) -> Explanation {
        let said = || match self {
            Complaint::Other(sentence) => sentence.clone(),
            _ => String::new(),
        };
        self.problem().and_then(|problem| problem.explanation(locale)).unwrap_or_else(|| Explanation::from_text(said(), locale))
    }

    /// Returns its cause, if it is known.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Complaint::Explained { cause, .. } => Some(cause),
            _ => None,
        }
    }

    /// Returns the code of its cause, or else its own, and the line that shows it. Complaints with the same are of one kind.
    #[must_use]
    pub fn kind(&self) -> (String, Option<String>) {
        let problem = self.cause().map(|cause| cause.problem().clone()).or_else(|| self.problem());
        let line = problem.as_ref().and_then(|problem| problem.params.get("line")?.as_str().map(str::to_owned));
        (problem.map_or_else(|| self.to_string(), |problem| problem.code), line)
    }

    /// Returns whether it computed for all its time, so that it may answer if it has more.
    #[must_use]
    pub fn is_of_slow_program(&self) -> bool {
        self.cause().is_some_and(|cause| cause.problem().code == "cause-slow")
    }

    /// Returns the code and parameters with which a replay keeps it beside the sentence. `None` for what only the sentence says.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        match self {
            Complaint::Explained { complaint, cause } => Some(complaint.problem()?.with("cause", cause.problem().to_json())),
            complaint => serde_json::to_value(complaint).and_then(serde_json::from_value).ok(),
        }
    }
}

fn as_text<S: Serializer>(number: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// As the causes of other problems are written.
fn as_objects<S: Serializer>(causes: impl AsRef<[Problem]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(causes.as_ref().iter().map(Problem::to_json))
}

fn as_action<S: Serializer>(direction: &Direction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i32(action::to_number(Action::Move(*direction)))
}

/// Returns the verdict of a run before its answer is read, and what was wrong.
pub(crate) fn judge(run: &RunResult, limits: &Limits) -> (Verdict, Option<Complaint>) {
    let ms = |limit: Option<Duration>| limit.unwrap_or_default().as_millis() as u64;
    let (verdict, complaint) = match &run.outcome {
        Outcome::Answered => return (Verdict::Ok, None),
        Outcome::Unasked => (Verdict::Nj, Complaint::Unasked),
        Outcome::NotStarted(error) => {
            (Verdict::Re, Complaint::NotStarted { reason: error.to_string(), causes: from_start(error).into_iter().collect() })
        }
        Outcome::TimeOut(Clock::Wall) if has_answer(&String::from_utf8_lossy(&run.output)) => {
            (Verdict::Tle, Complaint::Unfinished { limit_ms: ms(limits.wall) })
        }
        Outcome::TimeOut(Clock::Wall) => (Verdict::Tle, Complaint::Late { limit_ms: ms(limits.wall) }),
        Outcome::TimeOut(Clock::Cpu) => (Verdict::Tle, Complaint::CpuTime { limit_ms: ms(limits.cpu) }),
        Outcome::MemoryOut => {
            (Verdict::Mle, Complaint::Memory { limit_mb: limits.memory_bytes.unwrap_or_default() / (1024 * 1024) })
        }
        Outcome::TasksOut => (Verdict::Re, Complaint::Tasks { limit: limits.tasks.unwrap_or_default() }),
        Outcome::OutputOut => (Verdict::Ole, Complaint::Output { limit_bytes: limits.output_bytes.unwrap_or_default() }),
        Outcome::Crashed => match run.exit {
            Some(Exit::Code(exit_code)) => (Verdict::Re, Complaint::ExitCode { exit_code }),
            Some(Exit::Signal(signal)) => (Verdict::Re, Complaint::Signal { signal }),
            None => (Verdict::Re, Complaint::Ended),
        },
        Outcome::BrokeDown => (Verdict::Re, Complaint::Ended),
        Outcome::Stopped => (Verdict::Tle, Complaint::Abandoned),
    };
    (verdict, Some(complaint))
}
