//! `pacman2 arena compare`: plays until it is decided whether a bot is better than another, first against three copies of
//! the other, at last against a pool of opponents. With `--all-tables`, there are tables of three and of two copies in between. Copies
//! of one program need no games.

use pacman2_console::stdout::stdout;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::candidate::{BotToAdd, find_or_add_bot};
use pacman2_arena::progress::EVENTS;
use pacman2_arena::runner::Runner;
use pacman2_arena::series::{Series, SeriesRange};
use pacman2_arena::store::{find_bot, lock_store, open_store};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_bots::style::STYLES;
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::language::translated;
use pacman2_console::progress::Shown;
use pacman2_console::text::{label, label_right, sanitize};
use pacman2_tournament::standings::Interval;
use pacman2_tournament::{BotId, BotVersion, Store};
use serde_json::{Value, json};

use super::options;
use crate::args::{CompareArgs, TestArgs};

/// Which series are played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Against copies of the old bot, and against a pool.
    Compare,
    /// All kinds of tables. By default, the pool has all styles and other built-in bots.
    AllTables,
}

pub(super) fn run(folder: &Path, args: &CompareArgs, scope: Scope) -> anyhow::Result<ExitCode> {
    let comparison = options::comparison(&args.test)?;
    let play = args.play.options();
    let shown = Shown::from_options(args.json, play.elsewhere);
    let [new, old] = [&args.new, &args.old].map(|text| TypedBot::new(text));
    // Which bots are programs is known only when all are found, and a watchdog without programs does no harm.
    let may_have_programs = open_store(folder)?.bots()?.iter().any(|bot| !bot.is_built_in())
        || [&new, &old].into_iter().any(|bot| !bot.is_built_in());
    if may_have_programs && let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let mut store = open_store(folder)?;
    let _lock = lock_store(&store)?;
    let policy = SandboxPolicy::for_bots(may_have_programs, play.sandbox.clone());
    // OLD comes first: if both are versions of one name, NEW becomes the active one.
    let old = old.find_or_add(&mut store, &policy)?;
    let new = new.find_or_add(&mut store, &policy)?;
    if new.id == old.id {
        return Err(bad_input(format!("cannot compare {} with itself; name two different bots", sanitize(&new.label()))));
    }
    if new.is_same_program(&old) {
        pacman2_runner::sweep();
        report_same_program(shown.json, &new, &old)?;
        return Ok(ExitCode::SUCCESS);
    }
    let pool = match scope {
        Scope::AllTables if args.test.pool.is_empty() => pool_of_all_tables(&mut store, &policy, &new, &old)?,
        _ => pool(&store.bots()?, &args.test.pool, &new, &old)?,
    };
    let stop = stop_on_interrupt()?;
    let players: Vec<&BotVersion> = [&new, &old].into_iter().chain(&pool).collect();
    let policy = SandboxPolicy::for_bots(may_have_programs, play.sandbox_of(&players));
    let mut runner = Runner::new(&store, &policy, &players, &play, &stop)?;

    let CompareArgs { first_seed, test: TestArgs { most_blocks, .. }, .. } = *args;
    let range = SeriesRange { bots: [new.id, old.id], first_seed, most_blocks };
    let mut series = Series::from_comparison(&pool, comparison, scope == Scope::AllTables);
    let mut is_complete = true;
    for series in &mut series {
        is_complete = is_complete && series.play(&mut runner, &mut store, range, shown, &mut |_| ())?;
    }
    pacman2_runner::sweep();
    match scope {
        Scope::AllTables if !shown.json => report_gate(&new, &old, &series, is_complete)?,
        _ => report(shown.json, &new, &old, &pool, &series, is_complete)?,
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

/// The name of a bot of the arena, or a BOT argument.
struct TypedBot<'a> {
    text: &'a str,
    argument: anyhow::Result<BotArgument>,
}

impl TypedBot<'_> {
    fn new(text: &str) -> TypedBot<'_> {
        TypedBot { text, argument: text.parse() }
    }

    fn is_built_in(&self) -> bool {
        self.argument.as_ref().is_ok_and(BotArgument::is_built_in)
    }

    /// Finds a bot of the arena, or adds the bot that was typed.
    fn find_or_add(self, store: &mut Store, policy: &SandboxPolicy) -> anyhow::Result<BotVersion> {
        let TypedBot { text, .. } = self;
        let bots = store.bots()?;
        let is_known = bots.iter().any(|bot| bot.name == text || bot.label() == text);
        let can_be_added = self.is_built_in() || Path::new(text).exists() || text.contains(char::is_whitespace);
        if is_known || !can_be_added {
            return find_bot(&bots, text);
        }
        find_or_add_bot(store, policy, &BotToAdd::new(&self.argument?))
    }
}

/// Returns the opponents of the second series.
pub(crate) fn pool(bots: &[BotVersion], names: &[String], new: &BotVersion, old: &BotVersion) -> anyhow::Result<Vec<BotVersion>> {
    if !names.is_empty() {
        return names.iter().map(|name| find_bot(bots, name)).collect();
    }
    let is_third = |bot: &&BotVersion| bot.is_active && bot.name != new.name && bot.name != old.name;
    Ok(bots.iter().filter(is_third).cloned().collect())
}

/// Returns the styles and the other built-in bots that decide without a clock. Those that are not in the arena are added, but take no
/// part in its other games.
fn pool_of_all_tables(
    store: &mut Store,
    policy: &SandboxPolicy,
    new: &BotVersion,
    old: &BotVersion,
) -> anyhow::Result<Vec<BotVersion>> {
    let styles = STYLES.iter().map(|style| format!("style {}", style.name));
    let others = ["greedy", "hunter"].map(str::to_owned);
    let known: Vec<BotId> = store.bots()?.iter().map(|bot| bot.id).collect();
    let pool = others.into_iter().chain(styles).map(|text| {
        let bot = TypedBot::new(&text).find_or_add(store, policy)?;
        if !known.contains(&bot.id) {
            store.set_active(bot.id, false)?;
        }
        Ok(bot)
    });
    let is_third = |bot: &BotVersion| ![new, old].into_iter().any(|compared| bot.is_same_program(compared));
    pool.filter(|bot| bot.as_ref().map_or(true, is_third)).collect()
}

fn report_same_program(json: bool, new: &BotVersion, old: &BotVersion) -> anyhow::Result<()> {
    let (new, old) = (new.label(), old.label());
    if json {
        let end = json!({ "event": "end", "new": new, "old": old, "finished": true, "same_program": true, "settings": [] });
        writeln!(stdout(), "{}", labelled(EVENTS, end))?;
    } else {
        writeln!(stdout(), "{} and {} are the same program; nothing was played.", sanitize(&new), sanitize(&old))?;
    }
    Ok(())
}

/// Prints a row for each kind of table.
fn report_gate(new: &BotVersion, old: &BotVersion, series: &[Series], is_complete: bool) -> anyhow::Result<()> {
    let mut out = stdout();
    writeln!(out, "{} against {}", sanitize(&new.label()), sanitize(&old.label()))?;
    let row = |title: &str, verdict: &str, numbers: [&str; 4]| {
        let [lead, interval, blocks, games] = numbers;
        let [lead, blocks, games] = [lead, blocks, games].map(|number| label_right(number, 6));
        format!("{}  {}  {lead}  {}  {blocks}  {games}", label(title, 36), label(verdict, 10), label_right(interval, 15))
    };
    writeln!(out, "{}", row("table", "result", ["lead", "interval", "blocks", "games"]))?;
    for series in series {
        let (lead, interval) = series.comparison.estimate().map_or_else(Default::default, |(value, Interval { low, high })| {
            (format!("{value:+.1}"), format!("{low:+.1} to {high:+.1}"))
        });
        let [blocks, games] = [series.comparison.blocks(), series.games].map(|number| number.to_string());
        writeln!(out, "{}", row(series.title, series.verdict(), [&lead, &interval, &blocks, &games]))?;
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
    let mut out = stdout();
    if json {
        let wasted: usize = series.iter().map(|series| series.wasted).sum();
        let settings: Vec<Value> = series.iter().map(Series::json).collect();
        let (new, old) = (new.label(), old.label());
        let end = json!({
            "event": "end", "new": new, "old": old, "finished": is_complete, "same_program": false, "settings": settings,
            "wasted": wasted,
        });
        writeln!(out, "{}", labelled(EVENTS, end))?;
        return Ok(());
    }
    writeln!(out, "{} compared with {}", sanitize(&new.label()), sanitize(&old.label()))?;
    for series in series {
        writeln!(out, "  {}: {}", series.title, translated(&series.sentence()))?;
    }
    if pool.is_empty() {
        writeln!(out, "  The arena has no other opponents; add bots with \"pacman2 arena add\".")?;
    }
    if !is_complete {
        writeln!(out, "  Interrupted; run the same command to continue.")?;
    }
    Ok(())
}
