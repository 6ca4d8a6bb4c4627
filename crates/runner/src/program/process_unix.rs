//! One running bot with its pipes, on Unix: no threads, for one `poll` watches them all.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::Exit;
use super::Usage;
use super::process_tree::{self, ProcessTree};
use super::transcript::Transcript;
use crate::error::StartError;
use crate::sandbox::{Jail, JailedProcess};

pub(super) use super::process_tree::sweep;

/// How much is read at a time: what a pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;
/// How long a killed process may take to die before it is left to later sweeps.
const DEATH_PATIENCE: Duration = Duration::from_secs(2);
/// How often a pipe is read until it is empty: enough for any, and not for ever if somebody goes on filling it.
const READS_AT_MOST: usize = 1024;

/// A running bot. Dropping it kills it with all its descendants.
#[derive(Debug)]
pub(super) struct Process {
    body: Body,
    started: Instant,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    unsent: Vec<u8>,
    /// How much of `unsent` is sent after all.
    sent: usize,
    input_ends: bool,
    chunk: Box<[u8]>,
    gone: bool,
}

/// The process itself, wherever it runs.
#[derive(Debug)]
enum Body {
    Child(Child),
    Jailed(JailedProcess),
}

impl Process {
    /// Starts a bot in a session of its own.
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

        let (mut child, leader, started) = ProcessTree::start(&mut command)?;
        let body = Body::Child(Child::new(leader));
        let pipes = [
            child.stdin.take().map(OwnedFd::from),
            child.stdout.take().map(OwnedFd::from),
            child.stderr.take().map(OwnedFd::from),
        ];
        Process::new(body, started, pipes)
    }

    /// Starts the bot for whom a jail was built.
    pub(super) fn start_in(jail: &Arc<Jail>) -> Result<Process, StartError> {
        let started = Instant::now();
        let pipe = || io::pipe().map_err(|error| StartError::Pipe(error.into()));
        let [(stdin, to_bot), (from_bot, stdout), (from_bot_too, stderr)] = [pipe()?, pipe()?, pipe()?];
        let process = JailedProcess::start(jail, [stdin.into(), stdout.into(), stderr.into()])?;
        let pipes = [Some(to_bot.into()), Some(from_bot.into()), Some(from_bot_too.into())];
        Process::new(Body::Jailed(process), started, pipes).map_err(|error| StartError::Pipe(error.into()))
    }

    fn new(body: Body, started: Instant, [stdin, stdout, stderr]: [Option<OwnedFd>; 3]) -> io::Result<Process> {
        let process = Process {
            body,
            started,
            stdin,
            stdout,
            stderr,
            unsent: Vec::new(),
            sent: 0,
            input_ends: false,
            chunk: vec![0; CHUNK_BYTES].into(),
            gone: false,
        };
        for pipe in [&process.stdin, &process.stdout, &process.stderr].into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(process)
    }

    /// When it started.
    pub(super) fn started(&self) -> Instant {
        self.started
    }

    /// Sends a line, now as far as the pipe takes it and the rest during [`Process::wait`].
    pub(super) fn send(&mut self, line: &str) {
        self.unsent.extend_from_slice(line.as_bytes());
        self.unsent.push(b'\n');
        self.feed();
    }

    /// Closes the bot's input once everything is sent.
    pub(super) fn end_input(&mut self) {
        self.input_ends = true;
        self.feed();
    }

    /// Whether the bot has taken everything that was sent to it. A pipe that cannot be asked counts as full.
    pub(super) fn has_read_all(&self) -> bool {
        let waiting = |pipe| rustix::io::ioctl_fionread(pipe).unwrap_or(u64::MAX);
        self.unsent.is_empty() && self.stdin.as_ref().is_some_and(|pipe| waiting(pipe) == 0)
    }

    /// Sleeps until the bot printed something or ended, or until the time is over; feeds it meanwhile.
    pub(super) fn wait(&mut self, at_most: Duration) {
        // Where its death cannot be watched, the end of the output is the best sign that the process ends, too.
        let death = self.body.death();
        let at_most = match (death, &self.stdout) {
            (Some(_), _) => at_most,
            (None, Some(_)) => at_most.min(Duration::from_millis(5)),
            (None, None) => at_most.min(Duration::from_millis(1)),
        };
        let hungry = self.stdin.as_ref().filter(|_| !self.unsent.is_empty());
        let mut watched: Vec<PollFd<'_>> = hungry.iter().map(|pipe| PollFd::new(*pipe, PollFlags::OUT)).collect();
        let sources = [death, self.stdout.as_ref(), self.stderr.as_ref()];
        watched.extend(sources.into_iter().flatten().map(|source| PollFd::new(source, PollFlags::IN)));

        let timeout = Timespec { tv_sec: at_most.as_secs() as i64, tv_nsec: at_most.subsec_nanos().into() };
        if rustix::event::poll(&mut watched, Some(&timeout)).is_err() {
            return; // a signal came, or memory is short: the caller looks at the time and comes again
        }
        self.feed();
    }

    /// Reads once from each output what is there by now, at most a pipeful. False if there was nothing.
    pub(super) fn read(&mut self, transcript: &mut Transcript<'_>) -> bool {
        let room = transcript.room().min(CHUNK_BYTES);
        let stdout = read_some(&mut self.stdout, &mut self.chunk[..room]);
        transcript.add_output(&self.chunk[..stdout]);
        let stderr = read_some(&mut self.stderr, &mut self.chunk);
        transcript.add_stderr(&self.chunk[..stderr]);
        stdout + stderr > 0
    }

    /// Reads all that is there by now.
    pub(super) fn read_waiting(&mut self, transcript: &mut Transcript<'_>) {
        for _ in 0..READS_AT_MOST {
            if transcript.overflows() || !self.read(transcript) {
                break;
            }
        }
    }

    /// How it ended, if it has.
    pub(super) fn exit(&mut self) -> Option<Exit> {
        match &mut self.body {
            Body::Child(child) => child.exit(),
            Body::Jailed(process) => process.exit(),
        }
    }

    /// What the bot has used until now; on Linux only. At the deadline it is left at what is known.
    pub(super) fn usage(&self, memory_limit: Option<u64>, deadline: Option<Instant>) -> Usage {
        match &self.body {
            Body::Child(child) => child.leader.usage(memory_limit, deadline),
            Body::Jailed(process) => process.usage(memory_limit, deadline),
        }
    }

    /// Stops the bot until [`Process::resume`].
    pub(super) fn pause(&mut self) {
        match &mut self.body {
            Body::Child(child) => child.leader.signal(Signal::STOP),
            Body::Jailed(process) => process.pause(),
        }
    }

    /// Lets a paused bot go on.
    pub(super) fn resume(&mut self) {
        match &mut self.body {
            Body::Child(child) => child.leader.signal(Signal::CONT),
            Body::Jailed(process) => process.resume(),
        }
    }

    /// Kills what the ended bot has left, and reads what is in the pipes then.
    pub(super) fn clear(&mut self, transcript: &mut Transcript<'_>) {
        match &self.body {
            Body::Child(child) => child.leader.clear(),
            // Its warden did so before it told of the end.
            Body::Jailed(_) => {}
        }
        self.read_waiting(transcript);
    }

    /// Kills the bot with all its descendants, and says what it used in all.
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
                // The bot does not want to hear more. That is its right.
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
    /// Becomes readable when the bot ends, where the system has such a thing; else we look from time to time.
    fn death(&self) -> Option<&OwnedFd> {
        match self {
            Body::Child(child) => child.death.as_ref(),
            Body::Jailed(process) => Some(process.event_fd()),
        }
    }
}

/// A process that is a child of ours, with all that descends from it.
#[derive(Debug)]
pub(crate) struct Child {
    leader: ProcessTree,
    death: Option<OwnedFd>,
}

impl Child {
    pub(crate) fn new(leader: ProcessTree) -> Child {
        Child { death: leader.death(), leader }
    }

    /// How the leader ended, if it has. It stays a zombie, so that its number remains taken.
    fn exit(&self) -> Option<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.leader.pid()), options) {
            Ok(None) => None,
            Ok(Some(status)) => Some(match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Exit::Code(code),
                (None, signal) => Exit::Signal(signal.unwrap_or_default()),
            }),
            // Somebody else has reaped it: it ended, and nobody knows how.
            Err(_) => Some(Exit::Code(-1)),
        }
    }

    /// Kills it with all its descendants, and says what it used in all.
    pub(crate) fn end(&self) -> Usage {
        self.leader.kill();
        let give_up = Instant::now() + DEATH_PATIENCE;
        while self.exit().is_none() && Instant::now() < give_up {
            thread::sleep(Duration::from_micros(200));
        }
        self.leader.clear();
        // If it has not died yet, it is no longer registered now: any later sweep takes it for an orphan.
        let Some((cpu, maxrss_bytes)) = self.leader.let_go(reap) else {
            return Usage::default();
        };
        Usage { cpu: Some(cpu), memory_bytes: self.leader.credible_peak(maxrss_bytes), ..Usage::default() }
    }
}

/// Reads what is there; forgets the pipe once it has ended.
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

/// Takes a dead process off the process table. CPU time, and `ru_maxrss` in bytes; children that it waited for count.
fn reap(pid: Pid) -> Option<(Duration, u64)> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    let mut status = 0;
    // SAFETY: the call only writes to the two variables, which live until it returns.
    let reaped = unsafe { libc::wait4(pid.as_raw_nonzero().get(), &mut status, libc::WNOHANG, usage.as_mut_ptr()) };
    if reaped != pid.as_raw_nonzero().get() {
        return None;
    }
    // SAFETY: all zeros are a valid `rusage`, and the kernel has written a better one.
    let usage = unsafe { usage.assume_init() };
    let time = |time: libc::timeval| Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec as u64);
    let maxrss_bytes = usage.ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
    Some((time(usage.ru_utime) + time(usage.ru_stime), maxrss_bytes))
}
