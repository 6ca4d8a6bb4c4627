//! What `pacman2 botzone play` prints: a sentence for each event, or a line of JSON.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use pacman2_botzone::local_ai::MatchId;
use pacman2_console::json_output::labelled;
use pacman2_console::stdout::stdout;
use pacman2_console::text::sanitize;
use pacman2_rules::Seat;
use serde_json::{Value, json};

/// Something that happened. Texts of the site are fit to be shown.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Event {
    /// The site has started a match for us.
    Started(MatchId),
    /// A match has begun, or continues after a restart.
    Begun { id: MatchId, seat: Seat, turns: usize },
    /// The bot was asked for a turn, counted from 1.
    Answered { id: MatchId, turn: usize, response: Value, wall: Duration, fault: Option<String> },
    /// A match is over. There are no scores if it was aborted.
    Ended { id: MatchId, scores: Vec<f64>, turns: usize, replay: Option<PathBuf> },
    /// A match has to wait for others.
    Waits(MatchId),
    /// Something about a match that the user should know.
    Note { id: MatchId, text: String },
    /// A request failed, and is repeated after this time.
    Trouble { reason: String, wait: Duration },
    /// The site answers again.
    Recovered,
}

impl Event {
    pub(crate) fn print(&self, in_json: bool) -> io::Result<()> {
        if in_json {
            let mut out = stdout();
            writeln!(out, "{}", labelled("botzone play", self.json()))?;
            return out.flush();
        }
        let Some(text) = self.text() else { return Ok(()) };
        if let Event::Started(_) | Event::Begun { .. } | Event::Ended { .. } = self {
            let mut out = stdout();
            writeln!(out, "{text}")?;
            return out.flush();
        }
        eprintln!("pacman2: {text}");
        Ok(())
    }

    fn text(&self) -> Option<String> {
        Some(match self {
            Event::Started(id) => format!("match {id}: started"),
            Event::Begun { id, seat, turns: 0 } => format!("match {id}: begins, seat {seat}"),
            Event::Begun { id, seat, turns } => format!("match {id}: continues after turn {turns}, seat {seat}"),
            Event::Answered { id, turn, fault: Some(fault), .. } => format!("match {id}, turn {turn}: {}", sanitize(fault)),
            Event::Answered { .. } => return None,
            Event::Ended { id, scores, turns, replay } => {
                let replay = replay.as_ref().map_or("no replay".to_owned(), |path| format!("replay {}", path.display()));
                let result = match &scores[..] {
                    [] => "aborted".to_owned(),
                    scores => format!("over, scores {}", scores.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")),
                };
                format!("match {id}: {result}; {turns} turns, {replay}")
            }
            Event::Waits(id) => format!("match {id}: waits until another match is over"),
            Event::Note { id, text } => format!("match {id}: {text}"),
            Event::Trouble { reason, wait } if wait.is_zero() => format!("{reason}; asking again"),
            Event::Trouble { reason, wait } => format!("{reason}; asking again in {} s", wait.as_secs()),
            Event::Recovered => "the site answers again".to_owned(),
        })
    }

    fn json(&self) -> Value {
        match self {
            Event::Started(id) => json!({ "event": "started", "match": id.as_str() }),
            Event::Begun { id, seat, turns } => {
                json!({ "event": "begun", "match": id.as_str(), "seat": seat.index(), "turns": turns })
            }
            Event::Answered { id, turn, response, wall, fault } => json!({
                "event": "answered",
                "match": id.as_str(),
                "turn": turn,
                "response": response,
                "wall_ms": wall.as_millis() as u64,
                "fault": fault,
            }),
            Event::Ended { id, scores, turns, replay } => json!({
                "event": "ended",
                "match": id.as_str(),
                "aborted": scores.is_empty(),
                "scores": scores,
                "turns": turns,
                "replay": replay.as_ref().map(|path| path.to_string_lossy()),
            }),
            Event::Waits(id) => json!({ "event": "waits", "match": id.as_str() }),
            Event::Note { id, text } => json!({ "event": "note", "match": id.as_str(), "text": text }),
            Event::Trouble { reason, wait } => {
                json!({ "event": "trouble", "reason": reason, "wait_ms": wait.as_millis() as u64 })
            }
            Event::Recovered => json!({ "event": "recovered" }),
        }
    }
}
