//! Records results of games that were played elsewhere.

use std::io::{self, BufReader, Read, Write};
use std::process::ExitCode;

use super::progress::EVENTS;
use super::recorder::{Recorded, Recorder};
use super::wire::ResultLine;
use pacman2_console::json_output::labelled;
use pacman2_console::stdout::stdout;
use pacman2_jobs::engine::Engine;
use pacman2_jobs::lines::{BadLine, FailureLine, JsonLine, Lines, MAX_RESULT_BYTES, Reason};
use pacman2_tournament::Store;
use serde_json::json;

/// How many problems are printed; the others are only counted.
const MAX_PRINTED: usize = 20;
/// The exit code if a line cannot be understood.
const BAD_LINES: u8 = 2;

/// Records the results of an input in an arena, and prints what became of them, as JSON or for people. Returns how to exit.
///
/// # Errors
///
/// If the arena cannot be read or written.
pub fn record(store: &mut Store, input: impl Read, json: bool) -> anyhow::Result<ExitCode> {
    let recorder = Recorder::new(store, Engine::from_this_program()?)?;
    let mut recording = Recording { recorder, json, counts: Counts::default() };
    for line in Lines::new(BufReader::new(input), MAX_RESULT_BYTES) {
        match line.and_then(|line| recording.read(line)) {
            Ok(Some(Input::Result(result))) => recording.record(store, *result)?,
            Ok(Some(Input::Failure { failed, reason })) => recording.refuse(&failed, &reason)?,
            Ok(None) => {}
            Err(bad) => recording.reject(&bad)?,
        }
    }
    recording.end()
}

/// Results on their way into an arena.
struct Recording {
    recorder: Recorder,
    json: bool,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    recorded: usize,
    known: usize,
    /// Games that took another course than the one in the arena.
    different: usize,
    refused: usize,
    bad_lines: usize,
    printed: usize,
    /// Whether a game took another course although its bots use no clock.
    is_suspicious: bool,
}

enum Input {
    Result(Box<ResultLine>),
    Failure { failed: String, reason: Reason },
}

impl Recording {
    fn read(&mut self, line: JsonLine) -> Result<Option<Input>, BadLine> {
        if line.has("failed") {
            let FailureLine { failed, reason } = line.read("a failure")?;
            return Ok(Some(Input::Failure { failed, reason }));
        }
        let result = self.recorder.read_line(line, "a header, a result or a failure")?;
        Ok(result.map(|result| Input::Result(Box::new(result))))
    }

    fn record(&mut self, store: &mut Store, result: ResultLine) -> anyhow::Result<()> {
        let id = result.result.clone();
        match self.recorder.record(store, result)? {
            Recorded::New(_) => self.counts.recorded += 1,
            Recorded::Known(_) => self.counts.known += 1,
            Recorded::Differs(difference) => {
                self.counts.different += 1;
                self.counts.is_suspicious |= difference.is_deterministic;
                self.print(difference.json(), &difference.sentence())?;
            }
            Recorded::Refused(reason) => self.refuse(&id, &reason)?,
        }
        Ok(())
    }

    fn refuse(&mut self, id: &str, reason: &Reason) -> io::Result<()> {
        self.counts.refused += 1;
        let event = json!({ "event": "refused", "id": id, "reason": reason });
        self.print(event, &format!("game {id} was not recorded: {}", reason.message))
    }

    fn reject(&mut self, bad: &BadLine) -> io::Result<()> {
        self.counts.bad_lines += 1;
        let event = json!({ "event": "bad-line", "line": bad.number, "reason": bad.reason });
        self.print(event, &bad.to_string())
    }

    /// Reports something that went wrong.
    fn print(&mut self, event: serde_json::Value, sentence: &str) -> io::Result<()> {
        self.counts.printed += 1;
        if self.json {
            writeln!(stdout(), "{}", labelled(EVENTS, event))?;
        } else if self.counts.printed <= MAX_PRINTED {
            eprintln!("pacman2: {}", pacman2_console::text::sanitize(sentence));
        }
        Ok(())
    }

    fn end(self) -> anyhow::Result<ExitCode> {
        let Counts { recorded, known, different, refused, bad_lines, printed, is_suspicious } = self.counts;
        let mut out = stdout();
        if self.json {
            let event = json!({
                "event": "end", "recorded": recorded, "known": known, "different": different, "refused": refused,
                "bad_lines": bad_lines,
            });
            writeln!(out, "{}", labelled(EVENTS, event))?;
        } else {
            if printed > MAX_PRINTED {
                eprintln!("pacman2: and {} more like these", printed - MAX_PRINTED);
            }
            let counts = [(different, "different from the arena"), (refused, "refused"), (bad_lines, "lines not understood")];
            let problems = counts.into_iter().filter(|(count, _)| *count > 0);
            let problems: String = problems.map(|(count, what)| format!(", {count} {what}")).collect();
            writeln!(out, "{recorded} games recorded, {known} already known{problems}.")?;
        }
        Ok(match (bad_lines, refused) {
            (1.., _) => BAD_LINES.into(),
            (0, 1..) => ExitCode::FAILURE,
            (0, 0) if is_suspicious => ExitCode::FAILURE,
            (0, 0) => ExitCode::SUCCESS,
        })
    }
}
