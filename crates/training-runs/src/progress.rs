//! Progress of a run: a line on standard error, or events as JSON on standard output.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use pacman2_console::json_output::labelled;
use pacman2_console::progress::{ProgressLine, ProgressReport, Shown, time_left};
use pacman2_console::stdout::stdout;
use pacman2_console::text::sanitize;
use pacman2_training::{Epoch, LeaguePlayer};
use serde_json::{Value, json};

use super::CHUNK;
use super::curve::{self, Point};
use super::opponents::OpponentTable;

/// The name of the output that all events are lines of.
const EVENTS: &str = "train";
/// How often a line is printed where there is no terminal.
const PRINT: Duration = Duration::from_secs(15);

/// Reports the progress of a run.
pub(super) struct Reporter {
    json: bool,
    report: ProgressReport,
    generation: u32,
    generations: u32,
    /// Where games are played, if it is not here: the end of the line.
    nodes: String,
    threads: usize,
    work: Work,
}

/// Work of which some was done in earlier runs, some in this one, and some is left.
struct Work {
    begin: Instant,
    before: usize,
    done: usize,
    all: usize,
    /// How much is done at the same time.
    at_once: usize,
    positions: usize,
    noun: String,
}

impl Work {
    fn new(noun: String, before: usize, all: usize, at_once: usize, positions: usize) -> Work {
        Work { begin: Instant::now(), before, done: before, all, at_once, positions, noun }
    }

    fn line(&self) -> String {
        let rest = self.all - self.done;
        let left = time_left(self.begin, self.done - self.before, rest, self.at_once);
        let positions = if self.positions == 0 { String::new() } else { format!(", {} positions", self.positions) };
        format!("{} {} of {}{positions}{left}", self.noun, self.done, self.all)
    }
}

impl Reporter {
    /// `threads` is 1 if the work is done elsewhere.
    pub(super) fn new(shown: Shown, threads: usize) -> Reporter {
        let work = Work::new(String::new(), 0, 0, 1, 0);
        Reporter {
            json: shown.json,
            report: ProgressReport::new(shown, ProgressLine::printed_every(PRINT, ""), EVENTS),
            generation: 0,
            generations: 0,
            nodes: String::new(),
            threads,
            work,
        }
    }

    pub(super) fn begin(&mut self, generation: u32, generations: u32) {
        (self.generation, self.generations) = (generation, generations);
        self.event(|| json!({ "event": "begin", "generations": generations }));
    }

    /// Shows from now on where games are played.
    pub(super) fn set_nodes(&mut self, nodes: &str) {
        self.nodes = format!(", {}", sanitize(nodes));
        self.show(&self.work.line(), false);
    }

    /// Reports from what the opponents of a generation are drawn.
    pub(super) fn opponents(&self, table: &OpponentTable) {
        self.event(|| json!({ "event": "opponents", "groups": table }));
    }

    pub(super) fn games_begin(&mut self, positions: usize, kept: usize, games: u32) {
        self.work = Work::new("game".to_owned(), kept, games as usize, self.threads * CHUNK as usize, positions);
        self.report_games(false);
    }

    pub(super) fn games_played(&mut self, games: usize, positions: usize) {
        self.work.done += games;
        self.work.positions += positions;
        self.report_games(self.work.done == self.work.all);
    }

    fn report_games(&mut self, is_last: bool) {
        let Work { done, all, positions, .. } = self.work;
        self.event(|| json!({ "event": "games", "done": done, "games": all, "positions": positions }));
        self.show(&self.work.line(), is_last);
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
        self.show(&format!("epoch {number} of {epochs}, {losses}"), number == epochs);
    }

    pub(super) fn duel_begin(&mut self, other: LeaguePlayer, kept: u32, maps: u32) {
        self.work = Work::new(format!("measured against {other}: map"), kept as usize, maps as usize, self.threads, 0);
        self.report_duel(false);
    }

    pub(super) fn duel_played(&mut self) {
        self.work.done += 1;
        self.report_duel(self.work.done == self.work.all);
    }

    fn report_duel(&mut self, is_last: bool) {
        let Work { done, all, ref noun, .. } = self.work;
        let what = noun.trim_end_matches(": map").to_owned();
        self.event(|| json!({ "event": "maps", "what": what, "done": done, "maps": all }));
        self.show(&self.work.line(), is_last);
    }

    /// Reports a generation that is done.
    pub(super) fn measured(&mut self, point: &Point) {
        self.report.clear();
        self.event(|| json!({ "event": "generation", "curve": point.json() }));
    }

    /// Reports the end of the run, and the file of the net. All nets were measured against `reference`.
    pub(super) fn end(&mut self, curve: &[Point], reference: LeaguePlayer, net: &Path) -> io::Result<()> {
        self.report.clear();
        let net = net.display();
        match self.json {
            true => {
                let end = json!({ "event": "end", "net": net.to_string(), "curve": curve::json(curve) });
                writeln!(stdout(), "{}", labelled(EVENTS, end))
            }
            false => write!(stdout(), "{}\nThe net is in {net}.\n", curve::table(curve, reference)),
        }
    }

    pub(super) fn interrupted(&mut self, folder: &Path) {
        self.report.clear();
        self.event(|| json!({ "event": "interrupted" }));
        if !self.json {
            eprintln!("Interrupted; the same command continues the run in {}.", folder.display());
        }
    }

    fn event(&self, event: impl FnOnce() -> Value) {
        self.report.event(|| {
            let mut event = event();
            event["generation"] = self.generation.into();
            event
        });
    }

    /// Shows a line; the last one of its kind stays.
    fn show(&mut self, line: &str, is_last: bool) {
        let line = format!("generation {} of {}: {line}{}", self.generation, self.generations, self.nodes);
        if is_last { self.report.finish(line) } else { self.report.show(line) }
    }
}
