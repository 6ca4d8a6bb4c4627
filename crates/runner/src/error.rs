//! Errors of the operating system, of control groups, and of the steps of building a sandbox.

#[cfg(target_os = "linux")]
use std::error::Error;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// An error of the operating system, in a form that can be compared and cloned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SystemError {
    /// The kind of error.
    pub kind: io::ErrorKind,
    /// The number of the error, if the system gave it one.
    pub code: Option<i32>,
    /// The system's words.
    pub message: String,
}

/// Numbers of errors that have no kind: of input and output, and of too many open files, of the system or of this process.
const MACHINE_CODES: [i32; 3] = if cfg!(windows) { [1117, 1450, 4] } else { [5, 23, 24] };

impl SystemError {
    /// Returns the same error.
    #[must_use]
    pub fn new(error: &io::Error) -> SystemError {
        SystemError { kind: error.kind(), code: error.raw_os_error(), message: error.to_string() }
    }

    /// Returns whether the machine lacks something, such as memory, room or open files, whatever was asked of it.
    ///
    /// ```
    /// use std::io::ErrorKind;
    /// use pacman2_runner::SystemError;
    ///
    /// assert!(SystemError::from(ErrorKind::OutOfMemory).is_of_machine());
    /// assert!(!SystemError::from(ErrorKind::NotFound).is_of_machine());
    /// ```
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        use io::ErrorKind::{Interrupted, OutOfMemory, QuotaExceeded, StorageFull, WouldBlock};
        matches!(self.kind, Interrupted | OutOfMemory | QuotaExceeded | StorageFull | WouldBlock)
            || self.code.is_some_and(|code| MACHINE_CODES.contains(&code))
    }
}

impl<E: Into<io::Error>> From<E> for SystemError {
    fn from(error: E) -> SystemError {
        SystemError::new(&error.into())
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

/// The part of a sandbox that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SandboxPart {
    /// This system: it has no sandbox, or a program that does nothing does not run in one.
    System,
    /// The namespaces.
    Namespaces,
    /// The files that a program sees.
    Files,
    /// The control groups.
    ControlGroups,
    /// Users, capabilities and limits.
    Rights,
    /// The restriction of files by Landlock.
    Landlock,
    /// The list of allowed system calls.
    SystemCalls,
    /// The process that watches over a program.
    Supervisor,
    /// The program itself, which cannot be started.
    Program,
}

/// A step of building a sandbox, or of starting a program in one, that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{step}: {reason}")]
pub struct StepError {
    /// The part of the sandbox.
    pub part: SandboxPart,
    /// What was being done.
    pub step: String,
    /// Why it failed.
    pub reason: String,
    /// The number of the operating system's error, if it was one.
    pub os_error: Option<i32>,
}

impl StepError {
    /// Returns the error of a step for a reason of our own.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(part: SandboxPart, step: &str, reason: &str) -> StepError {
        StepError { part, step: step.to_owned(), reason: reason.to_owned(), os_error: None }
    }

    /// Returns a function that makes an error of this step out of its reason, for `map_err`.
    #[cfg(target_os = "linux")]
    pub(crate) fn at<E: Error + 'static>(part: SandboxPart, step: impl std::fmt::Display) -> impl FnOnce(E) -> StepError {
        move |reason| {
            let os_error = std::iter::successors(Some(&reason as &dyn Error), |&error| error.source()).find_map(os_error);
            StepError { part, step: step.to_string(), reason: reason.to_string(), os_error }
        }
    }

    /// Returns the error of the operating system, if the step failed for one.
    #[must_use]
    pub fn system_error(&self) -> Option<SystemError> {
        self.os_error.map(|number| io::Error::from_raw_os_error(number).into())
    }

    /// As [`StepError::at`], for the system calls that return their error as a number.
    #[cfg(target_os = "linux")]
    pub(crate) fn last_os_error(part: SandboxPart, step: &str) -> StepError {
        StepError::at(part, step)(io::Error::last_os_error())
    }
}

/// Returns the number of an error, if the operating system reported it.
#[cfg(target_os = "linux")]
fn os_error(error: &(dyn Error + 'static)) -> Option<i32> {
    let number = error.downcast_ref::<rustix::io::Errno>().map(|errno| errno.raw_os_error());
    number.or_else(|| error.downcast_ref::<io::Error>()?.raw_os_error())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_step_keeps_the_number_of_the_systems_error() {
        let at = |error: io::Error| StepError::at(SandboxPart::Files, "a file")(error).system_error().map(|error| error.kind);
        assert_eq!(at(io::Error::from_raw_os_error(libc::EACCES)), Some(io::ErrorKind::PermissionDenied));
        assert_eq!(at(io::Error::other("our own")), None);
        let step = StepError::at(SandboxPart::Namespaces, "a namespace")(rustix::io::Errno::NOSPC);
        assert_eq!(step.system_error().map(|error| error.kind), Some(io::ErrorKind::StorageFull));
        assert_eq!(StepError::new(SandboxPart::Program, "the command", "it is empty").system_error(), None);
    }
}
