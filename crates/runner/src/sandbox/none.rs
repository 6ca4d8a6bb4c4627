//! Systems without jails, where only trusted programs can run.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
#[cfg(unix)]
use std::{
    os::fd::OwnedFd,
    sync::Arc,
    time::{Duration, Instant},
};

use super::Mounts;
use crate::Tier;
use crate::limits::Limits;
use crate::outcome::SandboxError;
#[cfg(unix)]
use crate::outcome::{Exit, StartError};
#[cfg(unix)]
use crate::program::usage::{ThreadTime, Usage};

/// A jail, of which there are none.
#[derive(Debug)]
pub(crate) struct Jail(pub(crate) Infallible);

impl Jail {
    pub(crate) fn is_gone(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn keep_storage(&self) -> Result<(), SandboxError> {
        match self.0 {}
    }
}

/// A program in a jail, of which there are none.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct JailedProcess(Infallible);

#[cfg(unix)]
impl JailedProcess {
    pub(crate) fn start(jail: &Arc<Jail>) -> Result<(JailedProcess, [OwnedFd; 3]), StartError> {
        match jail.0 {}
    }

    pub(crate) fn exit_fd(&self) -> &OwnedFd {
        match self.0 {}
    }

    pub(crate) fn exit(&mut self) -> Option<Exit> {
        match self.0 {}
    }

    pub(crate) fn is_lost(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn usage(&self, _memory_limit: Option<u64>, _deadline: Option<Instant>) -> Usage {
        match self.0 {}
    }

    pub(crate) fn thread_times(&mut self) -> Vec<ThreadTime> {
        match self.0 {}
    }

    pub(crate) fn supervisors_wait(&self) -> Duration {
        match self.0 {}
    }

    pub(crate) fn pause(&mut self) {
        match self.0 {}
    }

    pub(crate) fn resume(&mut self) {
        match self.0 {}
    }

    pub(crate) fn end(&mut self) -> Usage {
        match self.0 {}
    }
}

/// The sandbox of this machine: none. It has the name and functions of its twin on Linux, so callers need no `cfg`.
#[derive(Clone, Debug)]
pub struct Sandbox(());

impl Sandbox {
    /// Returns tier C: no sandbox.
    pub fn none() -> Sandbox {
        Sandbox(())
    }

    /// Returns the strongest sandbox of this machine: none.
    pub fn best(_supervisor: Vec<OsString>) -> Sandbox {
        Sandbox::none()
    }

    /// Returns a sandbox of this tier.
    ///
    /// # Errors
    ///
    /// Fails unless the tier is C.
    pub fn exactly(tier: Tier, _control_groups: bool, _supervisor: Vec<OsString>) -> Result<Sandbox, SandboxError> {
        if tier == Tier::C { Ok(Sandbox::none()) } else { Err(SandboxError::Unsupported) }
    }

    /// Returns its tier.
    pub fn tier(&self) -> Tier {
        Tier::C
    }

    /// Returns `false`: there is no supervisor.
    pub fn has_supervisor(&self) -> bool {
        false
    }

    /// Returns the same: nothing is confined.
    #[must_use]
    pub fn without_confinement(&self) -> Sandbox {
        self.clone()
    }

    /// Returns `None`: there are no control groups.
    pub fn control_groups(&self) -> Option<&[&'static str]> {
        None
    }

    pub(crate) fn jail(&self, _: &[OsString], _: Option<&Path>, _: &Mounts, _: &Limits) -> Result<Jail, SandboxError> {
        Err(SandboxError::Unsupported)
    }
}

/// Returns that nothing is shared: there are no jails.
pub fn free_tasks() -> u64 {
    u64::MAX
}

/// Returns that nothing is shared: there are no jails.
pub fn max_watches() -> Option<u64> {
    None
}

/// Fails: there is no jail to supervise.
pub fn supervisor_main() -> ExitCode {
    ExitCode::FAILURE
}
