//! What an arena says: the table, its games, and one of them.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use pacman2_tournament::standings::{Estimate, Standing, Standings, standings};
use pacman2_tournament::store::Filter;
use pacman2_tournament::{BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};

use super::args::{GamesArgs, ShowArgs, TableArgs};
use super::{named, open};
use crate::board::{fit_exactly, harmless};
use crate::failure::bad_input;
use crate::{files, viewer};

pub(crate) fn table(folder: &Path, args: &TableArgs) -> anyhow::Result<ExitCode> {
    let store = open(folder)?;
    let table = standings_of(&store, &store.games(&Filter::default())?, args.all)?;
    if args.json {
        writeln!(io::stdout(), "{}", json!(table))?;
    } else {
        print_table(&table)?;
        if args.full {
            print_details(&table)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The table of the bots that play, or of all that were ever added, after these games.
pub(crate) fn standings_of(store: &Store, games: &[GameResult], with_retired: bool) -> anyhow::Result<Standings> {
    let bots: Vec<BotVersion> = store.bots()?.into_iter().filter(|bot| with_retired || bot.is_active).collect();
    Ok(standings(&bots, games, pacman2_web::arena::BOOTSTRAP_SEED))
}

pub(crate) fn print_table(table: &Standings) -> io::Result<()> {
    let mut out = io::stdout();
    if table.bots.is_empty() {
        writeln!(out, "There are no bots yet; \"pacman2 arena add BOT…\" adds some.")?;
        return Ok(());
    }
    writeln!(out, "     bot                    rating     ± 95 %    points     ± 95 %   place  firsts   games  faults")?;
    for Standing { bot, place, rating, points, games, mean_place, firsts, faults, .. } in &table.bots {
        let name = fit_exactly(&harmless(&bot.label()), 20);
        if *games == 0 {
            writeln!(out, "{place:>3}  {name} {:>8} {:>10}  {:>8} {:>10}  {:>6} {:>7} {games:>7}", "–", "–", "–", "–", "–", "–")?;
            continue;
        }
        let faults: Vec<String> = faults.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        writeln!(
            out,
            "{place:>3}  {name} {:>8.0} {:>10}  {:>8.2} {:>10}  {mean_place:>6.2} {:>6.1}% {games:>7}  {}",
            rating.value,
            margin(rating, 0),
            points.value,
            margin(points, 2),
            100.0 * firsts,
            faults.join(", ")
        )?;
    }
    let &Standings { games, blocks, replayed, .. } = table;
    let share = 100.0 * replayed as f64 / games.max(1) as f64;
    let again = if replayed == 0 { String::new() } else { format!("; {replayed} ({share:.1} %) were played again") };
    writeln!(out, "{games} games in {blocks} blocks{again}")?;
    Ok(())
}

/// Points by seat and by size, and the matrix of pairs.
fn print_details(table: &Standings) -> io::Result<()> {
    let mut out = io::stdout();
    let name = |bot: &BotVersion| fit_exactly(&harmless(&bot.label()), 20);
    let cell = |points: Option<f64>| points.map_or_else(|| format!("{:>8}", "–"), |points| format!("{points:>8.2}"));
    let sizes: BTreeSet<u32> = table.bots.iter().flat_map(|bot| bot.by_size.iter().map(|&(cells, ..)| cells)).collect();
    let bands: Vec<[u32; 2]> = SIZES.into_iter().filter(|[from, to]| sizes.range(from..=to).next().is_some()).collect();

    writeln!(out, "\n     {:<20}{:>8}{:>8}{:>8}{:>8}", "points on seat", 0, 1, 2, 3)?;
    for standing in &table.bots {
        writeln!(out, "     {}{}", name(&standing.bot), standing.by_seat.map(cell).concat())?;
    }
    let heads: String = bands.iter().map(|[from, to]| format!("{:>8}", format!("{from}-{to}"))).collect();
    writeln!(out, "\n     {:<20}{heads}", "points by cells")?;
    for standing in &table.bots {
        let of_band = |&[from, to]: &[u32; 2]| {
            let some = standing.by_size.iter().filter(|(cells, ..)| (from..=to).contains(cells));
            let (sum, games) = some.fold((0.0, 0), |(sum, all), &(_, mean, games)| (sum + mean * games as f64, all + games));
            cell((games > 0).then(|| sum / games as f64))
        };
        writeln!(out, "     {}{}", name(&standing.bot), bands.iter().map(of_band).collect::<String>())?;
    }
    let numbers: String = (1..=table.bots.len()).map(|number| format!("{number:>8}")).collect();
    writeln!(out, "\n     {:<20}{numbers}", "more points than")?;
    for (standing, row) in table.bots.iter().zip(&table.matrix) {
        let row: String = row.iter().map(|meeting| cell(meeting.as_ref().map(|meeting| meeting.points.value))).collect();
        writeln!(out, "{:>3}  {}{row}", standing.place, name(&standing.bot))?;
    }
    Ok(())
}

/// Numbers of cells that are shown together.
const SIZES: [[u32; 2]; 4] = [[36, 49], [50, 69], [70, 89], [90, 121]];

/// Half the width of an interval, or a dash if there is none.
fn margin(estimate: &Estimate, digits: usize) -> String {
    let half = (estimate.high - estimate.low) / 2.0;
    if half > 0.0 { format!("{half:.digits$}") } else { "–".to_owned() }
}

pub(crate) fn games(folder: &Path, args: &GamesArgs) -> anyhow::Result<ExitCode> {
    let store = open(folder)?;
    let bots = store.bots()?;
    for bot in &args.bot {
        named(&bots, bot)?;
    }
    let fault = args.fault.as_deref().map(str::to_uppercase);
    let filter = Filter { bots: args.bot.clone(), fault, seed: args.seed, limit: Some(args.limit), ..Filter::default() };
    let mut out = io::stdout();
    for game in store.games(&filter)? {
        if args.json {
            writeln!(out, "{}", described(&game, &bots))?;
        } else {
            writeln!(out, "{}", line(&game, &bots))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A game with the names of its bots.
pub(crate) fn described(game: &GameResult, bots: &[BotVersion]) -> Value {
    let mut value = json!(game);
    for (seat, result) in game.seats.iter() {
        value["seats"][seat.index()]["label"] = label(bots, result.bot).into();
    }
    value
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
            format!("{} {points:.2}{}", harmless(&label(bots, seat.bot)), fault.unwrap_or_default())
        })
        .collect();
    let GameResult { id, seed, width, height, turns, .. } = game;
    format!("{}  seed {seed}, {width}x{height}, {turns} turns:  {}", &id[..12.min(id.len())], seats.join("  "))
}

/// The id of the game that is meant.
pub(crate) fn game_called(store: &Store, text: &str) -> anyhow::Result<String> {
    let ids = store.ids_like(&text.to_ascii_lowercase())?;
    match &ids[..] {
        [id] => Ok(id.clone()),
        [] => Err(bad_input(format!("the arena has no game \"{}\"; \"pacman2 arena games\" lists them", harmless(text)))),
        [first, second, ..] => Err(bad_input(format!(
            "{} games begin with \"{}\", among them {first} and {second}; more of the id tells which",
            ids.len(),
            harmless(text)
        ))),
    }
}

pub(crate) fn show(folder: &Path, args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let store = open(folder)?;
    let id = game_called(&store, &args.game)?;
    let game = store.game(&id)?.context("the game has just gone")?;
    let replay = store.replay(&id, true)?.with_context(|| format!("game {id} has no replay"))?;
    let bots = store.bots()?;
    if let Some(path) = &args.replay {
        files::write(path, &replay)?;
    }
    if let Some(path) = &args.html {
        files::write(path, &viewer::page(&replay))?;
    }
    if args.open {
        let path = args.html.clone().unwrap_or_else(|| store.folder().join("last.html"));
        if args.html.is_none() {
            files::write(&path, &viewer::page(&replay))?;
        }
        viewer::open(&path, path.display());
    }
    let mut out = io::stdout();
    if args.json {
        let replay: Value = serde_json::from_str(&replay).context("the replay is damaged")?;
        writeln!(out, "{}", json!({ "game": described(&game, &bots), "replay": replay }))?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "game {id}, seed {}, {}x{}, {} turns, {:.1} s", game.seed, game.width, game.height, game.turns, game.seconds)?;
    writeln!(out, "seat  bot                        score  place  strength   slowest  fault")?;
    for (seat, result) in game.seats.iter() {
        let name = fit_exactly(&harmless(&label(&bots, result.bot)), 24);
        let fault = result.fault.as_ref().map_or_else(String::new, |fault| format!("{} in turn {}", fault.kind, fault.turn));
        let (score, slowest) = (result.hundredths as f64 / 100.0, result.slowest_us as f64 / 1000.0);
        let (place, strength) = (result.place, result.strength);
        writeln!(out, "{:>4}  {name} {score:>7.2} {place:>6} {strength:>9} {slowest:>7.1}ms  {fault}", seat.index())?;
    }
    Ok(ExitCode::SUCCESS)
}
