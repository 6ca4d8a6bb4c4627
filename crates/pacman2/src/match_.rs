//! `pacman2 match`: one match between four bots, or many between built-in bots.

mod globaldata;
mod options;
mod report;
mod series;
mod single;

use std::process::ExitCode;

use crate::args::MatchArgs;
use crate::built_in;
use options::MatchOptions;
use series::Series;

pub(crate) fn run(args: MatchArgs) -> anyhow::Result<ExitCode> {
    if args.games.is_some() {
        let json = args.json;
        return Series::new(args)?.run(json);
    }
    let has_programs = args.as_process || args.bots.iter().any(|bot| !built_in::is_meant(bot));
    #[cfg(target_os = "linux")]
    if has_programs && let Some(code) = crate::watchdog::start()? {
        return Ok(code);
    }
    single::run(MatchOptions::new(args, has_programs)?)
}
