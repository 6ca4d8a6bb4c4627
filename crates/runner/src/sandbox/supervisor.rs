//! The supervisor: a process of our own that keeps a jail. It builds the jail once, and starts the program in it for each
//! run.
//!
//! In tiers with namespaces it is the first process of the jail's pid namespace: when it dies, for whatever reason, the kernel
//! kills everything in there. It ends when the process that started it dies, because then its socket is closed.

#![allow(unsafe_code, reason = "forks, and makes system calls that rustix does not offer")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::RecvFlags;
use rustix::process::{DumpableBehavior, Pid, PidfdFlags, Signal};

use super::namespaces::{self, Root};
use super::restrict::{self, Filter};
use super::wire::{Channel, Ended, JailSpec, Received, Report, Request};
use crate::Tier;
use crate::error::{SandboxPart, StepError};
use crate::program::process_tree;

/// How often a jail is checked when nothing happens: dead processes are reaped, and those that woke up are stopped again.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Supervises a jail, controlled through standard input. Returns when the jail is no longer needed.
///
/// Call it at once in a process that was started for this, while it has a single thread; see
/// [`Sandbox::best`](crate::Sandbox::best).
pub fn supervisor_main() -> ExitCode {
    let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::FAILURE };
    let mut channel = Channel::new(UnixStream::from(socket));
    let Received::Message(spec) = channel.receive::<JailSpec>(RecvFlags::empty()) else { return ExitCode::FAILURE };
    match build(&spec, &channel) {
        Ok(Built::Jail(mut jail)) => {
            if channel.send(&Report::Ready).is_ok() {
                jail.supervise(&spec, &mut channel);
                jail.clear();
            }
            ExitCode::SUCCESS
        }
        Ok(Built::Parent { supervisor }) => {
            drop(channel);
            wait_for(supervisor);
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = channel.send(&Report::Failed(error));
            ExitCode::FAILURE
        }
    }
}

/// What this process is after the jail was built.
enum Built {
    /// The supervisor.
    Jail(Jail),
    /// The supervisor's parent, which stays outside of the new pid namespace.
    Parent { supervisor: i32 },
}

struct Jail {
    root: Option<Root>,
    /// The program runs as another user than the supervisor.
    has_own_user: bool,
    filter: Filter,
    cgroup: Option<CgroupEntry>,
    program: Option<Running>,
    paused: bool,
}

/// As in the kernel's `sched.h`; `libc` has it in a type that is too small for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// The way into a control group, opened while the group can be seen.
struct CgroupEntry {
    folder: File,
    procs: File,
}

impl CgroupEntry {
    fn open(folder: &Path) -> Result<CgroupEntry, StepError> {
        let procs = OpenOptions::new().write(true).open(folder.join("cgroup.procs"));
        Ok(CgroupEntry {
            folder: File::open(folder).map_err(StepError::at(SandboxPart::ControlGroups, "control group"))?,
            procs: procs.map_err(StepError::at(SandboxPart::ControlGroups, "control group"))?,
        })
    }

    /// Forks into the group. To enter it later would delay every process that forks at that time, and this one with them.
    fn fork(&self) -> i32 {
        // SAFETY: all zeros are valid arguments.
        let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
        arguments.flags = CLONE_INTO_CGROUP;
        arguments.exit_signal = libc::SIGCHLD as u64;
        arguments.cgroup = self.folder.as_raw_fd() as u64;
        // SAFETY: this process has a single thread, so the child may do anything; the call reads the arguments, whose size
        // is passed, and gives the child a copy of our stack.
        unsafe { libc::syscall(libc::SYS_clone3, &arguments, size_of::<libc::clone_args>()) as i32 }
    }
}

/// The program that runs in the jail.
struct Running {
    pid: i32,
    exit_fd: OwnedFd,
    /// What all children had used before this one.
    cpu_before: Duration,
    /// Its status and peak memory, once it is reaped.
    ended: Option<(libc::c_int, u64)>,
}

fn build(spec: &JailSpec, channel: &Channel) -> Result<Built, StepError> {
    if spec.tier != Tier::C {
        // If memory runs short, jailed programs should be killed first. Without that setting they still are jailed.
        let _ = fs::write("/proc/self/oom_score_adj", "1000");
    }
    let cgroup = spec.cgroup.as_ref().map(|folder| CgroupEntry::open(Path::new(folder))).transpose()?;
    if !spec.tier.has_namespaces() {
        let us = Report::Supervisor(std::process::id() as i32);
        channel.send(&us).map_err(StepError::at(SandboxPart::Supervisor, "the supervisor's socket"))?;
        process_tree::adopt_orphans();
        hide()?;
        if spec.tier != Tier::C {
            restrict::bound_capabilities();
        }
        return Ok(Built::Jail(Jail {
            root: None,
            has_own_user: false,
            filter: Filter::new(spec, false)?,
            cgroup,
            program: None,
            paused: false,
        }));
    }
    let has_own_user = namespaces::unshare_all()?;
    // SAFETY: this process has a single thread, so the child may do anything.
    match unsafe { libc::fork() } {
        -1 => Err(StepError::last_os_error(SandboxPart::Supervisor, "fork")),
        0 => {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
                .map_err(StepError::at(SandboxPart::Supervisor, "the supervisor's death signal"))?;
            hide()?;
            restrict::bound_capabilities();
            let root = namespaces::build_root(spec, has_own_user)?;
            let filter = Filter::new(spec, has_own_user)?;
            Ok(Built::Jail(Jail { root: Some(root), has_own_user, filter, cgroup, program: None, paused: false }))
        }
        supervisor => {
            let _ = channel.send(&Report::Supervisor(supervisor));
            Ok(Built::Parent { supervisor })
        }
    }
}

/// Keeps jailed programs from looking into this process.
fn hide() -> Result<(), StepError> {
    let hidden = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    hidden.map_err(StepError::at(SandboxPart::Supervisor, "the supervisor's memory cannot be hidden"))
}

fn wait_for(supervisor: i32) {
    // SAFETY: no status is written.
    while unsafe { libc::waitpid(supervisor, std::ptr::null_mut(), 0) } != supervisor {
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

impl Jail {
    fn supervise(&mut self, spec: &JailSpec, channel: &mut Channel) {
        loop {
            match channel.receive(RecvFlags::DONTWAIT) {
                Received::End => return,
                Received::Message(request) => {
                    if self.obey(request, spec, channel).is_err() {
                        return;
                    }
                    continue;
                }
                Received::Nothing => {}
            }
            self.reap(libc::WNOHANG);
            if self.program.as_ref().is_some_and(|program| program.ended.is_some()) {
                let is_reported = self.clear().is_some_and(|ended| channel.send(&Report::Ended(ended)).is_ok());
                if !is_reported {
                    return;
                }
                continue;
            }
            if self.paused {
                self.signal(Signal::STOP);
            }
            self.wait(channel);
        }
    }

    fn wait(&self, channel: &Channel) {
        let mut watched = vec![PollFd::new(channel.socket(), PollFlags::IN)];
        watched.extend(self.program.iter().map(|program| PollFd::new(&program.exit_fd, PollFlags::IN)));
        let interval = Timespec { tv_sec: 0, tv_nsec: CHECK_INTERVAL.as_nanos() as i64 };
        let _ = rustix::event::poll(&mut watched, self.program.is_some().then_some(&interval));
    }

    fn obey(&mut self, request: Request, spec: &JailSpec, channel: &mut Channel) -> io::Result<()> {
        match request {
            Request::Start => {
                let report = match channel.take_pipes() {
                    Some(pipes) => self.start(spec, pipes),
                    None => Report::NotStarted(StepError::new(SandboxPart::Supervisor, "the pipes", "they did not arrive")),
                };
                channel.send(&report)
            }
            Request::Pause => {
                self.paused = true;
                self.signal(Signal::STOP);
                channel.send(&Report::Paused)
            }
            Request::Resume => {
                self.paused = false;
                self.signal(Signal::CONT);
                Ok(())
            }
        }
    }

    /// Sends a signal to everything in the jail except the supervisor.
    fn signal(&self, signal: Signal) {
        match &self.root {
            // SAFETY: the call takes two numbers. It reaches what is in our pid namespace only.
            Some(_) => drop(unsafe { libc::kill(-1, signal.as_raw()) }),
            None => process_tree::signal_children(signal),
        }
    }

    fn start(&mut self, spec: &JailSpec, pipes: [OwnedFd; 3]) -> Report {
        if let Some(Err(error)) = self.root.as_mut().map(Root::renew_tmp) {
            return Report::NotStarted(error);
        }
        match self.fork(spec, pipes) {
            Ok(program) => {
                self.program = Some(program);
                Report::Started
            }
            Err(error) => {
                self.clear();
                Report::NotStarted(error)
            }
        }
    }

    fn fork(&mut self, spec: &JailSpec, pipes: [OwnedFd; 3]) -> Result<Running, StepError> {
        // The child's end closes when it becomes the program; what comes through before that is why it cannot.
        let (mut error_reader, mut error_writer) = io::pipe().map_err(StepError::at(SandboxPart::Supervisor, "pipe"))?;
        let cpu_before = process_tree::cpu_of_ended_descendants();
        let (mut pid, mut to_join) = (self.cgroup.as_ref().map_or(-1, CgroupEntry::fork), None);
        if pid == -1 {
            // There is no group, or the kernel cannot fork into one.
            to_join = self.cgroup.as_ref().map(|cgroup| &cgroup.procs);
            // SAFETY: this process has a single thread, so the child may do anything.
            pid = unsafe { libc::fork() };
        }
        match pid {
            -1 => return Err(StepError::last_os_error(SandboxPart::Supervisor, "fork")),
            0 => {
                let error = restrict::become_program(spec, self.has_own_user, &self.filter, to_join, pipes.map(Stdio::from));
                let text = serde_json::to_vec(&error).unwrap_or_default();
                let _ = error_writer.write_all(&text);
                std::process::exit(127);
            }
            _ => drop((error_writer, pipes)),
        }
        let mut text = Vec::new();
        let _ = error_reader.read_to_end(&mut text);
        if !text.is_empty() {
            let unreadable = |error| StepError::at(SandboxPart::Supervisor, "the message of the started process")(error);
            return Err(serde_json::from_slice(&text).unwrap_or_else(unreadable));
        }
        let exit_fd = match Pid::from_raw(pid) {
            Some(pid) => rustix::process::pidfd_open(pid, PidfdFlags::empty()),
            None => Err(rustix::io::Errno::SRCH),
        };
        let exit_fd = exit_fd.map_err(StepError::at(SandboxPart::Supervisor, "the end of the program cannot be watched"))?;
        Ok(Running { pid, exit_fd, cpu_before, ended: None })
    }

    /// Reaps the program and the orphans that it has left to us: with `WNOHANG` those that are dead by now, with 0 all.
    fn reap(&mut self, options: libc::c_int) {
        loop {
            let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
            let mut status = 0;
            // SAFETY: the call only writes to the two variables, which live until it returns.
            let pid = unsafe { libc::wait4(-1, &mut status, options, usage.as_mut_ptr()) };
            if pid <= 0 {
                return; // none has died, or none is left
            }
            if let Some(program) = self.program.as_mut().filter(|program| program.pid == pid) {
                // SAFETY: all zeros are a valid `rusage`, and the kernel has written a better one.
                let peak_bytes = unsafe { usage.assume_init() }.ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
                program.ended = Some((status, peak_bytes));
            }
        }
    }

    /// Kills and reaps everything except the supervisor, and returns how the program ended, if there was one.
    fn clear(&mut self) -> Option<Ended> {
        self.paused = false;
        match &self.root {
            Some(_) => {
                self.signal(Signal::KILL);
                self.reap(0);
            }
            None => process_tree::sweep(),
        }
        let program = self.program.take()?;
        let (status, peak_bytes) = program.ended?;
        let inherited = process_tree::rusage(libc::RUSAGE_SELF).ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
        Some(Ended {
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            cpu_us: (process_tree::cpu_of_ended_descendants() - program.cpu_before).as_micros() as u64,
            peak_bytes: (peak_bytes > inherited).then_some(peak_bytes),
        })
    }
}
