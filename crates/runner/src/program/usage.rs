//! What programs use while they run.

use std::time::Duration;

/// What a thread has done since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadTime {
    pub(crate) thread: i32,
    /// How long it has been on a processor.
    pub(crate) worked: Duration,
    /// How long it was ready to run while no processor was free, not counting a wait that is not over.
    pub(crate) waited: Duration,
    /// Whether it is on a processor, or waits for one.
    pub(crate) is_ready: bool,
}

/// What a program and its descendants have used since it started, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) cpu: Option<Duration>,
    /// The peak, in bytes.
    pub(crate) memory_bytes: Option<u64>,
    /// Processes and threads, as of the last check.
    pub(crate) tasks: Option<u64>,
    /// The system has refused it more memory, and killed it for that; or a process of it lives and hides its memory.
    pub(crate) memory_out: bool,
}

impl Usage {
    /// Takes over what a newer check has found. No check sees everything: a descendant's time is gone with it.
    pub(super) fn raise(&mut self, newer: Usage) {
        self.cpu = self.cpu.max(newer.cpu);
        self.memory_bytes = self.memory_bytes.max(newer.memory_bytes);
        self.tasks = newer.tasks;
        self.memory_out |= newer.memory_out;
    }
}

/// Returns the CPU time that the operating system reports, in the program and in the kernel.
#[cfg(unix)]
pub(super) fn cpu_of(usage: &libc::rusage) -> Duration {
    let time = |time: libc::timeval| Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec as u64);
    time(usage.ru_utime) + time(usage.ru_stime)
}
