//! The progress of a run: a line on the terminal, or a JSON line for each game.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use pacman2_tournament::{BotId, BotVersion, GameResult};
use serde_json::json;

use crate::text::{fit_start, harmless};

/// How often the line is redrawn on a terminal.
const REDRAW_INTERVAL: Duration = Duration::from_millis(250);
/// How often a line is printed where there is no terminal.
const PRINT_INTERVAL: Duration = Duration::from_secs(30);
/// The width of the bar.
const BAR_WIDTH: usize = 24;
/// How many bots the line shows.
const LEADERS: usize = 3;
/// The width of each bot's name.
const LABEL_WIDTH: usize = 16;

/// Counts games, and shows a bar with the speed, the time left and the leading bots.
pub(crate) struct Progress {
    labels: BTreeMap<BotId, String>,
    /// The number of games in total, if it is known.
    games: Option<usize>,
    known: usize,
    played: usize,
    replayed: u32,
    sums: BTreeMap<BotId, (i64, i64)>,
    begin: Instant,
    shown: Option<Instant>,
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
            shown: None,
            is_terminal: io::stderr().is_terminal(),
            json,
        }
    }

    /// Returns how many games were played now, were in the store already, and were played again.
    pub(crate) fn counts(&self) -> (usize, usize, u32) {
        (self.played, self.known, self.replayed)
    }

    fn add(&mut self, game: &GameResult) {
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
                let full = (BAR_WIDTH * done).checked_div(games).unwrap_or(BAR_WIDTH).min(BAR_WIDTH);
                let left = games.saturating_sub(done) as f64 / speed;
                let left = if self.played == 0 { String::new() } else { format!(", {} left", duration(left)) };
                format!(
                    "[{}{}] game {done} of {games}, {speed:.1} per second{left}",
                    "#".repeat(full),
                    ".".repeat(BAR_WIDTH - full)
                )
            }
            None => format!("game {done}, {speed:.1} per second"),
        };
        let mut means: Vec<(f64, &str)> = self
            .sums
            .iter()
            .filter_map(|(bot, &(sum, games))| Some((sum as f64 / 100.0 / games as f64, self.labels.get(bot)?.as_str())))
            .collect();
        means.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (mean, label) in means.iter().take(LEADERS) {
            line += &format!("  {} {mean:.1}", fit_start(label, LABEL_WIDTH));
        }
        line
    }

    /// Shows the line if it is time for it.
    pub(crate) fn update(&mut self) {
        let interval = if self.is_terminal { REDRAW_INTERVAL } else { PRINT_INTERVAL };
        if self.json || self.shown.unwrap_or(self.begin).elapsed() < interval {
            return;
        }
        self.shown = Some(Instant::now());
        if self.is_terminal {
            let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).saturating_sub(1);
            eprint!("\r\x1b[K{}", fit_start(&self.line(), width));
        } else {
            eprintln!("pacman2: {}", self.line());
        }
    }

    /// Counts a game that was in the store already.
    pub(crate) fn add_known(&mut self, game: &GameResult) {
        self.known += 1;
        self.add(game);
    }

    /// Counts a game that was just played and stored.
    pub(crate) fn add_played(&mut self, game: &GameResult) {
        self.played += 1;
        self.add(game);
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
            // If the reader is gone, the games are stored all the same.
            let _ = writeln!(io::stdout(), "{event}");
        }
        self.update();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal && self.shown.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}

/// Formats seconds for people.
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
    fn durations() {
        assert_eq!([0.4, 59.0, 61.0, 3600.0, 90_061.0].map(duration), ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "25 h 1 min"]);
        assert_eq!(duration(f64::INFINITY), "–");
    }
}
