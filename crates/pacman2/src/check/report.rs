//! What came of a check, for people and for machines.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use pacman2_match::player::{ResourceUsage, Response};
use pacman2_rules::Action;
use pacman2_runner::{Limits, Tier};
use serde_json::{Value, json};

use super::diagnosis::{self, Fault};
use super::{GAME, Mode, Tried, number};
use crate::board::{fit_exactly, harmless};

/// From which share of a limit on it is worth a note, in percent.
const CLOSE: u64 = 80;
/// How many lines of standard error are shown.
const MOST_LINES: usize = 10;

/// All that was found out.
pub(crate) struct Report<'a> {
    pub(crate) bot: &'a str,
    pub(crate) limits: Limits,
    pub(crate) tier: Tier,
    pub(crate) keeps_running: bool,
    pub(crate) tried: Vec<Tried>,
    pub(crate) notes: Vec<String>,
}

/// Faults of one kind.
struct Finding<'a> {
    fault: Fault,
    first: &'a Tried,
    times: usize,
}

impl Report<'_> {
    /// Whether nothing is wrong.
    pub(crate) fn is_fine(&self) -> bool {
        self.tried.iter().all(|tried| tried.said.complaint.is_none())
    }

    pub(crate) fn print(&self, json: bool) -> io::Result<()> {
        let text = if json { format!("{}\n", self.for_machines()) } else { self.for_people() };
        io::stdout().write_all(text.as_bytes())
    }

    fn findings(&self) -> Vec<Finding<'_>> {
        let mut findings: Vec<Finding> = Vec::new();
        for tried in &self.tried {
            let Some(fault) = diagnosis::of(&tried.said, tried.mode) else { continue };
            match findings.iter_mut().find(|finding| finding.fault.hint == fault.hint) {
                Some(finding) => finding.times += 1,
                None => findings.push(Finding { fault, first: tried, times: 1 }),
            }
        }
        findings
    }

    /// All notes, those on costs among them.
    fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        let fine = || self.tried.iter().filter(|tried| tried.said.complaint.is_none());
        let slowest = fine().max_by_key(|tried| time(&tried.said.cost));
        if let Some((tried, share)) = slowest.and_then(|tried| Some((tried, self.time_share(&tried.said.cost)?)))
            && share >= CLOSE
        {
            let ms = time(&tried.said.cost).as_millis();
            notes.push(format!("Its slowest answer took {ms} ms, {share} % of its time ({}).", where_of(tried)));
        }
        let largest = fine().max_by_key(|tried| tried.said.cost.memory_bytes);
        if let Some((tried, share)) = largest.and_then(|tried| Some((tried, self.memory_share(&tried.said.cost)?)))
            && share >= CLOSE
        {
            notes.push(format!("It used {share} % of its memory ({}).", where_of(tried)));
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
        let tried = |tried: &Tried| {
            json!({
                "position": tried.place,
                "map": tried.map,
                "mode": mode(tried.mode),
                "seat": tried.seat.index(),
                "turn": tried.turn,
                "verdict": tried.said.verdict.name(),
                "action": number(&tried.said),
                "complaint": tried.said.complaint,
                "wall_ms": tried.said.cost.wall.as_millis() as u64,
                "cpu_ms": tried.said.cost.cpu.map(|cpu| cpu.as_millis() as u64),
                "time_percent": self.time_share(&tried.said.cost),
                "memory_bytes": tried.said.cost.memory_bytes,
                "memory_percent": self.memory_share(&tried.said.cost),
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
            "tried": self.tried.iter().map(tried).collect::<Vec<_>>(),
        })
    }

    fn for_people(&self) -> String {
        let mut text = format!(
            "{:<28}  {:<5}  {:>4}  {:<12}  {:<14}  {:>12}  {:>12}\n",
            "position", "map", "turn", "mode", "answer", "time", "memory"
        );
        for tried in self.tried.iter().filter(|tried| tried.place != GAME) {
            text += &self.line(tried.place, &tried.turn.to_string(), tried, &answer(&tried.said));
        }
        text += &self.game();
        let findings = self.findings();
        for Finding { fault, first, times } in &findings {
            let others = if *times > 1 { format!(", and {} more like it", times - 1) } else { String::new() };
            let _ = write!(text, "\nWRONG: {} ({}{others})\n  {}\n", harmless(&fault.what), where_of(first), fault.hint);
            for (what, said) in [("output", &first.said.output), ("stderr", &first.said.stderr)] {
                for line in said.lines().take(MOST_LINES) {
                    let _ = writeln!(text, "  {what}: {}", harmless(&line.chars().take(200).collect::<String>()));
                }
            }
        }
        for note in self.all_notes() {
            let _ = write!(text, "\nNote: {}\n", harmless(&note));
        }
        let running = if self.keeps_running { "It asks to keep running." } else { "It does not ask to keep running." };
        let verdict = if findings.is_empty() { "nothing is wrong with it" } else { "something is wrong with it" };
        let _ = write!(text, "\n{}: {verdict}. {running}\n", harmless(self.bot));
        text
    }

    /// The turns of the game in one line, for what they cost most.
    fn game(&self) -> String {
        let turns: Vec<&Tried> = self.tried.iter().filter(|tried| tried.place == GAME).collect();
        let Some(last) = turns.last() else { return String::new() };
        let slowest = turns.iter().max_by_key(|tried| time(&tried.said.cost)).unwrap_or(last);
        let good = turns.iter().filter(|tried| tried.said.complaint.is_none()).count();
        let count = format!("{good} of {}", turns.len());
        let told = Tried {
            place: GAME,
            map: last.map.clone(),
            mode: last.mode,
            seat: last.seat,
            turn: last.turn,
            said: slowest.said.clone(),
        };
        self.line(GAME, &format!("1-{}", last.turn), &told, &count)
    }

    fn line(&self, place: &str, turn: &str, tried: &Tried, answer: &str) -> String {
        let cost = &tried.said.cost;
        let share = |share: Option<u64>| share.map_or_else(String::new, |share| format!("{share:>4} %"));
        let time = format!("{} ms{}", time(cost).as_millis(), share(self.time_share(cost)));
        let memory = cost
            .memory_bytes
            .map_or("?".to_owned(), |bytes| format!("{} MB{}", bytes.div_ceil(1024 * 1024), share(self.memory_share(cost))));
        let mode = mode(tried.mode);
        format!(
            "{}  {:<5}  {turn:>4}  {mode:<12}  {}  {time:>12}  {memory:>12}\n",
            fit_exactly(place, 28),
            tried.map,
            fit_exactly(answer, 14)
        )
    }
}

/// What counts of time: the longer of the two clocks.
fn time(cost: &ResourceUsage) -> Duration {
    cost.wall.max(cost.cpu.unwrap_or_default())
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Afresh => "afresh",
        Mode::KeptRunning => "kept running",
    }
}

fn where_of(tried: &Tried) -> String {
    match tried.place {
        GAME => format!("turn {} of a game, {}", tried.turn, mode(tried.mode)),
        place => format!("{place}, {}", mode(tried.mode)),
    }
}

fn answer(said: &Response) -> String {
    match number(said) {
        None => said.verdict.name().to_owned(),
        Some(number) if said.complaint.is_some() => format!("{}, illegal", action(number)),
        Some(number) => action(number),
    }
}

/// An action for people.
pub(crate) fn action(number: i32) -> String {
    match pacman2_botzone::action::from_number(number) {
        Action::Invalid => number.to_string(),
        action => action.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use pacman2_botzone::response::{ParsedResponse, Verdict};
    use pacman2_rules::Seat;

    use super::*;

    fn tried(wall_ms: u64, cpu_ms: u64, memory_bytes: u64) -> Tried {
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
        Tried { place: "here", map: "6x6".to_owned(), mode: Mode::Afresh, seat: Seat::ALL[0], turn: 1, said }
    }

    fn report(tried: Vec<Tried>) -> Report<'static> {
        let limits = Limits::default();
        Report { bot: "bot", limits, tier: Tier::A, keeps_running: false, tried, notes: Vec::new() }
    }

    #[test]
    fn what_is_close_to_a_limit_is_noted() {
        assert_eq!(report(vec![tried(799, 10, 200_000_000)]).all_notes(), [""; 0]);
        let notes = report(vec![tried(10, 10, 1), tried(30, 850, 230_000_000)]).all_notes();
        assert_eq!(
            notes,
            ["Its slowest answer took 850 ms, 85 % of its time (here, afresh).", "It used 85 % of its memory (here, afresh)."]
        );
    }

    #[test]
    fn faults_of_one_kind_are_told_once() {
        let faulty = |complaint: &str| {
            let mut faulty = tried(1, 1, 1);
            faulty.said.verdict = Verdict::Re;
            faulty.said.complaint = Some(complaint.to_owned());
            faulty
        };
        let report = report(vec![tried(1, 1, 1), faulty("it exited with code 1"), faulty("it exited with code 2")]);
        let findings = report.findings();
        assert_eq!((findings.len(), findings[0].times, findings[0].fault.what.as_str()), (1, 2, "it exited with code 1"));
        assert!(!report.is_fine());
    }
}
