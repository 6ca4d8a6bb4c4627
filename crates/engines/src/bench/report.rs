//! The result of a measurement, as a table and as JSON.

use std::io::{self, Write};
use std::time::Duration;

use pacman2_batch::InstructionSet;
use pacman2_console::text::{label, label_right};
use serde_json::{Value, json};

use super::starts::{Cost, Starts};
use super::{CHECKED_GAMES, ROUNDS, Round, work};

pub(super) struct Report {
    pub(super) rounds: Vec<Round>,
    pub(super) instruction_set: InstructionSet,
    /// The number of maps of the games side by side.
    pub(super) maps: usize,
    pub(super) signature: u64,
    pub(super) checksum: u64,
    pub(super) starts: Option<Starts>,
}

/// How often something can be done in a second. Medians over rounds.
struct Speed {
    per_second: f64,
    /// Relative to the baseline.
    ratio: Option<f64>,
}

impl Report {
    fn speed(&self, of: impl Fn(&Round) -> f64) -> Speed {
        Speed {
            per_second: median(self.rounds.iter().map(|round| Some(of(round)))).unwrap_or_default(),
            ratio: median(self.rounds.iter().map(|round| Some(of(round) / round.baseline?))),
        }
    }

    fn baseline(&self) -> Option<f64> {
        median(self.rounds.iter().map(|round| round.baseline))
    }

    pub(super) fn json(&self) -> Value {
        let turns = |speed: Speed| json!({ "turns_per_second": speed.per_second.round(), "ratio": speed.ratio.map(rounded) });
        let mut given_actions = turns(self.speed(|round| round.given_actions));
        given_actions["games"] = work::GAMES.into();
        given_actions["maps"] = self.maps.into();
        json!({
            "baseline": self.baseline().map(|speed| json!({ "turns_per_second": speed.round() })),
            "scalar": turns(self.speed(|round| round.one_by_one)),
            "batch": {
                "instruction_set": self.instruction_set.name(),
                "given_actions": given_actions,
                "random_actions": turns(self.speed(|round| round.random_actions)),
                "signature": hexadecimal(self.signature),
            },
            "sage": { "simulations_per_second": self.speed(|round| round.simulations).per_second.round() },
            "map_ms": (1e9 / self.speed(|round| round.maps).per_second).round() / 1e6,
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
            "version_ms": self.starts.as_ref().and_then(|starts| Some(milliseconds(starts.version?.wall))),
            "checksum": hexadecimal(self.checksum),
        })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let set = self.instruction_set;
        print_row(out, "measured", "takes", "CPU", "ratio")?;
        if let Some(speed) = self.baseline() {
            print_row(out, "baseline: a turn", &time(1.0 / speed), "", "1.0")?;
        }
        for (name, speed) in [
            (format!("a turn, actions given, {set}"), self.speed(|round| round.given_actions)),
            (format!("a turn, actions drawn, {set}"), self.speed(|round| round.random_actions)),
            ("a turn, one game after another".to_owned(), self.speed(|round| round.one_by_one)),
            ("a simulation of sage".to_owned(), Speed { ratio: None, ..self.speed(|round| round.simulations) }),
            ("a map".to_owned(), Speed { ratio: None, ..self.speed(|round| round.maps) }),
        ] {
            let ratio = speed.ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"));
            print_row(out, &name, &time(1.0 / speed.per_second), "", &ratio)?;
        }
        if let Some(starts) = &self.starts {
            print_starts(out, starts)?;
        }
        writeln!(out, "medians of {ROUNDS} rounds; {} games side by side on {} maps, on one thread", work::GAMES, self.maps)?;
        writeln!(out, "signature of games in lanes: {}", hexadecimal(self.signature))?;
        writeln!(out, "checksum of {CHECKED_GAMES} games: {}", hexadecimal(self.checksum))
    }
}

fn print_starts(out: &mut impl Write, starts: &Starts) -> io::Result<()> {
    let mut print_cost = |name: &str, cost: Cost| {
        let seconds = |duration: Duration| time(duration.as_secs_f64());
        print_row(out, name, &seconds(cost.wall), &cost.cpu.map_or(String::new(), seconds), "")
    };
    print_cost("the start of a program", starts.free)?;
    if let Some((sandbox, sandboxed)) = starts.sandbox.as_ref().zip(starts.sandboxed) {
        print_cost(&format!("added by the sandbox, tier {}", sandbox.tier()), sandboxed.beyond(&starts.free))?;
    }
    starts.version.map_or(Ok(()), |version| print_cost("pacman2 --version", version))
}

fn print_row(out: &mut impl Write, name: &str, takes: &str, cpu: &str, ratio: &str) -> io::Result<()> {
    let row = format!("{}{}{}{}", label(name, 34), label_right(takes, 12), label_right(cpu, 12), label_right(ratio, 8));
    writeln!(out, "{}", row.trim_end())
}

/// Returns a time with a unit that fits.
fn time(seconds: f64) -> String {
    match seconds {
        ..1e-6 => format!("{:.1} ns", seconds * 1e9),
        ..1e-3 => format!("{:.2} µs", seconds * 1e6),
        _ => format!("{:.2} ms", seconds * 1e3),
    }
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
    (number * 100.0).round() / 100.0
}

fn milliseconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_that_fits() {
        assert_eq!([1.66e-8, 2.5e-6, 0.0012, 0.0].map(time), ["16.6 ns", "2.50 µs", "1.20 ms", "0.0 ns"]);
    }
}
