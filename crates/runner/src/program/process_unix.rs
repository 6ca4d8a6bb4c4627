//! One running program with its pipes, on Unix. There are no threads: one `poll` watches all pipes.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Signal;

use super::child::Child;
use super::process_tree::ProcessTree;
use super::transcript::Transcript;
use super::usage::{ThreadTime, Usage};
use crate::outcome::{Exit, StartError};
use crate::sandbox::{Jail, JailedProcess};

use super::process_tree::own_ready_wait;
pub(super) use super::process_tree::sweep;

/// How much is read at a time. Most answers are shorter.
const CHUNK_BYTES: usize = 16 * 1024;
/// How often a pipe is read until it is empty: enough for any, and not without end if something goes on filling it.
const MAX_READS: usize = 4096;

/// A running program. Dropping it kills it with all its descendants.
#[derive(Debug)]
pub(super) struct Process {
    body: Body,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    unsent: Vec<u8>,
    /// How many bytes of `unsent` have been sent meanwhile.
    sent: usize,
    input_ends: bool,
    chunk: Box<[u8]>,
    gone: bool,
}

/// The process itself.
#[derive(Debug)]
enum Body {
    Child(Child),
    Jailed(JailedProcess),
}

impl Process {
    /// Starts a program in a session of its own.
    #[expect(unsafe_code, reason = "runs setsid between fork and exec")]
    pub(super) fn start(command: &[OsString], directory: Option<&Path>) -> io::Result<Process> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        // SAFETY: between fork and exec only async-signal-safe calls are allowed; `setsid` is one, and nothing is
        // allocated.
        unsafe {
            command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?));
        }

        let (mut child, tree) = ProcessTree::start(&mut command)?;
        let body = Body::Child(Child::new(tree));
        let pipes = [
            child.stdin.take().map(OwnedFd::from),
            child.stdout.take().map(OwnedFd::from),
            child.stderr.take().map(OwnedFd::from),
        ];
        for pipe in pipes.iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Process::new(body, pipes))
    }

    /// Starts the program for which a jail was built.
    pub(super) fn start_in(jail: &Arc<Jail>) -> Result<Process, StartError> {
        let (process, pipes) = JailedProcess::start(jail)?;
        Ok(Process::new(Body::Jailed(process), pipes.map(Some)))
    }

    /// Takes over a process and its pipes, which do not block.
    fn new(body: Body, [stdin, stdout, stderr]: [Option<OwnedFd>; 3]) -> Process {
        Process {
            body,
            stdin,
            stdout,
            stderr,
            unsent: Vec::new(),
            sent: 0,
            input_ends: false,
            chunk: vec![0; CHUNK_BYTES].into(),
            gone: false,
        }
    }

    /// Sends a line: now as much as fits into the pipe, and the rest during [`Process::wait`].
    pub(super) fn send(&mut self, line: &str) {
        self.unsent.extend_from_slice(line.as_bytes());
        self.unsent.push(b'\n');
        self.feed();
    }

    /// Closes the program's input once everything is sent.
    pub(super) fn end_input(&mut self) {
        self.input_ends = true;
        self.feed();
    }

    /// Returns whether the program has read everything that was sent to it. A pipe that cannot be examined counts as full.
    pub(super) fn has_read_all(&self) -> bool {
        let waiting = |pipe| rustix::io::ioctl_fionread(pipe).unwrap_or(u64::MAX);
        self.unsent.is_empty() && self.stdin.as_ref().is_some_and(|pipe| waiting(pipe) == 0)
    }

    /// Sleeps until the program has ended or printed something, or for `timeout`. Sends what is unsent meanwhile.
    pub(super) fn wait(&mut self, timeout: Duration) {
        // Where the exit cannot be watched, the end of the output is the best sign of it.
        let exit = self.body.exit_fd();
        let timeout = match (exit, &self.stdout) {
            (Some(_), _) => timeout,
            (None, Some(_)) => timeout.min(Duration::from_millis(5)),
            (None, None) => timeout.min(Duration::from_millis(1)),
        };
        let unfed = self.stdin.as_ref().filter(|_| !self.unsent.is_empty());
        let mut watched: Vec<PollFd<'_>> = unfed.iter().map(|pipe| PollFd::new(*pipe, PollFlags::OUT)).collect();
        let outputs = [&self.stdout, &self.stderr].into_iter().flatten();
        watched.extend(exit.into_iter().chain(outputs).map(|source| PollFd::new(source, PollFlags::IN)));

        let timeout = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        if rustix::event::poll(&mut watched, Some(&timeout)).is_err() {
            return; // a signal came, or memory is short: the caller checks the time and waits again
        }
        self.feed();
    }

    /// Reads once from each output what is there, at most a chunk. Returns whether there was anything.
    pub(super) fn read(&mut self, transcript: &mut Transcript<'_>) -> bool {
        let room = transcript.room().min(CHUNK_BYTES);
        let stdout = read_some(&mut self.stdout, &mut self.chunk[..room]);
        transcript.add_output(&self.chunk[..stdout]);
        let stderr = read_some(&mut self.stderr, &mut self.chunk);
        transcript.add_stderr(&self.chunk[..stderr]);
        stdout + stderr > 0
    }

    /// Reads everything that is there.
    pub(super) fn read_waiting(&mut self, transcript: &mut Transcript<'_>) {
        for _ in 0..MAX_READS {
            if transcript.overflows() || !self.read(transcript) {
                break;
            }
        }
    }

    /// Returns how it ended, if it has.
    pub(super) fn exit(&mut self) -> Option<Exit> {
        match &mut self.body {
            Body::Child(child) => child.exit(),
            Body::Jailed(process) => process.exit(),
        }
    }

    /// Returns whether its sandbox broke down around it.
    pub(super) fn is_lost(&self) -> bool {
        match &self.body {
            Body::Child(_) => false,
            Body::Jailed(process) => process.is_lost(),
        }
    }

    /// Returns what the program has used until now; on Linux only. At the deadline the result is what is known by then.
    pub(super) fn usage(&self, memory_limit: Option<u64>, deadline: Option<Instant>) -> Usage {
        match &self.body {
            Body::Child(child) => child.tree.usage(memory_limit, deadline),
            Body::Jailed(process) => process.usage(memory_limit, deadline),
        }
    }

    /// Returns what the program's threads have done; on Linux only.
    pub(super) fn thread_times(&mut self) -> Vec<ThreadTime> {
        match &mut self.body {
            Body::Child(child) => child.tree.thread_times(),
            Body::Jailed(process) => process.thread_times(),
        }
    }

    /// Returns how long those who watch over the program were ready to run while no processor was free; on Linux only.
    pub(super) fn overseers_wait(&self) -> Duration {
        own_ready_wait()
            + match &self.body {
                Body::Child(_) => Duration::ZERO,
                Body::Jailed(process) => process.supervisors_wait(),
            }
    }

    /// Stops the program until [`Process::resume`].
    pub(super) fn pause(&mut self) {
        match &mut self.body {
            Body::Child(child) => child.tree.signal(Signal::STOP),
            Body::Jailed(process) => process.pause(),
        }
    }

    /// Lets a paused program continue.
    pub(super) fn resume(&mut self) {
        match &mut self.body {
            Body::Child(child) => child.tree.signal(Signal::CONT),
            Body::Jailed(process) => process.resume(),
        }
    }

    /// Kills what the ended program has left, and then reads what is in the pipes.
    pub(super) fn clear(&mut self, transcript: &mut Transcript<'_>) {
        match &self.body {
            Body::Child(child) => child.tree.clear(),
            // Its supervisor did so before it reported the end.
            Body::Jailed(_) => {}
        }
        self.read_waiting(transcript);
    }

    /// Kills the program with all its descendants, and returns what it used in all.
    pub(super) fn end(&mut self) -> Usage {
        self.gone = true;
        match &mut self.body {
            Body::Child(child) => child.end(),
            Body::Jailed(process) => process.end(),
        }
    }

    fn feed(&mut self) {
        let Some(stdin) = &self.stdin else {
            return self.unsent.clear();
        };
        while self.sent < self.unsent.len() {
            match rustix::io::write(stdin, &self.unsent[self.sent..]) {
                Ok(length) => self.sent += length,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return,
                // The program has closed its input, which it may do.
                Err(_) => {
                    self.input_ends = true;
                    break;
                }
            }
        }
        self.unsent.clear();
        self.sent = 0;
        if self.input_ends {
            self.stdin = None;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.gone {
            self.end();
        }
    }
}

impl Body {
    /// Returns a descriptor that becomes readable when the program ends, where the system has one.
    fn exit_fd(&self) -> Option<&OwnedFd> {
        match self {
            Body::Child(child) => child.exit_fd.as_ref(),
            Body::Jailed(process) => Some(process.exit_fd()),
        }
    }
}

/// Reads what is there; drops the pipe once it has ended.
fn read_some(pipe: &mut Option<OwnedFd>, chunk: &mut [u8]) -> usize {
    let Some(open) = pipe.as_ref().filter(|_| !chunk.is_empty()) else {
        return 0;
    };
    match rustix::io::read(open, chunk) {
        Ok(0) => {
            *pipe = None;
            0
        }
        Ok(length) => length,
        Err(_) => 0,
    }
}
