//! `pacman2 botzone start` and `pacman2 botzone abort`.

use std::io::{self, Write};
use std::process::ExitCode;

use pacman2_botzone::init_data;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::map_source::{self, Seed, random_seed};
use pacman2_local_ai::Account;
use pacman2_rules::Ruleset;
use serde_json::json;

use super::play::new_match;
use crate::args::{BotzoneAbortArgs, BotzoneStartArgs};

pub(super) fn start(args: BotzoneStartArgs) -> anyhow::Result<ExitCode> {
    // First, while there is one thread.
    let account = Account::find(args.account.secret_file.as_deref())?;
    let seed = Seed { given: None, default: random_seed() };
    let map = args.map.as_deref().map(|file| map_source::read(file, seed, Ruleset::default())).transpose()?;
    let new = new_match(args.players)?.with_init_data(map.as_ref().map(init_data::write)).with_time_limit(args.time_limit);
    let stop = stop_on_interrupt()?;
    let Some(id) = pacman2_local_ai::start(account, &new, &stop)? else { return Ok(INTERRUPTED.into()) };
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", labelled("botzone start", json!({ "match": id.as_str() })))?
    } else {
        writeln!(out, "{id}")?
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn abort(args: &BotzoneAbortArgs) -> anyhow::Result<ExitCode> {
    // First, while there is one thread.
    let account = Account::find(args.account.secret_file.as_deref())?;
    let stop = stop_on_interrupt()?;
    let is_done = pacman2_local_ai::abort(account, &args.id, &stop)?;
    Ok(if is_done { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}
