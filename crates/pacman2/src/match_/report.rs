//! The result of a match, as a table and as JSON.

use pacman2_console::stdout::stdout;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use pacman2_botzone::response::Verdict;
use pacman2_botzone::session::SessionTurn;
use pacman2_console::json_output::labelled;
use pacman2_console::language::{locale, translated};
use pacman2_console::text::{MAX_LINES, first_lines, fit_column, last_lines, sanitize};
use pacman2_maps::Map;
use pacman2_match::complaint::Complaint;
use pacman2_match::player::Response;
use pacman2_match::referee::{MatchTurn, first_fault};
use pacman2_replay::{Replay, SeatInfo};
use pacman2_rules::{BySeat, Seat};
use serde_json::json;

/// A match that was played, or a part of one, and the files that it left.
pub(super) struct Report<'a> {
    pub(super) names: &'a [String; 4],
    pub(super) map: &'a Map,
    pub(super) replay: &'a Replay,
    pub(super) turns: &'a [MatchTurn],
    pub(super) replay_path: Option<&'a Path>,
    pub(super) page_path: Option<&'a Path>,
}

/// How a bot failed first, and on which seats.
struct Fault<'a> {
    seats: Vec<Seat>,
    turn: usize,
    response: &'a Response,
    complaint: &'a Complaint,
}

impl Report<'_> {
    pub(super) fn print_table(&self) -> anyhow::Result<()> {
        let mut out = stdout();
        match self.turns.last().map(|turn| &turn.turn) {
            Some(SessionTurn { scores: Some(scores), state, .. }) => {
                writeln!(out, "\nseat  bot                        score  place  strength  answers")?;
                for (seat, score) in scores.iter() {
                    let name = fit_column(&self.names[seat.index()], 24);
                    let (strength, place) = (state.strength[seat], place(&state.strength, seat));
                    writeln!(out, "{seat:>4}  {name} {score:>7} {place:>6} {strength:>9}  {}", self.verdicts(seat))?;
                }
            }
            _ => writeln!(out, "\nThe match was interrupted after {} turns.", self.turns.len())?,
        }
        self.print_faults(&mut out)?;
        let replay = self.replay_path.map_or("no replay".to_owned(), |path| format!("replay {}", path.display()));
        let page = self.page_path.map_or_else(String::new, |path| format!(", page {}", path.display()));
        writeln!(out, "seed {}, {} turns, {replay}{page}", self.map.seed, self.turns.len())?;
        Ok(())
    }

    /// Prints the first fault of each bot that forfeited, and its output of that turn; then what is odd about answers that count.
    /// A bot on several seats that fails in the same way is listed once.
    fn print_faults(&self, out: &mut impl Write) -> io::Result<()> {
        let mut faults: Vec<Fault<'_>> = Vec::new();
        for seat in Seat::ALL {
            let Some((turn, response, complaint)) = first_fault(self.turns, seat) else { continue };
            let is_of_bot = |fault: &Fault| self.names[fault.seats[0].index()] == self.names[seat.index()];
            match faults.iter_mut().find(|fault| is_of_bot(fault) && fault.complaint.kind() == complaint.kind()) {
                Some(fault) => fault.seats.push(seat),
                None => faults.push(Fault { seats: vec![seat], turn, response, complaint }),
            }
        }
        for fault in faults {
            self.print_fault(&fault, out)?;
        }
        for warning in self.warnings() {
            writeln!(out, "\nNote: {warning}")?;
        }
        Ok(())
    }

    fn print_fault(&self, Fault { seats, turn, response, complaint }: &Fault<'_>, out: &mut impl Write) -> io::Result<()> {
        let explanation = complaint.explanation(locale());
        let name = &self.names[seats[0].index()];
        let seats: Vec<String> = seats.iter().map(Seat::to_string).collect();
        writeln!(
            out,
            "\n{} ({name}), turn {turn}, {}: {}",
            seats.join(", "),
            response.verdict_for_people(),
            sanitize(&explanation.what)
        )?;
        for line in explanation.lines().skip(1) {
            writeln!(out, "  {}", sanitize(line))?;
        }
        for line in first_lines(&response.output) {
            writeln!(out, "  output: {line}")?;
        }
        if response.output.lines().nth(MAX_LINES).is_some() {
            writeln!(out, "  output: … see the replay for the rest")?;
        }
        for line in last_lines(&response.stderr) {
            match line {
                Some(line) => writeln!(out, "  stderr: {line}")?,
                None => writeln!(out, "  stderr: … see the replay for what was before")?,
            }
        }
        Ok(())
    }

    /// Returns what is odd about answers that count, once for each bot and cause.
    fn warnings(&self) -> BTreeSet<String> {
        let seats = self.turns.iter().flat_map(|turn| Seat::ALL.map(|seat| (seat, turn.responses[seat].as_ref())));
        let warning = |(seat, response): (Seat, Option<&Response>)| {
            let warning = response?.warning.as_ref()?;
            Some(format!("{}: {}", self.names[seat.index()], sanitize(&warning.to_string())))
        };
        seats.filter_map(warning).collect()
    }

    /// Counts the verdicts of a seat.
    fn verdicts(&self, seat: Seat) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for verdict in self.turns.iter().filter_map(|turn| turn.responses[seat].as_ref().map(Response::verdict_for_people)) {
            match counts.iter_mut().find(|(name, _)| *name == verdict) {
                Some((_, count)) => *count += 1,
                None => counts.push((verdict, 1)),
            }
        }
        counts.iter().map(|(name, count)| format!("{} {count}", translated(name))).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn print_json(&self) -> anyhow::Result<()> {
        let last = self.turns.last().map(|turn| &turn.turn);
        let scores = last.and_then(|turn| turn.scores);
        let seat = |seat: Seat| {
            let SeatInfo { name, program, .. } = &self.replay.public.seats[seat.index()];
            let responses = self.turns.iter().filter_map(|turn| turn.responses[seat].as_ref());
            let slowest = responses.map(|response| response.usage.wall).max().unwrap_or_default();
            let fault = first_fault(self.turns, seat).map(|(_, _, complaint)| complaint.to_string());
            let verdict = self.replay.public.turns.iter().rev().find_map(|turn| turn.verdicts[seat.index()]);
            json!({
                "name": name,
                "program": program,
                "sandbox": self.replay.private.sandbox[seat.index()],
                "score": scores.map(|scores| scores[seat].points()),
                "place": last.filter(|turn| turn.scores.is_some()).map(|turn| place(&turn.state.strength, seat)),
                "last_verdict": verdict.map(Verdict::name),
                "fault": fault,
                "slowest_ms": slowest.as_millis() as u64,
            })
        };
        let mut summary = json!({
            "seed": self.map.seed,
            "turns": self.turns.len(),
            "finished": scores.is_some(),
            "seats": Seat::ALL.map(seat),
            "replay": self.replay_path.map(Path::to_string_lossy),
        });
        if let Some(page) = self.page_path {
            summary["page"] = page.to_string_lossy().into();
        }
        writeln!(stdout(), "{}", labelled("play", summary))?;
        Ok(())
    }
}

/// Returns one more than the number of stronger players.
fn place(strength: &BySeat<i32>, seat: Seat) -> usize {
    1 + strength.0.iter().filter(|&&other| other > strength[seat]).count()
}
