//! What Linux reports about other processes: `/proc`, and their CPU clocks.
//!
//! A process may have ended a moment ago; what cannot be read counts as nothing.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use rustix::time::ClockId;

/// The memory of one process in bytes, and its threads.
pub(crate) struct ProcessMemory {
    pub(crate) pid: i32,
    /// What is resident or swapped out, and its page tables.
    pub(crate) now_bytes: u64,
    /// The most that was ever resident, or `now_bytes` if that is more.
    pub(crate) peak_bytes: u64,
    pub(crate) threads: u64,
}

/// What the kernel needs for one memory mapping, generously.
const MAPPING_BYTES: u64 = 256;
/// How many mappings a process may have, as kernels are set by default.
const MAX_MAPPINGS: u64 = 65_530;
/// How much of the list of a process's mappings is read: a few thousand of them. One with more counts as having all it may.
const MAPS_BYTES: u64 = 128 * 1024;

/// Time that this thread may spend on a processor. By the wall clock, a thread that waits for a processor on a busy machine
/// would have no time left before it had seen a single process, and the program's own waiting would not be seen either.
pub(crate) struct WorkTime {
    end: Duration,
}

impl WorkTime {
    /// Starts now, with `limit` to spend.
    pub(crate) fn start(limit: Duration) -> WorkTime {
        WorkTime { end: cpu_of_this_thread() + limit }
    }

    pub(crate) fn is_left(&self) -> bool {
        cpu_of_this_thread() < self.end
    }
}

fn cpu_of_this_thread() -> Duration {
    let time = rustix::time::clock_gettime(ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// Returns the text of a file. A process may have a name that is not UTF-8.
fn read(file: impl AsRef<Path>) -> Option<String> {
    fs::read(file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the children of all threads of a process.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    threads
        .flatten()
        .filter_map(|thread| read(thread.path().join("children")))
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
        .collect()
}

/// Returns `roots` and all their descendants, parents first. The walk ends after `max` processes and when no time is left: a
/// fork bomb must not delay anything beyond a deadline.
pub(crate) fn trees(roots: Vec<i32>, max: usize, time: &WorkTime) -> Vec<i32> {
    let mut found = roots;
    let mut visited = 0;
    while visited < found.len() && found.len() < max && time.is_left() {
        found.extend(children(found[visited]));
        visited += 1;
    }
    found
}

/// Returns memory now and at its peak, and threads.
pub(crate) fn memory(pid: i32) -> Option<ProcessMemory> {
    let status = read(format!("/proc/{pid}/status"))?;
    let also = ["VmSwap:", "VmPTE:"].iter().filter_map(|name| kilobytes(&status, name)).sum::<u64>();
    let now_bytes = kilobytes(&status, "VmRSS:")? + also;
    let peak_bytes = kilobytes(&status, "VmHWM:")?.max(now_bytes);
    let threads = number(&status, "Threads:").unwrap_or(1);
    Some(ProcessMemory { pid, now_bytes, peak_bytes, threads })
}

/// Returns the process's share of the memory that it uses, with pages used by several processes divided among them. The
/// kernel examines every page for that, which takes milliseconds.
pub(crate) fn proportional_bytes(pid: i32) -> Option<u64> {
    kilobytes(&read(format!("/proc/{pid}/smaps_rollup"))?, "Pss:")
}

/// Returns about how much memory the kernel needs for the list of a process's memory mappings, which each process has for
/// itself even if it shares the memory.
pub(crate) fn mappings_bytes(pid: i32) -> Option<u64> {
    let maps = File::open(format!("/proc/{pid}/maps")).ok()?;
    let mut text = Vec::new();
    maps.take(MAPS_BYTES).read_to_end(&mut text).ok()?;
    let is_whole = (text.len() as u64) < MAPS_BYTES;
    let mappings = if is_whole { text.iter().filter(|&&byte| byte == b'\n').count() as u64 } else { MAX_MAPPINGS };
    Some(mappings * MAPPING_BYTES)
}

/// Returns how long this thread was ready to run while no processor was free.
pub(crate) fn own_ready_wait() -> Duration {
    read("/proc/thread-self/schedstat").and_then(|schedstat| waited(&schedstat)).unwrap_or_default()
}

/// Returns the CPU time of a process, all threads, and of those children of it that have ended.
pub(crate) fn cpu(pid: i32) -> Option<Duration> {
    Some(cpu_clock(pid)? + cpu_of_ended_children(pid).unwrap_or_default())
}

/// Returns how long the threads of a process were ready to run while no processor was free, since each of them started.
pub(crate) fn ready_wait(pid: i32) -> Duration {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Duration::ZERO;
    };
    let schedstats = threads.flatten().filter_map(|thread| read(thread.path().join("schedstat")));
    schedstats.filter_map(|schedstat| waited(&schedstat)).sum()
}

/// The second number of a `schedstat`: nanoseconds on a run queue.
fn waited(schedstat: &str) -> Option<Duration> {
    schedstat.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    Some(number(text, name)? * 1024)
}

fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[expect(unsafe_code, reason = "rustix has no CPU clocks of other processes")]
fn cpu_clock(pid: i32) -> Option<Duration> {
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls only write to the variables that they are given, which live until they return.
    let failed = unsafe { libc::clock_getcpuclockid(pid, &mut clock) != 0 || libc::clock_gettime(clock, &mut time) != 0 };
    if failed {
        return None;
    }
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

/// Returns `cutime` and `cstime`, in whole ticks (10 ms): the best there is for children that have ended.
pub(crate) fn cpu_of_ended_children(pid: i32) -> Option<Duration> {
    let stat = read(format!("/proc/{pid}/stat"))?;
    // The second field, the name, may contain blanks and parentheses. Field 3 follows its last parenthesis.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(16 - 3);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_nanos(ticks * (1_000_000_000 / rustix::param::clock_ticks_per_second())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::process::{Command, Stdio};

    #[test]
    fn memory_and_time_of_a_child_are_seen() {
        let mut child = Command::new("/bin/sh").args(["-c", "read x"]).stdin(Stdio::piped()).spawn().unwrap();
        let (us, pid) = (std::process::id() as i32, child.id() as i32);
        assert!(trees(vec![us], 1000, &WorkTime::start(Duration::from_secs(60))).contains(&pid));
        let memory = memory(pid).unwrap();
        assert!(0 < memory.now_bytes && memory.now_bytes <= memory.peak_bytes);
        assert!(0 < proportional_bytes(pid).unwrap());
        while cpu(pid).unwrap().is_zero() {} // on a busy machine it may not have run yet

        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(us).contains(&pid));
        assert!(cpu(pid).is_none());
    }

    #[test]
    fn a_process_may_have_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let shell = folder.path().join(OsStr::from_bytes(b"sh\xff"));
        std::os::unix::fs::symlink("/bin/sh", &shell).unwrap();
        let mut child = Command::new(shell).args(["-c", "read x"]).stdin(Stdio::piped()).spawn().unwrap();
        let pid = child.id() as i32;
        assert!(memory(pid).is_some() && cpu(pid).is_some() && cpu_of_ended_children(pid).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// As a thread does that waits for a processor, one that sleeps spends nothing.
    #[test]
    fn only_work_spends_time() {
        let time = WorkTime::start(Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(40));
        assert!(time.is_left());
        while time.is_left() {} // ends
    }
}
