//! What a program may use for one answer.

use std::time::Duration;

/// What a program may use for one answer; `None` means unlimited.
///
/// ```
/// use pacman2_runner::Limits;
/// use std::time::Duration;
///
/// let limits = Limits { wall: Some(Duration::from_millis(500)), ..Limits::default() };
/// assert_eq!(limits.memory_bytes, Some(256 * 1024 * 1024));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time, including the start of the process. On Linux it is what the program would have taken alone: without the
    /// time in which it waits for a processor that others use, so that they cannot make it late. A run takes at most
    /// [`MAX_WALL_FACTOR`] times this.
    pub wall: Option<Duration>,
    /// CPU time of the program and its descendants, summed over all threads. Linux enforces it while the program runs, other
    /// Unix systems after it ended, Windows never.
    pub cpu: Option<Duration>,
    /// Peak resident memory in bytes. Enforced where `cpu` is.
    pub memory_bytes: Option<u64>,
    /// Bytes on standard output. Output is held in memory, so even without a limit a run ends at
    /// [`MAX_OUTPUT_BYTES`](crate::MAX_OUTPUT_BYTES).
    pub output_bytes: Option<u64>,
    /// Processes and threads at the same time. Enforced on Linux only.
    pub tasks: Option<u64>,
}

/// How many times the wall-clock limit a run may take if the program waits for a processor most of the time: with two processors
/// and a hundred other programs, it gets one fiftieth of the time.
pub const MAX_WALL_FACTOR: u32 = 60;

impl Limits {
    /// No limits: for a program under a debugger, or one that a person steers.
    pub const NONE: Limits = Limits { wall: None, cpu: None, memory_bytes: None, output_bytes: None, tasks: None };

    /// Returns the same limits with `factor` times the time, for a slower [language](crate::Language::time_factor).
    ///
    /// ```
    /// use pacman2_runner::{Language, Limits};
    /// use std::time::Duration;
    ///
    /// let limits = Limits::default().times(Language::Python.time_factor());
    /// assert_eq!(limits.wall, Some(Duration::from_secs(3)));
    /// ```
    #[must_use]
    pub fn times(self, factor: u32) -> Limits {
        let longer = |time: Duration| time.saturating_mul(factor);
        Limits { wall: self.wall.map(longer), cpu: self.cpu.map(longer), ..self }
    }
}

impl Default for Limits {
    /// Returns what Botzone gives a C++ program, 1 s, 256 MiB and 1 MiB of output, and as many processes and threads as any
    /// runtime needs.
    fn default() -> Limits {
        Limits {
            wall: Some(Duration::from_secs(1)),
            cpu: Some(Duration::from_secs(1)),
            memory_bytes: Some(256 * 1024 * 1024),
            output_bytes: Some(1024 * 1024),
            tasks: Some(256),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn a_slower_language_gets_more_time_and_nothing_else() {
        let limits = Limits::default().times(Language::Python.time_factor());
        assert_eq!(limits.wall, Some(Duration::from_secs(3)));
        assert_eq!(limits.cpu, Some(Duration::from_secs(3)));
        assert_eq!(limits.memory_bytes, Limits::default().memory_bytes);
        assert_eq!(Limits::NONE.times(6), Limits::NONE);
    }
}
