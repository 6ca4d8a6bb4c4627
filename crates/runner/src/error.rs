//! Why a program cannot be started, and why a sandbox cannot be built.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::program::Outcome;

/// What the operating system said, in a form that can be compared and cloned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SystemError {
    /// The kind of error.
    pub kind: io::ErrorKind,
    /// The system's words.
    pub message: String,
}

impl<E: Into<io::Error>> From<E> for SystemError {
    fn from(error: E) -> SystemError {
        let error = error.into();
        SystemError { kind: error.kind(), message: error.to_string() }
    }
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
    /// A pipe to the program cannot be made.
    #[error("cannot make a pipe: {0}")]
    Pipe(SystemError),
    /// The sandbox in which the program was to run cannot be built.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The sandbox stands, but the program cannot be started in it.
    #[error(transparent)]
    InSandbox(#[from] StepError),
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
    /// The sandbox was built, but a program that does nothing does not run properly in it.
    #[error("a program that does nothing ended as {outcome:?}")]
    Trial {
        /// How the program ended.
        outcome: Box<Outcome>,
    },
}

/// Why control groups cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlGroupError {
    /// The kernel has no control groups of version 2.
    #[error("this kernel has no control groups of version 2")]
    Unsupported,
    /// They are not mounted where this process sees them.
    #[error("control groups of version 2 are not mounted")]
    NotMounted,
    /// The kernel is too old to kill or freeze a whole group at once.
    #[error("this kernel cannot kill or freeze a control group")]
    NoKill,
    /// A file or directory of the control groups cannot be used.
    #[error("{}: {error}", .path.display())]
    System {
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        error: SystemError,
    },
}

/// A step of building a sandbox, or of starting a program in one, that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{step}: {reason}")]
pub struct StepError {
    /// What was being done.
    pub step: String,
    /// Why it failed.
    pub reason: String,
}

impl StepError {
    /// Returns a function that makes an error of this step out of its reason, for `map_err`.
    #[cfg(target_os = "linux")]
    pub(crate) fn at<E: std::fmt::Display>(step: impl std::fmt::Display) -> impl FnOnce(E) -> StepError {
        move |reason| StepError { step: step.to_string(), reason: reason.to_string() }
    }

    /// As [`StepError::at`], for the system calls that return their error as a number.
    #[cfg(target_os = "linux")]
    pub(crate) fn last_os_error(step: &str) -> StepError {
        StepError::at(step)(io::Error::last_os_error())
    }
}
