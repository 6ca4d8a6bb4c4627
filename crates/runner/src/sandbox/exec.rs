//! How a process becomes the program, prepared once for all starts.

#![allow(unsafe_code, reason = "execs, and sets its own environment")]

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::{CString, OsString, c_char};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use super::wire::JailSpec;
use crate::error::{SandboxPart, StepError};

/// A program with its arguments, its environment and its working directory.
pub(super) struct Exec {
    program: CString,
    directory: CString,
    arguments: Texts,
    environment: Texts,
}

/// Texts as the kernel wants them.
struct Texts {
    /// To each text, and at the end to nothing. The texts stay where they are when this is moved.
    pointers: Vec<*const c_char>,
    _texts: Vec<CString>,
}

impl Exec {
    /// Call it in a process with a single thread.
    pub(super) fn new(spec: &JailSpec) -> Result<Exec, StepError> {
        let Some(program) = spec.command.first() else {
            return Err(StepError::new(SandboxPart::Program, "the command", "it is empty"));
        };
        // Of variables with one name the last counts.
        let variables: BTreeMap<&OsString, &OsString> = spec.environment.iter().map(|(name, value)| (name, value)).collect();
        if let Some(path) = variables.get(&OsString::from("PATH")) {
            // The C library looks for the program in our own path.
            // SAFETY: this process has a single thread.
            unsafe { std::env::set_var("PATH", path) };
        }
        let variable = |(name, value): (&OsString, &OsString)| [name.as_bytes(), b"=", value.as_bytes()].concat();
        Ok(Exec {
            program: text(program.as_bytes())?,
            directory: text(spec.directory.as_bytes())?,
            arguments: Texts::new(spec.command.iter().map(|one| one.as_bytes().to_vec()))?,
            environment: Texts::new(variables.into_iter().map(variable))?,
        })
    }

    /// Becomes the program; returns only if that fails.
    pub(super) fn exec(&self) -> StepError {
        if let Err(error) = rustix::process::chdir(self.directory.as_c_str()) {
            return self.cannot_start(error);
        }
        // SAFETY: no handler is installed. Our own processes ignore this signal, and programs do not expect that. The pointers
        // lead to texts that live as long as `self`, and end with a null pointer.
        unsafe {
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            libc::execvpe(self.program.as_ptr(), self.arguments.pointers.as_ptr(), self.environment.pointers.as_ptr());
        }
        self.cannot_start(io::Error::last_os_error())
    }

    fn cannot_start(&self, reason: impl Error + 'static) -> StepError {
        StepError::at(SandboxPart::Program, format!("cannot start {}", self.program.to_string_lossy()))(reason)
    }
}

/// Makes these pipes the standard streams of this process.
pub(super) fn use_as_standard_streams(stdin: BorrowedFd, stdout: BorrowedFd, stderr: BorrowedFd) -> Result<(), StepError> {
    rustix::stdio::dup2_stdin(stdin)
        .and_then(|()| rustix::stdio::dup2_stdout(stdout))
        .and_then(|()| rustix::stdio::dup2_stderr(stderr))
        .map_err(StepError::at(SandboxPart::Supervisor, "the pipes"))
}

impl Texts {
    fn new(texts: impl Iterator<Item = Vec<u8>>) -> Result<Texts, StepError> {
        let texts = texts.map(text).collect::<Result<Vec<_>, _>>()?;
        let pointers = texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Ok(Texts { pointers, _texts: texts })
    }
}

fn text(text: impl Into<Vec<u8>>) -> Result<CString, StepError> {
    CString::new(text).map_err(StepError::at(SandboxPart::Program, "the command or its environment"))
}
