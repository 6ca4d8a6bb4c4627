//! `pacman2 arena`: keeps bots and games, ranks the bots, and decides whether one bot is better than another.

mod compare;
mod export;
mod games;
mod manage;
mod options;
mod plan;
mod play;
mod run;
mod similar;
mod table;

use std::path::Path;
use std::process::ExitCode;

use pacman2_console::error::bad_input;

use crate::args::{ArenaArgs, ArenaVerb, Later};
use compare::Scope;

/// The folder of the arena if none is given.
const FOLDER: &str = "arena";

pub(crate) fn run(args: &ArenaArgs) -> anyhow::Result<ExitCode> {
    let folder = args.arena.as_deref().unwrap_or(Path::new(FOLDER));
    match &args.verb {
        ArenaVerb::Init(Later(args)) => manage::init(folder, args),
        ArenaVerb::Add(Later(args)) => manage::add(folder, args),
        ArenaVerb::Retire(Later(args)) => manage::retire(folder, args),
        ArenaVerb::Run(Later(args)) => run::run(folder, args),
        ArenaVerb::Table(Later(args)) => table::run(folder, args),
        ArenaVerb::Games(Later(args)) => games::list(folder, args),
        ArenaVerb::Show(Later(args)) => games::show(folder, args),
        ArenaVerb::Compare(Later(args)) => compare::run(folder, args, Scope::Compare),
        ArenaVerb::Gate(Later(args)) => compare::run(folder, &args.compare, Scope::Gate),
        ArenaVerb::Similar(Later(args)) => similar::run(folder, args),
        ArenaVerb::Export(Later(args)) => export::export(folder, args),
        ArenaVerb::Report(Later(args)) => export::report(folder, args),
        ArenaVerb::Tournament(_) if args.arena.is_some() => {
            Err(bad_input("--arena has no effect on a tournament, whose arena is in the output folder of its file; leave it out"))
        }
        ArenaVerb::Tournament(Later(args)) => pacman2_course::run(&args.options()),
        ArenaVerb::Plan(Later(args)) => plan::run(folder, args),
        ArenaVerb::Play(Later(args)) => play::run(folder, args),
        ArenaVerb::Record(Later(args)) => manage::record(folder, args),
    }
}
