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

impl SandboxPart {
    /// Returns its name in kebab case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SandboxPart::System => "system",
            SandboxPart::Namespaces => "namespaces",
            SandboxPart::Files => "files",
            SandboxPart::ControlGroups => "control-groups",
            SandboxPart::Rights => "rights",
            SandboxPart::Landlock => "landlock",
            SandboxPart::SystemCalls => "system-calls",
            SandboxPart::Supervisor => "supervisor",
            SandboxPart::Program => "program",
        }
    }
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
}

impl StepError {
    /// Returns a function that makes an error of this step out of its reason, for `map_err`.
    #[cfg(target_os = "linux")]
    pub(crate) fn at<E: std::fmt::Display>(part: SandboxPart, step: impl std::fmt::Display) -> impl FnOnce(E) -> StepError {
        move |reason| StepError { part, step: step.to_string(), reason: reason.to_string() }
    }

    /// As [`StepError::at`], for the system calls that return their error as a number.
    #[cfg(target_os = "linux")]
    pub(crate) fn last_os_error(part: SandboxPart, step: &str) -> StepError {
        StepError::at(part, step)(io::Error::last_os_error())
    }
}
