//! The cost of the sandbox at a bot's start.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pacman2_runner::{Limits, Mounts, Outcome, Program, Question, Sandbox};

use crate::sandbox::helper;

/// How often a program is started in each way.
pub(super) const STARTS: usize = 100;

/// The time of a small program from its start to its end, outside the sandbox and inside.
pub(super) struct Starts {
    pub(super) sandbox: Sandbox,
    pub(super) free: Duration,
    pub(super) sandboxed: Duration,
}

impl Starts {
    /// Measures both in turn, so that load on the machine affects both. `None` if there is no sandbox, or `stop` is set.
    pub(super) fn measure(stop: &AtomicBool) -> Option<Starts> {
        let sandbox = Sandbox::best(helper());
        let program = || Program::new(["/bin/sh", "-c", ":"].map(OsString::from).to_vec(), Limits::NONE);
        let (mut free, mut jailed) = (program(), program());
        jailed.confine(&sandbox, Mounts::default()).ok()?;
        let (mut of_free, mut of_jailed) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            for (program, walls) in [(&mut free, &mut of_free), (&mut jailed, &mut of_jailed)] {
                let run = program.ask(Question::once(""), stop);
                walls.extend((run.outcome == Outcome::Answered).then_some(run.wall));
            }
        }
        Some(Starts { free: median(of_free)?, sandboxed: median(of_jailed)?, sandbox })
    }

    pub(super) fn added(&self) -> Duration {
        self.sandboxed.saturating_sub(self.free)
    }
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}
