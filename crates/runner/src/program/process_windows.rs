//! One running program with its pipes, on Windows: a job object, and a thread for each pipe.
//!
//! Nothing is measured here, and a program that keeps running is not paused between its runs.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use super::transcript::Transcript;
use super::usage::{ThreadTime, Usage};
use crate::outcome::{Exit, StartError};
use crate::sandbox::Jail;

/// How much is read at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// How many chunks may wait to be read before the reading thread waits, and with it the program.
const MAX_CHUNKS: usize = 4;
/// How long the pipes of a killed job may take to end, and the job to die.
const DEATH_TIMEOUT: Duration = Duration::from_secs(2);
/// How often pipes are read that something goes on filling.
const MAX_READS: usize = 1024;

/// A running program. Dropping it kills its job: the program and all its descendants.
#[derive(Debug)]
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    /// `None` once the input ends.
    questions: Option<Sender<Vec<u8>>>,
    printed: Receiver<Printed>,
    /// What came during a wait and is not read yet.
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
    /// Starts a program in a job of its own.
    pub(super) fn start(command: &[OsString], directory: Option<&Path>) -> io::Result<Process> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }

        let mut child = CommandWrap::from(command).wrap(JobObject).spawn()?;
        let (questions, unsent) = mpsc::channel();
        let (print, printed) = mpsc::sync_channel(MAX_CHUNKS);
        // The threads end with their pipes, which end at the latest when the job is killed.
        if let Some(stdin) = child.stdin().take() {
            thread::spawn(move || feed(stdin, &unsent));
        }
        if let Some(stdout) = child.stdout().take() {
            let print = print.clone();
            thread::spawn(move || forward(stdout, &print, Printed::Output));
        }
        if let Some(stderr) = child.stderr().take() {
            thread::spawn(move || forward(stderr, &print, Printed::Error));
        }
        Ok(Process { child, questions: Some(questions), printed, waiting: None, open_pipes: 2, gone: false })
    }

    /// There are no jails here.
    pub(super) fn start_in(jail: &Arc<Jail>) -> Result<Process, StartError> {
        match jail.0 {}
    }

    /// Sends a line, without waiting until the program reads it.
    pub(super) fn send(&mut self, line: &str) {
        if let Some(questions) = &self.questions {
            let _ = questions.send(format!("{line}\n").into_bytes());
        }
    }

    /// Closes the program's input once everything is sent.
    pub(super) fn end_input(&mut self) {
        self.questions = None;
    }

    /// Returns `false`: this is unknown here.
    pub(super) fn has_read_all(&self) -> bool {
        false
    }

    /// Sleeps until the program printed something or ended, or for `timeout`.
    pub(super) fn wait(&mut self, timeout: Duration) {
        // The end of both outputs is the best sign of the exit.
        let (often, seldom) = (Duration::from_millis(1), Duration::from_millis(5));
        if self.open_pipes == 0 {
            thread::sleep(timeout.min(often));
        } else if self.waiting.is_none() {
            self.waiting = self.printed.recv_timeout(timeout.min(seldom)).ok();
        }
    }

    /// Reads a chunk if one is there. Returns whether there was one.
    pub(super) fn read(&mut self, transcript: &mut Transcript<'_>) -> bool {
        match self.waiting.take().or_else(|| self.printed.try_recv().ok()) {
            Some(Printed::Output(bytes)) => transcript.add_output(&bytes),
            Some(Printed::Error(bytes)) => transcript.add_stderr(&bytes),
            Some(Printed::End) => self.open_pipes -= 1,
            None => return false,
        }
        true
    }

    /// Reads everything that is there.
    pub(super) fn read_waiting(&mut self, transcript: &mut Transcript<'_>) {
        for _ in 0..MAX_READS {
            if transcript.overflows() || !self.read(transcript) {
                break;
            }
        }
    }

    /// Returns how the process ended, if it has.
    pub(super) fn exit(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().ok()??;
        Some(Exit::Code(status.code().unwrap_or(-1)))
    }

    /// Returns nothing known.
    pub(super) fn usage(&self, _memory_limit: Option<u64>, _deadline: Option<Instant>) -> Usage {
        Usage::default()
    }

    /// Returns false: it has no sandbox.
    pub(super) fn is_lost(&self) -> bool {
        false
    }

    /// Returns nothing known.
    pub(super) fn thread_times(&mut self) -> Vec<ThreadTime> {
        Vec::new()
    }

    /// Returns nothing known.
    pub(super) fn overseers_wait(&self) -> Duration {
        Duration::ZERO
    }

    /// Does nothing here.
    pub(super) fn pause(&self) {}

    /// Does nothing here.
    pub(super) fn resume(&self) {}

    /// Kills what the ended process has left, and reads what it printed before.
    pub(super) fn clear(&mut self, transcript: &mut Transcript<'_>) {
        let _ = self.child.start_kill();
        let give_up = Instant::now() + DEATH_TIMEOUT;
        while self.open_pipes > 0 && !transcript.overflows() && Instant::now() < give_up {
            self.wait(DEATH_TIMEOUT);
            self.read(transcript);
        }
    }

    /// Kills the job.
    pub(super) fn end(&mut self) -> Usage {
        self.gone = true;
        let _ = self.child.start_kill();
        let give_up = Instant::now() + DEATH_TIMEOUT;
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

/// Does nothing: a job leaves no orphans.
pub(super) fn sweep() {}

/// Passes the questions on; the input ends when no more will come.
fn feed(mut stdin: impl Write, questions: &Receiver<Vec<u8>>) {
    for question in questions {
        if stdin.write_all(&question).and_then(|()| stdin.flush()).is_err() {
            return; // the program has closed its input, which it may do
        }
    }
}

/// Passes on what the program prints, until it ends or the receiver is gone.
fn forward(mut pipe: impl Read, printed: &SyncSender<Printed>, kind: fn(Vec<u8>) -> Printed) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(length @ 1..) = pipe.read(&mut chunk) {
        if printed.send(kind(chunk[..length].to_vec())).is_err() {
            return;
        }
    }
    let _ = printed.send(Printed::End);
}
