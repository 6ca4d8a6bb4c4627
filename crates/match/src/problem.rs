//! Errors of the operating system, and of files and programs, as codes with parameters.

use std::io;

use pacman2_botzone::problem::Problem;
use pacman2_runner::{
    ControlGroupError, InputFileError, IrregularFile, SandboxError, SandboxPart, StartError, StepError, SystemError,
};
use serde_json::json;

/// What is wrong with a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotProblem {
    /// There is no built-in bot of this name, and nothing else.
    Unknown,
    /// There is no such file, folder or program.
    NoSuchProgram,
    /// It is not trusted, and this machine has no sandbox.
    NoSandbox,
    /// It is a source that does not compile.
    DoesNotCompile,
    /// Something else.
    Other,
}

/// Returns an error of the operating system as a problem. Its code is that of the kind of error; `reason` has the system's words.
///
/// ```
/// use pacman2_match::problem::from_system;
///
/// let error = std::fs::read("/no/such/file").unwrap_err();
/// assert_eq!(from_system(&error.into()).code, "system-not-found");
/// ```
#[must_use]
pub fn from_system(error: &SystemError) -> Problem {
    let problem = match error.kind {
        io::ErrorKind::NotFound => Problem::new("system-not-found"),
        io::ErrorKind::PermissionDenied => Problem::new("system-permission-denied"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Problem::new("system-no-space"),
        io::ErrorKind::AlreadyExists => Problem::new("system-already-exists"),
        io::ErrorKind::ReadOnlyFilesystem => Problem::new("system-read-only"),
        io::ErrorKind::IsADirectory => Problem::new("system-is-a-directory"),
        io::ErrorKind::NotADirectory => Problem::new("system-not-a-directory"),
        io::ErrorKind::FileTooLarge => Problem::new("system-file-too-large"),
        io::ErrorKind::OutOfMemory => Problem::new("system-out-of-memory"),
        io::ErrorKind::WouldBlock => Problem::new("system-exhausted"),
        io::ErrorKind::ResourceBusy | io::ErrorKind::ExecutableFileBusy => Problem::new("system-busy"),
        io::ErrorKind::TimedOut => Problem::new("system-timed-out"),
        _ => Problem::new("system-other"),
    };
    problem.with("reason", error.message.as_str())
}

/// Returns why a file is not read as a problem.
#[must_use]
pub fn from_file(error: &InputFileError) -> Problem {
    match error {
        InputFileError::Io(error) => from_system(&SystemError::new(error)),
        InputFileError::NotRegular(IrregularFile::Folder) => Problem::new("file-is-folder"),
        InputFileError::NotRegular(IrregularFile::Special) => Problem::new("file-is-special"),
        InputFileError::TooLarge { size, limit } => Problem::new("file-too-large").with("limit", *limit).with("got", *size),
    }
}

/// Returns why a sandbox cannot be built or used as a problem. `part` is what it is about, `causes` says why, as far as there are
/// codes, and `reason` has the details in English.
///
/// ```
/// use pacman2_match::problem::from_sandbox;
/// use pacman2_runner::SandboxError;
///
/// let problem = from_sandbox(&SandboxError::BrokeDown);
/// assert_eq!((problem.code.as_str(), &problem.params["part"]), ("start-sandbox", &"supervisor".into()));
/// assert_eq!(problem.params["causes"][0]["code"], "sandbox-broke-down");
/// ```
#[must_use]
pub fn from_sandbox(error: &SandboxError) -> Problem {
    let cause = match error {
        SandboxError::Unsupported => Some(Problem::new("sandbox-unsupported")),
        SandboxError::ControlGroups(ControlGroupError::Unsupported) => Some(Problem::new("control-groups-unsupported")),
        SandboxError::ControlGroups(ControlGroupError::NotMounted) => Some(Problem::new("control-groups-not-mounted")),
        SandboxError::ControlGroups(ControlGroupError::NoKill) => Some(Problem::new("control-groups-no-kill")),
        SandboxError::ControlGroups(ControlGroupError::System { error, .. })
        | SandboxError::CurrentDirectory(error)
        | SandboxError::SupervisorNotStarted(error)
        | SandboxError::Channel(error) => Some(from_system(error)),
        SandboxError::Build(error) => return from_step(error),
        SandboxError::SupervisorDied | SandboxError::BrokeDown => Some(Problem::new("sandbox-broke-down")),
        // The part says it: the supervisor, or a system on which nothing runs in a sandbox.
        _ => None,
    };
    in_sandbox(error.part(), error.to_string(), cause)
}

/// Returns a failed step as a problem.
fn from_step(error: &StepError) -> Problem {
    in_sandbox(error.part, error.to_string(), error.system_error().as_ref().map(from_system))
}

fn in_sandbox(part: SandboxPart, reason: String, cause: Option<Problem>) -> Problem {
    Problem::new("start-sandbox").with("part", json!(part)).with("reason", reason).because(cause.as_slice())
}

/// Returns why a program does not start as a problem; `None` if only the sentence says it.
#[must_use]
pub fn from_start(error: &StartError) -> Option<Problem> {
    let named = |code: &str, program: &std::ffi::OsStr| Problem::new(code).with("program", program.to_string_lossy());
    Some(match error {
        StartError::NoCommand => Problem::new("start-no-command"),
        StartError::NotADirectory { program, directory } => {
            named("start-no-directory", program).with("directory", directory.to_string_lossy())
        }
        StartError::System { program, error } => named("start-program", program).because(&[from_system(error)]),
        StartError::Sandbox(error) => from_sandbox(error),
        StartError::InSandbox(error) => from_step(error),
        _ => return None,
    })
}
