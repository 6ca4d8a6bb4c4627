//! `pacman2 botzone play`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::ExitCode;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_bot_source::built_in;
use pacman2_bot_source::resolve::{Bot, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::watchdog;
use pacman2_botzone::local_ai::{MatchPlayer, NewMatch};
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset};
use pacman2_runner::Limits;

use super::account::Account;
use super::active::{ActiveMatches, BotSource};
use super::bridge::{Bridge, Outcome, Plan};
use super::http::Client;
use super::unfinished::Unfinished;
use crate::args::BotzonePlayArgs;

pub(super) fn run(args: BotzonePlayArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    // First, while there is one thread.
    let account = Account::find(&args.account)?;
    let plan = plan(&args)?;
    let is_program = !built_in::is_meant(&args.bot);
    let policy = SandboxPolicy::for_bots(is_program, args.sandbox.options());
    policy.check_names(slice::from_ref(&args.bot))?;
    let bot = Bot::find(&args.bot, &policy)?;
    fs::create_dir_all(&plan.folder).map_err(|error| bad_input(format!("--folder {}: {error}", plan.folder.display())))?;
    let folders = [Some(plan.folder.as_path()), account.file()].into_iter().flatten().map(Into::into).collect();
    let config = PlayerConfig {
        limits: limits(&args),
        as_process: false,
        // What follows from an illegal action is up to Botzone's judge.
        ruleset: Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge),
        hidden: BotSource::hidden(&bot, folders),
    };
    let source = BotSource { bot, config, policy };
    // A bot that cannot be started is an error now, not in the first match.
    let tier = source.start()?.tier;
    source.policy.warn([(args.bot.as_str(), tier)]);
    let stop = stop_on_interrupt()?;
    if !args.json {
        eprintln!("pacman2: waiting for matches on {}; Ctrl-C ends", account.site());
    }
    let bridge = Bridge {
        matches: ActiveMatches::new(&source, Unfinished::beside(&plan.folder)),
        site: &mut Client::of(account, &stop),
        sleep: &mut |time| sleep(time, &stop),
        listen: &mut |event| event.print(args.json),
        stop: &stop,
        plan,
        waiting: BTreeMap::new(),
        ignored: BTreeSet::new(),
    };
    let outcome = bridge.run();
    pacman2_runner::sweep();
    Ok(match outcome? {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::Interrupted => INTERRUPTED.into(),
    })
}

fn plan(args: &BotzonePlayArgs) -> anyhow::Result<Plan> {
    let start = args.start.clone().map(|players| new_match(players).map_err(|error| bad_input(format!("--start: {error:#}"))));
    Ok(Plan {
        start: start.transpose()?,
        matches: args.matches.or(args.start.as_ref().map(|_| 1)),
        matches_at_once: args.matches_at_once.into(),
        poll_time: Duration::from_secs(args.poll_timeout),
        folder: args.folder.clone(),
        fetch_logs: !args.no_log,
    })
}

/// Returns the match between these players.
pub(super) fn new_match(players: Vec<MatchPlayer>) -> anyhow::Result<NewMatch> {
    let count = players.len();
    let players = players.try_into().map_err(|_| bad_input(format!("expected four players, got {count}")))?;
    NewMatch::new(BySeat(players)).map_err(bad_input)
}

fn limits(args: &BotzonePlayArgs) -> Limits {
    let time = Some(Duration::from_millis(args.time_limit));
    Limits { wall: time, cpu: time, memory_bytes: Some(args.memory_limit * 1024 * 1024), ..Limits::default() }
}

/// Sleeps, unless the program is to end.
pub(super) fn sleep(time: Duration, stop: &AtomicBool) {
    const STEP: Duration = Duration::from_millis(50);
    let begin = Instant::now();
    while !stop.load(Ordering::Relaxed)
        && let Some(left) = time.checked_sub(begin.elapsed())
        && !left.is_zero()
    {
        thread::sleep(left.min(STEP));
    }
}
