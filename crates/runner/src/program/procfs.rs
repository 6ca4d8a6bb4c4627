//! What Linux reports about other processes: `/proc`, and their CPU clocks.
//!
//! A process may have ended a moment ago, and then counts as nothing. One that lives and cannot be read is [`Unknown::Hidden`]:
//! a program must not gain by hiding.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use rustix::time::ClockId;

use super::usage::ThreadTime;

/// The memory of one process in bytes, and its threads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProcessMemory {
    /// The thread that shows it: the first one, unless that has ended alone.
    pub(crate) thread: i32,
    /// What is resident or swapped out, its huge pages, and its page tables.
    pub(crate) now_bytes: u64,
    /// The most that was ever resident, or `now_bytes` if that is more.
    pub(crate) peak_bytes: u64,
    pub(crate) threads: u64,
    /// How many files it could have open without a larger table. A table begins with 64 and never shrinks.
    pub(crate) room_for_files: u64,
}

/// Why something about a process is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It has ended, or is about to: it has given its memory back.
    Ended,
    /// It lives, and this cannot be read of it. The program answers for that.
    Hidden,
    /// The system could not answer at the moment. The program is not at fault.
    Failed,
}

impl From<io::Error> for Unknown {
    fn from(error: io::Error) -> Unknown {
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ESRCH) => Unknown::Ended,
            Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::EINTR | libc::EAGAIN | libc::EIO) => Unknown::Failed,
            _ => Unknown::Hidden,
        }
    }
}

/// What the kernel needs for one memory mapping with a name, generously.
const MAPPING_BYTES: u64 = 384;
/// How many mappings a process may have, as kernels are set by default.
const MAX_MAPPINGS: u64 = 65_530;
/// How much of the list of a process's mappings is read: a few thousand of them. One with more counts as having all it may.
const MAPS_BYTES: u64 = 128 * 1024;
/// What the kernel needs for one open file: a pipe that is full, for a user who has many, or the buffer of a file in `/proc`.
const FILE_BYTES: u64 = 8 * 1024;
/// What counts for each file that an `epoll` watches. The kernel needs a fraction of it, but lets all programs of a user together have
/// one watch for each 4.6 KB of the machine's memory. Bots that fit into the memory leave half of the watches.
const WATCH_BYTES: u64 = 8 * 1024;
/// How many such watches of one process are counted. A program that watches each of its files once has some hundreds.
const MAX_WATCHES: u64 = 4 * 1024;
/// How long the line of a watch is, at least.
const WATCH_LINE_BYTES: u64 = 32;
/// How often the threads of a process are listed, if each time there are new ones and none of those before lives.
const MAX_LISTINGS: usize = 8;

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

/// Returns the children of all threads of a process.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    threads
        .flatten()
        .filter_map(|thread| fs::read(thread.path().join("children")).ok())
        .flat_map(|list| words(&list).filter_map(number::<i32>).collect::<Vec<i32>>())
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

/// Returns whether the system shows us a process with its children, without which nothing that it starts can be measured.
pub(crate) fn shows(pid: i32) -> bool {
    Path::new(&format!("/proc/{pid}/task/{pid}/children")).exists()
}

/// Returns memory now and at its peak, and threads. It is the same for all threads, but one that has ended shows none, also if
/// it was the first, by whose number the process is known.
pub(crate) fn memory(pid: i32) -> Result<ProcessMemory, Unknown> {
    let mut seen = Vec::new();
    let mut next = vec![pid];
    for _ in 0..MAX_LISTINGS {
        let mut shown = next.iter().map(|&thread| memory_of_thread(thread));
        if let Some(memory) = shown.find(|memory| *memory != Err(Unknown::Ended)) {
            return memory;
        }
        seen.append(&mut next);
        next = threads(pid)?.into_iter().filter(|thread| !seen.contains(thread)).collect();
        if next.is_empty() {
            return Err(Unknown::Ended);
        }
    }
    Err(Unknown::Hidden) // its threads hand the memory on
}

fn memory_of_thread(thread: i32) -> Result<ProcessMemory, Unknown> {
    let status = fs::read(format!("/proc/{thread}/status"))?;
    // A thread that has given its memory back shows none.
    let resident = kilobytes(&status, b"VmRSS:").ok_or(Unknown::Ended)?;
    let others = [&b"VmSwap:"[..], b"VmPTE:", b"HugetlbPages:"];
    let now_bytes = resident + others.iter().filter_map(|name| kilobytes(&status, name)).sum::<u64>();
    Ok(ProcessMemory {
        thread,
        now_bytes,
        peak_bytes: kilobytes(&status, b"VmHWM:").unwrap_or_default().max(now_bytes),
        threads: field(&status, b"Threads:").unwrap_or(1),
        room_for_files: field(&status, b"FDSize:").unwrap_or_default(),
    })
}

fn threads(pid: i32) -> Result<Vec<i32>, Unknown> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"))?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Returns the process's share of the memory that it uses, with pages used by several processes divided among them. The
/// kernel examines every page for that, which takes milliseconds.
pub(crate) fn proportional_bytes(thread: i32) -> Result<u64, Unknown> {
    kilobytes(&fs::read(format!("/proc/{thread}/smaps_rollup"))?, b"Pss:").ok_or(Unknown::Ended)
}

/// Returns about how much memory the kernel needs for what a process has, apart from its page tables: its memory mappings, its open
/// files, and what these watch. No process is charged for that.
pub(crate) fn kernel_bytes(thread: i32) -> Result<u64, Unknown> {
    let bytes = bytes_of_mappings(thread).and_then(|mappings| Ok(mappings + bytes_of_files(thread)?));
    // What has given its memory back belongs to root, so that only root may look at its files.
    let has_ended = || memory_of_thread(thread) == Err(Unknown::Ended);
    bytes.map_err(|unknown| if unknown == Unknown::Hidden && has_ended() { Unknown::Ended } else { unknown })
}

/// Each process has a list of its mappings for itself, even if it shares the memory.
fn bytes_of_mappings(thread: i32) -> Result<u64, Unknown> {
    let text = read_at_most(&format!("/proc/{thread}/maps"), MAPS_BYTES)?;
    let is_whole = (text.len() as u64) < MAPS_BYTES;
    Ok(MAPPING_BYTES * if is_whole { lines(&text).count() as u64 } else { MAX_MAPPINGS })
}

/// A watch stays when its descriptor is closed, as long as another one leads to the file, so there may be any number of them.
fn bytes_of_files(thread: i32) -> Result<u64, Unknown> {
    let (mut files, mut watches) = (0, 0);
    for entry in fs::read_dir(format!("/proc/{thread}/fd"))?.flatten() {
        files += 1;
        if fs::read_link(entry.path()).is_ok_and(|target| target == Path::new("anon_inode:[eventpoll]")) {
            watches += watches_of(thread, &entry.file_name().to_string_lossy())?;
        }
        if watches > MAX_WATCHES {
            return Err(Unknown::Hidden);
        }
    }
    Ok(files * FILE_BYTES + watches * WATCH_BYTES)
}

/// Returns how many files an `epoll` watches. More than [`MAX_WATCHES`] are not read.
fn watches_of(thread: i32, descriptor: &str) -> Result<u64, Unknown> {
    match read_at_most(&format!("/proc/{thread}/fdinfo/{descriptor}"), MAX_WATCHES * WATCH_LINE_BYTES) {
        Ok(text) if text.len() as u64 == MAX_WATCHES * WATCH_LINE_BYTES => Err(Unknown::Hidden),
        Ok(text) => Ok(lines(&text).filter(|line| line.starts_with(b"tfd:")).count() as u64),
        // It was closed meanwhile.
        Err(Unknown::Ended) => Ok(0),
        Err(unknown) => Err(unknown),
    }
}

fn read_at_most(path: &str, bytes: u64) -> Result<Vec<u8>, Unknown> {
    let mut text = Vec::with_capacity(16 * 1024);
    File::open(path)?.take(bytes).read_to_end(&mut text)?;
    Ok(text)
}

/// Returns how long this thread was ready to run while no processor was free.
pub(crate) fn own_ready_wait() -> Duration {
    thread_time(0, Path::new("/proc/thread-self")).unwrap_or_default().waited
}

/// Returns what the first thread of a process has done, even if it has ended and was not reaped yet.
pub(crate) fn first_thread(pid: i32) -> ThreadTime {
    thread_time(pid, Path::new(&format!("/proc/{pid}/task/{pid}"))).unwrap_or_default()
}

/// Returns what the threads of a process have done.
pub(crate) fn thread_times(pid: i32) -> Vec<ThreadTime> {
    let task = format!("/proc/{pid}/task");
    threads(pid)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|id| {
            let folder = Path::new(&task).join(id.to_string());
            Some(ThreadTime { is_ready: is_ready(&folder), ..thread_time(id, &folder)? })
        })
        .collect()
}

fn thread_time(thread: i32, folder: &Path) -> Option<ThreadTime> {
    let schedstat = fs::read(folder.join("schedstat")).ok()?;
    let mut times = words(&schedstat).map_while(number).map(Duration::from_nanos);
    Some(ThreadTime { thread, worked: times.next()?, waited: times.next()?, is_ready: false })
}

fn is_ready(folder: &Path) -> bool {
    let stat = fs::read(folder.join("stat")).unwrap_or_default();
    fields_of(&stat).next() == Some(b"R")
}

/// Returns the number of this thread.
pub(crate) fn own_thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// Returns how long a thread of this process has been on a processor.
pub(crate) fn worked(thread: i32) -> Duration {
    thread_time(thread, Path::new(&format!("/proc/self/task/{thread}"))).unwrap_or_default().worked
}

/// Returns the CPU time of a process, all threads, and of those children of it that have ended.
pub(crate) fn cpu(pid: i32) -> Option<Duration> {
    Some(cpu_clock(pid)? + cpu_of_ended_children(pid).unwrap_or_default())
}

fn kilobytes(text: &[u8], name: &[u8]) -> Option<u64> {
    Some(field(text, name)? * 1024)
}

/// Returns the number after a name. Names of processes are bytes of any kind, with line ends written as `\n`.
fn field(text: &[u8], name: &[u8]) -> Option<u64> {
    let line = lines(text).find_map(|line| line.strip_prefix(name))?;
    words(line).next().and_then(number)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn number<T: FromStr>(digits: &[u8]) -> Option<T> {
    str::from_utf8(digits).ok()?.parse().ok()
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
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = fields_of(&stat).skip(16 - 3).map_while(number::<u64>);
    let ticks = fields.next()? + fields.next()?;
    Some(Duration::from_nanos(ticks * (1_000_000_000 / rustix::param::clock_ticks_per_second())))
}

/// The fields of a `stat` from the third on. The second, the name, may contain blanks, line ends and parentheses; the third follows
/// its last parenthesis.
fn fields_of(stat: &[u8]) -> impl Iterator<Item = &[u8]> {
    words(stat.rsplit(|&byte| byte == b')').next().unwrap_or_default())
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
        let at_first = memory(pid).unwrap();
        assert!(0 < at_first.now_bytes && at_first.now_bytes <= at_first.peak_bytes);
        assert!(0 < proportional_bytes(pid).unwrap());
        while cpu(pid).unwrap().is_zero() {} // on a busy machine it may not have run yet

        child.kill().unwrap();
        while memory(pid).is_ok() {} // ends before it is waited for
        assert!(shows(pid) && memory(pid) == Err(Unknown::Ended));
        child.wait().unwrap();
        assert!(!children(us).contains(&pid) && !shows(pid));
        assert!(cpu(pid).is_none() && memory(pid) == Err(Unknown::Ended));
    }

    #[test]
    fn a_process_may_have_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let shell = folder.path().join(OsStr::from_bytes(b"sh\xff) Z 1\nVmRSS:"));
        std::os::unix::fs::symlink("/bin/sh", &shell).unwrap();
        let mut child = Command::new(shell).args(["-c", "read x"]).stdin(Stdio::piped()).spawn().unwrap();
        let pid = child.id() as i32;
        assert!(memory(pid).unwrap().now_bytes > 0 && cpu(pid).is_some() && cpu_of_ended_children(pid).is_some());
        assert!(kernel_bytes(pid).unwrap() > 3 * FILE_BYTES);
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
