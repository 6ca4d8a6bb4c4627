//! A program as a child process: asked one question at a time, under limits.
//!
//! A program starts afresh for every question, unless it asks to keep running by printing [`Program::keep_running`] after
//! an answer. What it does wrong is never an error here but an [`Outcome`](crate::Outcome). Its deadline holds however a run
//! ends. Once a [`Program`] is dropped, none of its processes is left.

mod run;
mod stopwatch;
mod transcript;
pub(crate) mod usage;

// One running program with its pipes. The alternatives have equal signatures.
#[cfg_attr(unix, path = "program/process_unix.rs")]
#[cfg_attr(windows, path = "program/process_windows.rs")]
mod process;

#[cfg(unix)]
pub(crate) mod child;

// The process tree of a child. Only Linux can measure it from outside and find orphans.
#[cfg(unix)]
#[cfg_attr(target_os = "linux", path = "program/process_tree_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "program/process_tree_unix.rs")]
pub(crate) mod process_tree;

#[cfg(target_os = "linux")]
pub(crate) mod procfs;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::error::SystemError;
use crate::limits::Limits;
use crate::outcome::{RunResult, SandboxError, StartError};
use crate::sandbox::{Jail, Mounts, Sandbox, Storage};
use process::Process;
use run::{Context, PersistentProcess};

pub use transcript::{MAX_OUTPUT_BYTES, MAX_STDERR_BYTES};

/// A program: how to start it, what it may use, and its process if it keeps running.
///
/// Dropping it kills the process and everything that the process started.
#[derive(Debug)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The working directory; `None` is the current one.
    pub directory: Option<PathBuf>,
    /// What it may use for one answer, with the language's time factor already applied.
    pub limits: Limits,
    /// The line with which the program asks to keep running, without its line end; it must not be empty or begin with a
    /// blank. `None` starts a new process for every question.
    pub keep_running: Option<String>,
    /// Close the program's standard input after the question, for a program that reads to the end of its input; it cannot
    /// keep running then. Linux finds this out: a program that has read its question and does nothing for a tenth of a
    /// second gets the end of its input, and from then on gets it at once.
    pub stdin_ends: bool,
    confinement: Option<Confinement>,
    persistent: Option<PersistentProcess>,
}

/// The sandbox of a program.
#[derive(Debug)]
struct Confinement {
    sandbox: Sandbox,
    mounts: Mounts,
    /// Built again after a program has brought it down.
    jail: Option<Arc<Jail>>,
}

/// One question in the two forms that it may take, each one line without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// For a process that starts now, for example with the history so far.
    pub fresh: &'a str,
    /// For a process that kept running.
    pub running: &'a str,
}

impl Program {
    /// Describes a program that runs `command` (program, arguments) in the current directory. Nothing starts yet.
    pub fn new(command: Vec<OsString>, limits: Limits) -> Program {
        Program { command, directory: None, limits, keep_running: None, stdin_ends: false, confinement: None, persistent: None }
    }

    /// Makes the program run in a sandbox, where it sees no files but the system's and those in `mounts`.
    ///
    /// The jail is built now, for the command, the directory and the limits as they are.
    ///
    /// # Errors
    ///
    /// Fails if the jail cannot be built; the program then stays unconfined.
    ///
    /// ```
    /// use pacman2_runner::{Limits, Mounts, Program, Sandbox, SandboxError};
    ///
    /// let mut program = Program::new(vec!["/bin/sh".into()], Limits::default());
    /// // There is no supervisor that could build a jail.
    /// assert!(program.confine(&Sandbox::none(), Mounts::default()).is_err());
    /// ```
    pub fn confine(&mut self, sandbox: &Sandbox, mounts: Mounts) -> Result<(), SandboxError> {
        let mut confinement = Confinement { sandbox: sandbox.clone(), mounts, jail: None };
        confinement.jail(&self.command, self.directory.as_deref(), &self.limits)?;
        self.confinement = Some(confinement);
        Ok(())
    }

    /// Asks the program and waits until it answers, exceeds a limit or ends, or until `stop` is set (checked every 10 ms).
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// use std::sync::atomic::AtomicBool;
    /// use pacman2_runner::{Limits, Outcome, Program, Question};
    ///
    /// let script = "while read -r line; do echo \"$line\"; echo MORE; done";
    /// let mut program = Program::new(vec!["/bin/sh".into(), "-c".into(), script.into()], Limits::default());
    /// program.keep_running = Some("MORE".to_owned());
    /// let stop = AtomicBool::new(false);
    ///
    /// let first = program.ask(Question { fresh: "a b", running: "b" }, &stop);
    /// assert_eq!((first.outcome, first.output), (Outcome::Answered, b"a b\n".to_vec()));
    /// assert!(program.keeps_running());
    /// let second = program.ask(Question { fresh: "a b c", running: "c" }, &stop);
    /// assert_eq!((second.outcome, second.output), (Outcome::Answered, b"c".to_vec()));
    /// # }
    /// ```
    pub fn ask(&mut self, question: Question<'_>, stop: &AtomicBool) -> RunResult {
        let (result, persistent) = match self.persistent.take() {
            Some(process) => run::later(process, question.running, self.context(stop)),
            None => match self.start() {
                Ok(process) => run::first(process, question.fresh, self.stdin_ends, self.context(stop)),
                Err(error) => (RunResult::not_started(error), None),
            },
        };
        self.persistent = persistent;
        self.stdin_ends |= result.input_ended;
        result
    }

    /// Copies what the program's [storage](crate::Storage) holds to where it is kept; returns whether there is such a place.
    ///
    /// Nothing can be kept if the program was killed for a limit: its storage went with its jail.
    ///
    /// # Errors
    ///
    /// Fails if the storage is gone, cannot be copied, or holds more than its limits.
    pub fn keep_storage(&mut self) -> Result<bool, SandboxError> {
        let Some(Confinement { sandbox, mounts, jail }) = &self.confinement else { return Ok(false) };
        match (&mounts.storage, jail) {
            _ if !sandbox.tier().has_namespaces() => Ok(false),
            (Some(Storage::Writable { keep: Some(_), .. }), Some(jail)) if jail.is_gone() => Err(SandboxError::StorageGone),
            (Some(Storage::Writable { keep: Some(_), .. }), Some(jail)) => jail.keep_storage().map(|()| true),
            _ => Ok(false),
        }
    }

    /// Returns whether a process of this program waits for its next question.
    pub fn keeps_running(&self) -> bool {
        self.persistent.is_some()
    }

    /// Kills the process that waits for the next question, if there is one, with all that it has started.
    pub fn end(&mut self) {
        self.persistent = None;
    }

    fn context<'a>(&'a self, stop: &'a AtomicBool) -> Context<'a> {
        Context { limits: &self.limits, keep_running: self.keep_running.as_deref(), stop }
    }

    fn start(&mut self) -> Result<Process, StartError> {
        if self.command.is_empty() {
            return Err(StartError::NoCommand);
        }
        match &mut self.confinement {
            None => Process::start(&self.command, self.directory.as_deref()).map_err(|error| self.start_error(error.into())),
            Some(confinement) => Process::start_in(confinement.jail(&self.command, self.directory.as_deref(), &self.limits)?),
        }
    }

    fn start_error(&self, error: SystemError) -> StartError {
        let program = self.command[0].clone();
        // The system reports a missing directory in the same way as a missing program.
        match &self.directory {
            Some(directory) if !directory.is_dir() => StartError::NotADirectory { program, directory: directory.clone() },
            _ => StartError::System { program, error },
        }
    }
}

impl Confinement {
    fn jail(&mut self, command: &[OsString], directory: Option<&Path>, limits: &Limits) -> Result<&Arc<Jail>, SandboxError> {
        let standing = self.jail.take().filter(|jail| !jail.is_gone());
        let jail = match standing {
            Some(jail) => jail,
            None => Arc::new(self.sandbox.jail(command, directory, &self.mounts, limits)?),
        };
        Ok(self.jail.insert(jail))
    }
}

impl<'a> Question<'a> {
    /// A question for a program that never keeps running.
    pub fn once(line: &'a str) -> Question<'a> {
        Question { fresh: line, running: "" }
    }
}

/// Returns how long this thread was ready to run while no processor was free, since it started. Linux only.
#[cfg(target_os = "linux")]
pub fn own_ready_wait() -> std::time::Duration {
    procfs::own_ready_wait()
}

/// Returns the CPU time of all descendants of this process that have ended and were waited for. Linux only.
#[cfg(target_os = "linux")]
pub fn cpu_of_ended_descendants() -> std::time::Duration {
    process_tree::cpu_of_ended_descendants()
}

/// Makes this process adopt the orphans of its descendants from now on, as the first start of a program does. This is for a
/// process that lets another one start programs and cleans up after it. Linux only.
#[cfg(target_os = "linux")]
pub fn adopt_orphans() {
    process_tree::adopt_orphans();
}

/// Kills and reaps every orphan that programs have left to this process. Does nothing on other systems than Linux.
///
/// Once a program was started, this process adopts what its descendants abandon (it is a *child subreaper*). An orphan is
/// then a child in another session than ours, unless it is a running program or shares a running program's session.
/// Children that are older than the first program are left alone, and so are those that other code starts, as long as they
/// stay in our session.
///
/// Each run and each dropped [`Program`] sweeps anyway; call this at the end of everything to be sure.
///
/// ```
/// pacman2_runner::sweep();
/// ```
pub fn sweep() {
    process::sweep();
}
