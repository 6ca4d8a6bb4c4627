//! What a bot answered to the questions of a recorded match, as text and as JSON.

use pacman2_console::stdout::stdout;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Add;
use std::time::Duration;

use pacman2_analysis::comparison::Comparison;
use pacman2_analysis::position::ScoreEstimate;
use pacman2_analysis::position::rounded;
use pacman2_botzone::JsonText;
use pacman2_botzone::action::{self, UNREADABLE};
use pacman2_botzone::response::Verdict;
use pacman2_console::json_output::labelled;
use pacman2_console::text::{counted, first_lines, fit_column, sanitize};
use pacman2_match::cause::Cause;
use pacman2_match::complaint::Complaint;
use pacman2_match::record::{diagnostics_of, limits_info};
use pacman2_match::rerun::{RerunMode, RerunTurn};
use pacman2_replay::{SeatInfo, TurnDiagnostics};
use pacman2_runner::Tier;
use serde_json::{Value, json};

use super::options::{MAX_TIME_OUTS, RerunOptions};

/// How many lines of a bot's standard error are printed for a turn.
const MAX_STDERR_LINES: usize = 3;

/// An answer, and what it is worth if it differs from the recorded action.
pub(super) struct Asked {
    pub(super) answer: RerunTurn,
    /// `None` if the answers are the same, or if the analysis was interrupted.
    pub(super) comparison: Option<Comparison>,
}

impl Asked {
    /// Returns the gain in points, if it is significant.
    fn significant_gain(&self) -> Option<f64> {
        self.comparison.filter(|comparison| comparison.is_significant())?.points()
    }
}

/// How many answers are as recorded, and what the others are worth.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) recorded: usize,
    pub(super) better: usize,
    pub(super) worse: usize,
    /// Worth about as much as the recorded actions.
    pub(super) equal: usize,
    /// Not analysed.
    pub(super) unknown: usize,
    pub(super) faults: usize,
}

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            recorded: self.recorded + other.recorded,
            better: self.better + other.better,
            worse: self.worse + other.worse,
            equal: self.equal + other.equal,
            unknown: self.unknown + other.unknown,
            faults: self.faults + other.faults,
        }
    }
}

/// The result of a rerun.
pub(crate) struct Report<'a> {
    pub(super) options: &'a RerunOptions,
    pub(super) info: SeatInfo,
    pub(super) tier: Option<Tier>,
    pub(super) asked: Vec<Asked>,
}

impl Report<'_> {
    /// Prints the text, or this JSON if the user wants JSON.
    pub(super) fn print(&self, json: &Value) -> io::Result<()> {
        let text = if self.options.json { format!("{}\n", labelled("rerun", json.clone())) } else { self.text() };
        stdout().write_all(text.as_bytes())
    }

    /// Returns the result as JSON, which is also what a replay keeps of it.
    pub(crate) fn json(&self) -> Value {
        let RerunOptions { seat, mode, limits, simulations, replay, .. } = self.options;
        let mut turns = vec![Value::Null; replay.public.turns.len()];
        for asked in self.recorded() {
            turns[asked.answer.turn - 1] = turn_json(asked);
        }
        json!({
            "bot": self.info.name,
            "program": self.info.program,
            "time_factor": self.info.time_factor,
            "sandbox": self.tier,
            "limits": limits_info(*limits),
            "restarted": *mode == RerunMode::Afresh,
            "seat": seat.index(),
            "seed": replay.public.map.seed,
            "simulations": simulations,
            "questions": self.options.questions(),
            "asked": self.asked.len(),
            "different": self.different().count(),
            "turns": turns,
            "next": self.next().map(turn_json),
        })
    }

    /// The questions with the recorded actions.
    fn recorded(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(|asked| asked.answer.recorded.is_some())
    }

    /// The question after the last turn.
    fn next(&self) -> Option<&Asked> {
        self.asked.last().filter(|asked| asked.answer.recorded.is_none())
    }

    fn different(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(|asked| asked.answer.differs())
    }

    fn text(&self) -> String {
        let RerunOptions { seat, name, replay, .. } = self.options;
        let recorded = sanitize(&replay.public.seats[seat.index()].name);
        let bot = sanitize(&self.info.name);
        let mut text = format!("{bot} on seat {seat} of {}, where {recorded} played\n", sanitize(name));
        let faults = self.asked.iter().filter(|asked| asked.answer.verdict.is_fault()).count();
        if faults + self.different().count() > 0 || self.next().is_some() {
            let _ = writeln!(
                text,
                "\n{:>4}  {:<14}  {:<20}  {:>13}  {:>8}  {:>7}",
                "turn", "recorded", "answer", "points", "time", "memory"
            );
        }
        let is_shown =
            |asked: &&Asked| asked.answer.differs() || asked.answer.verdict.is_fault() || asked.answer.recorded.is_none();
        for asked in self.asked.iter().filter(is_shown) {
            text.push_str(&row(asked));
        }
        text.push('\n');
        text.push_str(&self.summary());
        text
    }

    /// Counts the answers.
    pub(super) fn counts(&self) -> Counts {
        let gains: Vec<f64> = self.different().filter_map(Asked::significant_gain).collect();
        let [different, unknown] =
            [self.different().count(), self.different().filter(|asked| asked.comparison.is_none()).count()];
        Counts {
            recorded: self.recorded().count() - different,
            better: gains.iter().filter(|&&gain| gain > 0.0).count(),
            worse: gains.iter().filter(|&&gain| gain < 0.0).count(),
            equal: different - gains.len() - unknown,
            unknown,
            faults: self.asked.iter().filter(|asked| asked.answer.verdict.is_fault()).count(),
        }
    }

    /// Returns the answers in words, and the highest costs.
    fn summary(&self) -> String {
        let questions = self.options.questions();
        let (asked, different) = (self.asked.len(), self.different().count());
        let mut text = format!(
            "{asked} of {} asked: {} as recorded, {different} otherwise",
            counted(questions, "question"),
            self.recorded().count() - different
        );
        if self.next().is_some() {
            text.push_str(", 1 not recorded");
        }
        let Counts { better, worse, equal, unknown, .. } = self.counts();
        let parts = [(better, "better"), (worse, "worse"), (equal, "about equal"), (unknown, "not analysed")];
        let parts: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if !parts.is_empty() {
            let _ = write!(text, " ({})", parts.join(", "));
        }
        let slowest = self.asked.iter().map(|asked| time(&asked.answer)).max();
        let largest = self.asked.iter().filter_map(|asked| asked.answer.response.usage.memory_bytes).max();
        let _ = write!(text, "\nslowest answer {} ms", slowest.unwrap_or_default().as_millis());
        if let Some(bytes) = largest {
            let _ = write!(text, ", most memory {} MB", megabytes(bytes));
        }
        text.push('\n');
        let time_outs = self.asked.iter().rev().take_while(|asked| asked.answer.response.verdict() == Verdict::Tle);
        if asked < questions && time_outs.count() >= MAX_TIME_OUTS {
            let _ = writeln!(
                text,
                "It was too slow {MAX_TIME_OUTS} times in a row, so it was not asked the other {}.",
                questions - asked
            );
        } else if asked < questions || unknown > 0 {
            text.push_str("Interrupted.\n");
        }
        text
    }
}

fn row(asked: &Asked) -> String {
    let Asked { answer, comparison } = asked;
    let points = comparison.and_then(|comparison| Some(format!("{} ± {:.1}", signed(comparison.points()?), comparison.error()?)));
    let points = match points {
        _ if !answer.differs() => String::new(),
        points => points.unwrap_or("?".to_owned()),
    };
    let memory = answer.response.usage.memory_bytes.map_or(String::new(), |bytes| format!("{} MB", megabytes(bytes)));
    let mut text = format!(
        "{:>4}  {:<14}  {}  {points:>13}  {:>8}  {memory:>7}",
        answer.turn,
        match answer.recorded {
            None => "not recorded".to_owned(),
            Some(UNREADABLE) => "none".to_owned(),
            Some(number) => action::name(number),
        },
        fit_column(&said(answer), 20),
        format!("{} ms", time(answer).as_millis()),
    );
    text.truncate(text.trim_end().len());
    text.push('\n');
    let warning = answer.response.warning.as_ref().map(Cause::to_string);
    if let Some(said) = answer.response.complaint.as_ref().map(Complaint::to_string).or(warning) {
        let _ = writeln!(text, "      {}", sanitize(&said));
    }
    for line in first_lines(&answer.response.stderr).take(MAX_STDERR_LINES) {
        let _ = writeln!(text, "      stderr: {line}");
    }
    text
}

fn turn_json(asked: &Asked) -> Value {
    let Asked { answer, comparison } = asked;
    // What only the bot itself reads is left out.
    let diagnostics = TurnDiagnostics { response: None, data: JsonText::default(), ..diagnostics_of(answer.response.clone()) };
    let mut object = json!(diagnostics);
    object["recorded"] = answer.recorded.into();
    object["action"] = answer.action().into();
    object["verdict"] = answer.verdict.name().into();
    if answer.differs() {
        let points = |estimate: Option<ScoreEstimate>| estimate.map(|estimate| rounded(estimate.points, 2));
        object["worth"] = json!(comparison.map(|comparison| json!({
            "recorded": points(comparison.played),
            "answered": points(comparison.other),
            "points": comparison.points(),
            "error": comparison.error(),
            "significant": comparison.is_significant(),
        })));
    }
    object
}

/// The time that counts: the longer of the two clocks.
fn time(answer: &RerunTurn) -> Duration {
    let usage = &answer.response.usage;
    usage.wall.max(usage.cpu.unwrap_or_default())
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1024 * 1024)
}

fn signed(points: f64) -> String {
    format!("{points:+.1}").replace('-', "−")
}

fn said(answer: &RerunTurn) -> String {
    match answer.action() {
        UNREADABLE => answer.response.verdict().name().to_owned(),
        number if !answer.verdict.is_fault() => action::name(number),
        number => format!("{}, illegal", action::name(number)),
    }
}
