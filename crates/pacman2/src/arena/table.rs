//! `pacman2 arena table`: the ranking of the bots.

use pacman2_console::stdout::stdout;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::report::standings_of;
use pacman2_arena::store::open_store_to_read;
use pacman2_console::json_output::labelled;
use pacman2_console::text::{fit_column, sanitize};
use pacman2_tournament::BotVersion;
use pacman2_tournament::nodes::{NodeReport, Residual, node_reports};
use pacman2_tournament::standings::{Estimate, MIN_MAPS, Standing, Standings};
use pacman2_tournament::store::Filter;
use serde_json::json;

use crate::args::TableArgs;

/// The sizes of maps that the details show together, in cells.
const SIZE_BANDS: [[u32; 2]; 4] = [[36, 49], [50, 69], [70, 89], [90, 121]];

pub(super) fn run(folder: &Path, args: &TableArgs) -> anyhow::Result<ExitCode> {
    let store = open_store_to_read(folder)?;
    let games = store.games(&Filter::default())?;
    let table = standings_of(&store, &games, args.all)?;
    let nodes = node_reports(&games);
    if args.json {
        let mut table = json!(table);
        if !nodes.is_empty() {
            table["nodes"] = json!(nodes);
        }
        writeln!(stdout(), "{}", labelled("arena table", table))?;
    } else {
        print(&table)?;
        print_nodes(&nodes)?;
        if args.full {
            print_details(&table)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the table.
pub(super) fn print(table: &Standings) -> io::Result<()> {
    let mut out = stdout();
    if table.bots.is_empty() {
        writeln!(out, "The arena has no bots; add bots with \"pacman2 arena add BOT…\".")?;
        return Ok(());
    }
    writeln!(out, "     bot               rating ± 95 %  points ± 95 %  place  firsts  games  faults")?;
    for Standing { bot, place, rating, points, games, mean_place, firsts, faults, .. } in &table.bots {
        let name = fit_column(&sanitize(&bot.label()), 17);
        if *games == 0 {
            writeln!(out, "{place:>3}  {name} {:>6} {:>6}  {:>6} {:>6} {:>6} {:>7} {games:>6}", "–", "–", "–", "–", "–", "–")?;
            continue;
        }
        let faults: Vec<String> = faults.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        writeln!(
            out,
            "{place:>3}  {name} {:>6.0} {:>6}  {:>6.2} {:>6} {mean_place:>6.2} {:>6.1}% {games:>6}  {}",
            rating.value,
            margin(rating, 0),
            points.value,
            margin(points, 2),
            100.0 * firsts,
            faults.join(", ")
        )?;
    }
    for copies in table.copies() {
        let labels: Vec<String> = copies.iter().map(|bot| sanitize(&bot.label())).collect();
        writeln!(out, "{} are the same program; their games count together", labels.join(" and "))?;
    }
    let &Standings { games, blocks, maps, replayed, .. } = table;
    if (1..MIN_MAPS).contains(&maps) {
        writeln!(out, "too few maps for intervals: {maps} of {MIN_MAPS}")?;
    }
    let share = 100.0 * replayed as f64 / games.max(1) as f64;
    let replayed = if replayed == 0 { String::new() } else { format!(", {replayed} ({share:.1} %) played again") };
    writeln!(out, "{games} games in {blocks} blocks on {maps} maps{replayed}")?;
    Ok(())
}

/// Prints what each machine played, if there were several.
fn print_nodes(nodes: &[NodeReport]) -> io::Result<()> {
    let mut out = stdout();
    if !nodes.is_empty() {
        writeln!(
            out,
            "\n     {:<20}{:>8}{:>11}{:>10}{:>11}{:>6}{:>9}",
            "node", "games", "time-outs", "slowest", "chi-square", "df", "p"
        )?;
    }
    for NodeReport { node, games, time_outs, slowest_us, residual, .. } in nodes {
        let name = fit_column(&sanitize(node.as_deref().unwrap_or("(here)")), 20);
        let slowest = format!("{:.1} ms", *slowest_us as f64 / 1000.0);
        let residual = residual.map_or_else(String::new, |Residual { chi_square, degrees, p_value }| {
            format!("{chi_square:>11.1}{degrees:>6}{p_value:>9.4}")
        });
        writeln!(out, "     {name}{games:>8}{time_outs:>11}{slowest:>10}{residual}")?;
    }
    Ok(())
}

/// Prints the points by seat and by size, and the matrix of pairs.
fn print_details(table: &Standings) -> io::Result<()> {
    let mut out = stdout();
    let name = |bot: &BotVersion| fit_column(&sanitize(&bot.label()), 20);
    let cell = |points: Option<f64>| points.map_or_else(|| format!("{:>8}", "–"), |points| format!("{points:>8.2}"));
    let sizes: BTreeSet<u32> = table.bots.iter().flat_map(|bot| bot.by_size.iter().map(|&(cells, ..)| cells)).collect();
    let bands: Vec<[u32; 2]> = SIZE_BANDS.into_iter().filter(|[from, to]| sizes.range(from..=to).next().is_some()).collect();

    writeln!(out, "\n     {:<20}{:>8}{:>8}{:>8}{:>8}", "points on seat", 0, 1, 2, 3)?;
    for standing in &table.bots {
        writeln!(out, "     {}{}", name(&standing.bot), standing.by_seat.map(cell).concat())?;
    }
    let headings: String = bands.iter().map(|[from, to]| format!("{:>8}", format!("{from}-{to}"))).collect();
    writeln!(out, "\n     {:<20}{headings}", "points by cells")?;
    for standing in &table.bots {
        let of_band = |&[from, to]: &[u32; 2]| {
            let sizes = standing.by_size.iter().filter(|(cells, ..)| (from..=to).contains(cells));
            let (sum, games) = sizes.fold((0.0, 0), |(sum, all), &(_, mean, games)| (sum + mean * games as f64, all + games));
            cell((games > 0).then(|| sum / games as f64))
        };
        writeln!(out, "     {}{}", name(&standing.bot), bands.iter().map(of_band).collect::<String>())?;
    }
    let numbers: String = (1..=table.bots.len()).map(|number| format!("{number:>8}")).collect();
    writeln!(out, "\n     {:<20}{numbers}", "more points than")?;
    for (standing, row) in table.bots.iter().zip(&table.matrix) {
        let row: String = row.iter().map(|pair| cell(pair.as_ref().map(|pair| pair.points.value))).collect();
        writeln!(out, "{:>3}  {}{row}", standing.place, name(&standing.bot))?;
    }
    Ok(())
}

/// Formats half the width of an interval, or a dash if there is none.
fn margin(estimate: &Estimate, digits: usize) -> String {
    estimate.interval.map_or("–".to_owned(), |interval| format!("{:.digits$}", interval.margin()))
}
