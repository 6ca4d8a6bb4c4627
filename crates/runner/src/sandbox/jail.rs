//! A jail as seen from outside: built once for a program, asked to start the program for each run, and gone with everything
//! in it when it is dropped.

use std::ffi::OsString;
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
use super::wire::{Channel, Ended, JailSpec, Received, Report, Request};
use crate::error::StepError;
use crate::outcome::{Exit, SandboxError, StartError};
use crate::program::child::Child;
use crate::program::process_tree::{self, ProcessTree};
use crate::program::procfs::{self, WorkTime};
use crate::program::usage::Usage;

/// How long the supervisor may take to build a jail, or to do what it is asked for. It is our own and has little to do; only
/// an extremely busy machine delays its answer.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a supervisor may take to die with everything around it.
const DEATH_TIMEOUT: Duration = Duration::from_secs(5);

/// A jail with its supervisor.
#[derive(Debug)]
pub(crate) struct Jail {
    /// The supervisor, or its parent, which stays outside of the pid namespace if there is one.
    child: Child,
    conversation: Mutex<Conversation>,
    /// Becomes readable when the supervisor reports something.
    report_fd: OwnedFd,
    supervisor: i32,
    /// Of the supervisor, so that no signal ever meets another process that got its number.
    supervisor_fd: OwnedFd,
    cgroup: Option<Cgroup>,
    has_namespaces: bool,
    gone: AtomicBool,
    reaped: AtomicBool,
}

/// What the supervisor was asked for and has reported.
#[derive(Debug)]
struct Conversation {
    channel: Channel,
    /// The program can be started, and the pipes to it have come.
    is_prepared: bool,
}

impl Jail {
    /// Starts `command`, which becomes a supervisor and builds this jail.
    #[expect(unsafe_code, reason = "runs setsid between fork and exec")]
    pub(super) fn start(command: &[OsString], spec: &JailSpec, cgroup: Option<Cgroup>) -> Result<Jail, SandboxError> {
        let spec = &JailSpec { cgroup: cgroup.as_ref().map(|cgroup| cgroup.folder().into()), ..spec.clone() };
        let (program, arguments) = command.split_first().ok_or(SandboxError::NoSupervisor)?;
        let (ours, theirs) = UnixStream::pair().map_err(|error| SandboxError::Channel(error.into()))?;
        let report_fd = ours.as_fd().try_clone_to_owned().map_err(|error| SandboxError::Channel(error.into()))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null()).env_clear();
        // SAFETY: between fork and exec only async-signal-safe calls are allowed; `setsid` is one, and nothing is
        // allocated.
        unsafe {
            command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?));
        }
        let started = ProcessTree::start(&mut command);
        let (_, tree, _) = started.map_err(|error| SandboxError::SupervisorNotStarted(error.into()))?;
        let child = Child::new(tree);
        // Our copy of its end would keep the conversation open after its death.
        drop(command);
        let mut conversation = Conversation { channel: Channel::new(ours), is_prepared: false };
        match conversation.await_jail(spec) {
            Ok((supervisor, supervisor_fd)) => Ok(Jail {
                child,
                conversation: Mutex::new(conversation),
                report_fd,
                supervisor,
                supervisor_fd,
                cgroup,
                has_namespaces: spec.tier.has_namespaces(),
                gone: AtomicBool::new(false),
                reaped: AtomicBool::new(false),
            }),
            Err(error) => {
                drop(conversation);
                child.end();
                Err(error)
            }
        }
    }

    /// Returns whether it has ended, so that nothing can be started in it any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    fn conversation(&self) -> MutexGuard<'_, Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All processes in it except the supervisor.
    fn members(&self, time: &WorkTime) -> Vec<i32> {
        if let Some(cgroup) = &self.cgroup {
            return cgroup.members();
        }
        let mut members = procfs::trees(vec![self.supervisor], process_tree::MAX_MEASURED, time);
        members.remove(0);
        members
    }

    /// Kills everything in it at once. With the supervisor the kernel kills its whole pid namespace, and a killed process
    /// takes no other step; dropping the jail waits until all are gone. Where there is neither a namespace nor a control
    /// group, what the program has started are orphans after its supervisor.
    fn end(&self) {
        self.gone.store(true, Ordering::Relaxed);
        if let Some(cgroup) = &self.cgroup {
            cgroup.kill();
        }
        let _ = rustix::process::pidfd_send_signal(&self.supervisor_fd, Signal::KILL);
        if !self.has_namespaces && self.cgroup.is_none() {
            self.reap();
        }
    }

    /// Waits until the supervisor is dead, and with it all of its pid namespace. A sweep finds what else there may be.
    fn reap(&self) {
        if self.reaped.swap(true, Ordering::Relaxed) {
            return;
        }
        let timeout = Timespec { tv_sec: DEATH_TIMEOUT.as_secs() as i64, tv_nsec: 0 };
        let _ = rustix::event::poll(&mut [PollFd::new(&self.supervisor_fd, PollFlags::IN)], Some(&timeout));
        self.child.end();
    }

    /// How many processes in it were ever killed for lack of memory, where a control group counts them.
    fn killed_for_memory(&self) -> u64 {
        self.cgroup.as_ref().map_or(0, Cgroup::killed_for_memory)
    }

    /// CPU time of what has ended in it since it was built; of everything, where a control group counts it.
    fn cpu_of_ended(&self) -> Duration {
        match &self.cgroup {
            Some(cgroup) => cgroup.cpu().unwrap_or_default(),
            None => procfs::cpu_of_ended_children(self.supervisor).unwrap_or_default(),
        }
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        self.end();
        self.reap();
    }
}

/// Returns what the supervisor reports next; `None` if it is dead or takes too long.
fn next_report(channel: &mut Channel) -> Option<Report> {
    let give_up = Instant::now() + REPLY_TIMEOUT;
    loop {
        match channel.receive(RecvFlags::DONTWAIT) {
            Received::Message(report) => return Some(report),
            Received::End => return None,
            Received::Nothing => {}
        }
        let left = give_up.checked_duration_since(Instant::now())?;
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        let _ = rustix::event::poll(&mut [PollFd::new(channel.socket(), PollFlags::IN)], Some(&timeout));
    }
}

impl Conversation {
    /// Asks for a jail and waits until it is built. Returns the number of its supervisor, and a descriptor of it.
    ///
    /// In a pid namespace it is the parent of the supervisor that knows this number, and its report may come last.
    fn await_jail(&mut self, spec: &JailSpec) -> Result<(i32, OwnedFd), SandboxError> {
        self.channel.send(spec).map_err(|error| SandboxError::Channel(error.into()))?;
        let (mut supervisor, mut is_ready) = (None, false);
        loop {
            match next_report(&mut self.channel) {
                Some(Report::Supervisor(pid)) => {
                    let fd = Pid::from_raw(pid).and_then(|pid| rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok());
                    supervisor = fd.map(|fd| (pid, fd));
                }
                Some(Report::Ready) => is_ready = true,
                Some(Report::Prepared) => self.is_prepared = true,
                Some(Report::Failed(error) | Report::NotStarted(error)) => return Err(error.into()),
                Some(other) => return Err(SandboxError::UnexpectedMessage { message: format!("{other:?}") }),
                None => return Err(SandboxError::SupervisorDied),
            }
            match supervisor {
                Some(supervisor) if is_ready => return Ok(supervisor),
                _ => {}
            }
        }
    }

    /// Waits until the program can be started. Returns the pipes to it.
    fn await_prepared(&mut self) -> Result<[OwnedFd; 3], StartError> {
        if !std::mem::take(&mut self.is_prepared) {
            match next_report(&mut self.channel) {
                Some(Report::Prepared) => {}
                Some(Report::NotStarted(error)) => return Err(error.into()),
                _ => return Err(SandboxError::BrokeDown.into()),
            }
        }
        Ok(self.channel.take_pipes().ok_or(SandboxError::BrokeDown)?)
    }
}

/// A program that runs in a jail.
#[derive(Debug)]
pub(crate) struct JailedProcess {
    jail: Arc<Jail>,
    ended: Option<Ended>,
    /// Why it could not be started.
    not_started: Option<StepError>,
    /// The jail died around it.
    lost: bool,
    cpu_before: Duration,
    /// How many processes had been killed for lack of memory before.
    killed_before: u64,
    /// How long its process waited for a processor before the program was asked for, once the supervisor has said so.
    waited_before: Option<Duration>,
    /// It is stopped by its control group, not by its supervisor.
    is_frozen: bool,
}

impl JailedProcess {
    /// Starts the program. Returns it with pipes to its input, from its output and from its standard error. If it cannot be
    /// started, that is found out later.
    pub(crate) fn start(jail: &Arc<Jail>) -> Result<(JailedProcess, [OwnedFd; 3]), StartError> {
        let pipes = jail.conversation().await_prepared().inspect_err(|_| jail.end())?;
        let process = JailedProcess {
            cpu_before: jail.cpu_of_ended(),
            killed_before: jail.killed_for_memory(),
            waited_before: None,
            jail: Arc::clone(jail),
            ended: None,
            not_started: None,
            lost: false,
            is_frozen: false,
        };
        match jail.conversation().channel.send(&Request::Start) {
            Ok(()) => Ok((process, pipes)),
            Err(_) => {
                jail.end();
                Err(SandboxError::BrokeDown.into())
            }
        }
    }

    /// Returns a descriptor that becomes readable when the program has ended.
    pub(crate) fn exit_fd(&self) -> &OwnedFd {
        &self.jail.report_fd
    }

    /// Returns how it ended, if it has, or why it could not be started. Nothing that it started is left then.
    pub(crate) fn exit(&mut self) -> Option<Result<Exit, StartError>> {
        if self.ended.is_none() && self.not_started.is_none() && !self.lost {
            match self.jail.conversation().channel.receive(RecvFlags::DONTWAIT) {
                Received::Message(Report::Ended(ended)) => self.ended = Some(ended),
                Received::Message(Report::NotStarted(error)) => self.not_started = Some(error),
                Received::Nothing | Received::Message(_) => {}
                Received::End => self.lost = true,
            }
        }
        if let Some(error) = &self.not_started {
            return Some(Err(error.clone().into()));
        }
        match self.ended {
            Some(Ended { code, signal, .. }) => Some(Ok(code.map_or(Exit::Signal(signal.unwrap_or_default()), Exit::Code))),
            None if self.lost => Some(Ok(Exit::Signal(Signal::KILL.as_raw()))),
            None => None,
        }
    }

    /// Returns what it has used until now, with everything that it started.
    pub(crate) fn usage(&self, memory_limit: Option<u64>, deadline: Option<Instant>) -> Usage {
        if let Some(ended) = self.ended {
            return self.usage_at_end(ended);
        }
        let time = WorkTime::start(process_tree::MAX_MEASURE_TIME);
        let mut usage = process_tree::usage_of(&self.jail.members(&time), memory_limit, &time, deadline);
        let cpu_of_ended = self.jail.cpu_of_ended();
        usage.cpu = match &self.jail.cgroup {
            Some(_) => cpu_of_ended.checked_sub(self.cpu_before),
            None => usage.cpu.map(|cpu| cpu + cpu_of_ended.saturating_sub(self.cpu_before)),
        };
        usage.memory_out |= self.jail.killed_for_memory() > self.killed_before;
        usage
    }

    /// Returns how long it was ready to run while no processor was free, over all threads that still run.
    pub(crate) fn ready_wait(&mut self) -> Duration {
        let before = match self.waited_before {
            Some(before) => before,
            None => match self.ask(Request::Waited) {
                Some(Report::Waited(nanoseconds)) => Duration::from_nanos(nanoseconds),
                _ => Duration::ZERO,
            },
        };
        self.waited_before = Some(before);
        let time = WorkTime::start(process_tree::MAX_MEASURE_TIME);
        process_tree::ready_wait_of(&self.jail.members(&time), &time).saturating_sub(before)
    }

    fn usage_at_end(&self, ended: Ended) -> Usage {
        let cpu = match &self.jail.cgroup {
            Some(_) => self.jail.cpu_of_ended().saturating_sub(self.cpu_before),
            None => Duration::from_micros(ended.cpu_us),
        };
        let memory_out = self.jail.killed_for_memory() > self.killed_before;
        Usage { cpu: Some(cpu), memory_bytes: ended.peak_bytes, tasks: None, memory_out }
    }

    /// Stops it with everything that it started, until [`JailedProcess::resume`].
    pub(crate) fn pause(&mut self) {
        if self.ended.is_some() {
            return;
        }
        self.is_frozen = self.jail.cgroup.as_ref().is_some_and(Cgroup::freeze);
        if self.is_frozen {
            if self.exit().is_some() {
                // It had ended, and what is prepared for the next start stands still.
                self.thaw();
            }
            return;
        }
        self.ask(Request::Pause);
    }

    /// Asks the supervisor for something, and returns its answer. If there is none, the jail is dead.
    fn ask(&mut self, request: Request) -> Option<Report> {
        let jail = Arc::clone(&self.jail);
        let mut conversation = jail.conversation();
        let sent = conversation.channel.send(&request);
        let mut answer = sent.ok().and_then(|()| next_report(&mut conversation.channel));
        loop {
            match answer {
                // It ended before the question was read. The answer comes after that, unless what is prepared next was stopped.
                Some(Report::Ended(ended)) => {
                    self.ended = Some(ended);
                    self.thaw();
                }
                Some(Report::Prepared) => conversation.is_prepared = true,
                Some(Report::NotStarted(error)) => {
                    self.not_started = Some(error);
                    return None;
                }
                answer => {
                    self.lost |= answer.is_none();
                    return answer;
                }
            }
            answer = next_report(&mut conversation.channel);
        }
    }

    /// Lets it continue.
    pub(crate) fn resume(&mut self) {
        if !self.thaw() {
            self.lost |= self.jail.conversation().channel.send(&Request::Resume).is_err();
        }
    }

    /// Lets the control group continue, if it is stopped. Returns whether it was.
    fn thaw(&mut self) -> bool {
        let was_frozen = std::mem::take(&mut self.is_frozen);
        if let Some(cgroup) = self.jail.cgroup.as_ref().filter(|_| was_frozen) {
            cgroup.thaw();
        }
        was_frozen
    }

    /// Ends it with everything that it started, and returns what it used in all. The jail can be used again if the program
    /// had ended.
    pub(crate) fn end(&mut self) -> Usage {
        if let Some(ended) = self.ended {
            // Otherwise the next program that is started here would be frozen, too.
            self.thaw();
            return self.usage_at_end(ended);
        }
        self.jail.end();
        // Where only a look at all processes could find the CPU time, the last one has to do.
        let cpu = self.jail.cgroup.as_ref().map(|_| self.jail.cpu_of_ended().saturating_sub(self.cpu_before));
        Usage { cpu, ..Usage::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tier;

    /// Two processes report that a jail is built, and the first start is prepared by then.
    #[test]
    fn reports_may_come_in_any_order() {
        let spec = JailSpec {
            tier: Tier::A,
            group_limits_tasks: false,
            command: Vec::new(),
            directory: "/".into(),
            environment: Vec::new(),
            readable: Vec::new(),
            scratch: None,
            tasks: None,
            file_bytes: 0,
            data_bytes: None,
            cgroup: None,
        };
        let (here, there) = UnixStream::pair().unwrap();
        let (mut here, there) = (Conversation { channel: Channel::new(here), is_prepared: false }, Channel::new(there));
        let (reader, writer) = std::io::pipe().unwrap();
        let us = std::process::id() as i32;
        there.send(&Report::Ready).unwrap();
        there.send_with(&Report::Prepared, &[reader.as_fd(), writer.as_fd(), writer.as_fd()]).unwrap();
        there.send(&Report::Supervisor(us)).unwrap();
        assert_eq!(here.await_jail(&spec).map(|(pid, _)| pid), Ok(us));
        assert!(here.await_prepared().is_ok());
        there.send(&Report::NotStarted(StepError::new(crate::error::SandboxPart::Supervisor, "a step", "a reason"))).unwrap();
        assert!(matches!(here.await_prepared(), Err(StartError::InSandbox(_))));
    }
}
