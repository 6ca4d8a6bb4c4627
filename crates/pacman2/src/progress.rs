//! How far something is, for a person on a terminal.

use std::fmt::Arguments;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// How often somebody who waits is told.
pub(crate) const REDRAW: Duration = Duration::from_millis(200);

/// A line on standard error that is drawn over and over and taken away in the end; nothing where nobody watches.
pub(crate) struct ProgressLine {
    is_seen: bool,
    drawn: Option<Instant>,
}

impl ProgressLine {
    pub(crate) fn new() -> ProgressLine {
        ProgressLine { is_seen: io::stderr().is_terminal(), drawn: None }
    }

    pub(crate) fn show(&mut self, line: Arguments) {
        if self.is_seen && self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
            self.drawn = Some(Instant::now());
            eprint!("\r\x1b[K{line}");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}
