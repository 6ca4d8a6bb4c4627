//! Announces a run before it starts: how many games there are, how long they will take, and what to do if that is hopeless.

use std::io::Write;

use pacman2_console::json_output::labelled;
use pacman2_console::progress::{Shown, duration};
use pacman2_console::stdout::stdout;
use pacman2_console::text::with_commas;
use pacman2_match::referee::AskMode;
use pacman2_rules::BySeat;
use pacman2_tournament::schedule::{Plan, Schedule};
use pacman2_tournament::store::Filter;
use pacman2_tournament::{BotId, Store};
use serde_json::json;

use super::game_times::{Appearances, GameTimes, NEWEST_GAMES, Work};
use super::progress::{EVENTS, GameProgress};
use super::runner::Runner;

/// How many games are looked up in the arena at most. More take seconds.
const MAX_LOOKUPS: usize = 20_000;
/// A run that takes longer, or has more games if nothing is known about their length, is called hopeless.
const HOPELESS_SECONDS: f64 = 7.0 * 24.0 * 3600.0;
const HOPELESS_GAMES: usize = 1_000_000;
/// The rounds and maps of the advice.
const ADVISED_ROUNDS: usize = 8;

/// What will be played.
pub struct PlannedRun<'a> {
    /// The plans of all games.
    pub plans: Vec<&'a Plan>,
    /// How long trial games took, in seconds, each of a bot against itself.
    pub trials: &'a [(BotId, f64)],
    /// Whether it is announced as JSON.
    pub json: bool,
}

impl PlannedRun<'_> {
    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.plans.iter().fold(0, |games: usize, plan| games.saturating_add(plan.games()))
    }

    /// Announces the run on standard error, or as JSON.
    pub fn announce(&self, runner: &Runner<'_>, store: &Store) -> anyhow::Result<()> {
        let games = self.games();
        let known = self.count_known(runner, store)?;
        let missing = games - known;
        if missing == 0 {
            return Ok(());
        }
        let at_once = runner.concurrency.games_at_once.clamp(1, missing) as f64;
        let share = missing as f64 / games as f64 / at_once;
        let expected = self.earlier(runner, store)?.seconds_of([&self.appearances()]).map(|[seconds]| seconds * share);
        if self.json {
            let most = longest_game(runner) * missing as f64 / at_once;
            let [expected, most] = [expected, Some(most)].map(|seconds| seconds.map(|seconds| (1000.0 * seconds).round()));
            let event = json!({ "event": "plan", "games": games, "known": known, "expected_ms": expected, "most_ms": most });
            // If the reader is gone, the games are played all the same.
            let _ = writeln!(stdout(), "{}", labelled(EVENTS, event));
        } else {
            let known =
                if known == 0 { String::new() } else { format!(" of {}, the others are in the arena", with_commas(games)) };
            // Without any game, nothing is known: the limits allow hundreds of times as much as most bots take.
            let time = expected.map_or_else(String::new, |seconds| format!(": about {}", duration(seconds)));
            eprintln!("pacman2: {} games to play{known}{time}", with_commas(missing));
        }
        if expected.map_or(missing > HOPELESS_GAMES, |seconds| seconds > HOPELESS_SECONDS) {
            eprintln!("pacman2: warning: this run may never end; {}", self.advice());
        }
        Ok(())
    }

    /// Returns the progress of this run, which has not begun.
    pub fn progress(&self, runner: &Runner<'_>, store: &Store, shown: Shown) -> anyhow::Result<GameProgress> {
        let work = Work::new(self.earlier(runner, store)?, self.appearances());
        let progress = GameProgress::new(runner.bots(), Some(self.games()), shown);
        Ok(progress.with_work(work, runner.concurrency.games_at_once))
    }

    /// Returns how long the newest games of the arena took, and the trial games.
    fn earlier(&self, runner: &Runner<'_>, store: &Store) -> anyhow::Result<GameTimes> {
        let mut times = GameTimes::default();
        // In a trial game bots think one after another.
        let share = if runner.concurrency.ask_mode == AskMode::OneByOne { 1.0 } else { 0.25 };
        for &(bot, seconds) in self.trials {
            times.add_seats(BySeat([bot; 4]), share * seconds);
        }
        let newest = store.games(&Filter { limit: Some(NEWEST_GAMES), ..Filter::default() })?;
        newest.iter().rev().for_each(|game| times.add(game));
        Ok(times)
    }

    fn appearances(&self) -> Appearances {
        let mut appearances = Appearances::new();
        for (bot, seats) in self.plans.iter().flat_map(|plan| plan.seats_by_bot()) {
            *appearances.entry(bot).or_default() += seats;
        }
        appearances
    }

    /// Returns how many games are in the arena already, as far as that is quickly found out.
    fn count_known(&self, runner: &Runner<'_>, store: &Store) -> anyhow::Result<usize> {
        let mut known = 0;
        let mut left = MAX_LOOKUPS;
        for plan in self.plans.iter().filter(|plan| !plan.depends_on_results()) {
            for blocks in plan.stages_without_results() {
                if left == 0 {
                    return Ok(known);
                }
                left = left.saturating_sub(4 * blocks.len());
                known += runner.count_known(store, &blocks)?;
            }
        }
        Ok(known)
    }

    fn advice(&self) -> String {
        let Some(plan) = self.plans.iter().max_by_key(|plan| plan.games()) else { return String::new() };
        let bots = plan.bots().len();
        match plan.schedule() {
            Schedule::RoundRobin if bots > 4 => format!(
                "{bots} bots have {} combinations of four on each map; the schedule \"swiss\" with {ADVISED_ROUNDS} rounds plays {} games",
                with_commas(Plan::combinations_of_four(bots)),
                with_commas(bots.div_ceil(4) * ADVISED_ROUNDS * 4),
            ),
            Schedule::RoundRobin => "choose fewer maps".to_owned(),
            Schedule::Gauntlet { .. } => "choose fewer opponents or fewer maps".to_owned(),
            Schedule::Swiss { .. } => "choose fewer rounds".to_owned(),
            Schedule::Matchmaking { .. } => "choose fewer blocks".to_owned(),
        }
    }
}

/// Returns how long a game takes, in seconds, if every bot uses the whole time limit in each turn.
fn longest_game(runner: &Runner<'_>) -> f64 {
    let settings = &runner.settings();
    let thinkers = if runner.concurrency.ask_mode == AskMode::OneByOne { 4.0 } else { 1.0 };
    f64::from(settings.turns) * settings.time_ms as f64 / 1000.0 * thinkers
}
