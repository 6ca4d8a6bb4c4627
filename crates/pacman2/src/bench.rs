//! `pacman2 bench`: how fast random games are played, and what the sandbox adds to a bot's start.
//!
//! Everything is measured in short rounds, one after another in each, so that all have the same luck on a busy machine. What
//! is told is the median of the rounds; a ratio is the median of the ratios within rounds.

mod baseline;
#[cfg_attr(target_os = "linux", path = "bench/counters_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "bench/counters_elsewhere.rs")]
mod counters;
mod meter;
mod report;
mod runners;
mod starts;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pacman2_batch::{InstructionSet, Playouts};
use pacman2_bots::playout::play_out;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::args::BenchArgs;
use crate::failure::bad_input;
use crate::map::{self, Seed};
use crate::play::{INTERRUPTED, stop_on_interrupt};
use baseline::Baseline;
use meter::{Lap, Meter};
use report::Report;
use runners::{GivenActions, RandomPlayouts, Runner, Scalar};
use starts::Starts;

/// Games whose final positions make the checksum; they are the same however long the measuring takes.
const CHECKED_GAMES: usize = 1000;

/// The sizes of the maps on which the games of the signature are played, on three seeds each.
const SIGNED_SIZES: [(u8, u8); 3] = [(6, 6), (8, 9), (11, 11)];

/// How often each is measured: an odd number, so that there is one in the middle.
const ROUNDS: u32 = 5;

/// What is measured in each round, beside the baseline.
const MEASURED: usize = 5;

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let instruction_set = choose(args.instruction_set.map(InstructionSet::from))?;
    let map = match &args.map {
        Some(file) => map::read(file, Seed { given: None, otherwise: 1 }, Ruleset::default())?,
        None => map::generate(1, args.size.unwrap_or_default(), Ruleset::default())?,
    };
    let mut baseline = args.baseline.as_deref().map(|command| Baseline::new(command, &map)).transpose()?;
    let stop = stop_on_interrupt()?;
    if io::stderr().is_terminal() {
        eprintln!("measuring for {} s …", args.seconds);
    }

    // First of all, as long as we are small: the larger a process is, the longer it takes to start another one.
    let starts = Starts::measure(&stop);
    let time = Duration::from_secs_f64(args.seconds) / (ROUNDS * MEASURED as u32);
    let playouts = Playouts::new(&map.maze, instruction_set);
    let maps = if args.map.is_some() { vec![map.clone()] } else { maps_like(&map)? };
    let mut runners = Runners {
        scalar: Scalar::new(&map),
        playouts: RandomPlayouts::on_one_and_all_threads(&playouts, &map, time),
        given_actions: GivenActions::on_one_and_all_threads(instruction_set, &maps),
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
    if args.json {
        writeln!(out, "{}", report.json())?;
    } else {
        report.print(&mut out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The instruction set that is wanted, if this machine has it; the best if it does not matter.
fn choose(wanted: Option<InstructionSet>) -> anyhow::Result<InstructionSet> {
    match wanted {
        Some(set) if !set.is_available() => Err(bad_input(refusal(set, InstructionSet::available()))),
        wanted => Ok(wanted.unwrap_or_else(InstructionSet::best)),
    }
}

fn refusal(wanted: InstructionSet, available: impl Iterator<Item = InstructionSet>) -> String {
    let available: Vec<&str> = available.map(InstructionSet::name).collect();
    format!("--instruction-set {wanted}: this machine does not have it; what it has: {}", available.join(", "))
}

/// Maps of Botzone's for the games with given actions, as large as this one.
fn maps_like(map: &Map) -> anyhow::Result<Vec<Map>> {
    let size = MapSize { width: Some(map.maze.width()), height: Some(map.maze.height()) };
    (1..=runners::MAPS).map(|seed| map::generate(seed, size, Ruleset::default())).collect()
}

/// The number of `batch` for a fixed set of games: the same on every machine, with every instruction set.
fn signature(instruction_set: InstructionSet) -> anyhow::Result<u64> {
    let maps = SIGNED_SIZES.into_iter().flat_map(|size| (1..=3).map(move |seed| (seed, size)));
    let starts = maps.map(|(seed, (width, height))| {
        let size = MapSize { width: Some(width), height: Some(height) };
        map::generate(seed, size, Ruleset::default()).map(|map| (map.maze, map.start))
    });
    Ok(pacman2_batch::signature(instruction_set, &starts.collect::<anyhow::Result<Vec<_>>>()?))
}

/// A number that changes when any of a fixed set of random games ends in another way.
fn checksum(map: &Map) -> u64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..CHECKED_GAMES).fold(0u64, |sum, _| {
        let end = play_out(&map.maze, map.start, &mut random);
        sum.rotate_left(1) ^ end.fingerprint()
    })
}

/// All that is measured, beside the baseline.
struct Runners<'a> {
    scalar: Scalar<'a>,
    playouts: [RandomPlayouts<'a>; 2],
    given_actions: [GivenActions; 2],
}

/// What came of a round. Where there are two, they are of one thread and of all.
struct Round {
    /// The baseline's turns a second.
    baseline: Option<f64>,
    scalar: Lap,
    playouts: [Lap; 2],
    given_actions: [Lap; 2],
}

/// Measures each for that time, and the baseline for as long as it takes; `None` if somebody wants to end it.
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
            told => told,
        },
        None => None,
    };
    let mut lap = |runner: &mut dyn Runner| meter.lap(runner, time, stop);
    let Runners { scalar, playouts: [playouts, many_playouts], given_actions: [given, many_given] } = runners;
    let round = Round {
        baseline,
        scalar: lap(scalar),
        playouts: [lap(playouts), lap(many_playouts)],
        given_actions: [lap(given), lap(many_given)],
    };
    Ok((!stop.load(Ordering::Relaxed)).then_some(round))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_an_instruction_set_says_what_it_has() {
        let has = [InstructionSet::Portable, InstructionSet::Avx2];
        assert_eq!(
            refusal(InstructionSet::Avx512, has.into_iter()),
            "--instruction-set avx512: this machine does not have it; what it has: portable, avx2"
        );
    }

    #[test]
    fn what_this_machine_has_may_be_chosen() {
        for set in InstructionSet::ALL {
            assert_eq!(choose(Some(set)).ok(), set.is_available().then_some(set));
        }
        assert_eq!(choose(None).unwrap(), InstructionSet::best());
    }
}
