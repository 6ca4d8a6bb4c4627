//! `pacman2 botzone start` and `pacman2 botzone abort`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use pacman2_botzone::init_data;
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::map_source::{self, Seed, random_seed};
use pacman2_rules::Ruleset;
use serde_json::json;

use super::account::Account;
use super::bridge::{checked, start_match};
use super::http::{Call, Client, Transport};
use super::play::{new_match, sleep};
use super::retry::Failure;
use crate::args::{BotzoneAbortArgs, BotzoneStartArgs};

pub(super) fn start(args: BotzoneStartArgs) -> anyhow::Result<ExitCode> {
    // First, while there is one thread.
    let account = Account::find(&args.account)?;
    let seed = Seed { given: None, default: random_seed() };
    let map = args.map.as_deref().map(|file| map_source::read(file, seed, Ruleset::default())).transpose()?;
    let new = new_match(args.players)?.with_init_data(map.as_ref().map(init_data::write)).with_time_limit(args.time_limit);
    let stop = stop_on_interrupt()?;
    let mut site = Client::of(account, &stop);
    let started = start_match(&mut site, &new, &mut |time| sleep(time, &stop), &stop, &mut |failure, wait| {
        eprintln!("pacman2: {failure}; asking again in {} s", wait.as_secs());
        Ok(())
    })?;
    let Some(id) = started else { return Ok(INTERRUPTED.into()) };
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", json!({ "match": id.as_str() }))?
    } else {
        writeln!(out, "{id}")?
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn abort(args: &BotzoneAbortArgs) -> anyhow::Result<ExitCode> {
    // First, while there is one thread.
    let account = Account::find(&args.account)?;
    let stop = stop_on_interrupt()?;
    let mut site = Client::of(account, &stop);
    let reply = site.get(Call::AbortMatch, &[("X-Matchid".to_owned(), args.id.to_string())]);
    match checked(&site, reply) {
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(_) if stop.load(Ordering::Relaxed) => Ok(INTERRUPTED.into()),
        Err(failure) => Err(in_words(&failure)),
    }
}

/// Returns the error of a request that is not repeated.
pub(super) fn in_words(failure: &Failure) -> anyhow::Error {
    match failure {
        Failure::Refused { refusal, .. } if !refusal.is_temporary() => bad_input(failure),
        _ => anyhow!("{failure}; try again later"),
    }
}

/// A flag for commands that Ctrl-C may simply end.
pub(super) static NEVER: AtomicBool = AtomicBool::new(false);
