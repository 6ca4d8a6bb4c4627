//! The result of a measurement, as a table and as JSON.

use std::io::{self, Write};
use std::time::Duration;

use pacman2_analysis::position;
use pacman2_batch::InstructionSet;
use serde_json::{Value, json};

use super::lap::Lap;
use super::round::{CHECKED_GAMES, ROUNDS, Round};
use super::runners;
use super::starts::{Cost, Starts};

pub(super) struct Report {
    pub(super) rounds: Vec<Round>,
    pub(super) instruction_set: InstructionSet,
    /// The number of all threads.
    pub(super) threads: usize,
    /// The number of maps of the games with given actions.
    pub(super) maps: usize,
    /// Why there are no counters; `None` if there are.
    pub(super) counters: Option<String>,
    pub(super) signature: u64,
    pub(super) checksum: u64,
    pub(super) starts: Option<Starts>,
}

/// The figures of one measurement.
struct Figures {
    turns_per_second: f64,
    games_per_second: f64,
    /// The speed relative to the baseline.
    ratio: Option<f64>,
    cycles_per_turn: Option<f64>,
    instructions_per_turn: Option<f64>,
}

/// The figures of a measurement on all threads.
struct Together {
    figures: Figures,
    times_one_thread: f64,
}

impl Figures {
    fn of(rounds: &[Round], lap: impl Fn(&Round) -> &Lap) -> Figures {
        let of_rounds = |of: &dyn Fn(&Round) -> Option<f64>| median(rounds.iter().map(of));
        let each = |of: &dyn Fn(&Lap) -> f64| of_rounds(&|round| Some(of(lap(round)))).unwrap_or_default();
        let per_turn = |count: u64, lap: &Lap| count as f64 / lap.turns as f64;
        Figures {
            turns_per_second: each(&Lap::turns_per_second),
            games_per_second: each(&Lap::games_per_second),
            ratio: of_rounds(&|round| Some(lap(round).turns_per_second() / round.baseline?)),
            cycles_per_turn: of_rounds(&|round| lap(round).spent.map(|spent| per_turn(spent.cycles, lap(round)))),
            instructions_per_turn: of_rounds(&|round| lap(round).spent.map(|spent| per_turn(spent.instructions, lap(round)))),
        }
    }

    /// Returns the row of a table.
    fn row(&self, name: &str, threads: usize, times_one_thread: Option<f64>) -> [String; 8] {
        let number = |number: Option<f64>, decimals: usize| number.map_or(String::new(), |number| format!("{number:.decimals$}"));
        [
            name.to_owned(),
            threads.to_string(),
            millions(self.turns_per_second),
            format!("{:.0}", self.games_per_second),
            number(self.ratio, 1),
            number(times_one_thread, 2),
            number(self.cycles_per_turn, 1),
            number(self.instructions_per_turn, 1),
        ]
    }

    /// Returns the figures as JSON, with this key for the number of games.
    fn json(&self, games: &str) -> Value {
        json!({
            "turns_per_second": self.turns_per_second.round(),
            (games): self.games_per_second.round(),
            "ratio": self.ratio.map(rounded),
            "cycles_per_turn": self.cycles_per_turn.map(rounded),
            "instructions_per_turn": self.instructions_per_turn.map(rounded),
        })
    }
}

impl Together {
    fn of(rounds: &[Round], laps: impl Fn(&Round) -> &[Lap; 2]) -> Together {
        let times = |round: &Round| {
            let [one, all] = laps(round);
            Some(all.turns_per_second() / one.turns_per_second())
        };
        // The counters are those of one thread only.
        let figures =
            Figures { cycles_per_turn: None, instructions_per_turn: None, ..Figures::of(rounds, |round| &laps(round)[1]) };
        Together { figures, times_one_thread: median(rounds.iter().map(times)).unwrap_or_default() }
    }

    fn json(&self) -> Value {
        json!({
            "turns_per_second": self.figures.turns_per_second.round(),
            "games_per_second": self.figures.games_per_second.round(),
            "ratio": self.figures.ratio.map(rounded),
            "times_one_thread": rounded(self.times_one_thread),
        })
    }
}

/// All figures of a report.
struct AllFigures {
    baseline: Option<f64>,
    scalar: Figures,
    playouts: Figures,
    given_actions: Figures,
    playouts_together: Together,
    given_actions_together: Together,
    fresh: Fresh,
}

/// The figures of new maps.
struct Fresh {
    games: Figures,
    /// The speed of games on new maps relative to given maps.
    times_given_maps: f64,
    /// How long a map takes: prepared for lanes, and with all tables.
    map_us: [f64; 2],
}

impl Fresh {
    fn of(rounds: &[Round]) -> Fresh {
        let times = |round: &Round| Some(round.fresh_games.turns_per_second() / round.given_actions[0].turns_per_second());
        let map_us = |with_tables: usize| {
            median(rounds.iter().map(|round| Some(1e6 / round.fresh_maps[with_tables].games_per_second()))).unwrap_or_default()
        };
        Fresh {
            games: Figures::of(rounds, |round| &round.fresh_games),
            times_given_maps: median(rounds.iter().map(times)).unwrap_or_default(),
            map_us: [map_us(0), map_us(1)],
        }
    }

    fn json(&self) -> Value {
        let mut fresh = self.games.json("games_per_second");
        fresh["times_given_maps"] = rounded(self.times_given_maps).into();
        let [map_us, map_with_tables_us] = self.map_us.map(rounded);
        fresh["map_us"] = map_us.into();
        fresh["map_with_tables_us"] = map_with_tables_us.into();
        fresh
    }
}

impl Report {
    fn figures(&self) -> AllFigures {
        let rounds = &self.rounds;
        AllFigures {
            baseline: median(rounds.iter().map(|round| round.baseline)),
            scalar: Figures::of(rounds, |round| &round.scalar),
            playouts: Figures::of(rounds, |round| &round.playouts[0]),
            given_actions: Figures::of(rounds, |round| &round.given_actions[0]),
            playouts_together: Together::of(rounds, |round| &round.playouts),
            given_actions_together: Together::of(rounds, |round| &round.given_actions),
            fresh: Fresh::of(rounds),
        }
    }

    pub(super) fn json(&self) -> Value {
        let figures = self.figures();
        let mut given_actions = figures.given_actions.json("games_per_second");
        given_actions["games"] = runners::GAMES.into();
        given_actions["maps"] = self.maps.into();
        json!({
            "baseline": figures.baseline.map(|speed| json!({ "turns_per_second": speed.round() })),
            "scalar": figures.scalar.json("playouts_per_second"),
            "batch": {
                "instruction_set": self.instruction_set.name(),
                "playouts": figures.playouts.json("games_per_second"),
                "given_actions": given_actions,
                "fresh_maps": figures.fresh.json(),
                "parallel": {
                    "threads": self.threads,
                    "playouts": figures.playouts_together.json(),
                    "given_actions": figures.given_actions_together.json(),
                },
                "signature": hexadecimal(self.signature),
            },
            "sandbox": self.starts.as_ref().and_then(|starts| {
                let (sandbox, sandboxed) = starts.sandbox.as_ref().zip(starts.sandboxed)?;
                let added = sandboxed.beyond(&starts.free);
                Some(json!({
                    "tier": sandbox.tier().name(),
                    "control_groups": sandbox.control_groups(),
                    "start_ms": milliseconds(starts.free.wall),
                    "sandboxed_start_ms": milliseconds(sandboxed.wall),
                    "added_ms": milliseconds(added.wall),
                    "added_cpu_ms": added.cpu.map(milliseconds),
                }))
            }),
            "bubblewrap": self.starts.as_ref().and_then(|starts| Some(starts.bubblewrap?.beyond(&starts.free))).map(|added| {
                json!({ "added_ms": milliseconds(added.wall), "added_cpu_ms": added.cpu.map(milliseconds) })
            }),
            "version_ms": self.starts.as_ref().and_then(|starts| Some(milliseconds(starts.version?.wall))),
            "checksum": hexadecimal(self.checksum),
        })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let AllFigures { baseline, scalar, playouts, given_actions, playouts_together, given_actions_together, fresh } =
            self.figures();
        let (set, threads) = (self.instruction_set, self.threads);
        let heading = ["random games", "threads", "turns/s", "games/s", "ratio", "× 1 thread", "cycles", "instructions"];
        print_row(out, heading.map(str::to_owned))?;
        if let Some(speed) = baseline {
            let row = ["baseline", "", &millions(speed), "", "1", "", "", ""];
            print_row(out, row.map(str::to_owned))?;
        }
        print_row(out, scalar.row("scalar", 1, None))?;
        for (name, one, all) in
            [("playouts", &playouts, &playouts_together), ("given actions", &given_actions, &given_actions_together)]
        {
            let name = format!("{name}, {set}");
            print_row(out, one.row(&name, 1, None))?;
            print_row(out, all.figures.row(&name, threads, Some(all.times_one_thread)))?;
        }
        print_row(out, fresh.games.row(&format!("fresh maps, {set}"), 1, None))?;
        let [lanes, tables] = fresh.map_us;
        writeln!(
            out,
            "fresh maps: {:.2} of the speed on given maps; a map takes {lanes:.2} µs, with all tables {tables:.2} µs",
            fresh.times_given_maps
        )?;
        writeln!(out, "medians of {ROUNDS} rounds; given actions: {} games on {} maps", runners::GAMES, self.maps)?;
        match &self.counters {
            Some(reason) => writeln!(out, "counters: not available here ({reason})")?,
            None => writeln!(out, "counters: cycles and instructions a turn, in user space")?,
        }
        match &self.starts {
            Some(starts) => print_starts(out, starts)?,
            None => writeln!(out, "sandbox: none")?,
        }
        writeln!(out, "signature of games in lanes: {}", hexadecimal(self.signature))?;
        writeln!(out, "checksum of {CHECKED_GAMES} games: {}", hexadecimal(self.checksum))
    }
}

fn print_starts(out: &mut impl Write, starts: &Starts) -> io::Result<()> {
    let cost = |cost: Cost| match cost.cpu {
        Some(cpu) => format!("{:.2} ms (CPU {:.2} ms)", milliseconds(cost.wall), milliseconds(cpu)),
        None => format!("{:.2} ms", milliseconds(cost.wall)),
    };
    writeln!(out, "start of a small program: {}; medians of {}", cost(starts.free), starts.count)?;
    match starts.sandbox.as_ref().zip(starts.sandboxed) {
        Some((sandbox, sandboxed)) => {
            writeln!(out, "sandbox: tier {} adds {}", sandbox.tier(), cost(sandboxed.beyond(&starts.free)))?;
        }
        None => writeln!(out, "sandbox: none")?,
    }
    match starts.bubblewrap {
        Some(bubblewrap) => writeln!(out, "bubblewrap adds {}", cost(bubblewrap.beyond(&starts.free)))?,
        None => writeln!(out, "bubblewrap: not available here")?,
    }
    starts.version.map_or(Ok(()), |version| writeln!(out, "pacman2 --version: {}", cost(version)))
}

fn print_row(out: &mut impl Write, [name, rest @ ..]: [String; 8]) -> io::Result<()> {
    let [threads, turns, games, ratio, times, cycles, instructions] = rest;
    let row = format!("{name:<24}{threads:>8}{turns:>11}{games:>12}{ratio:>8}{times:>12}{cycles:>8}{instructions:>14}");
    writeln!(out, "{}", row.trim_end())
}

fn millions(per_second: f64) -> String {
    format!("{:.2} M", per_second / 1e6)
}

/// Returns the median; `None` if a number is unknown, or there are none.
fn median(numbers: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

fn hexadecimal(number: u64) -> String {
    format!("{number:016x}")
}

/// Rounds to two decimals, which is more than the precision of these numbers.
fn rounded(number: f64) -> f64 {
    position::rounded(number, 2)
}

fn milliseconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e3)
}
