//! The result of a check, as text and as JSON.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use pacman2_match::player::{ResourceUsage, Response};
use pacman2_runner::{Limits, Tier};
use serde_json::{Value, json};

use super::attempt::{Attempt, GAME, action_name, number};
use super::diagnosis::{self, Fault};
use crate::text::{excerpt, fit_exactly, harmless};

/// The share of a limit above which there is a note, in percent.
const CLOSE: u64 = 80;
/// How many lines of a faulty answer's output are shown, and how many characters of a line.
const MAX_LINES: usize = 10;
const MAX_CHARS: usize = 200;

/// The result of a check.
pub(super) struct Report<'a> {
    pub(super) bot: &'a str,
    pub(super) limits: Limits,
    pub(super) tier: Tier,
    pub(super) keeps_running: bool,
    pub(super) attempts: Vec<Attempt>,
    pub(super) notes: Vec<String>,
}

/// Faults of one kind.
struct Finding<'a> {
    fault: Fault,
    first: &'a Attempt,
    times: usize,
}

impl Report<'_> {
    /// Whether there are no faults.
    pub(super) fn is_fine(&self) -> bool {
        self.attempts.iter().all(|attempt| attempt.said.complaint.is_none())
    }

    pub(super) fn print(&self, json: bool) -> io::Result<()> {
        let text = if json { format!("{}\n", self.for_machines()) } else { self.for_people() };
        io::stdout().write_all(text.as_bytes())
    }

    fn findings(&self) -> Vec<Finding<'_>> {
        let mut findings: Vec<Finding> = Vec::new();
        for attempt in &self.attempts {
            let Some(fault) = diagnosis::of(&attempt.said, attempt.mode) else { continue };
            match findings.iter_mut().find(|finding| finding.fault.hint == fault.hint) {
                Some(finding) => finding.times += 1,
                None => findings.push(Finding { fault, first: attempt, times: 1 }),
            }
        }
        findings
    }

    /// Returns all notes, including those on time and memory.
    fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        let fine = || self.attempts.iter().filter(|attempt| attempt.said.complaint.is_none());
        let slowest = fine().max_by_key(|attempt| time(&attempt.said.cost));
        if let Some((attempt, share)) = slowest.and_then(|attempt| Some((attempt, self.time_share(&attempt.said.cost)?)))
            && share >= CLOSE
        {
            let ms = time(&attempt.said.cost).as_millis();
            notes.push(format!("Its slowest answer took {ms} ms, {share} % of its time ({}).", where_of(attempt)));
        }
        let largest = fine().max_by_key(|attempt| attempt.said.cost.memory_bytes);
        if let Some((attempt, share)) = largest.and_then(|attempt| Some((attempt, self.memory_share(&attempt.said.cost)?)))
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

    fn for_machines(&self) -> Value {
        let findings = self.findings();
        let fault = |finding: &Finding| {
            let Finding { fault, first, times } = finding;
            json!({
                "what": fault.what,
                "hint": fault.hint,
                "where": where_of(first),
                "times": times,
                "verdict": first.said.verdict.name(),
                "output": first.said.output,
                "stderr": first.said.stderr,
            })
        };
        let attempt = |attempt: &Attempt| {
            json!({
                "position": attempt.place,
                "map": attempt.map,
                "mode": attempt.mode.name(),
                "seat": attempt.seat.index(),
                "turn": attempt.turn,
                "verdict": attempt.said.verdict.name(),
                "action": number(&attempt.said),
                "complaint": attempt.said.complaint,
                "wall_ms": attempt.said.cost.wall.as_millis() as u64,
                "cpu_ms": attempt.said.cost.cpu.map(|cpu| cpu.as_millis() as u64),
                "time_percent": self.time_share(&attempt.said.cost),
                "memory_bytes": attempt.said.cost.memory_bytes,
                "memory_percent": self.memory_share(&attempt.said.cost),
            })
        };
        json!({
            "bot": self.bot,
            "fine": self.is_fine(),
            "keeps_running": self.keeps_running,
            "sandbox": self.tier,
            "time_limit_ms": self.limits.wall.map(|wall| wall.as_millis() as u64),
            "memory_limit_bytes": self.limits.memory_bytes,
            "faults": findings.iter().map(fault).collect::<Vec<_>>(),
            "notes": self.all_notes(),
            "tried": self.attempts.iter().map(attempt).collect::<Vec<_>>(),
        })
    }

    fn for_people(&self) -> String {
        let mut text = format!(
            "{:<28}  {:<5}  {:>4}  {:<12}  {:<14}  {:>12}  {:>12}\n",
            "position", "map", "turn", "mode", "answer", "time", "memory"
        );
        for attempt in self.attempts.iter().filter(|attempt| attempt.place != GAME) {
            text += &self.line(attempt.place, &attempt.turn.to_string(), attempt, &answer(&attempt.said));
        }
        text += &self.game();
        let findings = self.findings();
        for Finding { fault, first, times } in &findings {
            let others = if *times > 1 { format!(" and {} more like it", times - 1) } else { String::new() };
            let _ = write!(text, "\nWRONG: {} ({}{others})\n  {}\n", harmless(&fault.what), where_of(first), fault.hint);
            for (what, said) in [("output", &first.said.output), ("stderr", &first.said.stderr)] {
                for line in said.lines().take(MAX_LINES) {
                    let _ = writeln!(text, "  {what}: {}", harmless(&excerpt(line, MAX_CHARS)));
                }
            }
        }
        for note in self.all_notes() {
            let _ = write!(text, "\nNote: {}\n", harmless(&note));
        }
        let running = if self.keeps_running { "It asks to keep running." } else { "It does not ask to keep running." };
        let verdict = if findings.is_empty() { "no faults found" } else { "faults found" };
        let _ = write!(text, "\n{}: {verdict}. {running}\n", harmless(self.bot));
        text
    }

    /// Returns one line for all turns of the game, with the highest costs.
    fn game(&self) -> String {
        let turns: Vec<&Attempt> = self.attempts.iter().filter(|attempt| attempt.place == GAME).collect();
        let Some(last) = turns.last() else { return String::new() };
        let slowest = turns.iter().max_by_key(|attempt| time(&attempt.said.cost)).unwrap_or(last);
        let good = turns.iter().filter(|attempt| attempt.said.complaint.is_none()).count();
        let count = format!("{good} of {}", turns.len());
        let summary = Attempt {
            place: GAME,
            map: last.map.clone(),
            mode: last.mode,
            seat: last.seat,
            turn: last.turn,
            said: slowest.said.clone(),
        };
        self.line(GAME, &format!("1-{}", last.turn), &summary, &count)
    }

    fn line(&self, place: &str, turn: &str, attempt: &Attempt, answer: &str) -> String {
        let cost = &attempt.said.cost;
        let share = |share: Option<u64>| share.map_or_else(String::new, |share| format!("{share:>4} %"));
        let time = format!("{} ms{}", time(cost).as_millis(), share(self.time_share(cost)));
        let memory = cost
            .memory_bytes
            .map_or("?".to_owned(), |bytes| format!("{} MB{}", bytes.div_ceil(1024 * 1024), share(self.memory_share(cost))));
        let mode = attempt.mode.name();
        format!(
            "{}  {:<5}  {turn:>4}  {mode:<12}  {}  {time:>12}  {memory:>12}\n",
            fit_exactly(place, 28),
            attempt.map,
            fit_exactly(answer, 14)
        )
    }
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

fn answer(said: &Response) -> String {
    match number(said) {
        None => said.verdict.name().to_owned(),
        Some(number) if said.complaint.is_some() => format!("{}, illegal", action_name(number)),
        Some(number) => action_name(number),
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
        let said = Response {
            heard: ParsedResponse::Action { number: -1, taunt: None },
            verdict: Verdict::Ok,
            complaint: None,
            response: None,
            data: String::new(),
            debug: None,
            stderr: String::new(),
            output: String::new(),
            cost,
        };
        Attempt { place: "here", map: "6x6".to_owned(), mode: Mode::Afresh, seat: Seat::ALL[0], turn: 1, said }
    }

    fn report(attempts: Vec<Attempt>) -> Report<'static> {
        let limits = Limits::default();
        Report { bot: "bot", limits, tier: Tier::A, keeps_running: false, attempts, notes: Vec::new() }
    }

    #[test]
    fn costs_close_to_a_limit_are_noted() {
        assert_eq!(report(vec![attempt(799, 10, 200_000_000)]).all_notes(), [""; 0]);
        let notes = report(vec![attempt(10, 10, 1), attempt(30, 850, 230_000_000)]).all_notes();
        assert_eq!(
            notes,
            ["Its slowest answer took 850 ms, 85 % of its time (here, afresh).", "It used 85 % of its memory (here, afresh)."]
        );
    }

    #[test]
    fn faults_of_one_kind_are_reported_once() {
        let faulty = |complaint: &str| {
            let mut faulty = attempt(1, 1, 1);
            faulty.said.verdict = Verdict::Re;
            faulty.said.complaint = Some(complaint.to_owned());
            faulty
        };
        let report = report(vec![attempt(1, 1, 1), faulty("it exited with code 1"), faulty("it exited with code 2")]);
        let findings = report.findings();
        assert_eq!((findings.len(), findings[0].times, findings[0].fault.what.as_str()), (1, 2, "it exited with code 1"));
        assert!(!report.is_fine());
    }
}
