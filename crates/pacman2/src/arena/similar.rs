//! `pacman2 arena similar`: bots that have more in common than an idea.

use pacman2_console::stdout::stdout;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::similar::{comments_of, find};
use pacman2_arena::store::open_store_to_read;
use pacman2_console::files;
use pacman2_console::json_output::labelled;
use pacman2_tournament::BotVersion;
use pacman2_tournament::similarity::Fingerprints;
use pacman2_tournament::store::Filter;

use crate::args::SimilarArgs;

pub(super) fn run(folder: &Path, args: &SimilarArgs) -> anyhow::Result<ExitCode> {
    let store = open_store_to_read(folder)?;
    let mut given = Vec::new();
    for path in &args.template {
        given.push(Fingerprints::from_source(&files::read(path)?, comments_of(path)));
    }
    let bots: Vec<BotVersion> = store.bots()?.into_iter().filter(|bot| args.all || bot.is_active).collect();
    let found = find(&store, &bots, &store.games(&Filter::default())?, &given, f64::from(args.at_least) / 100.0);
    let mut out = stdout();
    if args.json {
        for bots in &found {
            writeln!(out, "{}", labelled("arena similar", bots.json()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        writeln!(out, "No two bots have {} % of their tokens or games in common.", args.at_least)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "program  tokens         games  bots")?;
    for bots in &found {
        writeln!(out, "{bots}")?;
    }
    writeln!(out, "A line in this list is a reason to look at its bots, not a verdict.")?;
    Ok(ExitCode::SUCCESS)
}
