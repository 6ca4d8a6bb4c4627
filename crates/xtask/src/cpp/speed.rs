//! The speed of the header's random playouts, relative to the sample program and to the crate `rules`.
//!
//! It is measured in CPU time, which another program on the machine disturbs least, and in turns: every round measures each program
//! once. All programs must play the same games.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use pacman2_bots::playout::play_out;
use pacman2_maps::Map;
use pacman2_rules::{Ruleset, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde_json::json;

use super::compiler::{self, Compiler};
use super::fixtures::{self, Game};
use super::sample_program;

/// Odd, so that there is a median.
const ROUNDS: usize = 9;
/// The number of maps, the first ones of the fixtures.
const MAPS: usize = 3;
/// The number of playouts of a measurement: some tens of milliseconds or more.
const PLAYOUTS: u64 = 20_000;

/// Measures and prints the ratios.
pub(super) fn measure(sample: &Path) -> anyhow::Result<()> {
    let games = fixtures::read()?;
    let compiler = Compiler::find()?;
    let source = compiler::folder().join("tests/playouts.cpp");
    let [original, own_helpers, no_helpers] = sample_program::as_include(&compiler, sample)?;
    let with_sample = |name: &str, options: [String; 2]| {
        let options = ["-O2", "-Wno-error", "-D_BOTZONE_ONLINE", &options[0], &options[1]];
        let program = compiler.folder().join(name);
        fs::rename(compiler.program(&source, &options, &["-ljsoncpp"])?, &program)?;
        anyhow::Ok(program)
    };
    let original = with_sample("original-playouts", original)?;
    let own = with_sample("own-playouts", own_helpers)?;
    let none = with_sample("header-playouts", no_helpers)?;
    let header = compiler.program(&source, &["-O2"], &[])?;
    println!("times as fast, medians of {ROUNDS} rounds on {MAPS} maps:");
    for (before, program, after, what) in [
        ("helpers", &none, "helpers", "the sample program without its namespaces Pacman and Helpers, relative to its own engine"),
        ("helpers", &own, "helpers", "without its namespace Pacman alone: its own RandomPlay"),
        ("loop", &header, "list", "NextTurn, PopState, std::rand and one call of ValidActions, relative to nine of ActionValid"),
    ] {
        let ratio = |game| median(|| run(&original, before, game)?.per(&run(program, after, game)?));
        print(what, games[..MAPS].iter().map(ratio).collect::<anyhow::Result<Vec<f64>>>()?);
    }
    let ratios = games[..MAPS].iter().map(|game| {
        let (map, _) = pacman2_botzone::init_data::read(&game.init, 0, Ruleset::default())?;
        median(|| rust(&map)?.per(&run(&header, "fast", game)?))
    });
    print("Position::playOut, relative to the crate rules", ratios.collect::<anyhow::Result<Vec<f64>>>()?);
    Ok(())
}

/// What a program measured.
struct Measured {
    nanoseconds: f64,
    checksum: u64,
}

impl Measured {
    /// Returns how many times as long this took as the other.
    fn per(&self, other: &Measured) -> anyhow::Result<f64> {
        ensure!(self.checksum == other.checksum, "the programs played different games");
        Ok(self.nanoseconds / other.nanoseconds)
    }
}

fn run(program: &Path, mode: &str, game: &Game) -> anyhow::Result<Measured> {
    let mut first = game.init.clone();
    first["id"] = 0.into();
    let input = format!("{}\n", json!({ "requests": [first], "responses": [] }));
    let output = compiler::run(Command::new(program).args([mode, &PLAYOUTS.to_string()]), input)?;
    let (nanoseconds, checksum) = output.trim().split_once(' ').with_context(|| format!("expected two numbers, got {output}"))?;
    Ok(Measured { nanoseconds: nanoseconds.parse()?, checksum: u64::from_str_radix(checksum, 16)? })
}

fn rust(map: &Map) -> anyhow::Result<Measured> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut turns, mut checksum) = (0_u64, 0_u64);
    let begin = cpu_time()?;
    for _ in 0..PLAYOUTS {
        let end = play_out(&map.maze, map.start, &mut random);
        turns += u64::from(end.turn);
        checksum = checksum.wrapping_mul(31).wrapping_add(i64::from(end.strength[Seat::S0]) as u64);
    }
    let spent = cpu_time()?.checked_sub(begin).context("the clock went back")?;
    Ok(Measured { nanoseconds: spent.as_nanos() as f64 / turns as f64, checksum })
}

/// Returns the time that this thread has been on a processor.
fn cpu_time() -> anyhow::Result<Duration> {
    const FILE: &str = "/proc/thread-self/schedstat";
    let text = fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}; the speed is measured on Linux only"))?;
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    Ok(Duration::from_nanos(nanoseconds.with_context(|| format!("expected numbers in {FILE}"))?))
}

fn median(mut ratio: impl FnMut() -> anyhow::Result<f64>) -> anyhow::Result<f64> {
    let mut ratios = (0..ROUNDS).map(|_| ratio()).collect::<anyhow::Result<Vec<f64>>>()?;
    ratios.sort_by(f64::total_cmp);
    Ok(ratios[ROUNDS / 2])
}

fn print(what: &str, ratios: Vec<f64>) {
    let ratios: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    println!("{}  {what}", ratios.join(" "));
}
