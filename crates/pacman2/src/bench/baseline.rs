//! A command that plays random games, to compare with.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pacman2_bot_source::executables::find_in_path;
use pacman2_console::error::bad_input;
use pacman2_console::text::sanitize;
use pacman2_maps::Map;
use pacman2_runner::{Exit, Limits, Outcome, Program, Question, RunResult};
use serde_json::json;

/// The time limit of one run. The help of `bench` says so, too.
const TIME: Duration = Duration::from_secs(60);

/// How many characters of unexpected output are quoted.
const MAX_CHARS: usize = 200;

/// A command that plays random games, and the map on which it does.
pub(super) struct Baseline {
    text: String,
    program: Program,
    input: String,
    /// The speed of a run whose result has not been asked for.
    kept: Option<f64>,
}

impl Baseline {
    pub(super) fn new(text: &str, map: &Map) -> anyhow::Result<Baseline> {
        Baseline::with_time(text, map, TIME)
    }

    fn with_time(text: &str, map: &Map, time: Duration) -> anyhow::Result<Baseline> {
        let words = shlex::split(text).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            bad_input(format!("--baseline \"{text}\": not a command line: it is empty or misses a quotation mark"))
        })?;
        let program = Path::new(&words[0]);
        let is_there =
            if program.components().count() > 1 { program.is_file() } else { find_in_path(program.as_ref()).is_some() };
        if !is_there {
            return Err(bad_input(format!("--baseline \"{text}\": no program \"{}\" found", words[0])));
        }
        let limits = Limits { wall: Some(time), output_bytes: Some(1024 * 1024), ..Limits::NONE };
        let mut program = Program::new(words.into_iter().map(OsString::from).collect(), limits);
        program.stdin_ends = true;
        let mut init = pacman2_botzone::init_data::write(map);
        init["id"] = 0.into();
        let input = json!({ "requests": [init], "responses": [] }).to_string();
        Ok(Baseline { text: text.to_owned(), program, input, kept: None })
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
        let run = self.program.ask(Question::once(&self.input), stop);
        let output = String::from_utf8_lossy(&run.output);
        let complaint = match &run.outcome {
            Outcome::Stopped => return Ok(None),
            Outcome::Answered => match turns_per_second(&output) {
                Some(speed) => return Ok(Some(speed)),
                None => "expected a line with \"N turns\" and \"T s\", or with \"X Mturn/s\"".to_owned(),
            },
            outcome => complaint(outcome, &run, self.program.limits.wall.unwrap_or(TIME)),
        };
        let errors = String::from_utf8_lossy(&run.stderr);
        let printed = [&output, &errors].into_iter().map(|text| text.trim()).find(|text| !text.is_empty());
        let printed = printed.map_or("nothing".to_owned(), |text| format!("\"{}\"", excerpt(text)));
        Err(bad_input(format!("--baseline \"{}\": {complaint}; it printed {printed}", self.text)))
    }
}

/// Describes what is wrong with a run that failed or was ended.
fn complaint(outcome: &Outcome, run: &RunResult, time: Duration) -> String {
    match (outcome, &run.exit) {
        (Outcome::NotStarted(error), _) => error.to_string(),
        (Outcome::TimeOut(_), _) => format!("it did not end within {} s; let it play fewer games", time.as_secs_f64()),
        (Outcome::OutputOut, _) => "it printed more than a megabyte".to_owned(),
        (_, Some(Exit::Code(code))) => format!("it ended with exit code {code}"),
        (_, Some(Exit::Signal(signal))) => format!("signal {signal} ended it"),
        (_, None) => "it was ended".to_owned(),
    }
}

/// Returns the beginning of the output on one line.
fn excerpt(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let line = sanitize(&lines.join(" / ").replace('\t', " "));
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

/// Returns the turns per second in the last line that has them.
fn turns_per_second(output: &str) -> Option<f64> {
    output.lines().rev().find_map(of_line)
}

/// Returns the turns per second of a line: given in millions, or computed from its turns and seconds.
fn of_line(line: &str) -> Option<f64> {
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

    #[test]
    fn the_excerpt_is_the_beginning_on_one_line() {
        assert_eq!(excerpt("one\n\n  two\u{1b}[31m\n"), "one / two\u{fffd}[31m");
        let long = excerpt(&"é".repeat(1000));
        assert_eq!(long, format!("{} …", "é".repeat(MAX_CHARS)));
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
