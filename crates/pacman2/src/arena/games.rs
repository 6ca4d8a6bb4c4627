//! `pacman2 arena games` and `show`: lists games, and shows one of them.

use pacman2_console::stdout::stdout;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use pacman2_arena::report::PAGE;
use pacman2_arena::store::{find_bot, open_store_to_read};
use pacman2_console::error::bad_input;
use pacman2_console::files::{self, Content, OutputFile};
use pacman2_console::json_output::labelled;
use pacman2_console::text::{fit_column, sanitize};
use pacman2_tournament::store::Filter;
use pacman2_tournament::{BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};

use crate::args::{GamesArgs, ShowGameArgs};
use crate::viewer;

pub(super) fn list(folder: &Path, args: &GamesArgs) -> anyhow::Result<ExitCode> {
    let store = open_store_to_read(folder)?;
    let bots = store.bots()?;
    for bot in &args.bot {
        find_bot(&bots, bot)?;
    }
    let filter =
        Filter { bots: args.bot.clone(), fault: args.fault, seed: args.seed, limit: Some(args.limit), ..Filter::default() };
    let mut out = stdout();
    for game in store.games(&filter)? {
        if args.json {
            writeln!(out, "{}", to_json(&game, &bots))?;
        } else {
            writeln!(out, "{}", line(&game, &bots))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show(folder: &Path, args: &ShowGameArgs) -> anyhow::Result<ExitCode> {
    let output = |option: &str, path: &Option<PathBuf>, content| {
        path.as_ref().map(|path| OutputFile::new(option, path, content, args.force))
    };
    let replay_file = output("--replay", &args.replay, Content::REPLAY);
    let page_file = output("--html", &args.html, PAGE);
    for file in [&replay_file, &page_file].into_iter().flatten() {
        file.check()?;
    }
    let store = open_store_to_read(folder)?;
    let id = find_game(&store, &args.game)?;
    let game = store.game(&id)?.context("the game was deleted in the meantime")?;
    let replay = store.replay(&id, true)?.with_context(|| format!("game {id} has no replay"))?;
    let bots = store.bots()?;
    if let Some(file) = &replay_file {
        file.write(&replay)?;
    }
    if let Some(file) = &page_file {
        file.write(&viewer::page(&replay))?;
    }
    if args.open {
        let path = match &args.html {
            Some(path) => path.clone(),
            None => write_page(&store, &viewer::page(&replay))?,
        };
        viewer::open(&path, path.display());
    }
    let mut out = stdout();
    if args.json {
        let replay: Value = serde_json::from_str(&replay).context("the replay is damaged")?;
        writeln!(out, "{}", labelled("arena show", json!({ "game": to_json(&game, &bots), "replay": replay })))?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "game {id}, seed {}, {}x{}, {} turns, {:.1} s", game.seed, game.width, game.height, game.turns, game.seconds)?;
    writeln!(out, "seat  bot                        score  place  strength   slowest  fault")?;
    for (seat, result) in game.seats.iter() {
        let name = fit_column(&sanitize(&label(&bots, result.bot)), 24);
        let fault = result.fault.as_ref().map_or_else(String::new, |fault| format!("{} in turn {}", fault.kind, fault.turn));
        let (score, slowest) = (result.hundredths as f64 / 100.0, result.slowest_us as f64 / 1000.0);
        let (place, strength) = (result.place, result.strength);
        writeln!(out, "{:>4}  {name} {score:>7.2} {place:>6} {strength:>9} {slowest:>7.1}ms  {fault}", seat.index())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a game to the folder of the arena or, if that is read-only, to a temporary file.
fn write_page(store: &Store, page: &str) -> anyhow::Result<PathBuf> {
    let path = store.folder().join("last.html");
    if files::write(&path, page).is_ok() {
        return Ok(path);
    }
    let path = viewer::place_for_page()?;
    files::write(&path, page)?;
    Ok(path)
}

/// Returns a game as JSON, with the labels of its bots.
pub(super) fn to_json(game: &GameResult, bots: &[BotVersion]) -> Value {
    let mut value = json!(game);
    for (seat, result) in game.seats.iter() {
        value["seats"][seat.index()]["label"] = label(bots, result.bot).into();
    }
    labelled("arena games", value)
}

fn label(bots: &[BotVersion], id: BotId) -> String {
    bots.iter().find(|bot| bot.id == id).map_or_else(|| format!("bot {}", id.0), BotVersion::label)
}

fn line(game: &GameResult, bots: &[BotVersion]) -> String {
    let seats: Vec<String> = game
        .seats
        .0
        .iter()
        .map(|seat| {
            let fault = seat.fault.as_ref().map(|fault| format!(" ({} in turn {})", fault.kind, fault.turn));
            let points = seat.hundredths as f64 / 100.0;
            format!("{} {points:.2}{}", sanitize(&label(bots, seat.bot)), fault.unwrap_or_default())
        })
        .collect();
    let GameResult { id, seed, width, height, turns, .. } = game;
    format!("{}  seed {seed}, {width}x{height}, {turns} turns:  {}", &id[..12.min(id.len())], seats.join("  "))
}

/// Returns the id of the game that begins with `text`.
fn find_game(store: &Store, text: &str) -> anyhow::Result<String> {
    let ids = store.ids_like(&text.to_ascii_lowercase())?;
    match &ids[..] {
        [id] => Ok(id.clone()),
        [] => {
            Err(bad_input(format!("the arena has no game \"{}\"; list its games with \"pacman2 arena games\"", sanitize(text))))
        }
        [first, second, ..] => Err(bad_input(format!(
            "{} games begin with \"{}\", such as {first} and {second}; give more digits of the id",
            ids.len(),
            sanitize(text)
        ))),
    }
}
