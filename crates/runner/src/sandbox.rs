//! The sandbox: what keeps a program from the machine's files and network, from other programs and from us.
//!
//! How strong it is depends on the machine; a [`Tier`](crate::Tier) names that, and `docs/SECURITY.md` says what each tier
//! promises. A program has a *jail* for as long as its [`Program`](crate::Program) lives. A *supervisor*, a process of our
//! own with one thread, starts the program in it for each run and cleans up afterwards.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

// Jails as Linux has them, or none. The alternatives have equal signatures.
#[cfg_attr(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")), path = "sandbox/linux.rs")]
#[cfg_attr(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))), path = "sandbox/none.rs")]
mod system;

pub(crate) use system::Jail;
#[cfg(unix)]
pub(crate) use system::JailedProcess;
pub use system::{Sandbox, free_tasks, max_watches, supervisor_main};

/// What a program sees besides the system, and its environment. Each path is mounted at its own place and nothing else
/// beside it. Relative paths begin in the program's working directory.
///
/// ```
/// use pacman2_runner::Mounts;
///
/// let mounts = Mounts { readable: vec!["bots/mybot".into()], ..Mounts::default() };
/// assert!(mounts.scratch.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mounts {
    /// Files and directories that it may read and run.
    pub readable: Vec<PathBuf>,
    /// A directory that it may also write, for compilers.
    pub scratch: Option<PathBuf>,
    /// A directory of its own as `/data`, in tiers with namespaces.
    pub storage: Option<Storage>,
    /// Environment variables besides `PATH`, `HOME` and `LANG`, or in place of these.
    pub environment: Vec<(OsString, OsString)>,
}

/// What a program finds as `/data`, and as `data` in its working directory, for as long as its jail stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A directory of its own that it may write, up to [`STORAGE_BYTES`] in [`STORAGE_FILES`] files and directories.
    Writable {
        /// The directory with what it holds at first, within these limits; `None` if it is empty.
        from: Option<PathBuf>,
        /// Where it is visible besides, if a directory can be made there.
        at: Option<PathBuf>,
        /// An empty directory into which [`Program::keep_storage`](crate::Program::keep_storage) copies what it holds.
        keep: Option<PathBuf>,
    },
    /// One of the readable directories.
    ReadOnly(PathBuf),
}

/// The size of a program's storage.
pub const STORAGE_BYTES: u64 = 64 * 1024 * 1024;
/// How many files and directories a program's storage holds.
pub const STORAGE_FILES: usize = 1000;

/// Returns the path without `.` and `..`. Only its text counts: links are not followed.
///
/// ```
/// use pacman2_runner::lexically_normal;
///
/// assert_eq!(lexically_normal("/a/./b/../c".as_ref()), std::path::Path::new("/a/c"));
/// ```
pub fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            component => normal.push(component),
        }
    }
    normal
}
