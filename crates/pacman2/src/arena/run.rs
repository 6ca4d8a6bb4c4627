//! `pacman2 arena run`: plays the games of a schedule that are not in the arena yet.

use pacman2_console::stdout::stdout;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::announce::PlannedRun;
use pacman2_arena::progress::EVENTS;
use pacman2_arena::report::standings_of;
use pacman2_arena::runner::Runner;
use pacman2_arena::store::{lock_store, open_store};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::watchdog;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::progress::Shown;
use pacman2_tournament::BotVersion;
use pacman2_tournament::store::Filter;
use serde_json::json;

use super::options::ArenaRunOptions;
use super::table;
use crate::args::RunArgs;

pub(super) fn run(folder: &Path, args: &RunArgs) -> anyhow::Result<ExitCode> {
    // The store is opened again after the watchdog has started: a database must not be carried over to another process.
    let bots = open_store(folder)?.bots()?;
    let ArenaRunOptions { plan, players } = ArenaRunOptions::new(&args.schedule, &bots)?;
    let players: Vec<&BotVersion> = players.iter().collect();
    let play = args.play.options();
    // What is played elsewhere starts no program here.
    let has_programs = !args.play.elsewhere && players.iter().any(|bot| !bot.is_built_in());
    if has_programs && let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let mut store = open_store(folder)?;
    let _lock = lock_store(&store)?;
    let policy = SandboxPolicy::for_bots(has_programs, play.sandbox_of(&players));
    policy.check_names(&players.iter().map(|bot| bot.label()).collect::<Vec<_>>())?;
    let stop = stop_on_interrupt()?;
    let mut runner = Runner::new(&store, &policy, &players, &play, &stop)?;
    let shown = Shown::from_options(args.json, args.play.elsewhere);
    let planned = PlannedRun { plans: vec![&plan], trials: &[], json: shown.json };
    planned.announce(&runner, &store)?;
    let mut progress = planned.progress(&runner, &store, shown)?;
    let is_complete = runner.run_plan(&mut store, &plan, &mut progress);
    pacman2_runner::sweep();
    let (played, known, replayed) = progress.counts();
    drop(progress);
    let is_complete = is_complete?;
    if shown.json {
        let end = json!({ "event": "end", "finished": is_complete, "played": played, "known": known, "replayed": replayed });
        writeln!(stdout(), "{}", labelled(EVENTS, end))?;
    } else {
        table::print(&standings_of(&store, &store.games(&Filter::default())?, false)?)?;
        let replayed = match replayed {
            0 => String::new(),
            _ => format!(", {replayed} played again because the machine had stalled"),
        };
        let end = if is_complete { "Complete" } else { "Interrupted; run the same command to continue" };
        writeln!(stdout(), "{end}: {played} games played, {known} already known{replayed}.")?;
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}
