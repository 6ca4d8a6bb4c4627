//! `pacman2 match`: one match between four bots, or many between built-in bots.

mod globaldata;
mod options;
mod report;
mod series;
mod single;

use std::process::ExitCode;

use pacman2_bot_source::built_in;
use pacman2_bot_source::watchdog;
use pacman2_console::error::bad_input;

use crate::args::MatchArgs;
use options::SingleMatchOptions;
use series::Series;

/// The built-in bot that plays against a single bot.
const OPPONENT: &str = "greedy";

pub(crate) fn run(mut args: MatchArgs) -> anyhow::Result<ExitCode> {
    if !matches!(args.bots.len(), 1 | 4) {
        let count = args.bots.len();
        return Err(bad_input(format!("expected four bots, or one to play against three {OPPONENT}, got {count}")));
    }
    if args.games.is_some() {
        let json = args.json;
        fill_seats(&mut args.bots);
        return Series::new(args)?.run(json);
    }
    let has_programs = args.as_process || args.bots.iter().any(|bot| !built_in::is_meant(bot));
    if has_programs && let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    fill_seats(&mut args.bots);
    single::run(SingleMatchOptions::new(args, has_programs)?)
}

/// Adds three opponents to a single bot, and says so.
fn fill_seats(bots: &mut Vec<String>) {
    if bots.len() == 1 {
        bots.resize(4, OPPONENT.to_owned());
        eprintln!("pacman2: only one bot was given, so {OPPONENT} plays on seats 1 to 3");
    }
}
