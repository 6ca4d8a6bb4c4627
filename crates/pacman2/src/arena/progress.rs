//! How far a run is, for people and for machines.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use pacman2_tournament::{BotId, BotVersion, GameResult};
use serde_json::json;

use crate::board::{fit_start, harmless};

/// Who is told of games.
pub(crate) trait Watch {
    /// A game that was in the store already.
    fn known(&mut self, game: &GameResult);
    /// A game that has just been played and kept.
    fn played(&mut self, game: &GameResult);
    /// Nothing has happened for a while.
    fn wait(&mut self);
}

/// How often a line is drawn anew on a terminal, and printed elsewhere.
const REDRAW: Duration = Duration::from_millis(250);
const RETELL: Duration = Duration::from_secs(30);
/// How wide the bar is.
const BAR: usize = 24;
/// Of how many bots the line tells.
const LEADERS: usize = 3;
/// How much room each one's name has.
const LABEL: usize = 16;

/// A bar with speed, time left and the table so far.
pub(crate) struct Progress {
    labels: BTreeMap<BotId, String>,
    /// How many games there are to be; `None` if nobody knows.
    games: Option<usize>,
    known: usize,
    played: usize,
    replayed: u32,
    sums: BTreeMap<BotId, (i64, i64)>,
    begin: Instant,
    told: Option<Instant>,
    is_terminal: bool,
    json: bool,
}

impl Progress {
    pub(crate) fn new(bots: &[BotVersion], games: Option<usize>, json: bool) -> Progress {
        Progress {
            labels: bots.iter().map(|bot| (bot.id, harmless(&bot.label()))).collect(),
            games,
            known: 0,
            played: 0,
            replayed: 0,
            sums: BTreeMap::new(),
            begin: Instant::now(),
            told: None,
            is_terminal: io::stderr().is_terminal(),
            json,
        }
    }

    /// Games played now, those found in the store, and how many were played again.
    pub(crate) fn counts(&self) -> (usize, usize, u32) {
        (self.played, self.known, self.replayed)
    }

    fn count(&mut self, game: &GameResult) {
        self.replayed += game.replayed;
        for seat in &game.seats.0 {
            let sum = self.sums.entry(seat.bot).or_default();
            *sum = (sum.0 + seat.hundredths, sum.1 + 1);
        }
    }

    fn line(&self) -> String {
        let done = self.known + self.played;
        let seconds = self.begin.elapsed().as_secs_f64();
        let speed = self.played as f64 / seconds.max(1e-3);
        let mut line = match self.games {
            Some(games) => {
                let full = (BAR * done).checked_div(games).unwrap_or(BAR).min(BAR);
                let left = games.saturating_sub(done) as f64 / speed;
                let left = if self.played == 0 { String::new() } else { format!(", {} left", duration(left)) };
                format!("[{}{}] game {done} of {games}, {speed:.1} a second{left}", "#".repeat(full), ".".repeat(BAR - full))
            }
            None => format!("game {done}, {speed:.1} a second"),
        };
        let mut means: Vec<(f64, &str)> = self
            .sums
            .iter()
            .filter_map(|(bot, &(sum, games))| Some((sum as f64 / 100.0 / games as f64, self.labels.get(bot)?.as_str())))
            .collect();
        means.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (mean, label) in means.iter().take(LEADERS) {
            line += &format!("  {} {mean:.1}", fit_start(label, LABEL));
        }
        line
    }

    fn tell(&mut self, at_once: bool) {
        let every = if self.is_terminal { REDRAW } else { RETELL };
        let is_time = self.told.unwrap_or(self.begin).elapsed() >= every;
        if self.json || !(is_time || at_once) {
            return;
        }
        self.told = Some(Instant::now());
        if self.is_terminal {
            let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).saturating_sub(1);
            eprint!("\r\x1b[K{}", fit_start(&self.line(), width));
        } else {
            eprintln!("pacman2: {}", self.line());
        }
    }
}

impl Watch for Progress {
    fn known(&mut self, game: &GameResult) {
        self.known += 1;
        self.count(game);
    }

    fn played(&mut self, game: &GameResult) {
        self.played += 1;
        self.count(game);
        if self.json {
            let seats = game.seats.0.iter().map(|seat| {
                json!({
                    "bot": self.labels.get(&seat.bot),
                    "score": seat.hundredths as f64 / 100.0,
                    "place": seat.place,
                    "fault": seat.fault,
                })
            });
            let done = self.known + self.played;
            let event = json!({
                "event": "game", "id": game.id, "seed": game.seed, "turns": game.turns, "done": done, "games": self.games,
                "replayed": game.replayed, "seats": seats.collect::<Vec<_>>(),
            });
            // Who reads this has gone: the games are kept all the same.
            let _ = writeln!(io::stdout(), "{event}");
        }
        self.tell(false);
    }

    fn wait(&mut self) {
        self.tell(false);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal && self.told.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}

/// Seconds, as people say them.
fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "–".to_owned();
    }
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_as_people_tell_it() {
        assert_eq!([0.4, 59.0, 61.0, 3600.0, 90_061.0].map(duration), ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "25 h 1 min"]);
        assert_eq!(duration(f64::INFINITY), "–");
    }
}
