//! The warden: a process of our own that keeps a jail. It builds the walls once, and starts the bot in them for each turn.
//!
//! In tier A it is the first process of the jail's pid namespace: when it dies, for whatever reason, the kernel kills all
//! that is in there. It dies when the judge does, for then nobody holds the other end of its socket.

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
use super::restrict;
use super::wire::{Ask, Ended, Heard, JailSpec, Line, Tell};
use crate::error::StepError;
use crate::program::process_tree;

/// How often a jail is looked after when nothing happens: the dead are buried, and who woke up by himself is stopped again.
const ROUND: Duration = Duration::from_millis(20);

/// A jail's warden, which talks to the judge through its standard input. Returns when the jail is no longer wanted.
///
/// To be called at once by a process that was started for this, as long as it has one thread.
pub fn supervisor_main() -> ExitCode {
    let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::FAILURE };
    let mut line = Line::new(UnixStream::from(socket));
    let Heard::Said(spec) = line.hear::<JailSpec>(RecvFlags::empty()) else { return ExitCode::FAILURE };
    match build(&spec, &line) {
        Ok(Built::Jail(mut jail)) => {
            let told = line.say(&Tell::Ready);
            if told.is_ok() {
                jail.keep(&spec, &mut line);
                jail.clear();
            }
            ExitCode::SUCCESS
        }
        Ok(Built::Gate(warden)) => {
            drop(line);
            wait_for(warden);
            ExitCode::SUCCESS
        }
        Err(reason) => {
            let _ = line.say(&Tell::Failed(reason));
            ExitCode::FAILURE
        }
    }
}

/// What a process is after it has built.
enum Built {
    /// The warden.
    Jail(Jail),
    /// The one that stays outside of the new pid namespace, for somebody has to be the warden's parent.
    Gate(i32),
}

struct Jail {
    root: Option<Root>,
    /// The bot is another user than the warden.
    has_bot: bool,
    cgroup: Option<Entrance>,
    bot: Option<Bot>,
    paused: bool,
}

/// As in the kernel's `sched.h`; `libc` has it in a type that is too small for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// The way into a control group, opened while it can be seen.
struct Entrance {
    folder: File,
    procs: File,
}

impl Entrance {
    fn open(folder: &Path) -> Result<Entrance, StepError> {
        let procs = OpenOptions::new().write(true).open(folder.join("cgroup.procs"));
        Ok(Entrance {
            folder: File::open(folder).map_err(StepError::at("control group"))?,
            procs: procs.map_err(StepError::at("control group"))?,
        })
    }

    /// Forks into the group. Entering it later would make all others wait who fork at that time, and us with them.
    fn fork(&self) -> i32 {
        // SAFETY: all zeros are valid arguments.
        let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
        arguments.flags = CLONE_INTO_CGROUP;
        arguments.exit_signal = libc::SIGCHLD as u64;
        arguments.cgroup = self.folder.as_raw_fd() as u64;
        // SAFETY: this process has a single thread, so the child may do anything; the call reads the arguments, whose size
        // it is told, and gives the child a copy of our stack.
        unsafe { libc::syscall(libc::SYS_clone3, &arguments, size_of::<libc::clone_args>()) as i32 }
    }
}

struct Bot {
    pid: i32,
    death: OwnedFd,
    /// What all children had used before this one.
    cpu_before_us: u64,
    /// As it was reaped.
    ended: Option<(libc::c_int, u64)>,
}

fn build(spec: &JailSpec, line: &Line) -> Result<Built, StepError> {
    // If memory runs short, bots are to go first. It is no harm if that cannot be said.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let cgroup = spec.cgroup.as_ref().map(|folder| Entrance::open(Path::new(folder))).transpose()?;
    if !spec.namespaces {
        line.say(&Tell::Warden(std::process::id() as i32)).map_err(StepError::at("the judge"))?;
        process_tree::adopt_orphans();
        hide()?;
        return Ok(Built::Jail(Jail { root: None, has_bot: false, cgroup, bot: None, paused: false }));
    }
    let has_bot = namespaces::leave_namespaces()?;
    // SAFETY: this process has a single thread, so the child may do anything.
    match unsafe { libc::fork() } {
        -1 => Err(StepError::last_os_error("fork")),
        0 => {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(StepError::at("the end of the jail"))?;
            hide()?;
            let root = namespaces::build_root(spec, has_bot)?;
            Ok(Built::Jail(Jail { root: Some(root), has_bot, cgroup, bot: None, paused: false }))
        }
        warden => {
            let _ = line.say(&Tell::Warden(warden));
            Ok(Built::Gate(warden))
        }
    }
}

/// No bot may look into this process.
fn hide() -> Result<(), StepError> {
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(StepError::at("the warden's memory"))
}

fn wait_for(warden: i32) {
    // SAFETY: no status is written.
    while unsafe { libc::waitpid(warden, std::ptr::null_mut(), 0) } != warden {
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

impl Jail {
    fn keep(&mut self, spec: &JailSpec, line: &mut Line) {
        loop {
            match line.hear(RecvFlags::DONTWAIT) {
                Heard::End => return,
                Heard::Said(ask) => {
                    if self.obey(ask, spec, line).is_err() {
                        return;
                    }
                    continue;
                }
                Heard::Nothing => {}
            }
            self.reap(libc::WNOHANG);
            if self.bot.as_ref().is_some_and(|bot| bot.ended.is_some()) {
                let told = self.clear().is_some_and(|ended| line.say(&Tell::Ended(ended)).is_ok());
                if !told {
                    return;
                }
                continue;
            }
            if self.paused {
                self.signal(Signal::STOP);
            }
            self.wait(line);
        }
    }

    fn wait(&self, line: &Line) {
        let mut watched = vec![PollFd::new(line.socket(), PollFlags::IN)];
        watched.extend(self.bot.iter().map(|bot| PollFd::new(&bot.death, PollFlags::IN)));
        let round = Timespec { tv_sec: 0, tv_nsec: ROUND.as_nanos() as i64 };
        let _ = rustix::event::poll(&mut watched, self.bot.is_some().then_some(&round));
    }

    fn obey(&mut self, ask: Ask, spec: &JailSpec, line: &mut Line) -> io::Result<()> {
        match ask {
            Ask::Start => {
                let answer = match line.take_pipes() {
                    Some(pipes) => self.start(spec, pipes),
                    None => Tell::NotStarted(StepError::at("the pipes")("they did not arrive")),
                };
                line.say(&answer)
            }
            Ask::Pause => {
                self.paused = true;
                self.signal(Signal::STOP);
                line.say(&Tell::Paused)
            }
            Ask::Resume => {
                self.paused = false;
                self.signal(Signal::CONT);
                Ok(())
            }
        }
    }

    /// Sends a signal to everything in the jail but the warden.
    fn signal(&self, signal: Signal) {
        match &self.root {
            // SAFETY: the call takes two numbers. It reaches what is in our pid namespace only.
            Some(_) => drop(unsafe { libc::kill(-1, signal.as_raw()) }),
            None => process_tree::signal_children(signal),
        }
    }

    fn start(&mut self, spec: &JailSpec, pipes: [OwnedFd; 3]) -> Tell {
        if let Some(Err(error)) = self.root.as_mut().map(Root::renew_tmp) {
            return Tell::NotStarted(error);
        }
        match self.fork(spec, pipes) {
            Ok(bot) => {
                self.bot = Some(bot);
                Tell::Started
            }
            Err(error) => {
                self.clear();
                Tell::NotStarted(error)
            }
        }
    }

    fn fork(&mut self, spec: &JailSpec, pipes: [OwnedFd; 3]) -> Result<Bot, StepError> {
        // Closed when the bot becomes another program; whatever comes through it before says why it cannot.
        let (mut trouble, mut tell) = io::pipe().map_err(StepError::at("pipe"))?;
        let cpu_before_us = cpu_of_children_us();
        let (mut pid, mut to_join) = (self.cgroup.as_ref().map_or(-1, Entrance::fork), None);
        if pid == -1 {
            // There is no group, or the kernel cannot do that.
            to_join = self.cgroup.as_ref().map(|cgroup| &cgroup.procs);
            // SAFETY: this process has a single thread, so the child may do anything.
            pid = unsafe { libc::fork() };
        }
        match pid {
            -1 => return Err(StepError::last_os_error("fork")),
            0 => {
                let failure = restrict::become_the_bot(spec, self.has_bot, to_join, pipes.map(Stdio::from));
                let text = serde_json::to_vec(&failure).unwrap_or_default();
                let _ = tell.write_all(&text);
                std::process::exit(127);
            }
            _ => drop((tell, pipes)),
        }
        let mut text = Vec::new();
        let _ = trouble.read_to_end(&mut text);
        if !text.is_empty() {
            return Err(serde_json::from_slice(&text)
                .unwrap_or_else(|error| StepError::at("the message from the started process")(error)));
        }
        let bot = Pid::from_raw(pid).ok_or(rustix::io::Errno::SRCH);
        let death = bot.and_then(|pid| rustix::process::pidfd_open(pid, PidfdFlags::empty()));
        let death = death.map_err(StepError::at("the end of the program cannot be watched"))?;
        Ok(Bot { pid, death, cpu_before_us, ended: None })
    }

    /// Buries the dead: the bot, and whom it has left to us. With `WNOHANG` those who are dead by now, with 0 everybody.
    fn reap(&mut self, options: libc::c_int) {
        loop {
            let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
            let mut status = 0;
            // SAFETY: the call only writes to the two variables, which live until it returns.
            let pid = unsafe { libc::wait4(-1, &mut status, options, usage.as_mut_ptr()) };
            if pid <= 0 {
                return; // nobody has died, or nobody is left
            }
            if let Some(bot) = self.bot.as_mut().filter(|bot| bot.pid == pid) {
                // SAFETY: all zeros are a valid `rusage`, and the kernel has written a better one.
                let peak_bytes = unsafe { usage.assume_init() }.ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
                bot.ended = Some((status, peak_bytes));
            }
        }
    }

    /// Kills and buries everything but the warden, and tells of the bot, if there was one.
    fn clear(&mut self) -> Option<Ended> {
        self.paused = false;
        match &self.root {
            Some(_) => {
                self.signal(Signal::KILL);
                self.reap(0);
            }
            None => process_tree::sweep(),
        }
        let bot = self.bot.take()?;
        let (status, peak_bytes) = bot.ended?;
        let inherited = usage(libc::RUSAGE_SELF).ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
        Some(Ended {
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            cpu_us: cpu_of_children_us() - bot.cpu_before_us,
            peak_bytes: (peak_bytes > inherited).then_some(peak_bytes),
        })
    }
}

fn cpu_of_children_us() -> u64 {
    let usage = usage(libc::RUSAGE_CHILDREN);
    let us = |time: libc::timeval| time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_usec.unsigned_abs();
    us(usage.ru_utime) + us(usage.ru_stime)
}

fn usage(of: libc::c_int) -> libc::rusage {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call only writes to the variable, which lives until it returns; all zeros are a valid value of it.
    unsafe {
        libc::getrusage(of, usage.as_mut_ptr());
        usage.assume_init()
    }
}
