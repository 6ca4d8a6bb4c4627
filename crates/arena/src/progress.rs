//! The progress of a run: a line on standard error, or a JSON line for each game.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::time::{Duration, Instant};

use pacman2_console::progress::{ProgressLine, ProgressReport, Shown, in_words, seconds_left};
use pacman2_console::text::{sanitize, truncate_end};
use pacman2_tournament::{BotId, BotVersion, GameResult};
use serde_json::{Value, json};

use super::game_times::Work;

/// How often a line is printed where there is no terminal.
const PRINT_INTERVAL: Duration = Duration::from_secs(30);
/// The name of the output that the events of all commands on arenas are lines of.
pub const EVENTS: &str = "arena events";
/// The width of the bar.
const BAR_WIDTH: usize = 24;
/// How many bots the line shows.
const LEADERS: usize = 3;
/// The width of each bot's name.
const LABEL_WIDTH: usize = 16;

/// Counts games, and shows a bar with the speed, the time left and the leading bots.
pub struct GameProgress {
    counts: Counts,
    report: ProgressReport,
}

/// The games so far. Displays as one line, without a line break.
struct Counts {
    labels: BTreeMap<BotId, String>,
    /// The number of games in total, if it is known.
    games: Option<usize>,
    known: usize,
    played: usize,
    replayed: u32,
    sums: BTreeMap<BotId, (i64, i64)>,
    /// What is shown in place of the leading bots.
    note: Option<String>,
    /// Where games are played, if it is not here.
    nodes: Option<String>,
    /// What is done and left, and how many games are played at once, if the games are known.
    work: Option<(Work, usize)>,
    begin: Instant,
}

impl GameProgress {
    /// Begins with no games of this number, if it is known.
    pub fn new(bots: &[BotVersion], games: Option<usize>, shown: Shown) -> GameProgress {
        let counts = Counts {
            labels: bots.iter().map(|bot| (bot.id, sanitize(&bot.label()))).collect(),
            games,
            known: 0,
            played: 0,
            replayed: 0,
            sums: BTreeMap::new(),
            note: None,
            nodes: None,
            work: None,
            begin: Instant::now(),
        };
        let report = ProgressReport::new(shown, ProgressLine::printed_every(PRINT_INTERVAL, "pacman2: "), EVENTS);
        GameProgress { counts, report }
    }

    /// Shows how long the rest takes, with this many games at once.
    pub(crate) fn with_work(mut self, work: Work, at_once: usize) -> GameProgress {
        self.counts.work = Some((work, at_once));
        self
    }

    /// Returns how many games were played now, were in the store already, and were played again.
    pub fn counts(&self) -> (usize, usize, u32) {
        (self.counts.played, self.counts.known, self.counts.replayed)
    }

    /// Shows how far a comparison has come: as an event, and as a note in place of the leading bots from now on.
    pub(crate) fn set_comparison(&mut self, event: impl FnOnce() -> Value, note: String) {
        self.report.event(event);
        self.counts.note = Some(note);
        self.update();
    }

    /// Shows from now on where games are played.
    pub fn set_nodes(&mut self, nodes: String) {
        self.counts.nodes = Some(sanitize(&nodes));
        self.update();
    }

    /// Shows the line if it is time for it.
    pub fn update(&mut self) {
        self.report.show(&self.counts);
    }

    /// Counts a game that was in the store already.
    pub(crate) fn add_known(&mut self, game: &GameResult) {
        self.counts.known += 1;
        self.counts.add(game);
        if let Some((work, _)) = &mut self.counts.work {
            work.add_known(game);
        }
    }

    /// Counts a game that was just played and stored.
    pub(crate) fn add_played(&mut self, game: &GameResult) {
        self.counts.played += 1;
        self.counts.add(game);
        if let Some((work, _)) = &mut self.counts.work {
            work.add_played(game);
        }
        self.report.event(|| self.counts.event(game));
        self.update();
    }
}

impl Counts {
    fn add(&mut self, game: &GameResult) {
        self.replayed += game.replayed;
        for seat in &game.seats.0 {
            let sum = self.sums.entry(seat.bot).or_default();
            *sum = (sum.0 + seat.hundredths, sum.1 + 1);
        }
    }

    /// Returns how many seconds are left, once a game was played.
    fn seconds_left(&self, elapsed: f64) -> Option<f64> {
        let (work, at_once) = self.work.as_ref()?;
        let [done, left] = work.amounts()?;
        let begun = at_once.saturating_sub(1) as f64 * done / self.played.max(1) as f64;
        seconds_left(elapsed, done, left, begun)
    }

    /// Returns the event of a game.
    fn event(&self, game: &GameResult) -> Value {
        let seats = game.seats.0.iter().map(|seat| {
            json!({
                "label": self.labels.get(&seat.bot),
                "score": seat.hundredths as f64 / 100.0,
                "place": seat.place,
                "fault": seat.fault,
            })
        });
        let done = self.known + self.played;
        json!({
            "event": "game", "id": game.id, "seed": game.seed, "turns": game.turns, "done": done, "games": self.games,
            "replayed": game.replayed, "seats": seats.collect::<Vec<_>>(),
        })
    }
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let done = self.known + self.played;
        let seconds = self.begin.elapsed().as_secs_f64();
        let speed = self.played as f64 / seconds.max(1e-3);
        match self.games {
            Some(games) => {
                let full = (BAR_WIDTH * done).checked_div(games).unwrap_or(BAR_WIDTH).min(BAR_WIDTH);
                let left = self.seconds_left(seconds).map_or_else(String::new, in_words);
                let bar = "#".repeat(full) + &".".repeat(BAR_WIDTH - full);
                write!(f, "[{bar}] game {done} of {games}, {speed:.1} per second{left}")?;
            }
            None => write!(f, "game {done}, {speed:.1} per second")?,
        }
        if let Some(nodes) = &self.nodes {
            write!(f, ", on {nodes}")?;
        }
        if let Some(note) = &self.note {
            return write!(f, "  {note}");
        }
        let mut means: Vec<(f64, &str)> = self
            .sums
            .iter()
            .filter_map(|(bot, &(sum, games))| Some((sum as f64 / 100.0 / games as f64, self.labels.get(bot)?.as_str())))
            .collect();
        means.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (mean, label) in means.iter().take(LEADERS) {
            write!(f, "  {} {mean:.1}", truncate_end(label, LABEL_WIDTH))?;
        }
        Ok(())
    }
}
