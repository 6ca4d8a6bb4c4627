//! Errors of the operating system, of control groups, and of the steps of building a sandbox.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// An error of the operating system, in a form that can be compared and cloned.
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
