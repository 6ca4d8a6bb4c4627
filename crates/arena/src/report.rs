//! The table of an arena, and the page with it.

use pacman2_console::files::{Content, OutputFile};
use pacman2_tournament::standings::{Standings, standings};
use pacman2_tournament::store::Filter;
use pacman2_tournament::{BotVersion, GameResult, Store};
use serde_json::{Value, json};

/// A page with the viewer or an arena as the content of a file.
pub const PAGE: Content =
    Content { name: "page", is_ours: |head| head.starts_with("<!doctype html>") && head.contains(pacman2_web::page::MARK) };

/// Returns the table of the active bots, or of all bots, after these games.
pub fn standings_of(store: &Store, games: &[GameResult], with_retired: bool) -> anyhow::Result<Standings> {
    let bots: Vec<BotVersion> = store.bots()?.into_iter().filter(|bot| with_retired || bot.is_active).collect();
    Ok(standings(&bots, games, pacman2_web::arena::BOOTSTRAP_SEED))
}

/// Writes the page with the table, the games, and the grades of submissions if there are any. It contains no private data of
/// the bots.
pub fn write_report(store: &Store, file: &OutputFile, grades: &[Value]) -> anyhow::Result<()> {
    let (bots, games) = (store.bots()?, store.games(&Filter::default())?);
    let grades = (!grades.is_empty()).then(|| json!(grades));
    let data = pacman2_web::arena::report(&standings_of(store, &games, true)?, &bots, &games, |_| None, grades);
    file.write(&pacman2_web::arena::page(Some(&data)))
}
