//! The processor's counters, as Linux has them: cycles and instructions of this thread in user space.

use perf_event::events::Hardware;
use perf_event::{Builder, Counter, Group};

use super::meter::Spent;

pub(super) struct Counters {
    group: Group,
    cycles: Counter,
    instructions: Counter,
}

impl Counters {
    /// The text says why there are none: virtual machines often have none to give, and containers often forbid them.
    pub(super) fn open() -> Result<Counters, String> {
        let open = || {
            let mut group = Group::new()?;
            let mut counter = |of| Builder::new().group(&mut group).kind(of).build();
            let (cycles, instructions) = (counter(Hardware::CPU_CYCLES)?, counter(Hardware::INSTRUCTIONS)?);
            Ok(Counters { group, cycles, instructions })
        };
        open().map_err(|error: std::io::Error| format!("perf_event_open: {error}"))
    }

    /// Begins to count from 0; `false` if it cannot.
    pub(super) fn start(&mut self) -> bool {
        self.group.reset().is_ok() && self.group.enable().is_ok()
    }

    /// What was counted, unless the counters were lent to somebody else in between.
    pub(super) fn stop(&mut self) -> Option<Spent> {
        self.group.disable().ok()?;
        let counts = self.group.read().ok()?;
        let spent = Spent { cycles: counts[&self.cycles], instructions: counts[&self.instructions] };
        (spent.cycles > 0 && spent.instructions > 0 && counts.time_running() == counts.time_enabled()).then_some(spent)
    }
}
