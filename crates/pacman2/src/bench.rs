//! `pacman2 bench`: the speed of random games and of new maps, and what the start of a program costs.
//!
//! Each of several short rounds measures everything once, so that load on the machine affects all measurements. Results are
//! medians over rounds; a ratio is the median of the rounds' ratios.

mod baseline;
#[cfg_attr(target_os = "linux", path = "bench/counters_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "bench/counters_elsewhere.rs")]
mod counters;
#[cfg_attr(target_os = "linux", path = "bench/cpu_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "bench/cpu_elsewhere.rs")]
mod cpu;
mod lap;
mod meter;
mod options;
mod report;
mod round;
mod runners;
mod starts;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pacman2_batch::Playouts;
use pacman2_bots::playout::play_out;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::map_source;
use pacman2_jobs::engine::signature;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::args::BenchArgs;
use baseline::Baseline;
use meter::{Meter, Runner};
use options::BenchOptions;
use report::Report;
use round::{CHECKED_GAMES, ROUNDS, Round};
use runners::{FreshMaps, GivenActions, RandomPlayouts, Scalar};
use starts::Starts;

/// The number of measurements in a round, not counting the baseline.
const MEASURED: usize = 8;

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let BenchOptions { map, is_map_given, instruction_set, mut baseline, time, json } = BenchOptions::new(args)?;
    let stop = stop_on_interrupt()?;
    if io::stderr().is_terminal() {
        eprintln!("measuring for {} s …", time.as_secs_f64());
    }

    // Who mistyped it need not wait for what follows.
    if let Some(baseline) = &mut baseline
        && !baseline.try_out(&stop)?
    {
        return Ok(INTERRUPTED.into());
    }
    // Before the games are made: the larger a process is, the longer it takes to start another one.
    let starts = Starts::measure(time, &stop);
    let time = time / (ROUNDS * MEASURED as u32);
    let playouts = Playouts::new(&map.maze, instruction_set);
    let maps = if is_map_given { vec![map.clone()] } else { maps_like(&map)? };
    let mut runners = Runners {
        scalar: Scalar::new(&map),
        playouts: RandomPlayouts::on_one_and_all_threads(&playouts, &map, time),
        given_actions: GivenActions::on_one_and_all_threads(instruction_set, &maps, time),
        fresh_games: GivenActions::on_fresh_maps(instruction_set, &map),
        fresh_maps: FreshMaps::without_and_with_tables(&map),
    };
    let mut meter = Meter::new();
    let rounds = (0..ROUNDS).map(|_| measure(&mut runners, baseline.as_mut(), &mut meter, time, &stop));
    let Some(rounds) = rounds.collect::<anyhow::Result<Option<Vec<Round>>>>()? else { return Ok(INTERRUPTED.into()) };
    let report = Report {
        rounds,
        instruction_set,
        threads: rayon::current_num_threads(),
        maps: maps.len(),
        counters: meter.refusal(),
        signature: signature(instruction_set)?,
        checksum: checksum(&map),
        starts,
    };
    let mut out = io::stdout();
    if json {
        writeln!(out, "{}", report.json())?;
    } else {
        report.print(&mut out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes maps of this size for the games with given actions.
fn maps_like(map: &Map) -> anyhow::Result<Vec<Map>> {
    let size = MapSize { width: Some(map.maze.width()), height: Some(map.maze.height()) };
    (1..=runners::MAPS).map(|seed| map_source::generate(seed, size, Ruleset::default())).collect()
}

/// Returns a checksum of the final positions of a fixed set of random games.
fn checksum(map: &Map) -> u64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..CHECKED_GAMES).fold(0u64, |sum, _| {
        let end = play_out(&map.maze, map.start, &mut rng);
        sum.rotate_left(1) ^ end.fingerprint()
    })
}

/// The measured work, not counting the baseline.
struct Runners<'a> {
    scalar: Scalar<'a>,
    playouts: [RandomPlayouts<'a>; 2],
    given_actions: [GivenActions; 2],
    fresh_games: GivenActions,
    fresh_maps: [FreshMaps; 2],
}

/// Measures each for this time, and the baseline for as long as it takes; `None` if `stop` was set.
fn measure(
    runners: &mut Runners<'_>,
    baseline: Option<&mut Baseline>,
    meter: &mut Meter,
    time: Duration,
    stop: &AtomicBool,
) -> anyhow::Result<Option<Round>> {
    let baseline = match baseline {
        Some(baseline) => match baseline.turns_per_second(stop)? {
            None => return Ok(None),
            speed => speed,
        },
        None => None,
    };
    let mut lap = |runner: &mut dyn Runner| meter.lap(runner, time, stop);
    let Runners { scalar, playouts, given_actions, fresh_games, fresh_maps } = runners;
    let round = Round {
        baseline,
        scalar: lap(scalar),
        playouts: playouts.each_mut().map(|playouts| lap(playouts)),
        given_actions: given_actions.each_mut().map(|given| lap(given)),
        fresh_games: lap(fresh_games),
        fresh_maps: fresh_maps.each_mut().map(|maps| lap(maps)),
    };
    Ok((!stop.load(Ordering::Relaxed)).then_some(round))
}
