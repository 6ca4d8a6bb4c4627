//! A line of progress on a terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crate::text::truncate_end;

/// How often the line is drawn.
const REDRAW: Duration = Duration::from_millis(200);
/// The assumed width of a terminal that does not report its own.
const DEFAULT_WIDTH: usize = 100;

/// A line on standard error that is redrawn in place, and erased in the end. Without a terminal it shows nothing, or prints
/// a line from time to time.
pub struct ProgressLine {
    is_terminal: bool,
    /// How often a line is printed if there is no terminal.
    print: Option<Duration>,
    /// What printed lines begin with.
    prefix: &'static str,
    shown: Option<Instant>,
    is_drawn: bool,
}

impl ProgressLine {
    /// Returns a line for a terminal only.
    pub fn for_terminal() -> ProgressLine {
        ProgressLine { is_terminal: io::stderr().is_terminal(), print: None, prefix: "", shown: None, is_drawn: false }
    }

    /// Returns a line that is also printed where there is no terminal, this often and with this prefix.
    pub fn printed_every(time: Duration, prefix: &'static str) -> ProgressLine {
        ProgressLine { print: Some(time), prefix, shown: Some(Instant::now()), ..ProgressLine::for_terminal() }
    }

    /// Shows this line, unless the last one was shown a moment ago. A terminal shows as much of it as fits.
    pub fn show(&mut self, line: impl Display) {
        let every = if self.is_terminal { Some(REDRAW) } else { self.print };
        let is_due = every.is_some_and(|every| self.shown.is_none_or(|shown| shown.elapsed() >= every));
        if !is_due {
            return;
        }
        if self.is_terminal {
            let width = terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0));
            // A line that reaches the last column could wrap.
            self.draw(truncate_end(&line.to_string(), width.saturating_sub(1)));
        } else {
            self.draw(line);
        }
    }

    /// Shows this line in any case, and leaves it there.
    pub fn finish(&mut self, line: impl Display) {
        if self.is_terminal || self.print.is_some() {
            self.draw(line);
        }
        if std::mem::take(&mut self.is_drawn) {
            eprintln!();
        }
    }

    /// Erases the line.
    pub fn clear(&mut self) {
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
            eprintln!("{}{line}", self.prefix);
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Formats a time in seconds, such as `1 min 5 s`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "–".to_owned();
    }
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (100.., ..) => format!("{} days", seconds / 86_400),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!([0.4, 59.0, 61.0, 3600.0, 90_061.0].map(duration), ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "25 h 1 min"]);
        assert_eq!(duration(157e6), "1817 days");
        assert_eq!(duration(f64::INFINITY), "–");
    }
}
