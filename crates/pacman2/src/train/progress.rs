//! How far a run is, for people and for machines.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use pacman2_training::{Epoch, LeaguePlayer};
use serde_json::{Value, json};

use super::curve::{self, Point};

/// How often a line is drawn anew on a terminal, and printed elsewhere.
const REDRAW: Duration = Duration::from_millis(250);
const RETELL: Duration = Duration::from_secs(15);

/// Lines on standard error for a person, or events on standard output.
pub(super) struct Progress {
    json: bool,
    is_terminal: bool,
    is_drawn: bool,
    told: Instant,
    generation: u32,
    generations: u32,
    work: Work,
}

/// Pieces of which some were done before this run, some since, and some are left.
struct Work {
    begin: Instant,
    before: usize,
    done: usize,
    all: usize,
    positions: usize,
    what: String,
}

impl Work {
    fn new(what: String, before: usize, all: usize, positions: usize) -> Work {
        Work { begin: Instant::now(), before, done: before, all, positions, what }
    }

    fn line(&self) -> String {
        let left = self.begin.elapsed().as_secs_f64() / (self.done - self.before).max(1) as f64 * (self.all - self.done) as f64;
        let left =
            if self.done == self.before || self.done == self.all { String::new() } else { format!(", {} left", duration(left)) };
        let positions = if self.positions == 0 { String::new() } else { format!(", {} positions", self.positions) };
        format!("{} {} of {}{positions}{left}", self.what, self.done, self.all)
    }
}

impl Progress {
    pub(super) fn new(json: bool) -> Progress {
        let is_terminal = io::stderr().is_terminal() && !json;
        let work = Work::new(String::new(), 0, 0, 0);
        Progress { json, is_terminal, is_drawn: false, told: Instant::now(), generation: 0, generations: 0, work }
    }

    pub(super) fn begin(&mut self, generation: u32, generations: u32) {
        (self.generation, self.generations) = (generation, generations);
        self.event(|| json!({ "event": "begin", "generations": generations }));
    }

    pub(super) fn games_begin(&mut self, positions: usize, kept: usize, games: u32) {
        self.work = Work::new("game".to_owned(), kept, games as usize, positions);
        self.tell_games(false);
    }

    pub(super) fn games_played(&mut self, games: usize, positions: usize) {
        self.work.done += games;
        self.work.positions += positions;
        self.tell_games(self.work.done == self.work.all);
    }

    fn tell_games(&mut self, is_last: bool) {
        let Work { done, all, positions, .. } = self.work;
        self.event(|| json!({ "event": "games", "done": done, "games": all, "positions": positions }));
        self.line(&self.work.line(), is_last);
    }

    pub(super) fn epoch(&mut self, epoch: Epoch, epochs: u32, hand_made: f64) {
        let Epoch { number, training, held_out } = epoch;
        self.event(|| {
            json!({
                "event": "epoch", "epoch": number, "epochs": epochs, "training_loss": training, "held_out_loss": held_out,
                "hand_made_loss": hand_made,
            })
        });
        let losses = format!("loss {training:.4}, held out {held_out:.4}, hand-made {hand_made:.4}");
        self.line(&format!("epoch {number} of {epochs}, {losses}"), number == epochs);
    }

    pub(super) fn duel_begin(&mut self, other: LeaguePlayer, kept: u32, maps: u32) {
        self.work = Work::new(format!("measured against {other}: map"), kept as usize, maps as usize, 0);
        self.tell_duel(false);
    }

    pub(super) fn duel_played(&mut self) {
        self.work.done += 1;
        self.tell_duel(self.work.done == self.work.all);
    }

    fn tell_duel(&mut self, is_last: bool) {
        let Work { done, all, ref what, .. } = self.work;
        let what = what.trim_end_matches(": map").to_owned();
        self.event(|| json!({ "event": "maps", "what": what, "done": done, "maps": all }));
        self.line(&self.work.line(), is_last);
    }

    /// Tells of a generation that is done.
    pub(super) fn measured(&mut self, point: &Point) -> io::Result<()> {
        self.wipe();
        self.event(|| json!({ "event": "generation", "curve": point.json() }));
        Ok(())
    }

    /// Tells of the end, and where the net is.
    pub(super) fn end(&mut self, curve: &[Point], net: &Path) -> io::Result<()> {
        self.wipe();
        let net = net.display();
        match self.json {
            true => writeln!(io::stdout(), "{}", json!({ "event": "end", "net": net.to_string(), "curve": curve::json(curve) })),
            false => write!(io::stdout(), "{}\nThe net is {net}.\n", curve::table(curve)),
        }
    }

    pub(super) fn interrupted(&mut self, folder: &Path) {
        self.wipe();
        self.event(|| json!({ "event": "interrupted" }));
        if !self.json {
            eprintln!("Interrupted; the same command goes on from what is in {}.", folder.display());
        }
    }

    fn event(&self, event: impl FnOnce() -> Value) {
        if !self.json {
            return;
        }
        let mut event = event();
        event["generation"] = self.generation.into();
        // Who reads this has gone: what is done is kept all the same.
        let _ = writeln!(io::stdout(), "{event}");
    }

    fn line(&mut self, line: &str, is_last: bool) {
        let every = if self.is_terminal { REDRAW } else { RETELL };
        if self.json || !(is_last || self.told.elapsed() >= every) {
            return;
        }
        self.told = Instant::now();
        let line = format!("generation {} of {}: {line}", self.generation, self.generations);
        if self.is_terminal {
            eprint!("\r\x1b[K{line}{}", if is_last { "\n" } else { "" });
            self.is_drawn = !is_last;
        } else {
            eprintln!("{line}");
        }
    }

    /// Takes a line away that was drawn and is not the last word.
    fn wipe(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            eprint!("\r\x1b[K");
        }
    }
}

/// Seconds, as people say them.
fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
