//! `pacman2 arena compare`: whether a bot is better than another, against three of the other and against a pool.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_rules::Seat;
use pacman2_tournament::compare::{self, Comparison, ComparisonConfig, Conclusion, GAMES_PER_BLOCK, Locale, TimeOuts};
use pacman2_tournament::{Block, BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};

use super::args::CompareArgs;
use super::entry::{self, Entry};
use super::progress::Progress;
use super::run::Hall;
use super::{by_label, guard, hall, is_program, named, open, stand_guard, take_turn};
use crate::board::harmless;
use crate::built_in;
use crate::failure::bad_input;
use crate::play::{INTERRUPTED, stop_on_interrupt};

pub(crate) fn run(folder: &Path, args: &CompareArgs) -> anyhow::Result<ExitCode> {
    let terms = ComparisonConfig { difference: args.difference, alpha: args.alpha, beta: args.beta };
    let fresh = Comparison::new(terms).map_err(bad_input)?;
    // Which of the bots are programs is known only when all are found; to stand guard for none does no harm.
    let may_be_programs = {
        let store = open(folder)?;
        let known = store.bots()?;
        known.iter().any(is_program) || ![&args.new, &args.old].into_iter().all(|text| built_in::is_meant(text))
    };
    if let Some(code) = stand_guard(may_be_programs)? {
        return Ok(code);
    }
    let mut store = open(folder)?;
    let _turn = take_turn(&store)?;
    let guard_of_new = guard(may_be_programs, &args.play.sandbox);
    // The old one first: if both are versions of one name, the new one is to be the one that plays.
    let old = found_or_added(&mut store, &guard_of_new, &args.old)?;
    let new = found_or_added(&mut store, &guard_of_new, &args.new)?;
    if new.id == old.id {
        return Err(bad_input(format!("{} is to be compared with itself; two bots are wanted", harmless(&new.label()))));
    }
    let pool = pool(&store.bots()?, args, &new, &old)?;
    let stop = stop_on_interrupt()?;
    let players: Vec<&BotVersion> = [&new, &old].into_iter().chain(&pool).collect();
    let guard = guard(may_be_programs, &by_label(&args.play.sandbox, &players));
    let hall = hall(&store, &guard, &players, args.play.games_at_once, &stop)?;

    let mut settings = vec![Setting::new("against three of the old one", "three_olds", vec![old.id], fresh.clone())];
    if !pool.is_empty() {
        let pool = pool.iter().map(|bot| bot.id).collect();
        settings.push(Setting::new("against the pool", "pool", pool, fresh));
    }
    let mut is_whole = true;
    for setting in &mut settings {
        is_whole = is_whole && setting.play(&hall, &mut store, args, [&new, &old])?;
    }
    pacman2_runner::sweep();
    tell(args, &new, &old, &pool, &settings, is_whole)?;
    Ok(if is_whole { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

/// The bot of the arena that is meant, or one that is added to it now.
fn found_or_added(store: &mut Store, guard: &crate::sandbox::Guard, text: &str) -> anyhow::Result<BotVersion> {
    let bots = store.bots()?;
    let is_known = bots.iter().any(|bot| bot.name == text || bot.label() == text);
    let can_be_added = built_in::is_meant(text) || Path::new(text).exists() || text.contains(char::is_whitespace);
    if is_known || !can_be_added {
        return named(&bots, text);
    }
    entry::add_or_find(store, guard, &Entry { text, ..Entry::default() })
}

/// The opponents of the second setting.
fn pool(bots: &[BotVersion], args: &CompareArgs, new: &BotVersion, old: &BotVersion) -> anyhow::Result<Vec<BotVersion>> {
    if !args.pool.is_empty() {
        return args.pool.iter().map(|name| named(bots, name)).collect();
    }
    let is_stranger = |bot: &&BotVersion| bot.is_active && bot.name != new.name && bot.name != old.name;
    Ok(bots.iter().filter(is_stranger).cloned().collect())
}

/// Against whom the two are compared, and what is known by now.
struct Setting {
    title: &'static str,
    name: &'static str,
    pool: Vec<BotId>,
    comparison: Comparison,
    time_outs: TimeOuts,
}

impl Setting {
    fn new(title: &'static str, name: &'static str, pool: Vec<BotId>, comparison: Comparison) -> Setting {
        Setting { title, name, pool, comparison, time_outs: TimeOuts { old: 0, new: 0 } }
    }

    /// Plays until it can be told, or there are enough blocks; `false` if it was stopped.
    fn play(&mut self, hall: &Hall<'_>, store: &mut Store, args: &CompareArgs, bots: [&BotVersion; 2]) -> anyhow::Result<bool> {
        let ids = bots.map(|bot| bot.id);
        let at_once = hall.pace.games_at_once.div_ceil(GAMES_PER_BLOCK).max(1);
        let mut progress = Progress::new(&hall.bots, None, args.json);
        let mut number = 0;
        while matches!(self.comparison.conclusion(), Conclusion::Undecided { .. }) && number < args.most_blocks {
            let numbers = number..args.most_blocks.min(number + at_once as u32);
            let blocks =
                numbers.clone().map(|number| self.block(args.first_seed, number, ids)).collect::<anyhow::Result<Vec<_>>>()?;
            let Some(results) = hall.play_blocks(store, &blocks, &mut progress)? else { return Ok(false) };
            for block in results.chunks(GAMES_PER_BLOCK) {
                // Whatever was played beyond a verdict does not change it.
                if matches!(self.comparison.conclusion(), Conclusion::Undecided { .. }) {
                    self.observe(ids, block);
                }
            }
            number = numbers.end;
        }
        Ok(true)
    }

    fn block(&self, first_seed: i32, number: u32, [new, old]: [BotId; 2]) -> anyhow::Result<Block> {
        let seed = first_seed.checked_add_unsigned(number).ok_or_else(|| {
            bad_input(format!("block {} wants a seed beyond {}; a smaller --first-seed leaves room", number + 1, i32::MAX))
        })?;
        Ok(compare::block(seed, new, old, opponents(&self.pool, number as usize)))
    }

    fn observe(&mut self, [new, old]: [BotId; 2], block: &[GameResult]) {
        let Some(points) = compare::observation(new, old, block) else { return };
        self.comparison.observe(points);
        for (seat, (with_new, with_old)) in Seat::ALL.into_iter().zip(block.iter().zip(&block[4..])) {
            let ran_out = |game: &GameResult| game.seats[seat].fault.as_ref().is_some_and(|fault| fault.kind == "TLE");
            self.time_outs.new += usize::from(ran_out(with_new));
            self.time_outs.old += usize::from(ran_out(with_old));
        }
    }

    fn sentence(&self) -> String {
        compare::sentence(&self.comparison, self.time_outs, Locale::English)
    }

    fn json(&self) -> Value {
        let verdict = match self.comparison.conclusion() {
            Conclusion::Better => "better",
            Conclusion::Worse => "worse",
            Conclusion::NotBetter => "not better",
            Conclusion::Undecided { .. } => "undecided",
        };
        json!({
            "setting": self.name,
            "verdict": verdict,
            "difference": self.comparison.estimate(),
            "blocks": self.comparison.blocks(),
            "games": self.comparison.blocks() * GAMES_PER_BLOCK,
            "time_outs": { "new": self.time_outs.new, "old": self.time_outs.old },
            "sentence": { "en": self.sentence(), "zh": compare::sentence(&self.comparison, self.time_outs, Locale::Chinese) },
        })
    }
}

/// Three of the pool: all threes in turn, so that each of them is met as often.
fn opponents(pool: &[BotId], number: usize) -> [BotId; 3] {
    let count = pool.len();
    if count < 3 {
        return [0, 1, 2].map(|place| pool[(number + place) % count]);
    }
    let threes: Vec<[usize; 3]> =
        (0..count).flat_map(|a| (a + 1..count).flat_map(move |b| (b + 1..count).map(move |c| [a, b, c]))).collect();
    threes[number * stride(threes.len()) % threes.len()].map(|place| pool[place])
}

/// A step that leads to every one of so many places before the first comes again, far from one to the next.
fn stride(count: usize) -> usize {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (count * 5 / 13 + 1..).find(|&step| common(step, count) == 1).unwrap_or(1)
}

fn tell(
    args: &CompareArgs,
    new: &BotVersion,
    old: &BotVersion,
    pool: &[BotVersion],
    settings: &[Setting],
    is_whole: bool,
) -> anyhow::Result<()> {
    let mut out = io::stdout();
    if args.json {
        let settings: Vec<Value> = settings.iter().map(Setting::json).collect();
        let (new, old) = (new.label(), old.label());
        writeln!(out, "{}", json!({ "event": "end", "new": new, "old": old, "finished": is_whole, "settings": settings }))?;
        return Ok(());
    }
    writeln!(out, "{} compared with {}", harmless(&new.label()), harmless(&old.label()))?;
    for setting in settings {
        writeln!(out, "  {}: {}", setting.title, setting.sentence())?;
    }
    if pool.is_empty() {
        writeln!(out, "  There is nobody else in the arena to be compared against; \"pacman2 arena add\" adds bots.")?;
    }
    if !is_whole {
        writeln!(out, "  Stopped; the same command goes on.")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_three_of_the_pool_is_met_as_often() {
        for count in 1..9 {
            let pool: Vec<BotId> = (0..count).map(BotId).collect();
            let threes = (count * (count - 1) * (count - 2) / 6).max(count) as usize;
            let mut met: BTreeMap<BotId, usize> = BTreeMap::new();
            for number in 0..threes {
                for bot in opponents(&pool, number) {
                    *met.entry(bot).or_default() += 1;
                }
            }
            assert_eq!(met.len(), count as usize);
            assert!(met.values().all(|&times| times == 3 * threes / count as usize), "{met:?}");
        }
    }
}
