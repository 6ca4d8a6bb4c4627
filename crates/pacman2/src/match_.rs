//! `pacman2 play`: one match between four bots, or many.

mod kept_folder;
mod options;
mod report;
mod single;

use std::process::ExitCode;

use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_console::error::bad_input;

use crate::args::MatchArgs;
use options::SingleMatchOptions;

/// The built-in bot that plays against a single bot.
const OPPONENT: &str = "greedy";

pub(crate) fn run(mut args: MatchArgs) -> anyhow::Result<ExitCode> {
    if !matches!(args.bots.len(), 1 | 4) {
        let count = args.bots.len();
        return Err(bad_input(format!("expected four bots, or one to play against three {OPPONENT}, got {count}")));
    }
    let is_filled = args.bots.len() == 1;
    args.bots.resize(4, OPPONENT.to_owned());
    let standard = args.sources.standard;
    let bots = args.bots.iter().map(|bot| Ok(bot.parse::<BotArgument>()?.with_standard(standard)));
    let bots = bots.collect::<anyhow::Result<Vec<BotArgument>>>()?;
    let has_programs = args.as_process || bots.iter().any(|bot| !bot.is_built_in());
    if has_programs && let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    // The watchdog starts this program again, which says it.
    if is_filled {
        eprintln!("pacman2: only one bot was given, so {OPPONENT} plays on seats 1 to 3");
    }
    match args.games {
        Some(games) => pacman2_series::run(args.series(games, bots)),
        None => single::run(SingleMatchOptions::new(args, bots, has_programs)?),
    }
}
