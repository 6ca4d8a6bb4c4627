//! A running bot's process group, on a Unix other than Linux.
//!
//! What leaves the group is out of our reach here, and nothing is measured while the bot runs.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::time::Instant;

use rustix::process::{Pid, Signal};

use super::Usage;

/// `ru_maxrss` counts bytes on Apple's systems and kilobytes elsewhere.
pub(super) const MAXRSS_UNIT_BYTES: u64 = if cfg!(target_vendor = "apple") { 1 } else { 1024 };

/// The first process of a running bot: leader of its session and process group.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    pid: Pid,
}

impl ProcessTree {
    /// Starts `command`, which must make itself the leader of a new session. The instant is when it began.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, ProcessTree, Instant)> {
        let started = Instant::now();
        let child = command.spawn()?;
        let pid = Pid::from_child(&child);
        Ok((child, ProcessTree { pid }, started))
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Nothing here becomes readable when the leader ends.
    pub(super) fn death(&self) -> Option<OwnedFd> {
        None
    }

    /// Unknown here.
    pub(super) fn usage(&self, _memory_limit: Option<u64>, _deadline: Option<Instant>) -> Usage {
        Usage::default()
    }

    /// The peak memory that the kernel reports of the ended leader.
    pub(super) fn credible_peak(&self, maxrss_bytes: u64) -> Option<u64> {
        Some(maxrss_bytes)
    }

    /// Stops or continues the group.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.pid, signal);
    }

    /// Kills the leader with its group.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Kills what is left of the group. The leader is dead but not reaped, so that nobody else can have its number.
    pub(super) fn clear(&self) {
        self.kill();
    }

    /// Lets the dead leader go.
    pub(super) fn let_go<T>(&self, reap: impl FnOnce(Pid) -> T) -> T {
        reap(self.pid)
    }
}

/// Nothing can be found here.
pub(super) fn sweep() {}
