//! Compares random games of the wiki's sample program with the rules, after every turn, and if asked with the C++ header.
//!
//! The oracle is a program around the sample program's own engine: it reads a line of init data with a `policy` (0 to 4, how
//! its players choose) and a `game_seed`, plays that game, including illegal actions, and writes all positions in one line.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, bail, ensure};
use pacman2_botzone::ChangeFlags;
use pacman2_maps::{Map, MapSize, content_bits};
use pacman2_rules::{Action, BySeat, Fnv1a, Game, Report, Ruleset, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::Deserialize;
use serde_json::Value;

use crate::cpp::{Compiler, HeaderReplay};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The oracle program, called with the argument "full"
    #[arg(long)]
    oracle: PathBuf,
    /// Number of games
    #[arg(long, default_value_t = 100_000)]
    games: u64,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of oracles that run side by side
    #[arg(long, default_value_t = 2)]
    threads: u64,
    /// Compare both layers of the C++ header, too; requires a C++ compiler
    #[arg(long)]
    header: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let compiler = if args.header { Some(Compiler::find()?) } else { None };
    let header = compiler.as_ref().map(HeaderReplay::compile).transpose()?;
    let workers: Vec<_> = (0..args.threads)
        .map(|worker| {
            let games = (worker..args.games).step_by(args.threads as usize);
            let (oracle, header, seed) = (args.oracle.clone(), header.clone(), args.seed);
            thread::spawn(move || compare_games(&oracle, header.as_deref(), games, seed))
        })
        .collect();
    let mut counts = Counts::default();
    for worker in workers {
        for (what, times) in worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??.0 {
            counts.count(what, times);
        }
    }
    for (what, times) in counts.0 {
        println!("{times:>12} {what}");
    }
    println!("all equal");
    Ok(())
}

/// How often what happened in the games.
#[derive(Default)]
struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    fn count(&mut self, what: &'static str, times: impl Into<u64>) {
        *self.0.entry(what).or_default() += times.into();
    }

    fn count_events(&mut self, report: &Report) {
        use pacman2_rules::{Cause, Event};
        for event in &report.events {
            let what = match event {
                Event::Frightened { .. } => "frights",
                Event::Fought { .. } => "fights",
                Event::Fired { .. } => "lights",
                Event::Hit { .. } => "hits",
                Event::Ate { .. } => "fruit eaten",
                Event::FruitSpawned { .. } => "fruit spawns",
                Event::Inherited { .. } => "sole survivors",
                Event::Died { cause: Cause::IllegalAction { .. }, .. } => "illegal actions",
                Event::Died { cause: Cause::Light { .. }, .. } => "deaths by light",
                Event::Died { cause: Cause::BoostEnded, .. } => "deaths by the end of a boost",
                _ => continue,
            };
            self.count(what, 1u64);
        }
    }
}

#[derive(Deserialize)]
struct Trace {
    turns: Vec<TraceTurn>,
}

#[derive(Deserialize)]
struct TraceTurn {
    actions: [Option<i32>; 4],
    after: After,
    change: [u8; 4],
    strength_delta: [i32; 4],
}

#[derive(Deserialize)]
struct After {
    turn: u32,
    alive: usize,
    small_fruits: u32,
    generator_turns_left: u32,
    continues: bool,
    players: [[i32; 5]; 4],
    content: Vec<Vec<u8>>,
}

impl TraceTurn {
    /// Returns the line that `crates/rules/fixtures/make.py` hashes.
    fn canonical(&self) -> String {
        let TraceTurn { after, change, strength_delta, .. } = self;
        let After { turn, alive, small_fruits, generator_turns_left, continues, players, content } = after;
        let head = format!("[{turn},{alive},{small_fruits},{generator_turns_left},{}", u8::from(*continues));
        format!("{head},{players:?},{content:?},{change:?},{strength_delta:?}]\n").replace(' ', "")
    }
}

/// Starts an oracle and compares these games with the rules, and with the header if its program is given.
fn compare_games(
    oracle: &Path,
    header: Option<&Path>,
    games: impl Iterator<Item = u64> + Clone + Send + 'static,
    seed: u64,
) -> anyhow::Result<Counts> {
    let mut header = header.map(HeaderReplay::start).transpose()?;
    let mut child = Command::new(oracle)
        .arg("full")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{} cannot be started", oracle.display()))?;
    let mut stdin = child.stdin.take().context("the oracle has no stdin")?;
    let mut lines = BufReader::new(child.stdout.take().context("the oracle has no stdout")?).lines();
    let numbers = games.clone();
    let writer = thread::spawn(move || -> std::io::Result<()> {
        numbers.map(|number| Start::random(number, seed)).try_for_each(|start| writeln!(stdin, "{}", start.request))
    });
    let mut counts = Counts::default();
    for (played, number) in (1u64..).zip(games) {
        let start = Start::random(number, seed);
        let line = lines.next().context("the oracle stopped early")??;
        let trace: Trace = serde_json::from_str(&line)?;
        if played.is_multiple_of(5_000) {
            eprintln!("an oracle has played {played} games, all equal so far");
        }
        counts.count("games", 1u64);
        counts.count("games with odd settings", start.odd_settings);
        counts.count("games with odd walls", start.odd_walls);
        let compared = compare(&start, &trace, &mut counts).and_then(|states| match &mut header {
            Some(header) => compare_header(header, &start, &trace, &states),
            None => Ok(()),
        });
        compared.with_context(|| format!("game {number}: {}", start.request))?;
    }
    writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
    child.wait()?;
    Ok(counts)
}

/// The start of a game.
struct Start {
    map: Map,
    request: Value,
    odd_settings: bool,
    odd_walls: bool,
}

impl Start {
    fn random(number: u64, seed: u64) -> Start {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed << 40 | number);
        let mut below = |n: u64| random.next_u64() % n;
        let size = if below(3) == 0 {
            MapSize { width: Some(6 + below(6) as u8), height: Some(6 + below(6) as u8) }
        } else {
            MapSize::default()
        };
        let map = Map::generate(below(1 << 31) as i32, size, Ruleset::default()).expect("these sides are possible");
        let mut request = pacman2_botzone::init_data::write(&map);
        let odd_settings = below(2) == 0;
        if odd_settings {
            request["GENERATOR_INTERVAL"] = [1, 2, 3, 5, 20, 33, 200][below(7) as usize].into();
            request["LARGE_FRUIT_DURATION"] = below(13).into();
            request["LARGE_FRUIT_ENHANCEMENT"] = [0, 1, 5, 10, 30][below(5) as usize].into();
            request["SKILL_COST"] = below(12).into();
        }
        let odd_walls = below(3) == 0;
        if odd_walls {
            for _ in 0..1 + below(30) {
                let (row, col) = (below(map.maze.height().into()) as usize, below(map.maze.width().into()) as usize);
                let cell = &mut request["static"][row][col];
                *cell = (cell.as_u64().unwrap_or(0) ^ (1 << below(4))).into();
                let cell = &mut request["content"][row][col];
                *cell = (cell.as_u64().unwrap_or(0) ^ (16 << below(2))).into();
            }
        }
        request["policy"] = below(5).into();
        request["game_seed"] = below(1 << 32).into();
        let (map, _) = pacman2_botzone::init_data::read(&request, 0, Ruleset::default()).expect("the sample program plays this");
        Start { map, request, odd_settings, odd_walls }
    }
}

/// Compares a game with the rules. Returns the position before the first turn and after each.
fn compare(start: &Start, trace: &Trace, counts: &mut Counts) -> anyhow::Result<Vec<State>> {
    let mut game = Game::new(start.map.maze.clone(), start.map.start);
    let mut states = vec![*game.state()];
    for recorded in &trace.turns {
        let number = recorded.after.turn;
        let action = |seat: Seat| recorded.actions[seat.index()].map_or(Action::Invalid, pacman2_botzone::action::from_number);
        let report =
            game.play(&BySeat::from_fn(action)).with_context(|| format!("turn {number}: the game is over by the rules"))?;
        check(&game, &report, recorded).with_context(|| format!("turn {number}"))?;
        counts.count("turns", 1u64);
        counts.count_events(&report);
        states.push(*game.state());
    }
    ensure!(game.is_over(), "the game goes on by the rules");
    counts.count("turn limits", game.state().turn == 100);
    for state in states.iter().rev() {
        same("position after undo", game.state(), state)?;
        game.undo();
    }
    Ok(states)
}

/// Compares the header's drop-in layer with the sample program, and its fast layer with the rules.
fn compare_header(header: &mut HeaderReplay, start: &Start, trace: &Trace, states: &[State]) -> anyhow::Result<()> {
    let actions: Vec<_> = trace.turns.iter().map(|turn| turn.actions).collect();
    let mut hash = Fnv1a::new();
    for ((turn, recorded), state) in header.play(&start.request, &actions)?.iter().zip(&trace.turns).zip(&states[1..]) {
        hash.write(recorded.canonical().as_bytes());
        let number = state.turn;
        ensure!(turn.hash == hash.finish(), "turn {number}: the header's drop-in layer differs from the sample program");
        ensure!(turn.fingerprint == state.fingerprint(), "turn {number}: the header's fast layer differs from the rules");
    }
    Ok(())
}

fn check(game: &Game, report: &Report, recorded: &TraceTurn) -> anyhow::Result<()> {
    let (maze, state, after) = (game.maze(), game.state(), &recorded.after);
    same("turn", state.turn, after.turn)?;
    same("alive", state.alive.len(), after.alive)?;
    same("small_fruits", state.small_fruits.len(), after.small_fruits)?;
    same("generator_turns_left", state.generator_turns_left, after.generator_turns_left)?;
    same("continues", !game.is_over(), after.continues)?;
    for seat in Seat::ALL {
        let player = state.player(seat);
        let (row, col) = (maze.row(player.cell), maze.col(player.cell));
        let ours = [row.into(), col.into(), player.strength, player.boost_turns_left as i32, i32::from(!player.alive)];
        same("player", (seat, ours), (seat, after.players[seat.index()]))?;
    }
    let content: Vec<u8> = maze.cells().map(|cell| content_bits(state, cell)).collect();
    same("content", content, after.content.concat())?;
    same("change", ChangeFlags::from_report(report).0.map(ChangeFlags::bits), recorded.change)?;
    same("strength_delta", report.strength_delta.0, recorded.strength_delta)
}

fn same<T: PartialEq + Debug>(what: &str, ours: T, theirs: T) -> anyhow::Result<()> {
    if ours != theirs {
        bail!("{what} is {ours:?} by the rules and {theirs:?} by the sample program");
    }
    Ok(())
}
