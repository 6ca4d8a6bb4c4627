//! The processor's counters on Linux: cycles and instructions of this thread in user space.

use std::io;

use perf_event::events::Hardware;
use perf_event::{Builder, Counter, Group};

use super::lap::Spent;

pub(super) struct Counters {
    group: Group,
    cycles: Counter,
    instructions: Counter,
}

impl Counters {
    /// Opens the counters. Virtual machines often have none, and containers often forbid them.
    pub(super) fn open() -> io::Result<Counters> {
        let open = || -> io::Result<Counters> {
            let mut group = Group::new()?;
            let mut counter = |of| Builder::new().group(&mut group).kind(of).build();
            let (cycles, instructions) = (counter(Hardware::CPU_CYCLES)?, counter(Hardware::INSTRUCTIONS)?);
            Ok(Counters { group, cycles, instructions })
        };
        open().map_err(|error| io::Error::new(error.kind(), format!("perf_event_open: {error}")))
    }

    /// Starts to count from 0; `false` if that fails.
    pub(super) fn start(&mut self) -> bool {
        self.group.reset().is_ok() && self.group.enable().is_ok()
    }

    /// Returns the counts; `None` if another program had the counters for a while.
    pub(super) fn stop(&mut self) -> Option<Spent> {
        self.group.disable().ok()?;
        let counts = self.group.read().ok()?;
        let spent = Spent { cycles: counts[&self.cycles], instructions: counts[&self.instructions] };
        (spent.cycles > 0 && spent.instructions > 0 && counts.time_running() == counts.time_enabled()).then_some(spent)
    }
}
