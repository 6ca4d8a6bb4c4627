//! Where there are no jails: only programs that are trusted can be run.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
#[cfg(unix)]
use std::{io, os::fd::OwnedFd, sync::Arc, time::Instant};

use super::{Tier, View};
use crate::limits::Limits;
#[cfg(unix)]
use crate::program::{Exit, turn::Usage};

/// What is told of a sandbox that cannot be.
const NONE: &str = "there is a sandbox on Linux only, on x86-64 and AArch64";

/// Nobody builds one here.
#[derive(Debug)]
pub(crate) struct Jail(pub(crate) Infallible);

impl Jail {
    pub(crate) fn is_gone(&self) -> bool {
        match self.0 {}
    }
}

/// A bot in a jail, of which there are none.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Inmate(Infallible);

#[cfg(unix)]
impl Inmate {
    pub(crate) fn start(jail: &Arc<Jail>, _pipes: [OwnedFd; 3]) -> io::Result<Inmate> {
        match jail.0 {}
    }

    pub(crate) fn news(&self) -> &OwnedFd {
        match self.0 {}
    }

    pub(crate) fn exit(&mut self) -> Option<Exit> {
        match self.0 {}
    }

    pub(crate) fn usage(&self, _memory_limit: Option<u64>, _deadline: Option<Instant>) -> Usage {
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

/// How this machine shuts bots in: not at all.
#[derive(Clone, Debug)]
pub struct Sandbox(());

impl Sandbox {
    /// No sandbox.
    pub fn none() -> Sandbox {
        Sandbox(())
    }

    /// The best that this machine has: none.
    pub fn best(_helper: Vec<OsString>) -> Sandbox {
        Sandbox::none()
    }

    /// A sandbox of this tier, if that is C; else why not.
    pub fn exactly(tier: Tier, _control_groups: bool, _helper: Vec<OsString>) -> Result<Sandbox, String> {
        if tier == Tier::C { Ok(Sandbox::none()) } else { Err(NONE.to_owned()) }
    }

    /// How well it shuts in.
    pub fn tier(&self) -> Tier {
        Tier::C
    }

    /// There are no control groups.
    pub fn control_groups(&self) -> Option<&[&'static str]> {
        None
    }

    pub(crate) fn jail(&self, _: &[OsString], _: Option<&Path>, _: &View, _: &Limits) -> Result<Jail, String> {
        Err(NONE.to_owned())
    }
}

/// There is no jail to be kept.
pub fn keep_jail() -> ExitCode {
    ExitCode::FAILURE
}
