//! One bot as a child process: asked one question a turn, under limits.
//!
//! A bot starts afresh for every question, unless it asks to keep running by printing [`KEEP_RUNNING`] after an answer.
//! What it does wrong is never an error here but an [`Outcome`]. However a turn ends, its deadline holds; and once a
//! [`Program`] is dropped, none of its processes is left.

mod transcript;
pub(crate) mod turn;

// One running bot with its pipes. Twins have equal signatures.
#[cfg_attr(unix, path = "program/process_unix.rs")]
#[cfg_attr(windows, path = "program/process_windows.rs")]
pub(crate) mod process;

// Its process tree. Only Linux lets it be measured from outside, and orphans be found.
#[cfg(unix)]
#[cfg_attr(target_os = "linux", path = "program/leader_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "program/leader_unix.rs")]
pub(crate) mod leader;

#[cfg(target_os = "linux")]
pub(crate) mod proc;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::limits::Limits;
use crate::sandbox::{Jail, Mounts, Sandbox};
use process::Process;
use turn::Kept;

pub use pacman2_botzone::KEEP_RUNNING;

/// How much standard output of one turn the judge holds, in bytes, where [`Limits::output_bytes`] sets no limit.
pub const OUTPUT_BYTES_AT_MOST: u64 = 64 * 1024 * 1024;

/// How much of a turn's standard error is kept in [`Run::stderr`], in bytes.
pub const STDERR_BYTES_KEPT: usize = 64 * 1024;

/// A bot: how to start it, what it may use, and its process if it keeps running.
///
/// Dropping it kills the process and everything that the process started.
#[derive(Debug)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Where it runs; `None` is our own working directory.
    pub directory: Option<PathBuf>,
    /// What it may use for one answer, the language's time factor already applied.
    pub limits: Limits,
    /// Close the bot's standard input after the question, for a bot that reads to the end of its input; it cannot keep
    /// running then. On Linux this is found out by itself: a bot that has read its question and does nothing for a tenth
    /// of a second gets the end of its input, and gets it at once from then on.
    pub stdin_ends: bool,
    confinement: Option<Confinement>,
    kept: Option<Kept>,
}

/// Where a program runs that is not free.
#[derive(Debug)]
struct Confinement {
    sandbox: Sandbox,
    view: Mounts,
    /// Built when it is first wanted, and again after a bot has brought it down.
    jail: Option<Arc<Jail>>,
}

/// One turn's question in the two forms it may take, each one line of JSON without its line end.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// For a process that starts now: the whole history.
    pub fresh: &'a str,
    /// For a process that kept running: this turn's request alone.
    pub running: &'a str,
}

/// What came of one question.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub outcome: Outcome,
    /// What the bot printed. When it answered: the answer, that is everything before [`KEEP_RUNNING`] or its exit on
    /// the first turn of a process, and one line on its later turns. Else all it printed, as far as it was read.
    pub output: Vec<u8>,
    /// The first [`STDERR_BYTES_KEPT`] bytes of standard error in this turn.
    pub stderr: Vec<u8>,
    /// All bytes of standard error in this turn.
    pub stderr_bytes: u64,
    /// All bytes of standard output that were read in this turn.
    pub output_bytes: u64,
    /// Time on the clock, from before the process started (or went on) until the answer was there.
    pub wall: Duration,
    /// CPU time of the bot and its descendants in this turn, with what they used since the last one.
    /// While it keeps running it is known on Linux only, and it is never known on Windows.
    pub cpu: Option<Duration>,
    /// The part of `cpu` that was used between the last turn and this one. Linux; only if the process kept running.
    pub cpu_between_turns: Option<Duration>,
    /// Peak resident memory in bytes since the process started, with its descendants on Linux. Unknown on Windows, and
    /// of a process that ended within milliseconds and stayed below our own peak.
    pub memory_bytes: Option<u64>,
    /// How the process ended, if it ended by itself.
    pub exit: Option<Exit>,
    /// The process answered and waits, paused, for the next question.
    pub kept_running: bool,
    /// Its standard input was closed, as [`Program::stdin_ends`] says or since it waited for that.
    pub input_ended: bool,
}

/// How a question ended. After all but [`Answered`](Outcome::Answered) the process is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In time, though perhaps with nothing or with nonsense.
    Answered,
    /// A process that keeps running printed something before it was asked.
    Unasked,
    /// There is no such program, or it may not be run; the text says which and why.
    NotStarted(String),
    /// Its time was over.
    TimeOut(Clock),
    /// It used more memory than it may.
    MemoryOut,
    /// It had more processes and threads than it may.
    TasksOut,
    /// It printed more than it may.
    OutputOut,
    /// It exited with another code than 0, was ended by a signal, or exited though it had asked to keep running.
    Crashed,
    /// The match was abandoned.
    Stopped,
}

/// Which time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The time on the clock.
    Wall,
    /// The CPU time, which a bot of many threads uses up sooner.
    Cpu,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Program {
    /// A bot that runs `command` (program, arguments) in our own working directory. Nothing starts yet.
    pub fn new(command: Vec<OsString>, limits: Limits) -> Program {
        Program { command, directory: None, limits, stdin_ends: false, confinement: None, kept: None }
    }

    /// Has it run in a sandbox, where it sees no files but the system's and those in `view`. Its jail is built now, for the
    /// command and the limits as they are; the text says why that cannot be.
    pub fn confine(&mut self, sandbox: &Sandbox, view: Mounts) -> Result<(), String> {
        let mut confinement = Confinement { sandbox: sandbox.clone(), view, jail: None };
        confinement.jail(&self.command, self.directory.as_deref(), &self.limits)?;
        self.confinement = Some(confinement);
        Ok(())
    }

    /// Asks the bot and waits until it answered, broke a limit or ended, or until `stop` is set (looked at every 10 ms).
    pub fn ask(&mut self, question: Question<'_>, stop: &AtomicBool) -> RunResult {
        let (run, kept) = match self.kept.take() {
            Some(kept) => turn::later(kept, question.running, &self.limits, stop),
            None => match self.start() {
                Ok(process) => turn::first(process, question.fresh, self.stdin_ends, &self.limits, stop),
                Err(reason) => (RunResult::not_started(reason), None),
            },
        };
        self.kept = kept;
        self.stdin_ends |= run.input_ended;
        run
    }

    /// Whether a process of this bot waits for its next question.
    pub fn keeps_running(&self) -> bool {
        self.kept.is_some()
    }

    fn start(&mut self) -> Result<Process, String> {
        let started = match &mut self.confinement {
            None => Process::start(&self.command, self.directory.as_deref()),
            Some(confinement) => {
                let jail = confinement.jail(&self.command, self.directory.as_deref(), &self.limits)?;
                return Process::start_in(jail).map_err(|error| error.to_string());
            }
        };
        started.map_err(|error| self.refusal(&error))
    }

    fn refusal(&self, error: &std::io::Error) -> String {
        let Some(program) = self.command.first() else {
            return "no command was given".to_owned();
        };
        // The system says "not found" of a missing directory as it does of a missing program.
        match &self.directory {
            Some(directory) if !directory.is_dir() => {
                format!("cannot start {}: {} is not a directory", program.display(), directory.display())
            }
            _ => format!("cannot start {}: {error}", program.display()),
        }
    }
}

impl Confinement {
    fn jail(&mut self, command: &[OsString], directory: Option<&Path>, limits: &Limits) -> Result<&Arc<Jail>, String> {
        let standing = self.jail.take().filter(|jail| !jail.is_gone());
        let jail = match standing {
            Some(jail) => jail,
            None => Arc::new(self.sandbox.jail(command, directory, &self.view, limits)?),
        };
        Ok(self.jail.insert(jail))
    }
}

impl RunResult {
    fn not_started(reason: String) -> RunResult {
        RunResult {
            outcome: Outcome::NotStarted(reason),
            output: Vec::new(),
            stderr: Vec::new(),
            stderr_bytes: 0,
            output_bytes: 0,
            wall: Duration::ZERO,
            cpu: None,
            cpu_between_turns: None,
            memory_bytes: None,
            exit: None,
            kept_running: false,
            input_ended: false,
        }
    }
}

/// Has this process adopt the orphans of its descendants from now on, as it does by itself when it starts its first bot:
/// for a process that lets another one start bots and wants to clear up after it. On Linux only.
#[cfg(target_os = "linux")]
pub fn adopt_orphans() {
    leader::adopt_orphans();
}

/// Kills and reaps every orphan that bots have left to us. Linux; elsewhere there is nothing that it could find.
///
/// Once a bot was started, this process adopts what its descendants abandon (it is a *child subreaper*). An orphan is
/// then a child of ours in another session than ours, unless it is a running bot or shares a running bot's session.
/// Children that are older than the first bot are left alone, and so are those that other code starts, as long as they
/// stay in our session.
///
/// Each turn and each dropped [`Program`] sweeps by itself; call this to be sure at the end of everything.
pub fn sweep() {
    process::sweep();
}
