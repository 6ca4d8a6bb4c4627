//! What stands between a bot and everything else: the machine's files and network, the judge, the other bots.
//!
//! How much that is depends on the machine; a [`Tier`] names it, and `docs/SECURITY.md` says what each tier promises.
//! Each bot has a *jail* for as long as its [`Program`](crate::program::Program) lives, kept by a *warden*: a process of
//! our own with one thread, which starts the bot for each turn and clears up after it.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

pub use pacman2_replay::Tier;

// Jails as Linux has them, or none. Twins have equal signatures.
#[cfg_attr(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")), path = "sandbox/linux.rs")]
#[cfg_attr(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))), path = "sandbox/none.rs")]
mod system;

#[cfg(unix)]
pub(crate) use system::Inmate;
pub(crate) use system::Jail;
pub use system::{Sandbox, keep_jail};

/// What a program sees besides the system, each at its own path and nothing else beside it, and what it is told. Relative
/// paths begin where the program runs.
#[derive(Clone, Debug, Default)]
pub struct Mounts {
    /// Files and folders that it may read and run.
    pub readable: Vec<PathBuf>,
    /// A folder that it may write, too: for compilers.
    pub scratch: Option<PathBuf>,
    /// Variables of its environment, besides `PATH`, `HOME` and `LANG`.
    pub environment: Vec<(OsString, OsString)>,
}

/// A path without `.` and `..`, as far as its text tells: links are not looked at.
pub fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}
