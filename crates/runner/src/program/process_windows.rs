//! One running bot with its pipes, on Windows: a job object, and a thread for each pipe.
//!
//! Nothing is measured here, and a bot that keeps running is not paused between turns.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use super::Exit;
use super::Usage;
use super::transcript::Transcript;
use crate::error::StartError;
use crate::sandbox::Jail;

/// How much is read at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// How many chunks wait for the judge before a reader does, and with it the bot.
const CHUNKS_WAITING: usize = 4;
/// How long the pipes of a killed job may take to end, and the job to die.
const DEATH_PATIENCE: Duration = Duration::from_secs(2);
/// How often pipes are read that somebody goes on filling.
const READS_AT_MOST: usize = 1024;

/// A running bot. Dropping it kills its job: it and all its descendants.
#[derive(Debug)]
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    started: Instant,
    /// `None` once the input is to end.
    questions: Option<Sender<Vec<u8>>>,
    printed: Receiver<Printed>,
    /// Came while we waited, and is not yet read.
    waiting: Option<Printed>,
    open_pipes: usize,
    gone: bool,
}

#[derive(Debug)]
enum Printed {
    Output(Vec<u8>),
    Error(Vec<u8>),
    End,
}

impl Process {
    /// Starts a bot in a job of its own.
    pub(super) fn start(command: &[OsString], directory: Option<&Path>) -> io::Result<Process> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }

        let started = Instant::now();
        let mut child = CommandWrap::from(command).wrap(JobObject).spawn()?;
        let (questions, unsent) = mpsc::channel();
        let (print, printed) = mpsc::sync_channel(CHUNKS_WAITING);
        // The threads end with their pipes, which end at the latest when the job is killed.
        if let Some(stdin) = child.stdin().take() {
            thread::spawn(move || feed(stdin, &unsent));
        }
        if let Some(stdout) = child.stdout().take() {
            let print = print.clone();
            thread::spawn(move || listen(stdout, &print, Printed::Output));
        }
        if let Some(stderr) = child.stderr().take() {
            thread::spawn(move || listen(stderr, &print, Printed::Error));
        }
        Ok(Process { child, started, questions: Some(questions), printed, waiting: None, open_pipes: 2, gone: false })
    }

    /// Nobody builds jails here.
    pub(super) fn start_in(jail: &Arc<Jail>) -> Result<Process, StartError> {
        match jail.0 {}
    }

    /// When it started.
    pub(super) fn started(&self) -> Instant {
        self.started
    }

    /// Sends a line, without waiting until the bot reads it.
    pub(super) fn send(&mut self, line: &str) {
        if let Some(questions) = &self.questions {
            let _ = questions.send(format!("{line}\n").into_bytes());
        }
    }

    /// Closes the bot's input once everything is sent.
    pub(super) fn end_input(&mut self) {
        self.questions = None;
    }

    /// Nobody can tell here.
    pub(super) fn has_read_all(&self) -> bool {
        false
    }

    /// Sleeps until the bot printed something or ended, or until the time is over.
    pub(super) fn wait(&mut self, at_most: Duration) {
        // The end of both outputs is the best sign that the process ends, too; itself it gives none.
        let (often, seldom) = (Duration::from_millis(1), Duration::from_millis(5));
        if self.open_pipes == 0 {
            thread::sleep(at_most.min(often));
        } else if self.waiting.is_none() {
            self.waiting = self.printed.recv_timeout(at_most.min(seldom)).ok();
        }
    }

    /// Reads a chunk if one is there. False if there was none.
    pub(super) fn read(&mut self, transcript: &mut Transcript<'_>) -> bool {
        match self.waiting.take().or_else(|| self.printed.try_recv().ok()) {
            Some(Printed::Output(bytes)) => transcript.add_output(&bytes),
            Some(Printed::Error(bytes)) => transcript.add_stderr(&bytes),
            Some(Printed::End) => self.open_pipes -= 1,
            None => return false,
        }
        true
    }

    /// Reads all that is there by now.
    pub(super) fn read_waiting(&mut self, transcript: &mut Transcript<'_>) {
        for _ in 0..READS_AT_MOST {
            if transcript.overflows() || !self.read(transcript) {
                break;
            }
        }
    }

    /// How the process ended, if it has.
    pub(super) fn exit(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().ok()??;
        Some(Exit::Code(status.code().unwrap_or(-1)))
    }

    /// Unknown here.
    pub(super) fn usage(&self, _memory_limit: Option<u64>, _deadline: Option<Instant>) -> Usage {
        Usage::default()
    }

    /// Does nothing here.
    pub(super) fn pause(&self) {}

    /// Does nothing here.
    pub(super) fn resume(&self) {}

    /// Kills what the ended process has left, and reads what it printed before.
    pub(super) fn clear(&mut self, transcript: &mut Transcript<'_>) {
        let _ = self.child.start_kill();
        let give_up = Instant::now() + DEATH_PATIENCE;
        while self.open_pipes > 0 && !transcript.overflows() && Instant::now() < give_up {
            self.wait(DEATH_PATIENCE);
            self.read(transcript);
        }
    }

    /// Kills the job.
    pub(super) fn end(&mut self) -> Usage {
        self.gone = true;
        let _ = self.child.start_kill();
        let give_up = Instant::now() + DEATH_PATIENCE;
        while self.exit().is_none() && Instant::now() < give_up {
            thread::sleep(Duration::from_millis(1));
        }
        Usage::default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.gone {
            self.end();
        }
    }
}

/// A job leaves no orphans.
pub(super) fn sweep() {}

/// Sends the questions on; when no more will come, the input ends.
fn feed(mut stdin: impl Write, questions: &Receiver<Vec<u8>>) {
    for question in questions {
        if stdin.write_all(&question).and_then(|()| stdin.flush()).is_err() {
            return; // the bot does not want to hear more, which is its right
        }
    }
}

/// Hands on what the bot prints, until it ends or nobody listens.
fn listen(mut pipe: impl Read, printed: &SyncSender<Printed>, kind: fn(Vec<u8>) -> Printed) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(length @ 1..) = pipe.read(&mut chunk) {
        if printed.send(kind(chunk[..length].to_vec())).is_err() {
            return;
        }
    }
    let _ = printed.send(Printed::End);
}
