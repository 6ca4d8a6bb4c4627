//! A running program's process group, on Unix systems other than Linux.
//!
//! A process that leaves the group is out of reach here, and nothing is measured while the program runs.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::usage::{ThreadTime, Usage};

/// The unit of `ru_maxrss` is a byte on Apple's systems and a kilobyte elsewhere.
pub(super) const MAXRSS_UNIT_BYTES: u64 = if cfg!(target_vendor = "apple") { 1 } else { 1024 };

/// The first process of a running program, leader of its session and process group, with its group.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    leader: Pid,
}

impl ProcessTree {
    /// Starts `command`, which must make itself the leader of a new session.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, ProcessTree)> {
        let child = command.spawn()?;
        let leader = Pid::from_child(&child);
        Ok((child, ProcessTree { leader }))
    }

    /// Returns the leader.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Returns `None`: nothing here becomes readable when the leader ends.
    pub(super) fn exit_fd(&self) -> Option<OwnedFd> {
        None
    }

    /// Returns nothing known.
    pub(super) fn usage(&self, _memory_limit: Option<u64>, _deadline: Option<Instant>) -> Usage {
        Usage::default()
    }

    /// Returns nothing known.
    pub(super) fn thread_times(&self) -> Vec<ThreadTime> {
        Vec::new()
    }

    /// Returns the peak memory that the kernel reports of the ended leader.
    pub(super) fn credible_peak(&self, maxrss_bytes: u64) -> Option<u64> {
        Some(maxrss_bytes)
    }

    /// Sends a signal that stops or continues the group.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.leader, signal);
    }

    /// Kills the leader with its group.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Kills what is left of the group. The leader must be dead but not reaped, so that its number is not reused.
    pub(super) fn clear(&self) {
        self.kill();
    }

    /// Forgets the dead leader.
    pub(super) fn release<T>(&self, reap: impl FnOnce(Pid) -> T) -> T {
        reap(self.leader)
    }
}

/// Does nothing: no orphan can be found here.
pub(super) fn sweep() {}

/// Returns nothing known.
pub(super) fn own_ready_wait() -> Duration {
    Duration::ZERO
}
