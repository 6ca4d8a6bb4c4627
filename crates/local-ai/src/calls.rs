//! What is asked of the site: to play, to start and abort matches, and to fetch logs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use pacman2_botzone::local_ai::{MatchId, NewMatch};
use pacman2_botzone::match_log::MatchLog;
use pacman2_botzone::{Json, JsonText};
use pacman2_console::error::bad_input;
use pacman2_replay::Replay;

use super::account::{Account, Site};
use super::active::{ActiveMatches, PlayedBot};
use super::bridge::{Bridge, Outcome, Plan, checked, start_match};
use super::http::{Call, Client, Transport};
use super::retry::Failure;
use super::unfinished::Unfinished;

/// Plays matches with a bot until the plan is done or `stop` is set. Prints what happens, as JSON or for people.
///
/// # Errors
///
/// If the site rejects us for good, if the bot cannot be started, or if the output is closed.
pub fn play(account: Account, bot: &PlayedBot, plan: Plan, json: bool, stop: &AtomicBool) -> anyhow::Result<Outcome> {
    let bridge = Bridge {
        matches: ActiveMatches::new(bot, Unfinished::beside(&plan.folder)),
        site: &mut Client::new(account, stop),
        sleep: &mut |time| sleep(time, stop),
        listen: &mut |event| event.print(json),
        stop,
        plan,
        waiting: BTreeMap::new(),
        ignored: BTreeSet::new(),
    };
    bridge.run()
}

/// Starts a match, and waits as often as the site asks to. Returns `None` if `stop` is set before.
///
/// # Errors
///
/// If the site refuses.
pub fn start(account: Account, new: &NewMatch, stop: &AtomicBool) -> anyhow::Result<Option<MatchId>> {
    let mut site = Client::new(account, stop);
    start_match(&mut site, new, &mut |time| sleep(time, stop), stop, &mut |failure, wait| {
        eprintln!("pacman2: {failure}; asking again in {} s", wait.as_secs());
        Ok(())
    })
}

/// Aborts a match. Returns `false` if `stop` is set before.
///
/// # Errors
///
/// If the site refuses.
pub fn abort(account: Account, id: &MatchId, stop: &AtomicBool) -> anyhow::Result<bool> {
    let mut site = Client::new(account, stop);
    let reply = site.get(Call::AbortMatch, &[("X-Matchid".to_owned(), id.to_string())]);
    match checked(&site, reply) {
        Ok(_) => Ok(true),
        Err(_) if stop.load(Ordering::Relaxed) => Ok(false),
        Err(failure) => Err(in_words(&failure)),
    }
}

/// The log of a match, as it was asked for.
pub enum Fetched {
    /// As the site sent it.
    Log(JsonText),
    /// As a replay.
    Replay(Box<Replay>),
}

/// Fetches the log of a match.
///
/// # Errors
///
/// If the site has none, or it cannot be read as a replay.
pub fn fetch(site: Site, id: &MatchId, as_log: bool) -> anyhow::Result<Fetched> {
    // Ctrl-C simply ends the program.
    let never = AtomicBool::new(false);
    let mut client = Client::anonymous(site, &never);
    let reply = client.get(Call::Log(id.clone()), &[]);
    let body = checked(&client, reply).map_err(|failure| in_words(&failure)).with_context(|| format!("match {id}"))?;
    let json = Json::parse(&body).map_err(|error| {
        bad_input(format!("match {id}: expected its log in JSON, got something else ({error}); is the match over?"))
    })?;
    if as_log {
        return Ok(Fetched::Log(json.into()));
    }
    let log = MatchLog::read_json(json, None).map_err(|error| {
        let error = client.quote(&error.to_string());
        bad_input(format!("match {id}: {error}; to keep the log as it is, run \"pacman2 botzone fetch {id} match.json --log\""))
    })?;
    Ok(Fetched::Replay(Box::new(Replay::from_match_log(&log))))
}

/// Returns the error of a request that is not repeated.
fn in_words(failure: &Failure) -> anyhow::Error {
    match failure {
        Failure::Refused { refusal, .. } if !refusal.is_temporary() => bad_input(failure),
        _ => anyhow!("{failure}; try again later"),
    }
}

/// Sleeps, unless the program is to end.
fn sleep(time: Duration, stop: &AtomicBool) {
    const STEP: Duration = Duration::from_millis(50);
    let begin = Instant::now();
    while !stop.load(Ordering::Relaxed)
        && let Some(left) = time.checked_sub(begin.elapsed())
        && !left.is_zero()
    {
        thread::sleep(left.min(STEP));
    }
}
