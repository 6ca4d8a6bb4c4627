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
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::RecvFlags;
use rustix::process::{Pid, PidfdFlags, Signal};

use super::namespaces::{self, Root};
use super::restrict;
use super::wire::{Channel, Ended, JailSpec, Received, Report, Request};
use crate::Tier;
use crate::error::{SandboxPart, StepError};
use crate::program::usage::ThreadTime;
use crate::program::{process_tree, procfs};

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
    match build(spec, &channel) {
        Ok(Built::Jail(mut jail)) => {
            if channel.send(&Report::Ready).is_ok() {
                jail.supervise(&mut channel);
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
    Jail(Box<Jail>),
    /// The supervisor's parent, which stays outside of the new pid namespace.
    Parent { supervisor: i32 },
}

struct Jail {
    spec: JailSpec,
    root: Option<Root>,
    /// The program runs as another user than the supervisor.
    has_own_user: bool,
    cgroup: Option<CgroupEntry>,
    program: Option<Running>,
    paused: bool,
}

/// The way into a control group, opened while the group can be seen.
struct CgroupEntry {
    folder: File,
    procs: File,
}

impl CgroupEntry {
    fn open(folder: &Path) -> io::Result<CgroupEntry> {
        let procs = OpenOptions::new().write(true).open(folder.join("cgroup.procs"))?;
        Ok(CgroupEntry { folder: File::open(folder)?, procs })
    }
}

/// The program that runs in the jail.
struct Running {
    pid: i32,
    exit_fd: OwnedFd,
    /// What all children had used before this one.
    cpu_before: Duration,
    /// Its status, peak memory and what its first thread has done, once it is reaped.
    ended: Option<(libc::c_int, u64, ThreadTime)>,
}

fn build(spec: JailSpec, channel: &Channel) -> Result<Built, StepError> {
    let closed = restrict::close_inherited(channel.socket().as_raw_fd() as u32);
    if spec.tier != Tier::C {
        closed?;
        // If memory runs short, jailed programs should be killed first. Without that setting they still are jailed.
        let _ = fs::write("/proc/self/oom_score_adj", "1000");
    }
    let cgroup = spec.cgroup.as_ref().map(|folder| CgroupEntry::open(Path::new(folder))).transpose();
    let cgroup = cgroup.map_err(StepError::at(SandboxPart::ControlGroups, "control group"))?;
    if !spec.tier.has_namespaces() {
        let us = Report::Supervisor(std::process::id() as i32);
        channel.send(&us).map_err(StepError::at(SandboxPart::Supervisor, "the supervisor's socket"))?;
        process_tree::adopt_orphans();
        restrict::hide_memory()?;
        if spec.tier != Tier::C {
            restrict::bound_capabilities();
        }
        return Ok(Built::Jail(Box::new(Jail::new(spec, None, false, cgroup)?)));
    }
    let has_own_user = namespaces::unshare_all()?;
    // SAFETY: this process has a single thread, so the child may do anything.
    match unsafe { libc::fork() } {
        -1 => Err(StepError::last_os_error(SandboxPart::Supervisor, "fork")),
        0 => {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
                .map_err(StepError::at(SandboxPart::Supervisor, "the supervisor's death signal"))?;
            restrict::hide_memory()?;
            restrict::bound_capabilities();
            let root = namespaces::build_root(&spec, has_own_user)?;
            Ok(Built::Jail(Box::new(Jail::new(spec, Some(root), has_own_user, cgroup)?)))
        }
        supervisor => {
            let _ = channel.send(&Report::Supervisor(supervisor));
            Ok(Built::Parent { supervisor })
        }
    }
}

fn wait_for(supervisor: i32) {
    // SAFETY: no status is written.
    while unsafe { libc::waitpid(supervisor, std::ptr::null_mut(), 0) } != supervisor {
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// Starts a child as `fork` does. Returns its number, which is 0 for the child itself, and whether the child is in the control
/// group already.
///
/// A process that enters a group later waits about 10 ms for the kernel, so it begins there, unless the kernel cannot do that.
///
/// # Safety
///
/// This process must have a single thread.
unsafe fn fork_into(cgroup: Option<&CgroupEntry>) -> io::Result<(libc::pid_t, bool)> {
    // As in the kernel's `sched.h`; `libc` has it in a type that is too small for it.
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

    if let Some(cgroup) = cgroup {
        // SAFETY: all zeros are valid arguments. The call reads them, and their size is passed; without a stack of its own, the
        // child gets a copy of our memory.
        let pid = unsafe {
            let mut arguments: libc::clone_args = std::mem::zeroed();
            arguments.flags = CLONE_INTO_CGROUP;
            arguments.exit_signal = libc::SIGCHLD as u64;
            arguments.cgroup = cgroup.folder.as_raw_fd() as u64;
            libc::syscall(libc::SYS_clone3, &arguments, size_of::<libc::clone_args>()) as libc::pid_t
        };
        if pid >= 0 {
            return Ok((pid, true));
        }
    }
    // SAFETY: this process has a single thread, so the child may do anything.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok((pid, false)),
    }
}

impl Jail {
    fn new(spec: JailSpec, root: Option<Root>, has_own_user: bool, cgroup: Option<CgroupEntry>) -> Result<Jail, StepError> {
        if spec.tier != Tier::C {
            restrict::set_limits(&spec)?;
        }
        Ok(Jail { spec, root, has_own_user, cgroup, program: None, paused: false })
    }

    /// Does what the judge asks for, and watches over the program, until the judge is gone.
    fn supervise(&mut self, channel: &mut Channel) {
        loop {
            self.wait(channel);
            loop {
                match channel.receive(RecvFlags::DONTWAIT) {
                    Received::End => return,
                    Received::Nothing => break,
                    Received::Message(request) if self.obey(request, channel).is_ok() => {}
                    Received::Message(_) => return,
                }
            }
            if self.watch(channel).is_err() {
                return;
            }
        }
    }

    /// Waits for a request or for the end of the program; no longer than until the next check, if a program runs.
    fn wait(&self, channel: &Channel) {
        let mut watched = vec![PollFd::new(channel.socket(), PollFlags::IN)];
        watched.extend(self.program.iter().map(|program| PollFd::new(&program.exit_fd, PollFlags::IN)));
        let interval = Timespec { tv_sec: 0, tv_nsec: CHECK_INTERVAL.as_nanos() as i64 };
        let _ = rustix::event::poll(&mut watched, self.program.as_ref().map(|_| &interval));
    }

    fn obey(&mut self, request: Request, channel: &mut Channel) -> io::Result<()> {
        match request {
            Request::Start => {
                let pipes = channel.take_pipes().filter(|_| self.program.is_none()).ok_or(io::ErrorKind::InvalidInput)?;
                match self.start(pipes) {
                    Ok(program) => {
                        self.program = Some(program);
                        channel.send(&Report::Started)
                    }
                    Err(error) => channel.send(&Report::NotStarted(error)),
                }
            }
            Request::Pause => {
                // It may have ended before.
                self.paused = self.program.is_some();
                self.signal(Signal::STOP);
                channel.send(&Report::Paused)
            }
            Request::Keep => {
                let kept = self
                    .root
                    .as_ref()
                    .map_or_else(|| Err(StepError::new(SandboxPart::Files, "storage", "there is none")), Root::keep_storage);
                channel.send(&kept.map_or_else(Report::NotKept, |()| Report::Kept))
            }
            Request::Resume => {
                self.paused = false;
                self.signal(Signal::CONT);
                Ok(())
            }
        }
    }

    /// Reaps what has died, and reports the end of the program when nothing of it is left.
    fn watch(&mut self, channel: &Channel) -> io::Result<()> {
        let some_left = self.reap(libc::WNOHANG);
        if self.program.as_ref().is_some_and(|program| program.ended.is_some()) {
            if some_left {
                self.clear();
            }
            return self.take_ended().map_or(Ok(()), |ended| channel.send(&Report::Ended(ended)));
        }
        if self.paused {
            self.signal(Signal::STOP);
        }
        Ok(())
    }

    /// Sends a signal to everything in the jail except the supervisor.
    fn signal(&self, signal: Signal) {
        match &self.root {
            // SAFETY: the call takes two numbers. It reaches what is in our pid namespace only.
            Some(_) => drop(unsafe { libc::kill(-1, signal.as_raw()) }),
            None => process_tree::signal_children(signal),
        }
    }

    /// Starts the program with these pipes, and returns when it runs.
    fn start(&mut self, pipes: [OwnedFd; 3]) -> Result<Running, StepError> {
        self.root.as_mut().map_or(Ok(()), Root::renew_tmp)?;
        // The child's end closes when it becomes the program.
        let (mut reader, mut writer) = io::pipe().map_err(StepError::at(SandboxPart::Supervisor, "pipe"))?;
        let cpu_before = process_tree::cpu_of_ended_descendants();
        // SAFETY: this process has a single thread.
        let (pid, is_in_group) =
            unsafe { fork_into(self.cgroup.as_ref()) }.map_err(StepError::at(SandboxPart::Supervisor, "fork"))?;
        if pid == 0 {
            let to_join = self.cgroup.as_ref().filter(|_| !is_in_group).map(|cgroup| &cgroup.procs);
            let error = restrict::give_up_everything(&self.spec, self.has_own_user, to_join)
                .map_or_else(|error| error, |()| exec(&self.spec, pipes));
            let _ = writer.write_all(&serde_json::to_vec(&error).unwrap_or_default());
            // SAFETY: ends this process.
            unsafe { libc::_exit(1) }
        }
        drop((writer, pipes));
        let mut text = Vec::new();
        let _ = reader.read_to_end(&mut text);
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
    /// Returns whether any process is left.
    fn reap(&mut self, options: libc::c_int) -> bool {
        loop {
            let mut dead = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
            // SAFETY: the call only writes to the variable, which lives until it returns. All zeros are a valid value of it, with the
            // number 0, which it keeps if none has died.
            let pid = unsafe {
                if libc::waitid(libc::P_ALL, 0, dead.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT | options) != 0 {
                    return false; // none is left
                }
                dead.assume_init().si_pid()
            };
            if pid == 0 {
                return true;
            }
            let program = self.program.as_mut().filter(|program| program.pid == pid);
            // When it is reaped, this is gone.
            let time = program.as_ref().map(|_| procfs::first_thread(pid)).unwrap_or_default();
            let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
            let mut status = 0;
            // SAFETY: the call only writes to the two variables, which live until it returns.
            unsafe { libc::wait4(pid, &mut status, 0, usage.as_mut_ptr()) };
            if let Some(program) = program {
                // SAFETY: all zeros are a valid `rusage`, and the kernel has written a better one.
                let peak_bytes = unsafe { usage.assume_init() }.ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
                program.ended = Some((status, peak_bytes, time));
            }
        }
    }

    /// Kills and reaps everything except the supervisor.
    fn clear(&mut self) {
        match &self.root {
            Some(_) => {
                self.signal(Signal::KILL);
                self.reap(0);
            }
            None => process_tree::sweep(),
        }
    }

    /// Returns how the program ended, when nothing of it is left.
    fn take_ended(&mut self) -> Option<Ended> {
        self.paused = false;
        let program = self.program.take()?;
        let (status, peak_bytes, time) = program.ended?;
        let inherited = process_tree::rusage(libc::RUSAGE_SELF).ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
        Some(Ended {
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            cpu_us: (process_tree::cpu_of_ended_descendants() - program.cpu_before).as_micros() as u64,
            worked_ns: time.worked.as_nanos() as u64,
            waited_ns: time.waited.as_nanos() as u64,
            peak_bytes: (peak_bytes > inherited).then_some(peak_bytes),
        })
    }
}

/// Becomes the program, with these pipes as its standard streams; returns only if that fails.
fn exec(spec: &JailSpec, [stdin, stdout, stderr]: [OwnedFd; 3]) -> StepError {
    let Some((program, arguments)) = spec.command.split_first() else {
        return StepError::new(SandboxPart::Program, "the command", "it is empty");
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&spec.directory).env_clear();
    command.envs(spec.environment.iter().map(|(name, value)| (name, value)));
    let error = command.stdin(stdin).stdout(stdout).stderr(stderr).exec();
    StepError::at(SandboxPart::Program, format!("cannot start {}", program.to_string_lossy()))(error)
}
