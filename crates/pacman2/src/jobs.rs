//! `pacman2 jobs`: games that are played on other machines.

pub(crate) mod plan;
pub(crate) mod play;

use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::store::open_store;
use pacman2_console::files;

use crate::arena;
use crate::args::{JobsArgs, JobsVerb, RecordArgs};

pub(crate) fn run(args: &JobsArgs) -> anyhow::Result<ExitCode> {
    let folder = args.arena.as_deref().unwrap_or(Path::new(arena::FOLDER));
    match &args.verb {
        JobsVerb::Plan(args) => plan::run(folder, args),
        JobsVerb::Play(args) => play::run(folder, args),
        JobsVerb::Record(args) => record(folder, args),
    }
}

pub(crate) fn record(folder: &Path, args: &RecordArgs) -> anyhow::Result<ExitCode> {
    let mut store = open_store(folder)?;
    pacman2_arena::record::record(&mut store, files::open_lines(args.file.as_deref())?, args.json)
}
