//! What goes wrong, told in one sentence and an exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::board::harmless;

/// The exit code where what was given cannot be accepted.
const BAD_INPUT: u8 = 2;

/// Something that a person or a program gave us cannot be accepted: what, where, and what would be.
#[derive(Debug)]
pub(crate) struct BadInput(pub(crate) String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// A [`BadInput`] as an error.
pub(crate) fn bad_input(reason: impl fmt::Display) -> anyhow::Error {
    BadInput(reason.to_string()).into()
}

/// Tells the error on stderr and says how to exit: 2 for bad input, 1 for everything else.
pub(crate) fn tell(error: &anyhow::Error) -> ExitCode {
    // Whoever reads our output may have seen enough.
    if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("pacman2: {}", legible(&format!("{error:#}")));
    if error.downcast_ref::<BadInput>().is_some() { BAD_INPUT.into() } else { ExitCode::FAILURE }
}

/// Lines in which a stranger's file or a compiler may have its say, without anything that a terminal would obey.
fn legible(text: &str) -> String {
    text.lines().map(|line| harmless(&line.replace('\t', "    "))).collect::<Vec<_>>().join("\n")
}
