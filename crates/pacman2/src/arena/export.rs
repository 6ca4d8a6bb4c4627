//! An arena as files: everything for other programs, and a page for people.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use pacman2_tournament::Store;
use pacman2_tournament::store::Filter;
use serde_json::{Value, json};

use super::args::{ExportArgs, ReportArgs};
use super::list::{described, standings_of};
use super::open;
use crate::{files, viewer};

pub(crate) fn export(folder: &Path, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let store = open(folder)?;
    let replays = args.folder.join("replays");
    fs::create_dir_all(&replays).with_context(|| format!("{} cannot be made", replays.display()))?;
    let bots = store.bots()?;
    let games = store.games(&Filter::default())?;
    let mut lines = String::new();
    for game in &games {
        lines += &format!("{}\n", described(game, &bots));
        let replay = store.replay(&game.id, !args.public)?.with_context(|| format!("game {} has no replay", game.id))?;
        files::write(&replays.join(format!("{}.json", game.id)), &replay)?;
    }
    files::write(&args.folder.join("games.jsonl"), &lines)?;
    files::write(&args.folder.join("table.json"), &format!("{}\n", json!(standings_of(&store, &games, true)?)))?;
    let what = if args.public { "without what belongs to the bots' owners" } else { "with debug and stderr of all bots" };
    writeln!(io::stdout(), "{} games were written to {}, {what}", games.len(), args.folder.display())?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn report(folder: &Path, args: &ReportArgs) -> anyhow::Result<ExitCode> {
    let store = open(folder)?;
    files::check_writable(&args.out)?;
    write_report(&store, &args.out, &[])?;
    writeln!(io::stdout(), "{} was written", args.out.display())?;
    if args.open {
        viewer::open(&args.out, args.out.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page with all that the arena says, and what is to be said of submissions. There is nothing in it that belongs
/// to the bots' owners.
pub(crate) fn write_report(store: &Store, path: &Path, grades: &[Value]) -> anyhow::Result<()> {
    let (bots, games) = (store.bots()?, store.games(&Filter::default())?);
    let grades = (!grades.is_empty()).then(|| json!(grades));
    let data = pacman2_web::arena::report(&standings_of(store, &games, true)?, &bots, &games, |_| None, grades);
    files::write(path, &pacman2_web::arena::page(Some(&data)))
}
