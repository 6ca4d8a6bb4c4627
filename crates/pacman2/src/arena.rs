//! `pacman2 arena`: bots and games that are kept, tables, and whether a bot is better than another.

mod args;
mod compare;
mod entry;
mod export;
mod list;
mod progress;
mod run;
mod stalls;
mod terms;
mod tournament;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) use args::ArenaArgs;
use args::{AddArgs, ArenaVerb, InitArgs, RetireArgs, RunArgs, ScheduleName};
use entry::Entry;
use pacman2_rules::ForfeitRuling;
use pacman2_tournament::schedule::{Plan, Schedule};
use pacman2_tournament::store::{ArenaSettings, Filter, RunLock};
use pacman2_tournament::{BotId, BotVersion, Store};
use progress::Progress;
use run::{Hall, Pace};
use serde_json::json;
use terms::Terms;

use crate::args::SandboxArgs;
use crate::board::harmless;
use crate::built_in;
use crate::failure::bad_input;
use crate::play::{INTERRUPTED, stop_on_interrupt};
use crate::sandbox::Guard;

pub(crate) fn run(args: &ArenaArgs) -> anyhow::Result<ExitCode> {
    let folder = args.arena.as_path();
    match &args.verb {
        ArenaVerb::Init(args) => init(folder, args),
        ArenaVerb::Add(args) => add(folder, args),
        ArenaVerb::Retire(args) => retire(folder, args),
        ArenaVerb::Run(args) => play(folder, args),
        ArenaVerb::Table(args) => list::table(folder, args),
        ArenaVerb::Games(args) => list::games(folder, args),
        ArenaVerb::Show(args) => list::show(folder, args),
        ArenaVerb::Compare(args) => compare::run(folder, args),
        ArenaVerb::Export(args) => export::export(folder, args),
        ArenaVerb::Report(args) => export::report(folder, args),
        ArenaVerb::Tournament(args) => tournament::run(args),
    }
}

/// Opens the arena in that folder.
fn open(folder: &Path) -> anyhow::Result<Store> {
    Store::open(folder).map_err(bad_input)
}

/// Takes the right to play in it.
fn take_turn(store: &Store) -> anyhow::Result<RunLock> {
    store.try_lock()?.ok_or_else(|| {
        bad_input(format!("{}: another pacman2 plays in this arena; wait for it, or stop it", store.folder().display()))
    })
}

/// Has somebody look after the bots' processes, if there may be any: `Some` is how to exit.
fn stand_guard(has_programs: bool) -> anyhow::Result<Option<ExitCode>> {
    #[cfg(target_os = "linux")]
    if has_programs {
        return crate::guardian::stand_guard();
    }
    let _ = has_programs;
    Ok(None)
}

/// The sandbox for bots, some of which may be programs.
fn guard(has_programs: bool, sandbox: &SandboxArgs) -> Guard {
    if has_programs { Guard::new(sandbox) } else { Guard::idle() }
}

/// Who is shut in, of these bots of the arena: trust in a name is trust in its version that plays.
fn by_label(sandbox: &SandboxArgs, players: &[&BotVersion]) -> SandboxArgs {
    let label_of = |trusted: &String| players.iter().find(|bot| bot.name == *trusted).map_or(trusted.clone(), |bot| bot.label());
    SandboxArgs { trust: sandbox.trust.iter().map(label_of).collect(), ..sandbox.clone() }
}

fn is_program(bot: &BotVersion) -> bool {
    !built_in::is_meant(&bot.command)
}

fn init(folder: &Path, args: &InitArgs) -> anyhow::Result<ExitCode> {
    let ruling: ForfeitRuling = args.ruling.into();
    let InitArgs { time_limit, memory_limit, turns, .. } = *args;
    let settings = ArenaSettings { time_ms: time_limit, memory_mb: memory_limit, turns, ruling: ruling.name().to_owned() };
    Store::create(folder, &settings).map_err(bad_input)?;
    writeln!(io::stdout(), "{} is an arena now; \"pacman2 arena add BOT…\" adds bots to it", folder.display())?;
    Ok(ExitCode::SUCCESS)
}

fn add(folder: &Path, args: &AddArgs) -> anyhow::Result<ExitCode> {
    if args.bots.len() > 1 && (args.name.is_some() || args.version.is_some()) {
        return Err(bad_input("--name and --version are for one bot, and several are given"));
    }
    let has_programs = args.bots.iter().any(|bot| !built_in::is_meant(bot));
    if let Some(code) = stand_guard(has_programs)? {
        return Ok(code);
    }
    let mut store = open(folder)?;
    let guard = guard(has_programs, &args.sandbox);
    guard.check_names(&args.bots)?;
    let mut out = io::stdout();
    for text in &args.bots {
        let (name, version) = (args.name.as_deref(), args.version.as_deref());
        let bot = entry::add(&mut store, &guard, &Entry { text, name, version, in_place: args.in_place })?;
        if args.json {
            writeln!(out, "{}", json!(bot))?;
        } else {
            writeln!(out, "{} was added", harmless(&bot.label()))?;
        }
    }
    pacman2_runner::sweep();
    Ok(ExitCode::SUCCESS)
}

fn retire(folder: &Path, args: &RetireArgs) -> anyhow::Result<ExitCode> {
    let mut store = open(folder)?;
    for text in &args.bots {
        let bot = named(&store.bots()?, text)?;
        store.set_active(bot.id, args.back)?;
        let what = if args.back { "plays again" } else { "plays no more; its games stay" };
        writeln!(io::stdout(), "{} {what}", harmless(&bot.label()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn play(folder: &Path, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let store = open(folder)?;
    let all = store.bots()?;
    let bots = match &args.bots[..] {
        [] => all.iter().filter(|bot| bot.is_active).cloned().collect(),
        names => names.iter().map(|name| named(&all, name)).collect::<anyhow::Result<Vec<BotVersion>>>()?,
    };
    let (plan, ids) = plan(args, &bots, &all)?;
    let players: Vec<&BotVersion> = all.iter().filter(|bot| ids.contains(&bot.id)).collect();
    let has_programs = players.iter().any(|bot| is_program(bot));
    if let Some(code) = stand_guard(has_programs)? {
        return Ok(code);
    }
    // Whoever plays opened the arena itself: a database must not be carried over to another process.
    drop(store);
    let mut store = open(folder)?;
    let _turn = take_turn(&store)?;
    let guard = guard(has_programs, &by_label(&args.play.sandbox, &players));
    guard.check_names(&players.iter().map(|bot| bot.label()).collect::<Vec<_>>())?;
    let stop = stop_on_interrupt()?;
    let hall = hall(&store, &guard, &players, args.play.games_at_once, &stop)?;
    let mut progress = Progress::new(&all, Some(plan.games()), args.json);
    let is_whole = hall.play_plan(&mut store, &plan, &mut progress);
    pacman2_runner::sweep();
    let (played, known, replayed) = progress.counts();
    drop(progress);
    let is_whole = is_whole?;
    if args.json {
        let end = json!({ "event": "end", "finished": is_whole, "played": played, "known": known, "replayed": replayed });
        writeln!(io::stdout(), "{end}")?;
    } else {
        list::print_table(&list::standings_of(&store, &store.games(&Filter::default())?, false)?)?;
        let again = match replayed {
            0 => String::new(),
            _ => format!("; {replayed} were played again, since the machine had stood still"),
        };
        let end = if is_whole { "All is played" } else { "Stopped; the same command goes on" };
        writeln!(io::stdout(), "{end}: {played} games now, {known} before{again}.")?;
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

/// All that games between these bots are played with.
fn hall<'a>(
    store: &Store,
    guard: &'a Guard,
    players: &[&BotVersion],
    games_at_once: Option<u16>,
    stop: &'a Arc<AtomicBool>,
) -> anyhow::Result<Hall<'a>> {
    Ok(Hall {
        terms: Terms::of(store)?,
        bots: store.bots()?,
        ready: entry::ready(store, guard, players.iter().copied())?,
        guard,
        pace: Pace::of_this_machine(games_at_once.map(usize::from)),
        stop,
    })
}

/// What is to be played, and by whom.
fn plan(args: &RunArgs, bots: &[BotVersion], all: &[BotVersion]) -> anyhow::Result<(Plan, Vec<BotId>)> {
    let mut ids: Vec<BotId> = bots.iter().map(|bot| bot.id).collect();
    let schedule = match args.schedule {
        ScheduleName::RoundRobin => Schedule::RoundRobin,
        ScheduleName::Gauntlet => {
            let name = args.bot.as_deref().ok_or_else(|| bad_input("a gauntlet wants the bot that runs it: --bot NAME"))?;
            let bot = named(all, name)?.id;
            if !ids.contains(&bot) {
                ids.push(bot);
            }
            Schedule::Gauntlet { bot }
        }
        ScheduleName::Swiss => Schedule::Swiss { rounds: args.rounds },
        ScheduleName::Matchmaking => Schedule::Matchmaking { blocks: args.blocks },
    };
    let plan = Plan::new(schedule, ids.clone(), seeds(args)?).map_err(bad_input)?;
    Ok((plan, ids))
}

fn seeds(args: &RunArgs) -> anyhow::Result<Vec<i32>> {
    if !args.seeds.is_empty() {
        return Ok(args.seeds.clone());
    }
    let last = i64::from(args.first_seed) + i64::from(args.maps) - 1;
    match i32::try_from(last) {
        Ok(last) => Ok((args.first_seed..=last).collect()),
        Err(_) => Err(bad_input(format!("{} maps from seed {} on need seeds beyond {}", args.maps, args.first_seed, i32::MAX))),
    }
}

/// The bot that is meant by NAME, its newest version that plays or else the newest of all, or by NAME@VERSION.
fn named(bots: &[BotVersion], text: &str) -> anyhow::Result<BotVersion> {
    let of_name = || bots.iter().rev().filter(|bot| bot.name == text);
    let found = bots.iter().find(|bot| bot.label() == text);
    let found = found.or_else(|| of_name().find(|bot| bot.is_active)).or_else(|| of_name().next());
    found.cloned().ok_or_else(|| {
        let labels: Vec<String> = bots.iter().map(BotVersion::label).collect();
        let near = labels
            .iter()
            .chain(bots.iter().map(|bot| &bot.name))
            .max_by(|a, b| strsim::jaro_winkler(a, text).total_cmp(&strsim::jaro_winkler(b, text)))
            .filter(|near| strsim::jaro_winkler(near, text) > 0.7);
        let hint = match (near, labels.is_empty()) {
            (Some(near), _) => format!("; did you mean {}?", harmless(near)),
            (None, true) => "; it has no bots yet, and \"pacman2 arena add\" adds some".to_owned(),
            (None, false) => format!("; it has {}", harmless(&labels.join(", "))),
        };
        bad_input(format!("the arena has no bot \"{}\"{hint}", harmless(text)))
    })
}
