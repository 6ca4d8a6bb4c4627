//! What the start of a program costs: of a small one outside the sandbox and inside, and of this program.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pacman2_bot_source::sandbox::helper;
use pacman2_runner::{Limits, Mounts, Outcome, Program, Question, Sandbox};

/// How often kinds of starts alternate, so that load on the machine affects all.
const SERIES: usize = 5;

/// How many starts of one kind follow each other, after a first one that is not counted.
const AT_ONCE: usize = 20;

/// The same where there is less than a second for everything else.
const AT_ONCE_IN_HASTE: usize = 2;

/// What the starts cost.
pub(super) struct Starts {
    /// The sandbox, if there is one.
    pub(super) sandbox: Option<Sandbox>,
    pub(super) free: Cost,
    pub(super) sandboxed: Option<Cost>,
    /// Of `pacman2 --version`.
    pub(super) version: Option<Cost>,
}

/// What a program takes from its start to its end. Medians.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) wall: Duration,
    /// With everything that was done for the start, such as by a supervisor. `None` where the system does not tell.
    pub(super) cpu: Option<Duration>,
}

impl Cost {
    /// Returns what this costs more than `other`.
    pub(super) fn beyond(&self, other: &Cost) -> Cost {
        let cpu = self.cpu.zip(other.cpu).map(|(own, others)| own.saturating_sub(others));
        Cost { wall: self.wall.saturating_sub(other.wall), cpu }
    }
}

/// A program that does nothing.
const SMALL: [&str; 3] = ["/bin/sh", "-c", ":"];

impl Starts {
    /// Measures all, where other measurements take this time. `None` if `stop` is set, or if nothing can be started.
    pub(super) fn measure(time: Duration, stop: &AtomicBool) -> Option<Starts> {
        let at_once = if time < Duration::from_secs(1) { AT_ONCE_IN_HASTE } else { AT_ONCE };
        let sandbox = Sandbox::best(helper());
        let small = SMALL.map(OsString::from).to_vec();
        let free = || Some(Program::new(small.clone(), Limits::NONE));
        let sandboxed = || {
            let mut program = free()?;
            program.confine(&sandbox, Mounts::default()).ok()?;
            Some(program)
        };
        let version = || Some(Program::new(vec![std::env::current_exe().ok()?.into(), "--version".into()], Limits::NONE));
        let ways: [&dyn Fn() -> Option<Program>; 3] = [&free, &sandboxed, &version];
        let mut series = ways.map(|_| Some(Series::default()));
        for _ in 0..SERIES {
            for (way, series) in ways.iter().zip(&mut series) {
                *series = series.take().and_then(|series| series.longer(way, at_once, stop));
            }
        }
        let [free, sandboxed, version] = series.map(|series| series.and_then(Series::cost));
        let sandbox = sandboxed.is_some().then_some(sandbox);
        Some(Starts { sandbox, free: free?, sandboxed, version })
    }
}

/// The starts of one kind.
#[derive(Default)]
struct Series {
    walls: Vec<Duration>,
    /// The CPU time of each start, on average over those that followed each other.
    cpu: Vec<Option<Duration>>,
}

impl Series {
    /// Starts programs made in this way. `None` if one does not end as it should.
    fn longer(mut self, way: &dyn Fn() -> Option<Program>, at_once: usize, stop: &AtomicBool) -> Option<Series> {
        // A jail is built at the first start, which therefore has to be taken off.
        let (_, first) = starts(way()?, 1, stop)?;
        let (walls, all) = starts(way()?, 1 + at_once, stop)?;
        self.walls.extend(&walls[1..]);
        self.cpu.push(all.zip(first).map(|(all, first)| all.saturating_sub(first) / at_once as u32));
        Some(self)
    }

    fn cost(self) -> Option<Cost> {
        Some(Cost { wall: median(self.walls)?, cpu: self.cpu.into_iter().collect::<Option<_>>().and_then(median) })
    }
}

/// Starts a program as often as that. Returns the time that each start took, and the CPU time of all.
fn starts(mut program: Program, count: usize, stop: &AtomicBool) -> Option<(Vec<Duration>, Option<Duration>)> {
    let before = cpu_of_ended();
    let walls = (0..count).map(|_| {
        let run = program.ask(Question::once(""), stop);
        (run.outcome == Outcome::Answered).then_some(run.wall)
    });
    let walls = walls.collect::<Option<Vec<_>>>()?;
    drop(program);
    // What a supervisor has used is known when it is reaped.
    pacman2_runner::sweep();
    let used = cpu_of_ended().zip(before).map(|(after, before)| after.saturating_sub(before));
    Some((walls, used))
}

/// Returns the CPU time of all programs that were started and have ended, and of what they started; `None` if the system is not Linux.
#[cfg(target_os = "linux")]
fn cpu_of_ended() -> Option<Duration> {
    Some(pacman2_runner::cpu_of_ended_descendants())
}

#[cfg(not(target_os = "linux"))]
fn cpu_of_ended() -> Option<Duration> {
    None
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}
