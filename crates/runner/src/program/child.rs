//! A child process with all its descendants, on Unix: how it ends, and how it is ended.

use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions};

use super::process_tree::{self, ProcessTree};
use super::usage::{Usage, cpu_of};
use crate::outcome::Exit;

/// How long a killed process may take to die before it is left to later sweeps.
const DEATH_TIMEOUT: Duration = Duration::from_secs(2);

/// A child process with all its descendants.
#[derive(Debug)]
pub(crate) struct Child {
    pub(super) tree: ProcessTree,
    /// Becomes readable when the leader ends, where the system has that.
    pub(super) exit_fd: Option<OwnedFd>,
}

impl Child {
    /// Takes over a tree that was just started.
    pub(crate) fn new(tree: ProcessTree) -> Child {
        Child { exit_fd: tree.exit_fd(), tree }
    }

    /// Returns how the leader ended, if it has. It stays a zombie, so that its number remains taken.
    pub(super) fn exit(&self) -> Option<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.tree.leader()), options) {
            Ok(None) => None,
            Ok(Some(status)) => Some(match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Exit::Code(code),
                (None, signal) => Exit::Signal(signal.unwrap_or_default()),
            }),
            // Other code has reaped it: it ended, but how is unknown.
            Err(_) => Some(Exit::Code(-1)),
        }
    }

    /// Kills it with all its descendants, and returns what it used in all.
    pub(crate) fn end(&self) -> Usage {
        self.tree.kill();
        let give_up = Instant::now() + DEATH_TIMEOUT;
        while self.exit().is_none() && Instant::now() < give_up {
            thread::sleep(Duration::from_micros(200));
        }
        self.tree.clear();
        // If it has not died yet, it is no longer registered now, so any later sweep treats it as an orphan.
        let Some((cpu, maxrss_bytes)) = self.tree.release(reap) else {
            return Usage::default();
        };
        Usage { cpu: Some(cpu), memory_bytes: self.tree.credible_peak(maxrss_bytes), ..Usage::default() }
    }
}

/// Takes a dead process off the process table. Returns its CPU time and `ru_maxrss` in bytes, including the children that it
/// waited for.
#[expect(unsafe_code, reason = "rustix has no wait4")]
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
    let maxrss_bytes = usage.ru_maxrss.unsigned_abs() * process_tree::MAXRSS_UNIT_BYTES;
    Some((cpu_of(&usage), maxrss_bytes))
}
