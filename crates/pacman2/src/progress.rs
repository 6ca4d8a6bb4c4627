//! A line of progress on a terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// How often the line is drawn.
const REDRAW: Duration = Duration::from_millis(200);

/// A line on standard error that is redrawn in place, and erased in the end. Without a terminal it shows nothing, or prints
/// a line from time to time.
pub(crate) struct ProgressLine {
    is_terminal: bool,
    /// How often a line is printed if there is no terminal.
    print: Option<Duration>,
    shown: Option<Instant>,
    is_drawn: bool,
}

impl ProgressLine {
    /// A line for a terminal only.
    pub(crate) fn new() -> ProgressLine {
        ProgressLine { is_terminal: io::stderr().is_terminal(), print: None, shown: None, is_drawn: false }
    }

    /// A line that is also printed where there is no terminal, this often.
    pub(crate) fn printed_every(time: Duration) -> ProgressLine {
        ProgressLine { print: Some(time), shown: Some(Instant::now()), ..ProgressLine::new() }
    }

    /// Shows this line, unless the last one was shown a moment ago.
    pub(crate) fn show(&mut self, line: impl Display) {
        let every = if self.is_terminal { Some(REDRAW) } else { self.print };
        if every.is_some_and(|every| self.shown.is_none_or(|shown| shown.elapsed() >= every)) {
            self.draw(line);
        }
    }

    /// Shows this line in any case, and leaves it there.
    pub(crate) fn finish(&mut self, line: impl Display) {
        if self.is_terminal || self.print.is_some() {
            self.draw(line);
        }
        if std::mem::take(&mut self.is_drawn) {
            eprintln!();
        }
    }

    /// Erases the line.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            eprint!("\r\x1b[K");
        }
    }

    fn draw(&mut self, line: impl Display) {
        self.shown = Some(Instant::now());
        if self.is_terminal {
            eprint!("\r\x1b[K{line}");
            self.is_drawn = true;
        } else {
            eprintln!("{line}");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
