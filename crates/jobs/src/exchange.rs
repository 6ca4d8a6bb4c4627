//! The side that has the work done elsewhere: jobs on standard output, results on standard input.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use pacman2_console::workers;
use serde::Deserialize;
use serde_json::json;

use super::lines::{self, BadLine, FailureLine, JsonLine, MAX_RESULT_BYTES, ReadLine, Reason};

/// The longest time that passes without an [`Incoming`].
const TICK: Duration = Duration::from_millis(200);
/// No further jobs are written while this many are refused.
const MAX_REFUSED: usize = 1000;
/// The largest number of jobs in flight.
const MAX_SLOTS: usize = 100_000;

/// What is done elsewhere.
pub struct Exchange {
    input: Receiver<ReadLine>,
    slots: usize,
    /// The lines of the jobs that were written and not answered, by their ids.
    in_flight: HashMap<String, String>,
    /// The lines of the jobs whose results were refused.
    refused: HashMap<String, String>,
    stop: Arc<AtomicBool>,
}

/// What arrived.
pub enum Incoming {
    /// A line that is neither about control nor a failure.
    Line(JsonLine),
    /// A text for the line of progress.
    Note(String),
    /// Nothing for a moment, or a line that was dealt with.
    Nothing,
    /// The end of the input, or the request to stop.
    Ended,
}

impl Exchange {
    /// Starts to read standard input.
    pub fn new(stop: &Arc<AtomicBool>) -> Exchange {
        Exchange {
            input: lines::read_in_background(io::stdin(), MAX_RESULT_BYTES),
            slots: workers::default_threads(),
            in_flight: HashMap::new(),
            refused: HashMap::new(),
            stop: Arc::clone(stop),
        }
    }

    /// Returns how many jobs may be in flight.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns how many jobs may be written now.
    pub fn free_slots(&self) -> usize {
        if self.refused.len() >= MAX_REFUSED { 0 } else { self.slots.saturating_sub(self.in_flight.len()) }
    }

    /// Writes a job.
    pub fn send(&mut self, id: String, line: String) -> anyhow::Result<()> {
        self.write(&line)?;
        self.in_flight.insert(id, line);
        Ok(())
    }

    /// Writes another line. A reader that is gone is a request to stop.
    pub fn write(&self, line: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{line}").and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.stop.store(true, Ordering::Relaxed);
                Ok(())
            }
            other => other,
        }
    }

    /// Waits for a moment, or for the next line.
    pub fn wait(&mut self) -> anyhow::Result<Incoming> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Incoming::Ended);
        }
        let line = match self.input.recv_timeout(TICK) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Ok(Incoming::Nothing),
            Err(RecvTimeoutError::Disconnected) => return Ok(Incoming::Ended),
        };
        match line.and_then(|line| self.control(line)) {
            Ok(Control::Done) => Ok(Incoming::Nothing),
            Ok(Control::Note(note)) => Ok(Incoming::Note(note)),
            Ok(Control::Again(id)) => {
                self.ask_again(id)?;
                Ok(Incoming::Nothing)
            }
            Ok(Control::Failure(FailureLine { failed, reason })) => {
                self.refuse(&failed, &reason)?;
                Ok(Incoming::Nothing)
            }
            Ok(Control::Other(line)) => Ok(Incoming::Line(line)),
            Err(bad) => {
                self.reject(&bad)?;
                Ok(Incoming::Nothing)
            }
        }
    }

    fn control(&mut self, line: JsonLine) -> Result<Control, BadLine> {
        #[derive(Deserialize)]
        struct Slots {
            slots: usize,
        }
        #[derive(Deserialize)]
        struct Note {
            note: String,
        }
        #[derive(Deserialize)]
        struct Again {
            again: String,
        }
        if line.has("slots") {
            let bad = line.bad(format!("expected 0 to {MAX_SLOTS} slots, got another number"));
            let Slots { slots } = line.read("a number of slots")?;
            self.slots = if slots <= MAX_SLOTS { slots } else { return Err(bad) };
            return Ok(Control::Done);
        }
        if line.has("note") {
            return line.read("a note").map(|Note { note }| Control::Note(note));
        }
        if line.has("again") {
            return line.read("a job to be asked again").map(|Again { again }| Control::Again(again));
        }
        if line.has("failed") {
            return line.read("a failure").map(Control::Failure);
        }
        Ok(Control::Other(line))
    }

    /// The result of a job was stored.
    pub fn accept(&mut self, id: &str) -> io::Result<()> {
        self.in_flight.remove(id);
        self.refused.remove(id);
        self.write(&json!({ "recorded": id }).to_string())
    }

    /// The result of a job is not recorded.
    pub fn refuse(&mut self, id: &str, reason: &Reason) -> io::Result<()> {
        if let Some((id, line)) = self.in_flight.remove_entry(id) {
            self.refused.insert(id, line);
        }
        self.write(&json!({ "refused": id, "reason": reason }).to_string())
    }

    /// A line cannot be understood.
    pub fn reject(&self, bad: &BadLine) -> io::Result<()> {
        eprintln!("pacman2: standard input, {bad}");
        self.write(&json!({ "refused": null, "reason": Reason::new("bad-line", bad.to_string()) }).to_string())
    }

    fn ask_again(&mut self, id: String) -> io::Result<()> {
        if let Some((id, line)) = self.refused.remove_entry(&id) {
            self.in_flight.insert(id, line);
        }
        match self.in_flight.get(&id) {
            Some(line) => self.write(line),
            None => self.refuse(&id, &Reason::new("not-asked", "no such job waits for its result")),
        }
    }

    /// The results of all jobs in flight are not needed any more.
    pub fn abandon(&mut self) -> io::Result<()> {
        self.refused.clear();
        let obsolete: Vec<&String> = self.in_flight.keys().collect();
        self.write(&json!({ "obsolete": obsolete }).to_string())
    }
}

enum Control {
    Done,
    Note(String),
    Again(String),
    Failure(FailureLine),
    Other(JsonLine),
}
