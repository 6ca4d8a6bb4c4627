//! The speed of the header's random playouts, relative to the sample program.
//!
//! It is measured in CPU time, which another program on the machine disturbs least, and in turns: every round measures each program
//! once. All programs must play the same games.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
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

fn median(mut ratio: impl FnMut() -> anyhow::Result<f64>) -> anyhow::Result<f64> {
    let mut ratios = (0..ROUNDS).map(|_| ratio()).collect::<anyhow::Result<Vec<f64>>>()?;
    ratios.sort_by(f64::total_cmp);
    Ok(ratios[ROUNDS / 2])
}

fn print(what: &str, ratios: Vec<f64>) {
    let ratios: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    println!("{}  {what}", ratios.join(" "));
}
