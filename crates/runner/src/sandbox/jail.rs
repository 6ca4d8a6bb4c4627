//! A jail as seen from outside: built once for a program, asked to start the program for each run, and gone with everything
//! in it when it is dropped.

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
use super::wire::{Channel, Ended, JailSpec, Received, Report, Request};
use crate::Tier;
use crate::error::{SandboxPart, StepError};
use crate::outcome::{Exit, SandboxError, StartError};
use crate::program::child::Child;
use crate::program::process_tree::{self, ProcessTree};
use crate::program::procfs::{self, WorkTime};
use crate::program::usage::{ThreadTime, Usage};

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
    channel: Mutex<Channel>,
    /// Becomes readable when the supervisor reports something.
    report_fd: OwnedFd,
    supervisor: i32,
    /// Of the supervisor, so that no signal ever meets another process that got its number.
    supervisor_fd: OwnedFd,
    cgroup: Option<Cgroup>,
    has_namespaces: bool,
    /// Whether programs cannot reach the supervisor.
    is_confining: bool,
    gone: AtomicBool,
    reaped: AtomicBool,
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
        let (_, tree) = started.map_err(|error| SandboxError::SupervisorNotStarted(error.into()))?;
        let child = Child::new(tree);
        // Our copy of its end would keep the conversation open after its death.
        drop(command);
        let mut channel = Channel::new(ours);
        match await_jail(&mut channel, spec) {
            Ok((supervisor, _)) if spec.tier != Tier::C && !procfs::shows(supervisor) => {
                drop(channel);
                child.end();
                let reason = "this system hides its processes (hidepid), or does not list their children";
                Err(StepError::new(SandboxPart::System, "programs cannot be measured", reason).into())
            }
            Ok((supervisor, supervisor_fd)) => Ok(Jail {
                child,
                channel: Mutex::new(channel),
                report_fd,
                supervisor,
                supervisor_fd,
                cgroup,
                has_namespaces: spec.tier.has_namespaces(),
                is_confining: spec.tier != Tier::C,
                gone: AtomicBool::new(false),
                reaped: AtomicBool::new(false),
            }),
            Err(error) => {
                drop(channel);
                child.end();
                Err(error)
            }
        }
    }

    /// Returns whether it has ended, so that nothing can be started in it any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    fn channel(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the program started. Returns our ends of the pipes to its input, from its output and from its standard error.
    fn start_program(&self) -> Result<[OwnedFd; 3], StartError> {
        let pipe = || io::pipe().map_err(|error| SandboxError::Channel(error.into()));
        let [(stdin, to_stdin), (from_stdout, stdout), (from_stderr, stderr)] = [pipe()?, pipe()?, pipe()?];
        let ours: [OwnedFd; 3] = [to_stdin.into(), from_stdout.into(), from_stderr.into()];
        for pipe in &ours {
            rustix::io::ioctl_fionbio(pipe, true).map_err(|error| SandboxError::Channel(error.into()))?;
        }
        let mut channel = self.channel();
        let sent = channel.send_with(&Request::Start, &[stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]);
        match sent.ok().and_then(|()| next_report(&mut channel)) {
            Some(Report::Started) => Ok(ours),
            Some(Report::NotStarted(error)) => Err(error.into()),
            _ => Err(SandboxError::BrokeDown.into()),
        }
    }

    /// Has the storage copied to where it is kept.
    pub(crate) fn keep_storage(&self) -> Result<(), SandboxError> {
        let mut channel = self.channel();
        channel.send(&Request::Keep).map_err(|error| SandboxError::Channel(error.into()))?;
        loop {
            match next_report(&mut channel) {
                Some(Report::Kept) => return Ok(()),
                Some(Report::NotKept(error)) => return Err(error.into()),
                // It ended before the request was read.
                Some(Report::Ended(_)) => {}
                _ => return Err(SandboxError::BrokeDown),
            }
        }
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

/// Asks for a jail and waits until it is built. Returns the number of its supervisor, and a descriptor of it.
///
/// In a pid namespace it is the parent of the supervisor that knows this number, and its report may come last.
fn await_jail(channel: &mut Channel, spec: &JailSpec) -> Result<(i32, OwnedFd), SandboxError> {
    channel.send(spec).map_err(|error| SandboxError::Channel(error.into()))?;
    let (mut supervisor, mut is_ready) = (None, false);
    loop {
        match next_report(channel) {
            Some(Report::Supervisor(pid)) => {
                let fd = Pid::from_raw(pid).and_then(|pid| rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok());
                supervisor = fd.map(|fd| (pid, fd));
            }
            Some(Report::Ready) => is_ready = true,
            Some(Report::Failed(error)) => return Err(error.into()),
            Some(other) => return Err(SandboxError::UnexpectedMessage { message: format!("{other:?}") }),
            None => return Err(SandboxError::SupervisorDied),
        }
        match supervisor {
            Some(supervisor) if is_ready => return Ok(supervisor),
            _ => {}
        }
    }
}

/// A program that runs in a jail.
#[derive(Debug)]
pub(crate) struct JailedProcess {
    jail: Arc<Jail>,
    ended: Option<Ended>,
    /// The jail died around it.
    lost: bool,
    cpu_before: Duration,
    /// How many processes had been killed for lack of memory before.
    killed_before: u64,
    /// It is stopped by its control group, not by its supervisor.
    is_frozen: bool,
    /// Its first thread, once it was seen.
    leader: Option<i32>,
}

impl JailedProcess {
    /// Starts the program. Returns it with pipes to its input, from its output and from its standard error.
    pub(crate) fn start(jail: &Arc<Jail>) -> Result<(JailedProcess, [OwnedFd; 3]), StartError> {
        let (cpu_before, killed_before) = (jail.cpu_of_ended(), jail.killed_for_memory());
        let pipes = jail.start_program().inspect_err(|_| jail.end())?;
        let jail = Arc::clone(jail);
        let process = JailedProcess { jail, ended: None, lost: false, cpu_before, killed_before, is_frozen: false, leader: None };
        Ok((process, pipes))
    }

    /// Returns a descriptor that becomes readable when the program has ended.
    pub(crate) fn exit_fd(&self) -> &OwnedFd {
        &self.jail.report_fd
    }

    /// Returns how it ended, if it has. Nothing that it started is left then.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        if self.ended.is_none() && !self.lost {
            match self.jail.channel().receive(RecvFlags::DONTWAIT) {
                Received::Message(Report::Ended(ended)) => self.ended = Some(ended),
                Received::Nothing | Received::Message(_) => {}
                Received::End => self.lost = true,
            }
        }
        match self.ended {
            Some(Ended { code, signal, .. }) => Some(code.map_or(Exit::Signal(signal.unwrap_or_default()), Exit::Code)),
            None => self.lost.then_some(Exit::Signal(Signal::KILL.as_raw())),
        }
    }

    /// Returns whether the jail died around it. Without confinement it may have done that itself.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost && self.jail.is_confining
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

    /// Returns what its threads have done; of those that have ended, only the first one is known.
    pub(crate) fn thread_times(&mut self) -> Vec<ThreadTime> {
        if let Some(Ended { worked_ns, waited_ns, .. }) = self.ended {
            let [worked, waited] = [worked_ns, waited_ns].map(Duration::from_nanos);
            return vec![ThreadTime { thread: self.leader.unwrap_or_default(), worked, waited, is_ready: false }];
        }
        let time = WorkTime::start(process_tree::MAX_MEASURE_TIME);
        let times = process_tree::thread_times_of(&self.jail.members(&time), &time);
        self.leader = self.leader.or(times.first().map(|time| time.thread));
        times
    }

    /// Returns how long its supervisor was ready to run while no processor was free.
    pub(crate) fn supervisors_wait(&self) -> Duration {
        procfs::first_thread(self.jail.supervisor).waited
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
            return;
        }
        let mut channel = self.jail.channel();
        let sent = channel.send(&Request::Pause);
        let mut report = sent.ok().and_then(|()| next_report(&mut channel));
        if let Some(Report::Ended(ended)) = report {
            // It ended before the request was read.
            self.ended = Some(ended);
            report = next_report(&mut channel);
        }
        self.lost |= report != Some(Report::Paused);
    }

    /// Lets it continue.
    pub(crate) fn resume(&mut self) {
        if !self.thaw() {
            self.lost |= self.jail.channel().send(&Request::Resume).is_err();
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

    /// Two processes report that a jail is built.
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
            storage: None,
            tasks: None,
            file_bytes: 0,
            data_bytes: None,
            cgroup: None,
        };
        let us = std::process::id() as i32;
        for reports in [[Report::Ready, Report::Supervisor(us)], [Report::Supervisor(us), Report::Ready]] {
            let (here, there) = UnixStream::pair().unwrap();
            let (mut here, there) = (Channel::new(here), Channel::new(there));
            reports.iter().for_each(|report| there.send(report).unwrap());
            assert_eq!(await_jail(&mut here, &spec).map(|(pid, _)| pid), Ok(us));
        }
    }
}
