//! `pacman2 arena export`: writes an arena as files for other programs, and as a page for people.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use pacman2_arena::report::PAGE;
use pacman2_arena::report::{standings_of, write_report};
use pacman2_arena::store::open_store_to_read;
use pacman2_console::files::{Content, OutputFile, without_blanks};
use pacman2_console::json_output::labelled;
use pacman2_console::stdout::stdout;
use pacman2_tournament::store::Filter;
use serde_json::json;

use super::games;
use crate::args::ExportArenaArgs;
use crate::viewer;

/// The games of an arena as the content of a file, one per line.
const GAMES: Content = Content {
    name: "list of an arena's games",
    is_ours: |head| {
        let head = without_blanks(head);
        head.starts_with("{\"block\":\"")
            && ["\"finished\":", "\"format\":\"pacman2arenagames\""].iter().any(|key| head.contains(key))
    },
};
/// The table of an arena as the content of a file.
const TABLE: Content = Content {
    name: "table of an arena",
    is_ours: |head| {
        let head = without_blanks(head);
        head.starts_with("{\"blocks\":") && head.contains("\"bots\":[")
    },
};

pub(super) fn export(arena: &Path, args: &ExportArenaArgs) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &args.folder {
        export_files(arena, folder, args)?;
    }
    match &args.html {
        Some(page) => report(arena, page, args.force, args.open),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn export_files(arena: &Path, folder: &Path, args: &ExportArenaArgs) -> anyhow::Result<()> {
    let store = open_store_to_read(arena)?;
    let output = |path, content| OutputFile::new("", path, content, args.force);
    let games_file = output(folder.join("games.jsonl"), GAMES);
    let table_file = output(folder.join("table.json"), TABLE);
    let replays = folder.join("replays");
    fs::create_dir_all(&replays).with_context(|| format!("cannot create {}", replays.display()))?;
    games_file.check()?;
    table_file.check()?;
    let bots = store.bots()?;
    let results = store.games(&Filter::default())?;
    let mut lines = String::new();
    for game in &results {
        lines += &format!("{}\n", games::to_json(game, &bots));
        let replay = store.replay(&game.id, !args.public)?.with_context(|| format!("game {} has no replay", game.id))?;
        output(replays.join(format!("{}.json", game.id)), Content::REPLAY).write(&replay)?;
    }
    games_file.write(&lines)?;
    table_file.write(&format!("{}\n", labelled("arena table", json!(standings_of(&store, &results, true)?))))?;
    let what = if args.public { "without private data" } else { "with the debug data and standard error of all bots" };
    writeln!(stdout(), "wrote {} games to {}, {what}", results.len(), folder.display())?;
    Ok(())
}

pub(super) fn report(arena: &Path, page: &Path, force: bool, open: bool) -> anyhow::Result<ExitCode> {
    let store = open_store_to_read(arena)?;
    let file = OutputFile::new("--html", page, PAGE, force);
    file.check()?;
    write_report(&store, &file, None)?;
    writeln!(stdout(), "wrote {}", page.display())?;
    if open {
        viewer::open(page, page.display());
    }
    Ok(ExitCode::SUCCESS)
}
