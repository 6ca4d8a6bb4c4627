//! Facts about this machine. They explain why a sandbox is not available; whether it is available is found out by trying.

use std::env;
use std::fs;
use std::path::Path;

use pacman2_bot_source::sandbox::share_few_watches;

/// The facts from which [steps](super::steps()) follow.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// The name in Rust: `linux`, `macos`, `windows`.
    pub(super) system: &'static str,
    pub(super) processor: &'static str,
    /// The release of the kernel, on Linux.
    pub(super) kernel: Option<String>,
    pub(super) landlock: Landlock,
    pub(super) is_root: bool,
    pub(super) is_container: bool,
    pub(super) runs_systemd: bool,
    /// Control groups are version 2 only.
    pub(super) has_unified_groups: bool,
    /// AppArmor denies programs without a profile their rights in user namespaces.
    pub(super) apparmor_restricts: bool,
    /// `user.max_user_namespaces`.
    pub(super) namespaces_at_most: Option<u64>,
    /// `kernel.unprivileged_userns_clone`, which Debian's kernels have.
    pub(super) namespaces_for_users: Option<u64>,
    /// Bots share so few watches of `epoll` that one can get hold of all.
    pub(super) shares_few_watches: bool,
    /// The path of this program.
    pub(super) program: String,
}

/// Landlock in the running kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "no other system has it"))]
pub(super) enum Landlock {
    Version(u32),
    /// The kernel has it but does not use it.
    Off,
    /// The kernel does not have it, or a filter denies the system call.
    Missing,
}

impl Machine {
    /// Inspects this machine.
    pub(super) fn inspect() -> Machine {
        let exists = |path: &&str| Path::new(path).exists();
        let program = env::current_exe().map_or_else(|_| "pacman2".to_owned(), |path| path.display().to_string());
        Machine {
            system: env::consts::OS,
            processor: env::consts::ARCH,
            kernel: read("/proc/sys/kernel/osrelease"),
            landlock: query::landlock(),
            is_root: query::is_root(),
            is_container: ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].iter().any(exists),
            runs_systemd: exists(&"/run/systemd/system"),
            has_unified_groups: exists(&"/sys/fs/cgroup/cgroup.controllers"),
            apparmor_restricts: number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == Some(1),
            namespaces_at_most: number("/proc/sys/user/max_user_namespaces"),
            namespaces_for_users: number("/proc/sys/kernel/unprivileged_userns_clone"),
            shares_few_watches: share_few_watches(),
            program,
        }
    }

    /// Returns whether the kernel is at least this version; true if its version is unknown.
    pub(super) fn has_kernel(&self, major: u32, minor: u32) -> bool {
        let Some(release) = &self.kernel else { return true };
        let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse::<u32>().ok());
        numbers.next().zip(numbers.next()).is_none_or(|kernel| kernel >= (major, minor))
    }
}

fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn number(path: &str) -> Option<u64> {
    read(path)?.parse().ok()
}

#[cfg(target_os = "linux")]
mod query {
    use std::io;

    use super::Landlock;

    /// Makes the system call return Landlock's version instead of creating a ruleset.
    const VERSION: libc::c_uint = 1;

    #[expect(unsafe_code, reason = "asks the kernel for the version of Landlock")]
    pub(super) fn landlock() -> Landlock {
        let nothing: *const libc::c_void = std::ptr::null();
        // SAFETY: the kernel reads no memory, because the attributes are a null pointer with length 0.
        let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0usize, VERSION) };
        match (u32::try_from(version), io::Error::last_os_error().raw_os_error()) {
            (Ok(version), _) => Landlock::Version(version),
            (Err(_), Some(libc::EOPNOTSUPP)) => Landlock::Off,
            _ => Landlock::Missing,
        }
    }

    pub(super) fn is_root() -> bool {
        rustix::process::geteuid().is_root()
    }
}

/// Other systems have neither.
#[cfg(not(target_os = "linux"))]
mod query {
    use super::Landlock;

    pub(super) fn landlock() -> Landlock {
        Landlock::Missing
    }

    pub(super) fn is_root() -> bool {
        false
    }
}
