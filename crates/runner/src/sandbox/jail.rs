//! A jail as the judge sees it: started once for a bot, asked to start the bot for each turn, and gone with everything in
//! it when it is dropped.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::RecvFlags;
use rustix::process::{Pid, PidfdFlags, Signal};

use super::cgroup::Cgroup;
use super::wire::{Ask, Ended, Heard, JailSpec, Line, Tell};
use crate::error::{SandboxError, StartError};
use crate::program::process::Child;
use crate::program::process_tree::{self, ProcessTree};
use crate::program::procfs;
use crate::program::{Exit, Usage};

/// How long the warden may take to build a jail, or to do what it is asked for. It is our own and does not think; only a
/// machine that is busy beyond measure keeps it from answering.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a warden may take to die with everything around it.
const DEATH_PATIENCE: Duration = Duration::from_secs(5);

/// A jail, and the warden that keeps it.
#[derive(Debug)]
pub(crate) struct Jail {
    /// The warden, or in tier A the process that stands outside as its parent.
    gate: Child,
    line: Mutex<Line>,
    warden: i32,
    /// Of the warden, so that no signal ever meets somebody else who got its number.
    warden_fd: OwnedFd,
    cgroup: Option<Cgroup>,
    has_namespaces: bool,
    gone: AtomicBool,
    buried: AtomicBool,
}

impl Jail {
    /// Has `helper` become a warden that builds this jail.
    pub(super) fn start(helper: &[OsString], spec: &JailSpec, cgroup: Option<Cgroup>) -> Result<Jail, SandboxError> {
        let spec = &JailSpec { cgroup: cgroup.as_ref().map(|cgroup| cgroup.folder().into()), ..spec.clone() };
        let (ours, theirs) = UnixStream::pair().map_err(|error| SandboxError::Channel(error.into()))?;
        let mut command = Command::new(helper.first().ok_or(SandboxError::NoSupervisor)?);
        command.args(&helper[1..]).stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null()).env_clear();
        // SAFETY: between fork and exec only async-signal-safe calls are allowed; `setsid` is one, and nothing is
        // allocated.
        unsafe {
            command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?));
        }
        let (_, leader, _) =
            ProcessTree::start(&mut command).map_err(|error| SandboxError::SupervisorNotStarted(error.into()))?;
        let gate = Child::new(leader);
        // Our copy of its end would keep the conversation open after its death.
        drop(command);
        let mut line = Line::new(ours);
        match await_jail(&mut line, spec) {
            Ok((warden, warden_fd)) => Ok(Jail {
                gate,
                line: Mutex::new(line),
                warden,
                warden_fd,
                cgroup,
                has_namespaces: spec.namespaces,
                gone: AtomicBool::new(false),
                buried: AtomicBool::new(false),
            }),
            Err(reason) => {
                drop(line);
                gate.end();
                Err(reason)
            }
        }
    }

    /// Whether it has been ended, so that no bot can be started in it any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All processes in it but the warden.
    fn inmates(&self, until: Instant) -> Vec<i32> {
        if let Some(cgroup) = &self.cgroup {
            return cgroup.members();
        }
        let mut members = procfs::trees(vec![self.warden], process_tree::TREE_AT_MOST, until);
        members.remove(0);
        members
    }

    /// Kills everything in it at once. With the warden the kernel kills its whole pid namespace, and whoever is killed
    /// takes no other step; that all are gone is waited for when the jail is dropped. Where there is neither namespace nor
    /// control group, the bot is a single process, and an orphan after its warden.
    fn end(&self) {
        self.gone.store(true, Ordering::Relaxed);
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        let _ = rustix::process::pidfd_send_signal(&self.warden_fd, Signal::KILL);
        if !self.has_namespaces && self.cgroup.is_none() {
            self.bury();
        }
    }

    /// Waits until the warden is dead, and with it all of its pid namespace. What else there may be, a sweep finds.
    fn bury(&self) {
        if self.buried.swap(true, Ordering::Relaxed) {
            return;
        }
        let timeout = Timespec { tv_sec: DEATH_PATIENCE.as_secs() as i64, tv_nsec: 0 };
        let _ = rustix::event::poll(&mut [PollFd::new(&self.warden_fd, PollFlags::IN)], Some(&timeout));
        self.gate.end();
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        self.end();
        self.bury();
    }
}

fn await_jail(line: &mut Line, spec: &JailSpec) -> Result<(i32, OwnedFd), SandboxError> {
    line.say(spec).map_err(|error| SandboxError::Channel(error.into()))?;
    let (mut warden, mut is_ready) = (None, false);
    loop {
        match hear(line) {
            Some(Tell::Warden(pid)) => {
                let fd = Pid::from_raw(pid).and_then(|pid| rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok());
                warden = fd.map(|fd| (pid, fd));
            }
            Some(Tell::Ready) => is_ready = true,
            Some(Tell::Failed(reason)) => return Err(reason.into()),
            Some(other) => return Err(SandboxError::UnexpectedMessage { message: format!("{other:?}") }),
            None => return Err(SandboxError::SupervisorDied),
        }
        match warden {
            Some(warden) if is_ready => return Ok(warden),
            _ => {}
        }
    }
}

/// What the warden says next; `None` if it is dead or takes too long.
fn hear(line: &mut Line) -> Option<Tell> {
    let give_up = Instant::now() + PATIENCE;
    loop {
        match line.hear(RecvFlags::DONTWAIT) {
            Heard::Said(told) => return Some(told),
            Heard::End => return None,
            Heard::Nothing => {}
        }
        let left = give_up.checked_duration_since(Instant::now())?;
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        let _ = rustix::event::poll(&mut [PollFd::new(line.socket(), PollFlags::IN)], Some(&timeout));
    }
}

/// A bot that runs in a jail.
#[derive(Debug)]
pub(crate) struct JailedProcess {
    jail: Arc<Jail>,
    /// Becomes readable when the warden has something to tell: that the bot has ended.
    news: OwnedFd,
    ended: Option<Ended>,
    /// The jail died around it.
    lost: bool,
    cpu_before: Duration,
    /// How many had been killed for want of memory before.
    killed_before: u64,
    /// It is stopped by its control group, not by its warden.
    is_frozen: bool,
}

impl JailedProcess {
    /// Starts the bot on its ends of three pipes.
    pub(crate) fn start(jail: &Arc<Jail>, pipes: [OwnedFd; 3]) -> Result<JailedProcess, StartError> {
        let jail = Arc::clone(jail);
        let (cpu_before, killed_before) = (jail.cpu_of_gone(), jail.killed_for_memory());
        let mut line = jail.line();
        let channel_error = |error: io::Error| SandboxError::Channel(error.into());
        let news = line.socket().as_fd().try_clone_to_owned().map_err(channel_error)?;
        line.say_with(&Ask::Start, &pipes.each_ref().map(AsFd::as_fd)).map_err(channel_error)?;
        drop(pipes);
        let told = hear(&mut line);
        drop(line);
        match told {
            Some(Tell::Started) => {
                Ok(JailedProcess { jail, news, ended: None, lost: false, cpu_before, killed_before, is_frozen: false })
            }
            Some(Tell::NotStarted(error)) => Err(error.into()),
            _ => {
                jail.end();
                Err(SandboxError::BrokeDown.into())
            }
        }
    }

    /// Becomes readable when the bot has ended.
    pub(crate) fn event_fd(&self) -> &OwnedFd {
        &self.news
    }

    /// How it ended, if it has. Nothing that it started is left then.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        if self.ended.is_none() && !self.lost {
            match self.jail.line().hear(RecvFlags::DONTWAIT) {
                Heard::Said(Tell::Ended(ended)) => self.ended = Some(ended),
                Heard::Nothing | Heard::Said(_) => {}
                Heard::End => self.lost = true,
            }
        }
        if self.lost {
            return Some(Exit::Signal(Signal::KILL.as_raw()));
        }
        let ended = self.ended?;
        Some(ended.code.map_or_else(|| Exit::Signal(ended.signal.unwrap_or_default()), Exit::Code))
    }

    /// What it has used until now, with everything that it started.
    pub(crate) fn usage(&self, memory_limit: Option<u64>, deadline: Option<Instant>) -> Usage {
        if let Some(ended) = self.ended {
            return self.usage_at_end(ended);
        }
        let until = Instant::now() + process_tree::LOOK_AT_MOST;
        let mut usage = process_tree::usage_of(&self.jail.inmates(until), memory_limit, until, deadline);
        let gone = self.jail.cpu_of_gone();
        usage.cpu = match &self.jail.cgroup {
            Some(_) => gone.checked_sub(self.cpu_before),
            None => usage.cpu.map(|cpu| cpu + gone.saturating_sub(self.cpu_before)),
        };
        usage.memory_out |= self.jail.killed_for_memory() > self.killed_before;
        usage
    }

    fn usage_at_end(&self, ended: Ended) -> Usage {
        let cpu = match &self.jail.cgroup {
            Some(_) => self.jail.cpu_of_gone().saturating_sub(self.cpu_before),
            None => Duration::from_micros(ended.cpu_us),
        };
        let memory_out = self.jail.killed_for_memory() > self.killed_before;
        Usage { cpu: Some(cpu), memory_bytes: ended.peak_bytes, tasks: None, memory_out }
    }

    /// Stops it with all that it started, until [`JailedProcess::resume`].
    pub(crate) fn pause(&mut self) {
        self.is_frozen = self.jail.cgroup.as_ref().is_some_and(Cgroup::freeze);
        if self.is_frozen {
            return;
        }
        let mut line = self.jail.line();
        if line.say(&Ask::Pause).is_err() {
            self.lost = true;
            return;
        }
        match hear(&mut line) {
            Some(Tell::Paused) => {}
            // It ended before it could be stopped; the answer to our request comes after that.
            Some(Tell::Ended(ended)) => {
                self.ended = Some(ended);
                self.lost |= hear(&mut line) != Some(Tell::Paused);
            }
            _ => self.lost = true,
        }
    }

    /// Lets it go on.
    pub(crate) fn resume(&mut self) {
        if let Some(cgroup) = self.jail.cgroup.as_ref().filter(|_| self.is_frozen) {
            self.is_frozen = false;
            return cgroup.thaw();
        }
        self.lost |= self.jail.line().say(&Ask::Resume).is_err();
    }

    /// Ends it with all that it started, and says what it used in all. The jail can be used again if the bot had ended.
    pub(crate) fn end(&mut self) -> Usage {
        if let Some(ended) = self.ended {
            if self.is_frozen {
                // Or who is started here next would stand still.
                self.resume();
            }
            return self.usage_at_end(ended);
        }
        self.jail.end();
        // Where only a look at all processes could tell, the last one has to do.
        let cpu = self.jail.cgroup.as_ref().map(|_| self.jail.cpu_of_gone().saturating_sub(self.cpu_before));
        Usage { cpu, ..Usage::default() }
    }
}

impl Jail {
    /// How many in it were ever killed for want of memory, where a control group counts them.
    fn killed_for_memory(&self) -> u64 {
        self.cgroup.as_ref().map_or(0, Cgroup::killed_for_memory)
    }

    /// CPU time of what has ended in it, since it was built; of everything, where a control group counts it.
    fn cpu_of_gone(&self) -> Duration {
        match &self.cgroup {
            Some(cgroup) => cgroup.cpu().unwrap_or_default(),
            None => procfs::cpu_of_ended_children(self.warden).unwrap_or_default(),
        }
    }
}
