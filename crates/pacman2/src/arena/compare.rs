//! `pacman2 arena compare` and `gate`: play until it is decided whether a bot is better than another, first against three copies of
//! the other, at last against a pool of opponents. A gate has tables of three and of two copies in between. Copies of one program need
//! no games.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use pacman2_bots::style::STYLES;
use pacman2_tournament::compare::{
    self, BlockObservation, ComparedAgainst, Comparison, Conclusion, Locale, LogLikelihoodRatio, TimeOuts,
};
use pacman2_tournament::standings::Estimate;
use pacman2_tournament::{Block, BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};

use super::args::CompareArgs;
use super::candidate::{BotSource, find_or_add_bot};
use super::options;
use super::progress::{GameProgress, Shown};
use super::runner::{Outcome, Runner};
use super::sandbox::{sandbox_policy, start_watchdog, trust_by_label};
use super::store::{find_bot, is_program, lock_store, open_store};
use crate::built_in;
use crate::error::bad_input;
use crate::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::sandbox::SandboxPolicy;
use crate::text::sanitize;

/// Which series are played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Against copies of the old bot, and against a pool.
    Compare,
    /// All kinds of tables. By default, the pool has all styles and other built-in bots.
    Gate,
}

pub(super) fn run(folder: &Path, args: &CompareArgs, scope: Scope) -> anyhow::Result<ExitCode> {
    let comparison = options::comparison(args)?;
    let shown = Shown::of(args.json, args.play.elsewhere);
    // Which bots are programs is known only when all are found, and a watchdog without programs does no harm.
    let may_have_programs = {
        let known = open_store(folder)?.bots()?;
        known.iter().any(is_program) || ![&args.new, &args.old].into_iter().all(|text| built_in::is_meant(text))
    };
    if let Some(code) = start_watchdog(may_have_programs)? {
        return Ok(code);
    }
    let mut store = open_store(folder)?;
    let _lock = lock_store(&store)?;
    let policy = sandbox_policy(may_have_programs, &args.play.sandbox);
    // OLD comes first: if both are versions of one name, NEW becomes the active one.
    let old = find_or_add(&mut store, &policy, &args.old)?;
    let new = find_or_add(&mut store, &policy, &args.new)?;
    if new.id == old.id {
        return Err(bad_input(format!("cannot compare {} with itself; name two different bots", sanitize(&new.label()))));
    }
    if new.is_same_program(&old) {
        pacman2_runner::sweep();
        report_same_program(shown.json, &new, &old)?;
        return Ok(ExitCode::SUCCESS);
    }
    let pool = match scope {
        Scope::Gate if args.pool.is_empty() => pool_of_the_gate(&mut store, &policy, &new, &old)?,
        _ => pool(&store.bots()?, args, &new, &old)?,
    };
    let stop = stop_on_interrupt()?;
    let players: Vec<&BotVersion> = [&new, &old].into_iter().chain(&pool).collect();
    let policy = sandbox_policy(may_have_programs, &trust_by_label(&args.play.sandbox, &players));
    let mut runner = Runner::new(&store, &policy, &players, &args.play, &stop)?;

    let mut series =
        vec![Series::new("against three copies of the old bot", "three_olds", OpponentPool::OldBots, comparison.clone())];
    if scope == Scope::Gate {
        series.push(Series::new("three copies against the old bot", "three_news", OpponentPool::NewBots, comparison.clone()));
        series.push(Series::new("two copies of each", "two_each", OpponentPool::TwoEach, comparison.clone()));
    }
    if !pool.is_empty() {
        let pool = OpponentPool::Bots(pool.iter().map(|bot| bot.id).collect());
        series.push(Series::new("against the pool", "pool", pool, comparison));
    }
    let mut is_complete = true;
    for series in &mut series {
        is_complete = is_complete && series.play(&mut runner, &mut store, args, [&new, &old])?;
    }
    pacman2_runner::sweep();
    match scope {
        Scope::Gate if !shown.json => report_gate(&new, &old, &series, is_complete)?,
        _ => report(shown.json, &new, &old, &pool, &series, is_complete)?,
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

/// Finds a bot of the arena, or adds the bot that was typed.
fn find_or_add(store: &mut Store, policy: &SandboxPolicy, text: &str) -> anyhow::Result<BotVersion> {
    let bots = store.bots()?;
    let is_known = bots.iter().any(|bot| bot.name == text || bot.label() == text);
    let can_be_added = built_in::is_meant(text) || Path::new(text).exists() || text.contains(char::is_whitespace);
    if is_known || !can_be_added {
        return find_bot(&bots, text);
    }
    find_or_add_bot(store, policy, &BotSource { text, ..BotSource::default() })
}

/// Returns the opponents of the second series.
fn pool(bots: &[BotVersion], args: &CompareArgs, new: &BotVersion, old: &BotVersion) -> anyhow::Result<Vec<BotVersion>> {
    if !args.pool.is_empty() {
        return args.pool.iter().map(|name| find_bot(bots, name)).collect();
    }
    let is_third = |bot: &&BotVersion| bot.is_active && bot.name != new.name && bot.name != old.name;
    Ok(bots.iter().filter(is_third).cloned().collect())
}

/// Returns the styles and the other built-in bots that decide without a clock. Those that are not in the arena are added, but take no
/// part in its other games.
fn pool_of_the_gate(
    store: &mut Store,
    policy: &SandboxPolicy,
    new: &BotVersion,
    old: &BotVersion,
) -> anyhow::Result<Vec<BotVersion>> {
    let styles = STYLES.iter().map(|style| format!("style {}", style.name));
    let others = ["greedy", "hunter"].map(str::to_owned);
    let known: Vec<BotId> = store.bots()?.iter().map(|bot| bot.id).collect();
    let pool = others.into_iter().chain(styles).map(|text| {
        let bot = find_or_add(store, policy, &text)?;
        if !known.contains(&bot.id) {
            store.set_active(bot.id, false)?;
        }
        Ok(bot)
    });
    let is_third = |bot: &BotVersion| ![new, old].into_iter().any(|compared| bot.is_same_program(compared));
    pool.filter(|bot| bot.as_ref().map_or(true, is_third)).collect()
}

/// The opponents of a series.
#[derive(Clone)]
enum OpponentPool {
    /// Copies of the old bot.
    OldBots,
    /// Copies of the new bot.
    NewBots,
    /// A copy of each.
    TwoEach,
    Bots(Vec<BotId>),
}

impl OpponentPool {
    /// Returns the opponents of a block.
    fn of_block(&self, number: u32) -> ComparedAgainst {
        match self {
            OpponentPool::OldBots => ComparedAgainst::OldBots,
            OpponentPool::NewBots => ComparedAgainst::NewBots,
            OpponentPool::TwoEach => ComparedAgainst::TwoEach,
            OpponentPool::Bots(pool) => ComparedAgainst::Others(opponents(pool, number as usize)),
        }
    }

    fn block(&self, first_seed: i32, number: u32, [new, old]: [BotId; 2]) -> anyhow::Result<Block> {
        let seed = first_seed.checked_add_unsigned(number).ok_or_else(|| {
            bad_input(format!("block {} exceeds the largest seed {}; choose a smaller --first-seed", number + 1, i32::MAX))
        })?;
        Ok(compare::block(seed, new, old, self.of_block(number)))
    }
}

/// One of the two comparisons: its opponents, and what was observed so far.
struct Series {
    title: &'static str,
    /// The name in JSON.
    key: &'static str,
    opponents: OpponentPool,
    comparison: Comparison,
    games: usize,
    /// The games that were begun for blocks after the decision.
    wasted: usize,
    time_outs: TimeOuts,
}

impl Series {
    fn new(title: &'static str, key: &'static str, opponents: OpponentPool, comparison: Comparison) -> Series {
        Series { title, key, opponents, comparison, games: 0, wasted: 0, time_outs: TimeOuts::default() }
    }

    /// Plays until the comparison is decided or has the maximal number of blocks. Returns `false` if it was interrupted.
    fn play(
        &mut self,
        runner: &mut Runner<'_>,
        store: &mut Store,
        args: &CompareArgs,
        bots: [&BotVersion; 2],
    ) -> anyhow::Result<bool> {
        let ids = bots.map(|bot| bot.id);
        let shown = Shown::of(args.json, args.play.elsewhere);
        let mut progress = GameProgress::new(runner.bots(), None, shown);
        let opponents = self.opponents.clone();
        let mut blocks = (0..args.most_blocks).map(|number| opponents.block(args.first_seed, number, ids));
        let mut number = 0;
        let mut on_block = |results: Vec<GameResult>, progress: &mut GameProgress| {
            self.observe(ids, number, &results)?;
            self.show(progress, shown);
            number += 1;
            Ok(if self.comparison.is_decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        match runner.run_in_order(store, &mut blocks, &mut on_block, &mut progress)? {
            Outcome::Complete => Ok(true),
            Outcome::Decided { wasted } => {
                self.wasted = wasted;
                Ok(true)
            }
            Outcome::Interrupted => Ok(false),
        }
    }

    fn observe(&mut self, [new, old]: [BotId; 2], number: u32, block: &[GameResult]) -> anyhow::Result<()> {
        let observed = compare::observation(new, old, self.opponents.of_block(number), block);
        let BlockObservation { points, time_outs } = observed.context("a game of the block is missing")?;
        self.comparison.observe(points);
        self.games += block.len();
        self.time_outs += time_outs;
        Ok(())
    }

    /// Shows how far the comparison has come.
    fn show(&self, progress: &mut GameProgress, shown: Shown) {
        if shown.json {
            let mut event = self.json();
            event["event"] = "block".into();
            // If the reader is gone, the games are stored all the same.
            let _ = writeln!(io::stdout(), "{event}");
        }
        if shown.line {
            progress.set_note(self.note());
        }
    }

    /// Returns how far the comparison has come, short enough for a line of progress.
    fn note(&self) -> String {
        let LogLikelihoodRatio { value, lower, upper } = self.comparison.log_likelihood_ratio();
        let lead = self
            .comparison
            .estimate()
            .map_or_else(String::new, |Estimate { value, low, high }| format!("{value:+.1} points ({low:.1} to {high:.1}), "));
        format!("{lead}LLR {value:.2} ({lower:.2} to {upper:.2})")
    }

    fn sentence(&self, locale: Locale) -> String {
        compare::sentence(&self.comparison, self.games, self.time_outs, locale)
    }

    fn verdict(&self) -> &'static str {
        match self.comparison.conclusion() {
            Conclusion::Better => "better",
            Conclusion::Worse => "worse",
            Conclusion::NotBetter => "not better",
            Conclusion::Undecided { .. } => "undecided",
        }
    }

    fn json(&self) -> Value {
        let verdict = self.verdict();
        let more_blocks = match self.comparison.conclusion() {
            Conclusion::Undecided { more_blocks } => Some(more_blocks),
            _ => None,
        };
        let config = self.comparison.config();
        let LogLikelihoodRatio { value, lower, upper } = self.comparison.log_likelihood_ratio();
        json!({
            "setting": self.key,
            "verdict": verdict,
            "difference": self.comparison.estimate(),
            "confidence": config.confidence(),
            "llr": { "value": value, "lower": lower, "upper": upper },
            "points0": config.points0,
            "points1": config.points1,
            "blocks": self.comparison.blocks(),
            "games": self.games,
            "more_blocks": more_blocks,
            "time_outs": {
                "new": self.time_outs.new.count,
                "old": self.time_outs.old.count,
                "new_seats": self.time_outs.new.seats,
                "old_seats": self.time_outs.old.seats,
            },
            "sentence": { "en": self.sentence(Locale::English), "zh": self.sentence(Locale::Chinese) },
        })
    }
}

/// Returns three opponents of the pool for a block. All combinations take turns, so that each bot plays equally often.
fn opponents(pool: &[BotId], number: usize) -> [BotId; 3] {
    let count = pool.len();
    if count < 3 {
        return [0, 1, 2].map(|offset| pool[(number + offset) % count]);
    }
    let triples: Vec<[usize; 3]> =
        (0..count).flat_map(|a| (a + 1..count).flat_map(move |b| (b + 1..count).map(move |c| [a, b, c]))).collect();
    triples[number * stride(triples.len()) % triples.len()].map(|index| pool[index])
}

/// Returns a step that is coprime to `count` and about 5/13 of it: steps of it modulo `count` visit every index once, and
/// neighbours in time are far apart.
fn stride(count: usize) -> usize {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (count * 5 / 13 + 1..).find(|&step| gcd(step, count) == 1).unwrap_or(1)
}

fn report_same_program(json: bool, new: &BotVersion, old: &BotVersion) -> anyhow::Result<()> {
    let (new, old) = (new.label(), old.label());
    if json {
        let end = json!({ "event": "end", "new": new, "old": old, "finished": true, "same_program": true, "settings": [] });
        writeln!(io::stdout(), "{end}")?;
    } else {
        writeln!(io::stdout(), "{} and {} are the same program; nothing was played.", sanitize(&new), sanitize(&old))?;
    }
    Ok(())
}

/// Prints a row for each kind of table.
fn report_gate(new: &BotVersion, old: &BotVersion, series: &[Series], is_complete: bool) -> anyhow::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "{} against {}", sanitize(&new.label()), sanitize(&old.label()))?;
    writeln!(out, "{:<36}  {:<10}  {:>6}  {:>15}  {:>6}  {:>6}", "table", "result", "lead", "interval", "blocks", "games")?;
    for series in series {
        let (lead, interval) = series.comparison.estimate().map_or_else(Default::default, |Estimate { value, low, high }| {
            (format!("{value:+.1}"), format!("{low:+.1} to {high:+.1}"))
        });
        let (title, verdict, blocks, games) = (series.title, series.verdict(), series.comparison.blocks(), series.games);
        writeln!(out, "{title:<36}  {verdict:<10}  {lead:>6}  {interval:>15}  {blocks:>6}  {games:>6}")?;
    }
    if !is_complete {
        writeln!(out, "Interrupted; run the same command to continue.")?;
    }
    Ok(())
}

fn report(
    json: bool,
    new: &BotVersion,
    old: &BotVersion,
    pool: &[BotVersion],
    series: &[Series],
    is_complete: bool,
) -> anyhow::Result<()> {
    let mut out = io::stdout();
    if json {
        let wasted: usize = series.iter().map(|series| series.wasted).sum();
        let settings: Vec<Value> = series.iter().map(Series::json).collect();
        let (new, old) = (new.label(), old.label());
        writeln!(
            out,
            "{}",
            json!({
                "event": "end", "new": new, "old": old, "finished": is_complete, "same_program": false, "settings": settings,
                "wasted": wasted,
            })
        )?;
        return Ok(());
    }
    writeln!(out, "{} compared with {}", sanitize(&new.label()), sanitize(&old.label()))?;
    for series in series {
        writeln!(out, "  {}: {}", series.title, series.sentence(Locale::English))?;
    }
    if pool.is_empty() {
        writeln!(out, "  The arena has no other opponents; add bots with \"pacman2 arena add\".")?;
    }
    if !is_complete {
        writeln!(out, "  Interrupted; run the same command to continue.")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn all_opponents_play_equally_often() {
        for count in 1..9 {
            let pool: Vec<BotId> = (0..count).map(BotId).collect();
            let triples = (count * (count - 1) * (count - 2) / 6).max(count) as usize;
            let mut counts: BTreeMap<BotId, usize> = BTreeMap::new();
            for number in 0..triples {
                for bot in opponents(&pool, number) {
                    *counts.entry(bot).or_default() += 1;
                }
            }
            assert_eq!(counts.len(), count as usize);
            assert!(counts.values().all(|&times| times == 3 * triples / count as usize), "{counts:?}");
        }
    }
}
