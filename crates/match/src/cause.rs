//! What is behind a faulty answer, where its output, its standard error, its end or its file shows it.

mod crash;
mod exception;
pub(crate) mod output;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use pacman2_botzone::problem::Problem;
use pacman2_botzone::response::{DATA_BYTES, Verdict};
use pacman2_botzone::words::Locale;
use pacman2_runner::{Clock, Exit, Outcome, RunResult};
use serde_json::Value;

/// The longest quotation of what a bot wrote, in characters.
const MAX_LINE: usize = 160;

/// A known cause of a fault: a problem that was seen, whose words and advice are in the catalogue of `pacman2_botzone::words`. Its
/// parameter `line` is the line that shows it, if there is one.
#[derive(Clone, PartialEq, Debug)]
pub struct Cause(Problem);

impl Cause {
    fn new(code: &str) -> Cause {
        Cause(Problem::new(code))
    }

    fn with(self, name: &str, value: impl Into<Value>) -> Cause {
        Cause(self.0.with(name, value))
    }

    fn with_line(self, line: &str) -> Cause {
        let line = line.trim();
        let start: String = line.chars().take(MAX_LINE).collect();
        let more = if start.len() < line.len() { "…" } else { "" };
        self.with("line", start + more)
    }

    /// What a bot stored under this key was too long.
    pub(crate) fn of_long_data(key: &str) -> Cause {
        Cause::new("cause-data-cut").with("name", key).with("limit", DATA_BYTES)
    }

    /// Finds what is odd about a run whose answer can be used.
    pub(crate) fn of_answered(run: &RunResult) -> Option<Cause> {
        // Only the line with which it asks to keep running completes an answer without an exit.
        let asked_too_late = run.outcome == Outcome::Answered && run.exit.is_none() && !run.kept_running;
        asked_too_late.then(|| Cause::new("cause-asked-too-late"))
    }

    /// Returns the cause as a code with parameters.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0
    }

    /// Returns the name of the file or module that it lacked, if it lacked one.
    #[must_use]
    pub fn missing(&self) -> Option<&str> {
        let is_missing = matches!(self.0.code.as_str(), "cause-no-file" | "cause-no-module" | "cause-no-package");
        self.0.params.get("name").filter(|_| is_missing)?.as_str()
    }
}

impl fmt::Display for Cause {
    /// Displays it in English, with what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.explanation(Locale::English) {
            Some(explanation) => explanation.fmt(f),
            None => f.write_str(&self.0.code),
        }
    }
}

/// A faulty run, and what is known of it.
pub(crate) struct FaultyRun<'a> {
    pub(crate) verdict: Verdict,
    pub(crate) run: &'a RunResult,
    /// The file that was started.
    pub(crate) program: &'a Path,
    /// Whether it had kept running before.
    pub(crate) was_running: bool,
    /// Whether what it had stored was cut.
    pub(crate) stored_was_cut: bool,
}

impl FaultyRun<'_> {
    /// Finds the cause, if it shows.
    pub(crate) fn cause(&self) -> Option<Cause> {
        let output = String::from_utf8_lossy(&self.run.output);
        let stderr = String::from_utf8_lossy(&self.run.stderr);
        match self.verdict {
            Verdict::Nj if self.run.outcome == Outcome::Unasked => None,
            Verdict::Nj => output::of_text(&output, self.was_running),
            Verdict::Ok => output::of_answer(&output),
            Verdict::Re => self.of_end(&output, &stderr),
            Verdict::Tle => crash::of_resources(&stderr).or_else(|| self.of_time(&output)),
            _ => None,
        }
    }

    fn of_end(&self, output: &str, stderr: &str) -> Option<Cause> {
        let FaultyRun { run, program, was_running, stored_was_cut, .. } = *self;
        let ended = || Cause::new("cause-exit-after-marker");
        if was_running && run.exit == Some(Exit::Code(0)) {
            return Some(ended());
        }
        let answered = output::has_answer(output);
        crash::of_start(run, program)
            .or_else(|| crash::of_exception(stderr, crash::State { was_running, stored_was_cut, answered }))
            .or_else(|| crash::of_stderr(stderr))
            .or_else(|| crash::of_exit(run.exit?, answered))
            .or_else(|| was_running.then(ended))
    }

    /// Returns why it was too slow, as far as its clocks and its output show.
    fn of_time(&self, output: &str) -> Option<Cause> {
        let run = self.run;
        let ms = |time: Duration| time.as_millis() as u64;
        let charged = run.wall.saturating_sub(run.ready_wait);
        let is_of_cpu = run.outcome == Outcome::TimeOut(Clock::Cpu);
        let asks = output::asks_to_keep_running(output);
        let is_done = run.exit.is_some() || asks || self.was_running && output.ends_with('\n');
        if output::has_answer(output) && !(is_done && is_of_cpu) {
            let code = match () {
                () if is_done => "cause-answered-late",
                () if self.was_running => "cause-no-line-end",
                () => "cause-answer-then-ran",
            };
            let answered = if is_done { charged } else { run.last_output.unwrap_or(charged) };
            return Some(Cause::new(code).with("answered_ms", ms(answered)));
        }
        let cpu = run.cpu?;
        // A bot on a busy machine gets a part of the time, but more than a runtime needs to start.
        if is_of_cpu || cpu > charged / 5 {
            return Some(Cause::new("cause-slow").with("cpu_ms", ms(cpu)));
        }
        Some(match output.lines().find(|line| !line.trim().is_empty()) {
            Some(line) => Cause::new("cause-output-without-answer").with_line(line),
            None if self.was_running => Cause::new("cause-waits-running"),
            None => Cause::new("cause-waits"),
        })
    }
}
