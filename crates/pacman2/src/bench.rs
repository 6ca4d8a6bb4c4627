//! `pacman2 bench`: how fast random games are played, and what the sandbox adds to a bot's start.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bots::playout::play_out;
use judge::limits::Limits;
use judge::program::{Outcome, Program, Question};
use judge::sandbox::{Sandbox, View};
use maps::{Map, Size};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rules::{LightOnTheForfeited, Settings};
use serde_json::json;

use crate::args::BenchArgs;
use crate::map::{self, Seed};
use crate::sandbox::helper;

/// Games whose final positions make the checksum; they are the same however long the measuring takes.
const CHECKED_GAMES: usize = 1000;

/// How often a program is started to see what the sandbox adds.
const STARTS: usize = 100;

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
    let starts = Starts::measure();
    let mut out = io::stdout();
    if args.json {
        let scalar = json!({ "turns_per_second": speed.turns_per_second.round(), "playouts_per_second": speed.playouts_per_second.round() });
        let sandbox = starts.map(|starts| {
            json!({
                "tier": starts.sandbox.tier().name(),
                "control_groups": starts.sandbox.control_groups(),
                "start_ms": milliseconds(starts.free),
                "sandboxed_start_ms": milliseconds(starts.sandboxed),
                "added_ms": milliseconds(starts.added()),
            })
        });
        writeln!(out, "{}", json!({ "scalar": scalar, "sandbox": sandbox, "checksum": checksum }))?;
    } else {
        writeln!(
            out,
            "scalar: {:.2} million turns, {:.0} games a second on one thread",
            speed.turns_per_second / 1e6,
            speed.playouts_per_second
        )?;
        match starts {
            Some(starts) => writeln!(
                out,
                "sandbox: tier {} adds {:.2} ms to the {:.2} ms of a small program's start (medians of {STARTS})",
                starts.sandbox.tier(),
                milliseconds(starts.added()),
                milliseconds(starts.free)
            )?,
            None => writeln!(out, "sandbox: none")?,
        }
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

/// How long a small program takes from its start to its end, outside of the sandbox and inside.
struct Starts {
    sandbox: Sandbox,
    free: Duration,
    sandboxed: Duration,
}

impl Starts {
    /// By turns, so that both have the same luck. `None` if there is no sandbox.
    fn measure() -> Option<Starts> {
        let sandbox = Sandbox::best(helper());
        let program = || Program::new(["/bin/sh", "-c", ":"].map(OsString::from).to_vec(), Limits::NONE);
        let (mut free, mut jailed) = (program(), program());
        jailed.confine(&sandbox, View::default()).ok()?;
        let (mut of_free, mut of_jailed) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            for (program, walls) in [(&mut free, &mut of_free), (&mut jailed, &mut of_jailed)] {
                let run = program.ask(Question { fresh: "", running: "" }, &AtomicBool::new(false));
                walls.extend((run.outcome == Outcome::Answered).then_some(run.wall));
            }
        }
        Some(Starts { free: median(of_free)?, sandboxed: median(of_jailed)?, sandbox })
    }

    fn added(&self) -> Duration {
        self.sandboxed.saturating_sub(self.free)
    }
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}
