//! Starting and aborting matches on Botzone.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_botzone::init_data;
use pacman2_botzone::local_ai::{MatchId, MatchPlayer, NewMatch};
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::map_source::{self, Seed, random_seed};
use pacman2_local_ai::Account;
use pacman2_rules::{BySeat, Ruleset};
use serde_json::json;

/// Returns the match between these players, with the init data of a file and a time limit in seconds.
pub(super) fn new_match(players: Vec<MatchPlayer>, map: Option<&Path>, time_limit: Option<u32>) -> anyhow::Result<NewMatch> {
    let seed = Seed { given: None, default: random_seed() };
    let map = map.map(|file| map_source::read(file, seed, Ruleset::default())).transpose()?;
    let count = players.len();
    let players = players.try_into().map_err(|_| bad_input(format!("expected four players, got {count}")))?;
    let new = NewMatch::new(BySeat(players)).map_err(bad_input)?;
    Ok(new.with_init_data(map.as_ref().map(init_data::write)).with_time_limit(time_limit))
}

/// Starts a match, which another process plays, and prints its id.
pub(super) fn start(account: Account, new: &NewMatch, json: bool) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let Some(id) = pacman2_local_ai::start(account, new, &stop)? else { return Ok(INTERRUPTED.into()) };
    let mut out = io::stdout();
    if json {
        writeln!(out, "{}", labelled("botzone start", json!({ "match": id.as_str() })))?
    } else {
        writeln!(out, "{id}")?
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn abort(account: Account, id: &MatchId) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let is_done = pacman2_local_ai::abort(account, id, &stop)?;
    Ok(if is_done { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}
