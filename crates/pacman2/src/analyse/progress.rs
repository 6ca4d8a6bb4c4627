//! How far an analysis is, for a person on a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// How often somebody who waits is told.
pub(crate) const PROGRESS: Duration = Duration::from_millis(200);

/// A line on standard error, drawn over and over; nothing where nobody watches.
pub(crate) struct Progress {
    is_seen: bool,
    drawn: Option<Instant>,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress { is_seen: io::stderr().is_terminal(), drawn: None }
    }

    pub(crate) fn show(&mut self, done: usize, all: usize) {
        if self.is_seen && self.drawn.is_none_or(|drawn| drawn.elapsed() >= PROGRESS) {
            self.drawn = Some(Instant::now());
            eprint!("\r{done} of {all} turns analysed");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}
