//! Errors as the command line reports them: one message and an exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

use pacman2_botzone::problem::Problem;
use pacman2_botzone::words::Locale;
use pacman2_match::problem::{BotProblem, from_system};
use pacman2_runner::SystemError;
use serde_json::Value;

use crate::text::sanitize;

/// The exit code for input that is rejected.
const BAD_INPUT: u8 = 2;

/// Input that is rejected. The message says what, where, and what was expected.
#[derive(Debug)]
pub struct BadInput {
    message: String,
    /// What is wrong with a bot, if it is about one.
    pub bot: BotProblem,
    /// The same as codes, for the viewer's page.
    causes: Vec<Problem>,
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadInput {}

/// Returns a [`BadInput`] with this message.
pub fn bad_input(reason: impl fmt::Display) -> anyhow::Error {
    bad_bot(BotProblem::Other, reason)
}

/// Returns a [`BadInput`] about a bot.
pub fn bad_bot(bot: BotProblem, reason: impl fmt::Display) -> anyhow::Error {
    BadInput { message: reason.to_string(), bot, causes: Vec::new() }.into()
}

/// Returns a [`BadInput`] with a code that the viewer's page words.
pub fn coded(cause: Problem, reason: impl fmt::Display) -> anyhow::Error {
    BadInput { message: reason.to_string(), bot: BotProblem::Other, causes: vec![cause] }.into()
}

/// Returns a [`BadInput`] with the words of the catalogue.
pub fn in_words(cause: Problem) -> anyhow::Error {
    let words = cause.words(Locale::English).unwrap_or_default();
    coded(cause, words)
}

/// Returns a [`BadInput`] about a source that does not compile, with a code that the viewer's page words.
pub fn uncompiled(cause: Problem, reason: impl fmt::Display) -> anyhow::Error {
    BadInput { message: reason.to_string(), bot: BotProblem::DoesNotCompile, causes: vec![cause] }.into()
}

/// An error of the machine, as opposed to bad input.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct MachineError {
    message: String,
    causes: Vec<Problem>,
}

/// Returns an error of the machine with a code that the viewer's page words.
pub fn of_machine(cause: Problem, reason: impl fmt::Display) -> anyhow::Error {
    MachineError { message: reason.to_string(), causes: vec![cause] }.into()
}

/// Returns a [`BadInput`] with another text in place of a part of its message, such as the name of a file in place of a temporary one.
pub fn reworded(error: anyhow::Error, part: &str, other: &str) -> anyhow::Error {
    match error.downcast::<BadInput>() {
        Ok(mut error) => {
            error.message = error.message.replace(part, other);
            for text in error.causes.iter_mut().flat_map(|cause| cause.params.values_mut()) {
                if let Value::String(text) = text {
                    *text = text.replace(part, other);
                }
            }
            error.into()
        }
        Err(error) => error,
    }
}

/// Returns an error as codes for the viewer's page: its own, or what the operating system says in it.
pub fn causes_of(error: &anyhow::Error) -> Vec<Problem> {
    if let Some(BadInput { causes, .. }) = error.downcast_ref() {
        return causes.clone();
    }
    if let Some(MachineError { causes, .. }) = error.downcast_ref() {
        return causes.clone();
    }
    let system = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    system.map(|error| from_system(&SystemError::new(error))).into_iter().collect()
}

/// Prints an error to stderr and returns the exit code: 2 for bad input, 1 for everything else.
pub fn report(error: &anyhow::Error) -> ExitCode {
    // The reader of our output has closed it, which is not an error.
    if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("pacman2: {}", sanitized(&format!("{error:#}")));
    if error.downcast_ref::<BadInput>().is_some() { BAD_INPUT.into() } else { ExitCode::FAILURE }
}

/// Sanitizes each line, because messages quote files and compilers.
fn sanitized(text: &str) -> String {
    text.lines().map(|line| sanitize(&line.replace('\t', "    "))).collect::<Vec<_>>().join("\n")
}
