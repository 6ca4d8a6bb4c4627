//! `pacman2 arena`: keeps bots and games, ranks the bots, and decides whether one bot is better than another.

pub(crate) mod compare;
mod export;
mod games;
mod manage;
pub(crate) mod options;
mod run;
mod similar;
mod table;

use std::path::Path;
use std::process::ExitCode;

use pacman2_console::error::bad_input;

use crate::args::{ArenaArgs, ArenaVerb, warn_of_old_name};
use crate::jobs;
use compare::Scope;

/// The folder of the arena if none is given.
pub(crate) const FOLDER: &str = "arena";

pub(crate) fn run(args: &ArenaArgs) -> anyhow::Result<ExitCode> {
    let folder = args.arena.as_deref().unwrap_or(Path::new(FOLDER));
    match &args.verb {
        ArenaVerb::Init(args) => manage::init(folder, args),
        ArenaVerb::Add(args) => manage::add(folder, args),
        ArenaVerb::Retire(args) if args.back => {
            warn_of_old_name("arena retire --back", "arena reinstate");
            manage::set_active(folder, &args.bots, true)
        }
        ArenaVerb::Retire(args) => manage::set_active(folder, &args.bots, false),
        ArenaVerb::Reinstate(args) => manage::set_active(folder, &args.bots, true),
        ArenaVerb::Run(args) => run::run(folder, args),
        ArenaVerb::Table(args) => table::run(folder, args),
        ArenaVerb::Games(args) => games::list(folder, args),
        ArenaVerb::Show(args) => games::show(folder, args),
        ArenaVerb::Compare(args) => compare::run(folder, args, if args.all_tables { Scope::AllTables } else { Scope::Compare }),
        ArenaVerb::Gate(args) => {
            warn_of_old_name("arena gate", "arena compare --all-tables");
            compare::run(folder, args, Scope::AllTables)
        }
        ArenaVerb::Similar(args) => similar::run(folder, args),
        ArenaVerb::Export(args) => export::export(folder, args),
        ArenaVerb::Report(args) => {
            warn_of_old_name("arena report", "arena export --html FILE");
            export::report(folder, &args.out, args.force, args.open)
        }
        ArenaVerb::Tournament(_) if args.arena.is_some() => {
            Err(bad_input("--arena has no effect on a tournament, whose arena is in the output folder of its file; leave it out"))
        }
        ArenaVerb::Tournament(args) => pacman2_course::run(&args.options()),
        ArenaVerb::Plan(args) => {
            warn_of_old_name("arena plan", "jobs plan");
            jobs::plan::run(folder, args)
        }
        ArenaVerb::Play(args) => {
            warn_of_old_name("arena play", "jobs play");
            jobs::play::run(folder, args)
        }
        ArenaVerb::Record(args) => {
            warn_of_old_name("arena record", "jobs record");
            jobs::record(folder, args)
        }
    }
}
