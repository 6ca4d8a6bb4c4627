//! The table of an arena, and the page with it.

use std::collections::HashMap;

use anyhow::Context;
use pacman2_bots::slow_bots;
use pacman2_console::files::{Content, OutputFile};
use pacman2_replay::Replay;
use pacman2_tournament::standings::{Standings, standings};
use pacman2_tournament::store::Filter;
use pacman2_tournament::{BotVersion, GameResult, Store};
use serde_json::Value;

/// The most games of a report that can be watched in it: each takes about 300 bytes, and a millisecond to write.
const MOST_WATCHED: usize = 5000;

/// A page with the viewer or an arena as the content of a file.
pub const PAGE: Content =
    Content { name: "page", is_ours: |head| head.starts_with("<!doctype html>") && head.contains(pacman2_web::page::MARK) };

/// Returns the table of the active bots, or of all bots, after these games.
pub fn standings_of(store: &Store, games: &[GameResult], with_retired: bool) -> anyhow::Result<Standings> {
    let bots: Vec<BotVersion> = store.bots()?.into_iter().filter(|bot| with_retired || bot.is_active).collect();
    Ok(standings(&bots, games, pacman2_web::arena::BOOTSTRAP_SEED))
}

/// Writes the page with the table, the games, and what is shown of a class if there is one. The newest games can be watched in it.
/// It contains no private data of the bots.
pub fn write_report(store: &Store, file: &OutputFile, class: Option<Value>) -> anyhow::Result<()> {
    let (bots, games) = (store.bots()?, store.games(&Filter::default())?);
    let mut links = HashMap::new();
    for game in games.iter().rev().take(MOST_WATCHED) {
        let replay = store.replay(&game.id, false)?.with_context(|| format!("game {} has no replay", game.id))?;
        // A game that no link can hold cannot be watched here.
        if let Some(link) = Replay::read(&replay).ok().and_then(|replay| replay.to_link().ok()) {
            links.insert(&game.id, link);
        }
    }
    let link = |game: &GameResult| links.get(&game.id).cloned();
    let data = pacman2_web::arena::report(&standings_of(store, &games, true)?, &bots, &games, link, class);
    file.write(&pacman2_web::arena::report_page(&data, &slow_bots()))
}
