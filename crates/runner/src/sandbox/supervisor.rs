//! The supervisor: a process of our own that keeps a jail. It builds the jail once, and starts the program in it for each
//! run.
//!
//! In tiers with namespaces it is the first process of the jail's pid namespace: when it dies, for whatever reason, the kernel
//! kills everything in there. It ends when the process that started it dies, because then its socket is closed.

#![allow(unsafe_code, reason = "forks, and makes system calls that rustix does not offer")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::RecvFlags;
use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::time::ClockId;

use super::exec::{self, Exec};
use super::namespaces::{self, Root};
use super::restrict::{self, Filter, VisibleFiles};
use super::vfork::{self, Stack};
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
    Jail(Box<Jail>),
    /// The supervisor's parent, which stays outside of the new pid namespace.
    Parent { supervisor: i32 },
}

struct Jail {
    root: Option<Root>,
    /// The program runs as another user than the supervisor.
    has_own_user: bool,
    visible_files: VisibleFiles,
    filter: Filter,
    exec: Exec,
    /// Of the child that becomes the program.
    stack: Stack,
    cgroup: Option<CgroupEntry>,
    program: Option<Running>,
    paused: bool,
}

/// The way into a control group, opened while the group can be seen.
struct CgroupEntry {
    folder: File,
    procs: File,
    freeze: File,
}

impl CgroupEntry {
    fn open(folder: &Path) -> Result<CgroupEntry, StepError> {
        let open = |file: &str| OpenOptions::new().write(true).open(folder.join(file));
        let error = || StepError::at(SandboxPart::ControlGroups, "control group");
        Ok(CgroupEntry {
            folder: File::open(folder).map_err(error())?,
            procs: open("cgroup.procs").map_err(error())?,
            freeze: open("cgroup.freeze").map_err(error())?,
        })
    }

    /// Lets the group continue, if it was frozen when its program had already ended. The next child would be frozen as well and
    /// would not notice that the judge is gone.
    fn thaw(&self) {
        let _ = self.freeze.write_all_at(b"0", 0);
    }
}

/// The program that runs in the jail.
struct Running {
    pid: i32,
    exit_fd: OwnedFd,
    /// What all children had used before this one.
    cpu_before: Duration,
    /// How long it had waited for a processor before it was asked for, in nanoseconds.
    waited: u64,
    /// Its status and peak memory, once it is reaped.
    ended: Option<(libc::c_int, u64)>,
}

/// How a child begins what it writes into its pipe when it is asked to become the program: with how long it had waited for a
/// processor before. What follows is why it cannot become the program.
type Asked = [u8; 8];

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
            let root = namespaces::build_root(spec, has_own_user)?;
            Ok(Built::Jail(Box::new(Jail::new(spec, Some(root), has_own_user, cgroup)?)))
        }
        supervisor => {
            let _ = channel.send(&Report::Supervisor(supervisor));
            Ok(Built::Parent { supervisor })
        }
    }
}

/// Waits, while nothing runs, until the program shall start. Returns `false` if the judge is gone. It makes no other system
/// calls than jailed programs may make.
fn await_start(channel: &mut Channel) -> bool {
    loop {
        match channel.receive_as_jailed() {
            Received::End => return false,
            Received::Message(Request::Start) => return true,
            // What was to be stopped or examined has ended before.
            Received::Message(Request::Pause) if channel.send_as_jailed(&Report::Paused).is_ok() => {}
            Received::Message(Request::Waited) if channel.send_as_jailed(&Report::Waited(0)).is_ok() => {}
            Received::Message(Request::Pause | Request::Waited) => return false,
            Received::Message(Request::Resume) | Received::Nothing => {}
        }
    }
}

fn cpu_of_this_process() -> Duration {
    rustix::time::clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
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
    fn new(spec: &JailSpec, root: Option<Root>, has_own_user: bool, cgroup: Option<CgroupEntry>) -> Result<Jail, StepError> {
        if spec.tier != Tier::C {
            restrict::set_limits(spec)?;
        }
        Ok(Jail {
            root,
            has_own_user,
            visible_files: VisibleFiles::new(spec)?,
            exec: Exec::new(spec)?,
            stack: Stack::new().map_err(StepError::at(SandboxPart::Supervisor, "the stack of a child"))?,
            filter: Filter::begin(spec, has_own_user)?,
            cgroup,
            program: None,
            paused: false,
        })
    }

    /// Starts the program whenever the judge asks for it, until the judge is gone.
    fn supervise(&mut self, spec: &JailSpec, channel: &mut Channel) {
        loop {
            match self.start(spec, channel) {
                Ok(program) => self.program = Some(program),
                Err(error) => {
                    let _ = channel.send(&Report::NotStarted(error));
                    return;
                }
            }
            if !self.watch(channel) {
                return;
            }
        }
    }

    /// Watches over the running program until it has ended, and reports that. Returns whether the judge is still there.
    fn watch(&mut self, channel: &mut Channel) -> bool {
        loop {
            self.wait(channel);
            match channel.receive(RecvFlags::DONTWAIT) {
                Received::End => return false,
                Received::Message(request) => {
                    if self.obey(request, channel).is_err() {
                        return false;
                    }
                }
                Received::Nothing => {}
            }
            let some_left = self.reap(libc::WNOHANG);
            if self.program.as_ref().is_some_and(|program| program.ended.is_some()) {
                if some_left {
                    self.clear();
                }
                return self.take_ended().is_some_and(|ended| channel.send(&Report::Ended(ended)).is_ok());
            }
            if self.paused {
                self.signal(Signal::STOP);
            }
        }
    }

    fn wait(&self, channel: &Channel) {
        let mut watched = vec![PollFd::new(channel.socket(), PollFlags::IN)];
        watched.extend(self.program.iter().map(|program| PollFd::new(&program.exit_fd, PollFlags::IN)));
        let interval = Timespec { tv_sec: 0, tv_nsec: CHECK_INTERVAL.as_nanos() as i64 };
        let _ = rustix::event::poll(&mut watched, Some(&interval));
    }

    fn obey(&mut self, request: Request, channel: &Channel) -> io::Result<()> {
        match request {
            Request::Start => Err(io::ErrorKind::InvalidInput.into()), // it runs
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
            Request::Waited => channel.send(&Report::Waited(self.program.as_ref().map_or(0, |program| program.waited))),
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

    /// Prepares a child, waits until the program shall start, and returns when it runs.
    ///
    /// What can be done before the judge asks for the program is done before, while other bots are asked.
    fn start(&mut self, spec: &JailSpec, channel: &mut Channel) -> Result<Running, StepError> {
        if self.root.as_mut().map_or(Ok(false), Root::renew_tmp)? {
            self.visible_files = VisibleFiles::new(spec)?;
        }
        let pipe = || io::pipe().map_err(StepError::at(SandboxPart::Supervisor, "pipe"));
        let [(stdin, to_stdin), (from_stdout, stdout), (from_stderr, stderr)] = [pipe()?, pipe()?, pipe()?];
        let ours: [OwnedFd; 3] = [to_stdin.into(), from_stdout.into(), from_stderr.into()];
        ours.iter()
            .try_for_each(|pipe| rustix::io::ioctl_fionbio(pipe, true))
            .map_err(StepError::at(SandboxPart::Supervisor, "pipe"))?;
        channel
            .send_with(&Report::Prepared, &ours.each_ref().map(AsFd::as_fd))
            .map_err(StepError::at(SandboxPart::Supervisor, "the supervisor's socket"))?;
        drop(ours);
        // The child's end closes when it becomes the program.
        let (mut reader, mut writer) = pipe()?;
        let (begin, cpu_before) = (Instant::now(), process_tree::cpu_of_ended_descendants());
        let Jail { has_own_user, visible_files, filter, exec, stack, cgroup, .. } = self;
        let mut become_program = |to_join: Option<&File>| {
            let prepared = restrict::give_up_everything(spec, *has_own_user, visible_files, to_join)
                .and_then(|()| exec::use_as_standard_streams(stdin.as_fd(), stdout.as_fd(), stderr.as_fd()))
                .and_then(|()| restrict::give_up_system_calls(spec, *has_own_user, filter));
            // Until here it has waited for nothing else.
            let waited = begin.elapsed().saturating_sub(cpu_of_this_process());
            let waited: Asked = (waited.as_nanos() as u64).to_ne_bytes();
            if await_start(channel) {
                let _ = writer.write_all(&waited);
                let error = prepared.map_or_else(|error| error, |()| exec.exec());
                let _ = writer.write_all(&serde_json::to_vec(&error).unwrap_or_default());
            }
        };
        let folder = cgroup.as_ref().map(|cgroup| {
            cgroup.thaw();
            &cgroup.folder
        });
        // SAFETY: this process has a single thread.
        let mut pid = unsafe { vfork::start(stack, folder, &mut || become_program(None)) };
        if pid.is_err() && folder.is_some() {
            // The kernel cannot start it in the group.
            let procs = cgroup.as_ref().map(|cgroup| &cgroup.procs);
            // SAFETY: as before.
            pid = unsafe { vfork::start(stack, None, &mut || become_program(procs)) };
        }
        let pid = pid.map_err(StepError::at(SandboxPart::Supervisor, "fork"))?;
        drop((writer, stdin, stdout, stderr));
        let mut text = Vec::new();
        let _ = reader.read_to_end(&mut text);
        let Some((&waited, text)) = text.split_first_chunk::<{ size_of::<Asked>() }>() else {
            let reason = "it ended before it was asked to become the program";
            return Err(StepError::new(SandboxPart::Supervisor, "the prepared process", reason));
        };
        if !text.is_empty() {
            let unreadable = |error| StepError::at(SandboxPart::Supervisor, "the message of the started process")(error);
            return Err(serde_json::from_slice(text).unwrap_or_else(unreadable));
        }
        let exit_fd = match Pid::from_raw(pid) {
            Some(pid) => rustix::process::pidfd_open(pid, PidfdFlags::empty()),
            None => Err(rustix::io::Errno::SRCH),
        };
        let exit_fd = exit_fd.map_err(StepError::at(SandboxPart::Supervisor, "the end of the program cannot be watched"))?;
        Ok(Running { pid, exit_fd, cpu_before, waited: u64::from_ne_bytes(waited), ended: None })
    }

    /// Reaps the program and the orphans that it has left to us: with `WNOHANG` those that are dead by now, with 0 all.
    /// Returns whether any process is left.
    fn reap(&mut self, options: libc::c_int) -> bool {
        loop {
            let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
            let mut status = 0;
            // SAFETY: the call only writes to the two variables, which live until it returns.
            let pid = unsafe { libc::wait4(-1, &mut status, options, usage.as_mut_ptr()) };
            if pid <= 0 {
                return pid == 0; // none has died, or none is left
            }
            if let Some(program) = self.program.as_mut().filter(|program| program.pid == pid) {
                // SAFETY: all zeros are a valid `rusage`, and the kernel has written a better one.
                let peak_bytes = unsafe { usage.assume_init() }.ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
                program.ended = Some((status, peak_bytes));
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
