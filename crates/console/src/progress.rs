//! Progress: a line on a terminal, and events for programs.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::json_output::labelled;
use crate::language::translated;
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
            self.draw(truncate_end(&translated(&line.to_string()), width.saturating_sub(1)));
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

/// How progress is shown.
#[derive(Clone, Copy)]
pub struct Shown {
    /// Whether there are events, lines of JSON on standard output.
    pub json: bool,
    /// Whether there is a line on standard error.
    pub line: bool,
}

impl Shown {
    /// Returns what these options mean. If work is done elsewhere, standard output is for programs in any case.
    pub fn from_options(json: bool, is_elsewhere: bool) -> Shown {
        Shown { json: json || is_elsewhere, line: !json }
    }
}

/// Progress as it is shown: a line, events, or both.
pub struct ProgressReport {
    /// The name of the output that the events are lines of, if there are events.
    events: Option<&'static str>,
    line: Option<ProgressLine>,
}

impl ProgressReport {
    /// `line` is used if there is to be one, and `events` is the name of the output that events are lines of.
    pub fn new(shown: Shown, line: ProgressLine, events: &'static str) -> ProgressReport {
        ProgressReport { events: shown.json.then_some(events), line: shown.line.then_some(line) }
    }

    /// Writes an event, if there are events.
    pub fn event(&self, event: impl FnOnce() -> Value) {
        if let Some(name) = self.events {
            // The work goes on even if the reader is gone.
            let _ = writeln!(io::stdout(), "{}", labelled(name, event()));
        }
    }

    /// Shows a line as [`ProgressLine::show`] does.
    pub fn show(&mut self, line: impl Display) {
        if let Some(shown) = &mut self.line {
            shown.show(line);
        }
    }

    /// Shows a line that stays.
    pub fn finish(&mut self, line: impl Display) {
        if let Some(shown) = &mut self.line {
            shown.finish(line);
        }
    }

    /// Erases the line.
    pub fn clear(&mut self) {
        if let Some(shown) = &mut self.line {
            shown.clear();
        }
    }
}

/// Returns how many seconds the rest takes if work goes on as fast as in the `elapsed` seconds since its begin; `None` if nothing is
/// done. `done`, `rest` and `begun`, a part of the rest, are amounts in any unit. What was begun is half done on average.
pub fn seconds_left(elapsed: f64, done: f64, rest: f64, begun: f64) -> Option<f64> {
    let half = begun.min(rest) / 2.0;
    (done > 0.0).then(|| elapsed * (rest - half) / (done + half))
}

/// Returns [`seconds_left`] for pieces of work, `at_once` of them at a time, as the end of a line; empty if nothing is known or left.
pub fn time_left(begin: Instant, done: usize, rest: usize, at_once: usize) -> String {
    let begun = at_once.saturating_sub(1) as f64;
    let left = seconds_left(begin.elapsed().as_secs_f64(), done as f64, rest as f64, begun);
    left.filter(|_| rest > 0).map_or_else(String::new, in_words)
}

/// Formats the time that is left as the end of a line.
pub fn in_words(seconds_left: f64) -> String {
    format!(", {} left", duration(seconds_left))
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
    fn the_rest_takes_as_long_as_what_was_done() {
        assert_eq!(seconds_left(5.0, 10.0, 30.0, 0.0), Some(15.0));
        // Of four pieces at once one is over, and the others are half done on average.
        assert_eq!(seconds_left(5.0, 1.0, 9.0, 3.0), Some(15.0));
        assert_eq!(seconds_left(5.0, 9.0, 1.0, 3.0), Some(5.0 * 0.5 / 9.5));
        assert_eq!(seconds_left(5.0, 0.0, 30.0, 0.0), None);
    }

    #[test]
    fn durations() {
        assert_eq!([0.4, 59.0, 61.0, 3600.0, 90_061.0].map(duration), ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "25 h 1 min"]);
        assert_eq!(duration(157e6), "1817 days");
        assert_eq!(duration(f64::INFINITY), "–");
    }
}
