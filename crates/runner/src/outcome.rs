//! What came of a question to a program: how it ended, and why a program was not started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::{ControlGroupError, SandboxPart, StepError, SystemError};

/// What came of one question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunResult {
    /// How it ended.
    pub outcome: Outcome,
    /// What the program printed. If it answered, this is the answer: everything before
    /// [`Program::keep_running`](crate::Program::keep_running) or the exit on the first run of a process, and one line on
    /// later runs. Otherwise it is everything that was read.
    pub output: Vec<u8>,
    /// Standard error in this run; if it is longer than [`MAX_STDERR_BYTES`](crate::MAX_STDERR_BYTES), half of them from its start,
    /// and half from its end.
    pub stderr: Vec<u8>,
    /// The number of bytes of standard error in this run.
    pub stderr_bytes: u64,
    /// The number of bytes of standard output that were read in this run.
    pub output_bytes: u64,
    /// Wall-clock time since the process was started or, after a pause, just before it was resumed, until the answer was complete.
    pub wall: Duration,
    /// The part of `wall` that does not count towards the wall-clock limit: what the program would not have waited for a processor
    /// if it had been alone, and for how long we saw its answer too late. Linux only.
    pub ready_wait: Duration,
    /// CPU time of the program and its descendants in this run, including what they used since the last one. While the
    /// program keeps running it is known on Linux only; on Windows it is never known.
    pub cpu: Option<Duration>,
    /// The part of `cpu` used between the last run and this one. Linux only, and only if the process kept running.
    pub cpu_between_runs: Option<Duration>,
    /// Peak resident memory in bytes since the process started, on Linux with its descendants. Unknown on Windows, and for a
    /// process that ended within milliseconds and stayed below our own peak.
    pub memory_bytes: Option<u64>,
    /// How the process ended, if it was not killed here.
    pub exit: Option<Exit>,
    /// Whether the process answered and waits, paused, for the next question.
    pub kept_running: bool,
    /// Whether its standard input was closed, because of [`Program::stdin_ends`](crate::Program::stdin_ends) or because it
    /// waited for that.
    pub input_ended: bool,
    /// Wall-clock time until the last of its output arrived, as far as it came before the end.
    pub last_output: Option<Duration>,
}

/// How a question ended. After all but [`Answered`](Outcome::Answered) the process is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It answered in time, though perhaps with nothing or with nonsense.
    Answered,
    /// A process that keeps running printed something before it was asked.
    Unasked,
    /// The program was not started.
    NotStarted(StartError),
    /// It exceeded a time limit.
    TimeOut(Clock),
    /// It exceeded the memory limit.
    MemoryOut,
    /// It exceeded the limit of processes and threads.
    TasksOut,
    /// It exceeded the output limit.
    OutputOut,
    /// It exited with another code than 0, was ended by a signal, or exited although it had asked to keep running.
    Crashed,
    /// Its sandbox broke down around it, which is no fault of its own.
    BrokeDown,
    /// The caller's stop flag was set.
    Stopped,
}

/// Which time limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Wall-clock time.
    Wall,
    /// CPU time, which a program of many threads uses up sooner.
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

/// Why a program was not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The command is empty.
    #[error("no command was given")]
    NoCommand,
    /// The working directory is not a directory.
    #[error("cannot start {}: {} is not a directory", .program.display(), .directory.display())]
    NotADirectory {
        /// The program that was to be started.
        program: OsString,
        /// The directory in which it was to run.
        directory: PathBuf,
    },
    /// The system does not start the program: it does not exist, or it must not be run.
    #[error("cannot start {}: {error}", .program.display())]
    System {
        /// The program that was to be started.
        program: OsString,
        /// The system's reason.
        error: SystemError,
    },
    /// The sandbox in which the program was to run cannot be built.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The sandbox stands, but the program cannot be started in it.
    #[error(transparent)]
    InSandbox(#[from] StepError),
}

impl StartError {
    /// Returns whether the machine is at fault, and not the program: it lacks something, or the sandbox failed.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        match self {
            StartError::NoCommand | StartError::NotADirectory { .. } => false,
            StartError::System { error, .. } => error.is_of_machine(),
            StartError::Sandbox(error) => *error != SandboxError::Unsupported,
            StartError::InSandbox(error) => error.system_error().is_some_and(|error| error.is_of_machine()),
        }
    }
}

/// Why a sandbox cannot be built or used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// This system has no sandbox.
    #[error("the sandbox needs Linux on x86-64 or AArch64")]
    Unsupported,
    /// Control groups were required and cannot be used.
    #[error(transparent)]
    ControlGroups(#[from] ControlGroupError),
    /// The working directory is relative, and the current directory is unknown.
    #[error("cannot find the current directory: {0}")]
    CurrentDirectory(SystemError),
    /// The command that becomes a supervisor is empty.
    #[error("no command for the sandbox's supervisor was given")]
    NoSupervisor,
    /// The supervisor cannot be started.
    #[error("cannot start the sandbox's supervisor: {0}")]
    SupervisorNotStarted(SystemError),
    /// The supervisor cannot be talked to.
    #[error("cannot talk to the sandbox's supervisor: {0}")]
    Channel(SystemError),
    /// The supervisor died while it built the sandbox, or took too long.
    #[error("the sandbox's supervisor died or never got ready")]
    SupervisorDied,
    /// The supervisor sent something else than was expected.
    #[error("the sandbox's supervisor sent an unexpected message: {message}")]
    UnexpectedMessage {
        /// The message.
        message: String,
    },
    /// A step of building the sandbox failed.
    #[error(transparent)]
    Build(#[from] StepError),
    /// The sandbox broke down when a program was started in it.
    #[error("the sandbox broke down")]
    BrokeDown,
    /// The program was killed, and its storage went with its sandbox.
    #[error("the program was killed, and its storage went with its sandbox")]
    StorageGone,
    /// The sandbox was built, but a program that does nothing does not run properly in it.
    #[error("a program that does nothing ended as {outcome:?}")]
    Trial {
        /// How the program ended.
        outcome: Box<Outcome>,
    },
}

impl SandboxError {
    /// Returns the part of the sandbox that the error is about.
    #[must_use]
    pub fn part(&self) -> SandboxPart {
        match self {
            SandboxError::Unsupported | SandboxError::Trial { .. } => SandboxPart::System,
            SandboxError::ControlGroups(_) => SandboxPart::ControlGroups,
            SandboxError::CurrentDirectory(_) | SandboxError::StorageGone => SandboxPart::Files,
            SandboxError::Build(error) => error.part,
            SandboxError::NoSupervisor
            | SandboxError::SupervisorNotStarted(_)
            | SandboxError::Channel(_)
            | SandboxError::SupervisorDied
            | SandboxError::UnexpectedMessage { .. }
            | SandboxError::BrokeDown => SandboxPart::Supervisor,
        }
    }
}

impl RunResult {
    /// Returns why the machine, and not the program, is at fault; `None` if it is not.
    #[must_use]
    pub fn fault_of_machine(&self) -> Option<String> {
        match &self.outcome {
            Outcome::NotStarted(error) => error.is_of_machine().then(|| error.to_string()),
            Outcome::BrokeDown => Some(SandboxError::BrokeDown.to_string()),
            _ => None,
        }
    }

    /// Returns the result of a question to a program that was not started.
    pub(crate) fn not_started(error: StartError) -> RunResult {
        RunResult {
            outcome: Outcome::NotStarted(error),
            output: Vec::new(),
            stderr: Vec::new(),
            stderr_bytes: 0,
            output_bytes: 0,
            wall: Duration::ZERO,
            ready_wait: Duration::ZERO,
            cpu: None,
            cpu_between_runs: None,
            memory_bytes: None,
            exit: None,
            kept_running: false,
            input_ended: false,
            last_output: None,
        }
    }
}
