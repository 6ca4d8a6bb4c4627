//! A series of a comparison: the blocks of one kind of table, and what was observed in them.

use std::ops::ControlFlow;

use anyhow::Context;
use pacman2_console::error::bad_input;
use pacman2_console::language::in_chinese;
use pacman2_console::progress::Shown;
use pacman2_tournament::compare::{
    self, BlockObservation, ComparedAgainst, Comparison, Conclusion, LogLikelihoodRatio, TimeOuts,
};
use pacman2_tournament::standings::{Estimate, Interval};
use pacman2_tournament::{Block, BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};

use super::progress::GameProgress;
use super::runner::{Games, Outcome, Runner};

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

/// Which blocks a series has.
#[derive(Clone, Copy)]
pub struct SeriesRange {
    /// The new bot and the old one.
    pub bots: [BotId; 2],
    /// The seed of the first block's map.
    pub first_seed: i32,
    /// The largest number of blocks.
    pub most_blocks: u32,
}

impl SeriesRange {
    fn blocks(self, opponents: &OpponentPool) -> impl Iterator<Item = anyhow::Result<Block>> {
        (0..self.most_blocks).map(move |number| opponents.block(self.first_seed, number, self.bots))
    }
}

/// One of the comparisons of two bots: its opponents, and what was observed so far.
pub struct Series {
    /// The name for people.
    pub title: &'static str,
    /// The name in JSON.
    key: &'static str,
    opponents: OpponentPool,
    /// What was observed so far.
    pub comparison: Comparison,
    /// The number of games so far.
    pub games: usize,
    /// The games that were begun for blocks after the decision.
    pub wasted: usize,
    time_outs: TimeOuts,
}

impl Series {
    fn new(title: &'static str, key: &'static str, opponents: OpponentPool, comparison: Comparison) -> Series {
        Series { title, key, opponents, comparison, games: 0, wasted: 0, time_outs: TimeOuts::default() }
    }

    /// Returns the series in which two bots are compared: against copies of the old bot, and against a pool. A gate has tables of
    /// three and of two copies in between.
    pub fn from_comparison(pool: &[BotVersion], comparison: Comparison, is_gate: bool) -> Vec<Series> {
        let mut series =
            vec![Series::new("against three copies of the old bot", "three_olds", OpponentPool::OldBots, comparison.clone())];
        if is_gate {
            let three_news = ("three copies against the old bot", "three_news", OpponentPool::NewBots);
            let two_each = ("two copies of each", "two_each", OpponentPool::TwoEach);
            let kinds = [three_news, two_each].into_iter();
            series.extend(kinds.map(|(title, key, opponents)| Series::new(title, key, opponents, comparison.clone())));
        }
        if !pool.is_empty() {
            let pool = OpponentPool::Bots(pool.iter().map(|bot| bot.id).collect());
            series.push(Series::new("against the pool", "pool", pool, comparison));
        }
        series
    }

    /// Plays until the comparison is decided or has the maximal number of blocks. `watch` sees the series after each block. Returns
    /// `false` if it was interrupted.
    pub fn play(
        &mut self,
        runner: &mut Runner<'_>,
        store: &mut Store,
        range: SeriesRange,
        shown: Shown,
        watch: &mut dyn FnMut(&Series),
    ) -> anyhow::Result<bool> {
        let mut progress = GameProgress::new(runner.bots(), None, shown);
        let opponents = self.opponents.clone();
        let mut blocks = range.blocks(&opponents);
        let mut number = 0;
        let mut on_block = |results: Vec<GameResult>, progress: &mut GameProgress| {
            self.observe(range.bots, number, &results)?;
            self.show(progress);
            watch(self);
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

    /// Observes what the store has, and returns the blocks from the first one on that lacks a game; `None` if it needs no more.
    pub fn missing<'a>(
        &'a mut self,
        games: &Games,
        store: &Store,
        range: SeriesRange,
    ) -> anyhow::Result<Option<impl Iterator<Item = anyhow::Result<Block>> + 'a>> {
        for number in 0..range.most_blocks {
            let block = self.opponents.block(range.first_seed, number, range.bots)?;
            let results =
                games.of_block(&block).iter().map(|game| store.game(&game.id)).collect::<Result<Option<Vec<_>>, _>>()?;
            let Some(results) = results else {
                return Ok(Some(range.blocks(&self.opponents).skip(number as usize)));
            };
            self.observe(range.bots, number, &results)?;
            if self.comparison.is_decided() {
                break;
            }
        }
        Ok(None)
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
    fn show(&self, progress: &mut GameProgress) {
        let event = || {
            let mut event = self.json();
            event["event"] = "block".into();
            event
        };
        progress.set_comparison(event, self.note());
    }

    /// Returns how far the comparison has come, short enough for a line of progress.
    fn note(&self) -> String {
        let LogLikelihoodRatio { value, lower, upper } = self.comparison.log_likelihood_ratio();
        let lead = self
            .comparison
            .estimate()
            .map_or_else(String::new, |(value, Interval { low, high })| format!("{value:+.1} points ({low:.1} to {high:.1}), "));
        format!("{lead}LLR {value:.2} ({lower:.2} to {upper:.2})")
    }

    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        compare::sentence(&self.comparison, self.games, self.time_outs)
    }

    /// Returns the result in one or two words.
    pub fn verdict(&self) -> &'static str {
        match self.comparison.conclusion() {
            Conclusion::Better => "better",
            Conclusion::Worse => "worse",
            Conclusion::NotBetter => "not better",
            Conclusion::Undecided { .. } => "undecided",
        }
    }

    /// Returns the result as JSON.
    pub fn json(&self) -> Value {
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
            "difference": self.comparison.estimate().map(|(value, interval)| Estimate { value, interval: Some(interval) }),
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
            "sentence": { "en": self.sentence(), "zh": in_chinese(&self.sentence()) },
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
