//! A command that plays random games, to compare with.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pacman2_console::error::bad_input;
use pacman2_maps::Map;
use pacman2_runner::Outcome;
use serde_json::json;

use crate::own_command::{OwnCommand, excerpt};

/// The time limit of one run. The help of `bench` says so, too.
const TIME: Duration = Duration::from_secs(60);

/// A command that plays random games, and the map on which it does.
pub(super) struct Baseline {
    command: OwnCommand,
    input: String,
    /// The speed of a run whose result has not been asked for.
    kept: Option<f64>,
}

impl Baseline {
    pub(super) fn new(text: &str, map: &Map) -> anyhow::Result<Baseline> {
        Baseline::with_time(text, map, TIME)
    }

    fn with_time(text: &str, map: &Map, time: Duration) -> anyhow::Result<Baseline> {
        let mut init = pacman2_botzone::init_data::write(map);
        init["id"] = 0.into();
        let input = json!({ "requests": [init], "responses": [] }).to_string();
        Ok(Baseline { command: OwnCommand::new("--baseline", text, time, 1)?, input, kept: None })
    }

    /// Runs it ahead of its first measurement, to know whether it works. Returns `false` if `stop` was set.
    pub(super) fn try_out(&mut self, stop: &AtomicBool) -> anyhow::Result<bool> {
        self.kept = self.turns_per_second(stop)?;
        Ok(self.kept.is_some())
    }

    /// Runs it to its end and returns the speed that it prints; `None` if `stop` was set.
    pub(super) fn turns_per_second(&mut self, stop: &AtomicBool) -> anyhow::Result<Option<f64>> {
        if let Some(speed) = self.kept.take() {
            return Ok(Some(speed));
        }
        let Some(run) = self.command.run(&self.input, stop) else { return Ok(None) };
        let output = String::from_utf8_lossy(&run.output);
        let complaint = match self.command.complaint(&run) {
            Some(complaint) if matches!(run.outcome, Outcome::TimeOut(_)) => format!("{complaint}; let it play fewer games"),
            Some(complaint) => complaint,
            None => match turns_per_second(&output) {
                Some(speed) => return Ok(Some(speed)),
                None => "expected a line with \"N turns\" and \"T s\", or with \"X Mturn/s\"".to_owned(),
            },
        };
        let errors = String::from_utf8_lossy(&run.stderr);
        let printed = if output.trim().is_empty() { &errors } else { &output };
        Err(bad_input(format!("{}: {complaint}; it printed {}", self.command.name, excerpt(printed))))
    }
}

/// Returns the turns per second in the last line that has them.
fn turns_per_second(output: &str) -> Option<f64> {
    output.lines().rev().find_map(from_line)
}

/// Returns the turns per second of a line: given in millions, or computed from its turns and seconds.
fn from_line(line: &str) -> Option<f64> {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_end_matches([',', ';', '.', ':'])).collect();
    let number_before = |unit: &str| {
        let numbers = words.windows(2).filter(|pair| pair[1] == unit).filter_map(|pair| pair[0].parse::<f64>().ok());
        numbers.into_iter().find(|number| number.is_finite() && *number > 0.0)
    };
    let millions = number_before("Mturn/s").map(|millions| millions * 1e6);
    let speed = millions.or_else(|| Some(number_before("turns")? / number_before("s")?));
    speed.filter(|speed| speed.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pacman2_maps::MapSize;
    use pacman2_rules::Ruleset;
    use std::time::Instant;

    #[test]
    fn the_line_of_the_reference_program() {
        let line = "60000 games 1502838 turns 0.302 s  4.974 Mturn/s 198601.8 playouts/s avg len 25.0\n";
        assert_eq!(turns_per_second(line), Some(4_974_000.0));
    }

    #[test]
    fn a_line_has_a_speed_or_turns_and_seconds() {
        for (output, speed) in [
            ("1000 turns 0.5 s", Some(2000.0)),
            ("0.5 s, 1000 turns.", Some(2000.0)),
            ("ready\n1000 turns, 0.5 s\nbye\n", Some(2000.0)),
            ("1 Mturn/s\n2.5 Mturn/s", Some(2_500_000.0)),
            ("", None),
            ("1000 turns", None),
            ("0.5 s", None),
            ("1000 turns\n0.5 s", None),
            ("0 turns 0.5 s", None),
            ("1000 turns 0 s", None),
            ("1000 turns 1e-320 s", None),
            ("-1 Mturn/s", None),
            ("NaN Mturn/s", None),
            ("inf Mturn/s", None),
            ("many turns 1 s", None),
        ] {
            assert_eq!(turns_per_second(output), speed, "{output}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let map = Map::generate(1, MapSize::default(), Ruleset::default()).unwrap();
        let mut baseline = Baseline::with_time("sleep 3600", &map, Duration::from_millis(200)).unwrap();
        let begin = Instant::now();
        let error = baseline.turns_per_second(&AtomicBool::new(false)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--baseline \"sleep 3600\": it did not end within 0.2 s; let it play fewer games; it printed nothing"
        );
        assert!(begin.elapsed() < Duration::from_secs(60));
        assert_eq!(baseline.turns_per_second(&AtomicBool::new(true)).unwrap(), None);
    }
}
