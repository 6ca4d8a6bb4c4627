//! `pacman2 bench`: how fast random games are played.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bots::playout::play_out;
use maps::{Map, Size};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rules::{LightOnTheForfeited, Settings};
use serde_json::json;

use crate::args::BenchArgs;
use crate::map::{self, Seed};

/// Games whose final positions make the checksum; they are the same however long the measuring takes.
const CHECKED_GAMES: usize = 1000;

/// Games between two looks at the clock.
const BATCH: u64 = 256;

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let map = match &args.map {
        Some(file) => map::read(file, Seed { given: None, otherwise: 1 }, LightOnTheForfeited::Sample)?,
        None => map::generate(1, Size::default(), Settings::default())?,
    };
    let checksum = format!("{:016x}", checksum(&map));
    if io::stderr().is_terminal() {
        eprintln!("measuring for {} s …", args.seconds);
    }
    let speed = measure(&map, Duration::from_secs_f64(args.seconds));
    let mut out = io::stdout();
    if args.json {
        let scalar = json!({ "turns_per_second": speed.turns_per_second.round(), "playouts_per_second": speed.playouts_per_second.round() });
        writeln!(out, "{}", json!({ "scalar": scalar, "checksum": checksum }))?;
    } else {
        writeln!(
            out,
            "scalar: {:.2} million turns, {:.0} games a second on one thread",
            speed.turns_per_second / 1e6,
            speed.playouts_per_second
        )?;
        writeln!(out, "checksum of {CHECKED_GAMES} games: {checksum}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A number that changes when any of a fixed set of random games ends in another way.
fn checksum(map: &Map) -> u64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..CHECKED_GAMES).fold(0u64, |sum, _| {
        let end = play_out(&map.arena, map.start, &mut random);
        sum.rotate_left(1) ^ end.fingerprint()
    })
}

struct Speed {
    turns_per_second: f64,
    playouts_per_second: f64,
}

fn measure(map: &Map, time: Duration) -> Speed {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut games, mut turns) = (0u64, 0u64);
    let begin = Instant::now();
    while begin.elapsed() < time {
        for _ in 0..BATCH {
            turns += u64::from(play_out(&map.arena, map.start, &mut random).turn);
        }
        games += BATCH;
    }
    let seconds = begin.elapsed().as_secs_f64();
    Speed { turns_per_second: turns as f64 / seconds, playouts_per_second: games as f64 / seconds }
}
