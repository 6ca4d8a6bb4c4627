//! `pacman2 bench`: the speed of games, of a search and of new maps, and what the start of a program costs.
//!
//! Each of several short rounds measures everything once, so that load on the machine affects all measurements. Results are
//! medians over rounds; a ratio is the median of the rounds' ratios.

mod baseline;
mod options;
mod report;
mod starts;
mod work;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pacman2_bots::playout::play_out;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::map_source;
use pacman2_console::stdout::stdout;
use pacman2_jobs::engine::signature;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use baseline::Baseline;
pub use options::BenchOptions;
use options::Setup;
use report::Report;
use starts::Starts;
use work::{Run, SideBySide};

/// The number of rounds: odd, so that there is a median.
const ROUNDS: u32 = 5;

/// The number of measurements in a round, not counting the baseline.
const MEASURED: u32 = 5;

/// The number of games whose final positions make the checksum. It does not depend on the time of measuring.
const CHECKED_GAMES: usize = 1000;

/// Measures, and writes the result to standard output. A sandboxed program is started by this program itself.
///
/// # Errors
///
/// If the options do not fit this machine, or the baseline does not play.
pub fn run(options: &BenchOptions) -> anyhow::Result<ExitCode> {
    let Setup { map, is_map_given, instruction_set, mut baseline, time } = Setup::new(options)?;
    let stop = stop_on_interrupt()?;
    if io::stderr().is_terminal() {
        eprintln!("measuring for {} s …", time.as_secs_f64());
    }

    // A mistyped baseline is noticed before everything else is measured.
    if let Some(baseline) = &mut baseline
        && !baseline.try_out(&stop)?
    {
        return Ok(INTERRUPTED.into());
    }
    // Before the games are made: the larger a process is, the longer it takes to start another one.
    let starts = Starts::measure(time, &stop);
    let maps = if is_map_given { vec![map.clone()] } else { maps_like(&map)? };
    let measured = Measured { games: SideBySide::new(instruction_set, &maps), map, time: time / (ROUNDS * MEASURED) };
    let rounds = (0..ROUNDS).map(|_| measured.round(baseline.as_mut(), &stop));
    let Some(rounds) = rounds.collect::<anyhow::Result<Option<Vec<Round>>>>()? else { return Ok(INTERRUPTED.into()) };
    let (signature, checksum) = (signature(instruction_set)?, checksum(&measured.map));
    let report = Report { rounds, instruction_set, maps: maps.len(), signature, checksum, starts };
    let mut out = stdout();
    if options.json {
        writeln!(out, "{}", labelled("bench", report.json()))?;
    } else {
        report.print(&mut out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes maps of this size for the games side by side.
fn maps_like(map: &Map) -> anyhow::Result<Vec<Map>> {
    let size = MapSize { width: Some(map.maze.width()), height: Some(map.maze.height()) };
    (1..=work::MAPS).map(|seed| map_source::generate(seed, size, Ruleset::default())).collect()
}

/// Returns a checksum of the final positions of a fixed set of random games.
fn checksum(map: &Map) -> u64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..CHECKED_GAMES).fold(0u64, |sum, _| {
        let end = play_out(&map.maze, map.start, &mut rng);
        sum.rotate_left(1) ^ end.fingerprint()
    })
}

/// What is measured.
struct Measured {
    games: SideBySide,
    map: Map,
    /// How long each measurement of a round takes.
    time: Duration,
}

/// The measurements of a round: how often in a second.
struct Round {
    /// The baseline's turns.
    baseline: Option<f64>,
    /// Turns of games side by side.
    given_actions: f64,
    random_actions: f64,
    /// Turns of games one after another.
    one_by_one: f64,
    /// Of `sage`.
    simulations: f64,
    maps: f64,
}

impl Measured {
    /// Measures each for its time, and the baseline for as long as it takes; `None` if `stop` was set.
    fn round(&self, baseline: Option<&mut Baseline>, stop: &AtomicBool) -> anyhow::Result<Option<Round>> {
        let baseline = match baseline {
            Some(baseline) => match baseline.turns_per_second(stop)? {
                None => return Ok(None),
                speed => speed,
            },
            None => None,
        };
        let round = Round {
            baseline,
            given_actions: self.per_second(stop, || self.games.given_actions()),
            random_actions: self.per_second(stop, || self.games.random_actions()),
            one_by_one: self.per_second(stop, || work::one_by_one(&self.map)),
            simulations: self.per_second(stop, || work::search(&self.map)),
            maps: self.per_second(stop, || work::make_maps(&self.map)),
        };
        Ok((!stop.load(Ordering::Relaxed)).then_some(round))
    }

    /// Runs it again and again until its time is over or `stop` is set, at least once.
    fn per_second(&self, stop: &AtomicBool, mut run: impl FnMut() -> Run) -> f64 {
        let mut total = Run::default();
        loop {
            total.add(run());
            if total.time >= self.time || stop.load(Ordering::Relaxed) {
                return total.per_second();
            }
        }
    }
}
