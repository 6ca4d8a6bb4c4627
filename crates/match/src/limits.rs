//! What a bot may use for one answer.

use std::time::Duration;

/// What a bot is allowed for one answer; `None` means not limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock, the start of the process included.
    pub wall: Option<Duration>,
    /// CPU time of the bot and its descendants, summed over all threads. Judged on Unix only: while the bot runs on
    /// Linux, after it ended elsewhere.
    pub cpu: Option<Duration>,
    /// Peak resident memory in bytes. Judged on Unix only, as `cpu` is.
    pub memory_bytes: Option<u64>,
    /// Bytes on standard output. Without a limit the judge still gives up at
    /// [`OUTPUT_BYTES_AT_MOST`](crate::program::OUTPUT_BYTES_AT_MOST), for it holds them in memory.
    pub output_bytes: Option<u64>,
    /// Processes and threads at a time. Judged on Linux only.
    pub tasks: Option<u64>,
}

impl Limits {
    /// Nothing is limited: for a bot under a debugger, or a person at the keys.
    pub const NONE: Limits = Limits { wall: None, cpu: None, memory_bytes: None, output_bytes: None, tasks: None };

    /// The same limits with `factor` times the time, as a slower language is given.
    #[must_use]
    pub fn times(self, factor: u32) -> Limits {
        let longer = |time: Duration| time.saturating_mul(factor);
        Limits { wall: self.wall.map(longer), cpu: self.cpu.map(longer), ..self }
    }
}

impl Default for Limits {
    /// Botzone's for C++: 1 s, 256 MB and 1 MiB of output; and as many processes and threads as any runtime needs.
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

/// The languages to which Botzone gives different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// C and C++, and Pascal.
    Cpp,
    /// Java.
    Java,
    /// JavaScript (Node).
    JavaScript,
    /// Python 2 and 3.
    Python,
    /// C# (Mono).
    CSharp,
}

impl Language {
    /// How many times a C++ bot's time this language is given, for [`Limits::times`].
    ///
    /// These are the wiki's multipliers, and they hold for every answer, the first like the later ones. Botzone's own
    /// local tool once gave less time to later answers of a bot that keeps running (Java 2, C# 4, Python 4 times) and
    /// more to Python's first (6 times); that table is known second-hand only, so it is not followed.
    pub fn time_factor(self) -> u32 {
        match self {
            Language::Cpp => 1,
            Language::JavaScript => 2,
            Language::Java | Language::Python => 3,
            Language::CSharp => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_language_gets_more_time_and_nothing_else() {
        let limits = Limits::default().times(Language::Python.time_factor());
        assert_eq!(limits.wall, Some(Duration::from_secs(3)));
        assert_eq!(limits.cpu, Some(Duration::from_secs(3)));
        assert_eq!(limits.memory_bytes, Limits::default().memory_bytes);
        assert_eq!(Limits::NONE.times(6), Limits::NONE);
    }
}
