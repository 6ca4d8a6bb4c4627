//! Reading lines of JSON up to a limit, on a thread of their own.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pacman2_botzone::{HeldJson, Json};
use pacman2_console::error::bad_input;
use pacman2_console::text::sanitize;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u32 = 1;
/// The size limit of a line of jobs, in bytes.
const MAX_JOB_BYTES: u64 = 1024 * 1024;
/// The size limit of a line of results, in bytes. A result contains the replay of a game, with what its bots wrote.
pub const MAX_RESULT_BYTES: u64 = 256 * 1024 * 1024;
/// How many lines are read in advance.
const LINES_AHEAD: usize = 4;
/// How often a thread that waits for a job looks whether it should stop.
const TICK: Duration = Duration::from_millis(100);

/// Why a job was not played, or a result not recorded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// A word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

impl Reason {
    /// Returns the reason with this word and this sentence.
    pub fn new(code: &str, message: impl Into<String>) -> Reason {
        Reason { code: code.to_owned(), message: message.into() }
    }
}

/// A job that was not done.
#[derive(Deserialize)]
pub struct FailureLine {
    /// The id of the job.
    pub failed: String,
    /// Why it was not done.
    pub reason: Reason,
}

/// A line that is not as expected.
#[derive(Debug, thiserror::Error)]
#[error("line {number}: {reason}")]
pub struct BadLine {
    /// Its number, from 1.
    pub number: u64,
    /// What was expected, and what was found.
    pub reason: String,
}

/// A line of JSON: an object, whose key says of what kind it is. It stays text, since a tree of it can be a hundred times as large.
#[derive(Debug)]
pub struct JsonLine {
    number: u64,
    held: HeldJson<'static>,
}

impl JsonLine {
    fn parse(number: u64, text: Vec<u8>) -> Result<JsonLine, BadLine> {
        let bad = |reason: String| BadLine { number, reason };
        let no_json = |error: &dyn fmt::Display| bad(format!("expected a JSON object, got something else: {error}"));
        let text = String::from_utf8(text).map_err(|error| no_json(&error))?;
        let held = HeldJson::parse(text).map_err(|error| no_json(&error))?;
        if held.json().is_object() {
            Ok(JsonLine { number, held })
        } else {
            Err(bad("expected a JSON object, got another value".to_owned()))
        }
    }

    fn json(&self) -> Json<'_> {
        self.held.json()
    }

    /// Returns whether it has this key.
    pub fn has(&self, key: &str) -> bool {
        self.json().get(key).is_some()
    }

    /// Returns the text at this key, if there is one.
    pub fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        self.json().get(key)?.string()
    }

    /// Returns the line as a value of this type, which the messages call `what`.
    pub fn read<T: DeserializeOwned>(self, what: &str) -> Result<T, BadLine> {
        serde_json::from_str(self.json().as_str()).map_err(|error| {
            // The line has a number of its own.
            let place = format!(" at line {} column {}", error.line(), error.column());
            let reason = error.to_string();
            self.bad(format!("not {what}: {}", reason.strip_suffix(&place).unwrap_or(&reason)))
        })
    }

    /// Checks that a header is of this kind, in the version that this program reads.
    pub fn check_header(&self, kind: &str) -> Result<(), BadLine> {
        let found = self.text("pacman2").unwrap_or_default();
        if found != kind {
            return Err(self.bad(format!("expected a header of {kind}, got one of \"{}\"", sanitize(&found))));
        }
        let found = self.json().at("version").quoted();
        if found != VERSION {
            return Err(self.bad(format!("expected version {VERSION} of {kind}, got {found}; use the same pacman2 everywhere")));
        }
        Ok(())
    }

    /// Reads a result. Returns `None` for a header of this `kind`, which holds for the results after it. `expected` is what a line may be.
    pub fn result_or_header<H: DeserializeOwned, R: DeserializeOwned>(
        self,
        kind: &str,
        expected: &str,
        header: &mut Option<H>,
    ) -> Result<Option<R>, BadLine> {
        if self.has("pacman2") {
            self.check_header(kind)?;
            *header = Some(self.read("a header of results")?);
            return Ok(None);
        }
        if !self.has("result") {
            return Err(self.unknown(expected));
        }
        if header.is_none() {
            return Err(self.bad("expected a header before the first result"));
        }
        self.read("a result").map(Some)
    }

    /// Returns the error that this line is not as expected.
    pub fn bad(&self, reason: impl Into<String>) -> BadLine {
        BadLine { number: self.number, reason: reason.into() }
    }

    /// Returns the error for a line of no known kind.
    pub fn unknown(&self, expected: &str) -> BadLine {
        let mut keys = BTreeSet::new();
        for (key, _) in self.json().members() {
            keys.insert(key.into_owned());
            if keys.len() > 4 {
                keys.pop_last();
            }
        }
        let keys = keys.into_iter().collect::<Vec<_>>().join(", ");
        let got = match &keys[..] {
            "" => "an empty object".to_owned(),
            keys => format!("an object with the keys \"{}\"", sanitize(keys)),
        };
        self.bad(format!("expected {expected}, got {got}"))
    }
}

/// The lines of jobs as they come.
pub struct JobLines<'a> {
    lines: Receiver<ReadLine>,
    stop: &'a AtomicBool,
}

impl JobLines<'_> {
    /// Starts to read. `stop` is set when the program is asked to stop.
    pub fn new(input: impl Read + Send + 'static, stop: &AtomicBool) -> JobLines<'_> {
        JobLines { lines: read_in_background(input, MAX_JOB_BYTES), stop }
    }

    /// Waits for a line of which `read` makes something. Returns `None` if there is none or the program is asked to stop.
    ///
    /// # Errors
    ///
    /// If a line is not as expected.
    pub fn next<T>(&mut self, mut read: impl FnMut(JsonLine) -> Result<Option<T>, BadLine>) -> anyhow::Result<Option<T>> {
        while !self.stop.load(Ordering::Relaxed) {
            let line = match self.lines.recv_timeout(TICK) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            };
            let made = line.and_then(&mut read).map_err(|bad| bad_input(format!("jobs, {bad}")))?;
            if made.is_some() {
                return Ok(made);
            }
        }
        Ok(None)
    }
}

/// What the thread that reads has found.
pub(crate) type ReadLine = Result<JsonLine, BadLine>;

/// Reads lines on a thread of their own, a few in advance. The channel closes at the end of the input.
pub(crate) fn read_in_background(input: impl Read + Send + 'static, limit: u64) -> Receiver<ReadLine> {
    let (sender, lines) = mpsc::sync_channel(LINES_AHEAD);
    thread::spawn(move || {
        for line in Lines::new(BufReader::new(input), limit) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The lines of an input. Blank lines are left out.
pub struct Lines<R> {
    input: R,
    /// The size limit of a line, in bytes.
    limit: u64,
    number: u64,
    is_broken: bool,
}

impl<R: BufRead> Lines<R> {
    /// `limit` is the largest size of a line, in bytes.
    pub fn new(input: R, limit: u64) -> Lines<R> {
        Lines { input, limit, number: 0, is_broken: false }
    }

    fn read(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let is_there = self.input.by_ref().take(self.limit + 1).read_until(b'\n', text)? > 0;
        if text.len() as u64 > self.limit && !text.ends_with(b"\n") {
            self.input.skip_until(b'\n')?;
        }
        Ok(is_there)
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = ReadLine;

    fn next(&mut self) -> Option<ReadLine> {
        let mut text = Vec::new();
        while !self.is_broken {
            self.number += 1;
            text.clear();
            match self.read(&mut text) {
                Ok(false) => return None,
                Ok(true) if text.trim_ascii().is_empty() => {}
                Ok(true) if text.len() as u64 > self.limit => {
                    let reason = format!("expected at most {} bytes, got a longer line", self.limit);
                    return Some(Err(BadLine { number: self.number, reason }));
                }
                Ok(true) => return Some(JsonLine::parse(self.number, text)),
                Err(error) => {
                    self.is_broken = true;
                    return Some(Err(BadLine { number: self.number, reason: format!("cannot read it: {error}") }));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<String> {
        let line = |line: ReadLine| line.map_or_else(|error| error.to_string(), |line| line.json().as_str().to_owned());
        Lines::new(text, MAX_JOB_BYTES).map(line).collect()
    }

    #[test]
    fn lines_are_objects() {
        assert_eq!(
            read(b"{\"a\":1}\n\n [1]\n{\"b\":2}"),
            ["{\"a\":1}", "line 3: expected a JSON object, got another value", "{\"b\":2}"]
        );
        let [half] = &read(b"{\"a\":")[..] else { panic!("expected one line") };
        assert!(half.starts_with("line 1: expected a JSON object, got something else: EOF"), "{half}");
        assert!(read(b"\xff\n")[0].starts_with("line 1: expected a JSON object"));
    }

    #[test]
    fn headers_have_a_kind_and_a_version() {
        let check = |text: &[u8]| {
            let line = Lines::new(text, MAX_JOB_BYTES).next().unwrap().unwrap();
            line.check_header("arena jobs").map_err(|error| error.to_string())
        };
        assert_eq!(check(br#"{"pacman2":"arena jobs","version":1,"more":0}"#), Ok(()));
        assert_eq!(
            check(br#"{"pacman2":"arena results","version":1}"#).unwrap_err(),
            "line 1: expected a header of arena jobs, got one of \"arena results\""
        );
        assert_eq!(
            check(br#"{"pacman2":"arena jobs","version":2}"#).unwrap_err(),
            "line 1: expected version 1 of arena jobs, got 2; use the same pacman2 everywhere"
        );
    }
}
