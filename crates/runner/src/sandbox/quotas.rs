//! Quotas of the system that all jails of an ordinary user share, as they are one user to the kernel.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::{Resource, geteuid, getrlimit};

use super::cgroup;

/// Returns how many processes and threads this user, or the control group of this process with those above it, may have in addition.
///
/// The jails of root belong to users of their own, which only the groups limit.
pub fn free_tasks() -> u64 {
    let of_user = getrlimit(Resource::Nproc).current.filter(|_| !geteuid().is_root());
    let of_user = of_user.map(|limit| limit.saturating_sub(tasks_of(geteuid().as_raw())));
    let group = cgroup::own_group().unwrap_or_default();
    let of_groups = group.ancestors().filter_map(free_tasks_of_group);
    of_user.into_iter().chain(of_groups).min().unwrap_or(u64::MAX)
}

/// Returns how many files all programs of this user may watch with `epoll`; `None` for root, whose jails belong to users of their own.
pub fn max_watches() -> Option<u64> {
    let text = fs::read_to_string("/proc/sys/fs/epoll/max_user_watches").ok().filter(|_| !geteuid().is_root());
    text?.trim().parse().ok()
}

fn free_tasks_of_group(group: &Path) -> Option<u64> {
    let number = |file: &str| fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
    Some(number("pids.max")?.saturating_sub(number("pids.current")?))
}

/// Returns how many threads the processes of a user have.
fn tasks_of(user: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let threads = processes.filter_map(|process| fs::metadata(process.path().join("task")).ok());
    // A folder has two links besides those of the folders in it.
    threads.filter(|threads| threads.uid() == user).map(|threads| threads.nlink().saturating_sub(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn threads_of_a_user_are_counted() {
        let us = geteuid().as_raw();
        let before = tasks_of(us);
        let (end, ended) = mpsc::channel::<()>();
        let ended = std::sync::Mutex::new(ended);
        thread::scope(|scope| {
            (0..200).for_each(|_| drop(scope.spawn(|| ended.lock().unwrap().recv().is_err())));
            // Others of this user may end meanwhile.
            assert!(tasks_of(us) > before + 100);
            drop(end);
        });
    }

    #[test]
    fn a_group_without_a_limit_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
        assert_eq!(free_tasks_of_group(folder.path()), None);
        write("pids.current", "30\n");
        for (max, free) in [("max\n", None), ("100\n", Some(70)), ("20\n", Some(0))] {
            write("pids.max", max);
            assert_eq!(free_tasks_of_group(folder.path()), free);
        }
    }
}
