//! The result of a check, as text and as JSON.

use pacman2_console::stdout::stdout;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use pacman2_botzone::action;
use pacman2_botzone::words::{Explanation, Locale};
use pacman2_console::json_output::labelled;
use pacman2_console::language::{in_chinese, locale};
use pacman2_console::text::{first_lines, label, label_right, sanitize};
use pacman2_match::cause::Cause;
use pacman2_match::complaint::Complaint;
use pacman2_match::player::{ResourceUsage, Response};
use pacman2_runner::{Limits, Tier};
use serde_json::{Value, json};

use super::attempt::{Attempt, GAME};

/// The share of a limit above which there is a note, in percent.
const CLOSE: u64 = 80;

/// The result of a check.
pub struct Report {
    pub(super) bot: String,
    pub(super) limits: Limits,
    pub(super) tier: Tier,
    pub(super) keeps_running: bool,
    pub(super) attempts: Vec<Attempt>,
    pub(super) notes: Vec<String>,
}

/// Faults of one kind.
struct Finding<'a> {
    kind: (String, Option<String>),
    fault: Explanation,
    first: &'a Attempt,
    times: usize,
}

impl Report {
    /// Returns whether there are no faults.
    pub fn is_fine(&self) -> bool {
        self.attempts.iter().all(|attempt| attempt.response.complaint.is_none())
    }

    /// Prints the report, for people or as JSON.
    ///
    /// # Errors
    ///
    /// If standard output cannot be written.
    pub fn print(&self, json: bool) -> io::Result<()> {
        let text = if json { format!("{}\n", self.for_machines()) } else { self.for_people() };
        stdout().write_all(text.as_bytes())
    }

    /// Returns the number of questions, and the highest time and memory among the answers.
    pub fn highest_costs(&self) -> (usize, Duration, Option<u64>) {
        let usages = || self.attempts.iter().map(|attempt| &attempt.response.usage);
        let memory = usages().filter_map(|usage| usage.memory_bytes).max();
        (self.attempts.len(), usages().map(time).max().unwrap_or_default(), memory)
    }

    fn findings(&self, locale: Locale) -> Vec<Finding<'_>> {
        let mut findings: Vec<Finding> = Vec::new();
        for attempt in &self.attempts {
            let Some(complaint) = &attempt.response.complaint else { continue };
            let kind = complaint.kind();
            match findings.iter_mut().find(|finding| finding.kind == kind) {
                Some(finding) => finding.times += 1,
                None => {
                    findings.push(Finding { kind, fault: complaint.explanation(locale), first: attempt, times: 1 });
                }
            }
        }
        findings
    }

    /// Returns all notes, including those on time and memory.
    fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        let warnings: BTreeSet<_> =
            self.attempts.iter().filter_map(|attempt| attempt.response.warning.as_ref()).map(Cause::to_string).collect();
        notes.extend(warnings.iter().map(|warning| sentence(warning, Locale::English)));
        let fine = || self.attempts.iter().filter(|attempt| attempt.response.complaint.is_none());
        let slowest = fine().max_by_key(|attempt| time(&attempt.response.usage));
        if let Some((attempt, share)) = slowest.and_then(|attempt| Some((attempt, self.time_share(&attempt.response.usage)?)))
            && share >= CLOSE
        {
            let ms = time(&attempt.response.usage).as_millis();
            notes.push(format!("Its slowest answer took {ms} ms, {share} % of its time ({}).", where_of(attempt)));
        }
        let largest = fine().max_by_key(|attempt| attempt.response.usage.memory_bytes);
        if let Some((attempt, share)) = largest.and_then(|attempt| Some((attempt, self.memory_share(&attempt.response.usage)?)))
            && share >= CLOSE
        {
            notes.push(format!("It used {share} % of its memory ({}).", where_of(attempt)));
        }
        notes
    }

    fn time_share(&self, cost: &ResourceUsage) -> Option<u64> {
        let limit = self.limits.wall?.as_micros() as u64;
        Some(time(cost).as_micros() as u64 * 100 / limit.max(1))
    }

    fn memory_share(&self, cost: &ResourceUsage) -> Option<u64> {
        Some(cost.memory_bytes? * 100 / self.limits.memory_bytes?.max(1))
    }

    /// Returns the result as JSON.
    pub fn for_machines(&self) -> Value {
        let findings = self.findings(Locale::English);
        let fault = |finding: &Finding| {
            let Finding { kind: (code, _), fault, first, times } = finding;
            json!({
                "code": code,
                "what": fault.what,
                "line": fault.line,
                "hint": fault.advice.as_deref().map(|advice| sentence(advice, Locale::English)),
                "where": where_of(first),
                "times": times,
                "verdict": first.response.verdict().name(),
                "output": first.response.output,
                "stderr": first.response.stderr,
            })
        };
        let attempt = |attempt: &Attempt| {
            json!({
                "position": attempt.place,
                "map": attempt.map,
                "mode": attempt.mode.name(),
                "seat": attempt.seat.index(),
                "turn": attempt.turn,
                "verdict": attempt.response.verdict().name(),
                "action": attempt.response.parsed.number(),
                "complaint": attempt.response.complaint.as_ref().map(ToString::to_string),
                "wall_ms": attempt.response.usage.wall.as_millis() as u64,
                "cpu_ms": attempt.response.usage.cpu.map(|cpu| cpu.as_millis() as u64),
                "time_percent": self.time_share(&attempt.response.usage),
                "memory_bytes": attempt.response.usage.memory_bytes,
                "memory_percent": self.memory_share(&attempt.response.usage),
            })
        };
        let report = json!({
            "bot": self.bot,
            "fine": self.is_fine(),
            "keeps_running": self.keeps_running,
            "sandbox": self.tier,
            "time_limit_ms": self.limits.wall.map(|wall| wall.as_millis() as u64),
            "memory_limit_bytes": self.limits.memory_bytes,
            "faults": findings.iter().map(fault).collect::<Vec<_>>(),
            "notes": self.all_notes(),
            "tried": self.attempts.iter().map(attempt).collect::<Vec<_>>(),
        });
        labelled("check", report)
    }

    /// Returns the faults as JSON for a page: in both languages, and with the place in the bot's files where that is known.
    pub fn faults(&self) -> Vec<Value> {
        let fault = |(english, chinese): (Finding<'_>, Finding<'_>)| {
            let Finding { fault, first, times, .. } = english;
            let hint = fault.advice.zip(chinese.fault.advice);
            let cause = first.response.complaint.as_ref().and_then(Complaint::cause);
            let place = cause.and_then(|cause| cause.problem().params.get("place")?.get("params"));
            let place_of_question = where_of(first);
            json!({
                "what": { "en": fault.what, "zh": chinese.fault.what },
                "hint": hint.map(|(en, zh)| json!({ "en": sentence(&en, Locale::English), "zh": sentence(&zh, Locale::Chinese) })),
                "where": { "en": place_of_question, "zh": in_chinese(&place_of_question) },
                "line": fault.line,
                "times": times,
                "stderr": first.response.stderr,
                "place": place.map(|place| json!({ "file": place["file"], "line": place["number"] })),
            })
        };
        self.findings(Locale::English).into_iter().zip(self.findings(Locale::Chinese)).map(fault).collect()
    }

    /// Returns the result as text.
    pub fn for_people(&self) -> String {
        let [place, map, mode, answered] =
            [("position", 25), ("map", 5), ("mode", 12), ("answer", 11)].map(|(name, width)| label(name, width));
        let [turn, time, memory] = [("turn", 5), ("time", 7), ("memory", 6)].map(|(name, width)| label_right(name, width));
        let mut text = format!("{place}  {map} {turn}  {mode}  {answered} {time} {memory}\n");
        for attempt in self.attempts.iter().filter(|attempt| attempt.place != GAME) {
            text += &self.line(attempt.place, &attempt.turn.to_string(), attempt, &answer(&attempt.response));
        }
        text += &self.game();
        let findings = self.findings(locale());
        for Finding { fault, first, times, .. } in &findings {
            let others = if *times > 1 { format!(" and {} more like it", times - 1) } else { String::new() };
            let _ = writeln!(text, "\nWRONG: {} ({}{others})", sanitize(&fault.what), where_of(first));
            let advice = fault.advice.as_deref().map(|advice| sentence(advice, locale()));
            for line in fault.line.iter().cloned().chain(advice) {
                let _ = writeln!(text, "  {}", sanitize(&line));
            }
            for (stream, output) in [("output", &first.response.output), ("stderr", &first.response.stderr)] {
                for line in first_lines(output) {
                    let _ = writeln!(text, "  {stream}: {line}");
                }
            }
        }
        for note in self.all_notes() {
            let _ = write!(text, "\nNote: {}\n", sanitize(&note));
        }
        let running = if self.keeps_running { "It asks to keep running." } else { "It does not ask to keep running." };
        let verdict = if findings.is_empty() { "no faults found" } else { "faults found" };
        let _ = write!(text, "\n{}: {verdict}. {running}\n", sanitize(&self.bot));
        text
    }

    /// Returns one line for all turns of the game, with the highest costs.
    fn game(&self) -> String {
        let turns: Vec<&Attempt> = self.attempts.iter().filter(|attempt| attempt.place == GAME).collect();
        let Some(last) = turns.last() else { return String::new() };
        let slowest = turns.iter().max_by_key(|attempt| time(&attempt.response.usage)).unwrap_or(last);
        let good = turns.iter().filter(|attempt| attempt.response.complaint.is_none()).count();
        let count = format!("{good} of {}", turns.len());
        let summary = Attempt {
            place: GAME,
            map: last.map.clone(),
            mode: last.mode,
            seat: last.seat,
            turn: last.turn,
            response: slowest.response.clone(),
        };
        self.line(GAME, &format!("1-{}", last.turn), &summary, &count)
    }

    fn line(&self, place: &str, turn: &str, attempt: &Attempt, answer: &str) -> String {
        let cost = &attempt.response.usage;
        let time = format!("{} ms", time(cost).as_millis());
        let memory = cost.memory_bytes.map_or("?".to_owned(), |bytes| format!("{} MB", bytes.div_ceil(1024 * 1024)));
        let (place, mode, answer) = (label(place, 25), label(attempt.mode.name(), 12), label(answer, 11));
        format!("{place}  {:<5} {turn:>5}  {mode}  {answer} {time:>7} {memory:>6}\n", attempt.map)
    }
}

/// Returns a clause in this language as a sentence.
fn sentence(clause: &str, locale: Locale) -> String {
    if locale == Locale::Chinese {
        return format!("{clause}。");
    }
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Returns the time that counts: the longer of the two clocks.
fn time(cost: &ResourceUsage) -> Duration {
    cost.wall.max(cost.cpu.unwrap_or_default())
}

fn where_of(attempt: &Attempt) -> String {
    match attempt.place {
        GAME => format!("turn {} of a game, {}", attempt.turn, attempt.mode.name()),
        place => format!("{place}, {}", attempt.mode.name()),
    }
}

fn answer(response: &Response) -> String {
    match response.parsed.number() {
        None => response.verdict().name().to_owned(),
        Some(_) if response.complaint.is_some() => "illegal".to_owned(),
        Some(number) => action::name(number),
    }
}

#[cfg(test)]
mod tests {
    use pacman2_botzone::response::{ParsedResponse, Verdict};
    use pacman2_rules::Seat;

    use super::super::attempt::Mode;
    use super::*;

    fn attempt(wall_ms: u64, cpu_ms: u64, memory_bytes: u64) -> Attempt {
        let cost = ResourceUsage {
            wall: Duration::from_millis(wall_ms),
            cpu: Some(Duration::from_millis(cpu_ms)),
            memory_bytes: Some(memory_bytes),
            ..ResourceUsage::default()
        };
        let response = Response::new(ParsedResponse::Action { number: -1, taunt: None }, cost);
        Attempt { place: "here", map: "6x6".to_owned(), mode: Mode::Afresh, seat: Seat::ALL[0], turn: 1, response }
    }

    fn report(attempts: Vec<Attempt>) -> Report {
        let limits = Limits::default();
        Report { bot: "bot".to_owned(), limits, tier: Tier::A, keeps_running: false, attempts, notes: Vec::new() }
    }

    #[test]
    fn costs_close_to_a_limit_are_noted() {
        assert_eq!(report(vec![attempt(799, 10, 200_000_000)]).all_notes(), [""; 0]);
        let notes = report(vec![attempt(10, 10, 1), attempt(30, 850, 230_000_000)]).all_notes();
        assert_eq!(
            notes,
            [
                "Its slowest answer took 850 ms, 85 % of its time (here, restarted).",
                "It used 85 % of its memory (here, restarted)."
            ]
        );
    }

    #[test]
    fn faults_of_one_kind_are_reported_once() {
        let faulty = |code: i32| {
            let mut faulty = attempt(1, 1, 1);
            faulty.response.parsed = ParsedResponse::Nothing(Verdict::Re);
            faulty.response.complaint = Some(Complaint::ExitCode { exit_code: code });
            faulty
        };
        let report = report(vec![attempt(1, 1, 1), faulty(1), faulty(2)]);
        let findings = report.findings(Locale::English);
        assert_eq!((findings.len(), findings[0].times, findings[0].fault.what.as_str()), (1, 2, "it exited with code 1"));
        assert!(!report.is_fine());
    }
}
