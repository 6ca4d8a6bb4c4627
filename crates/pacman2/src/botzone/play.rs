//! `pacman2 botzone play`.

use std::fs;
use std::process::ExitCode;
use std::slice;
use std::time::Duration;

use pacman2_bot_source::resolve::{Bot, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_botzone::local_ai::{MatchPlayer, NewMatch};
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_local_ai::{Account, Outcome, Plan, PlayedBot};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset};

use crate::args::BotzonePlayArgs;

pub(super) fn run(args: BotzonePlayArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    // First, while there is one thread.
    let account = Account::find(args.account.secret_file.as_deref())?;
    let plan = plan(&args)?;
    let bot: BotArgument = args.bot.parse()?;
    let policy = SandboxPolicy::for_bots(!bot.is_built_in(), args.sandbox.options());
    policy.check_names(slice::from_ref(&args.bot))?;
    let bot = Bot::find(&bot, &policy)?;
    fs::create_dir_all(&plan.folder).map_err(|error| bad_input(format!("--folder {}: {error}", plan.folder.display())))?;
    let folders = [Some(plan.folder.as_path()), account.file()].into_iter().flatten().map(Into::into).collect();
    let config = PlayerConfig {
        limits: args.limits.limits(),
        as_process: false,
        // What follows from an illegal action is up to Botzone's judge.
        ruleset: Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge),
        hidden: PlayedBot::hidden(&bot, folders),
    };
    let source = PlayedBot { bot, config, policy };
    // A bot that cannot be started is an error now, not in the first match.
    let tier = source.start()?.tier;
    source.policy.warn([(args.bot.as_str(), tier)]);
    let stop = stop_on_interrupt()?;
    if !args.json {
        eprintln!("pacman2: waiting for matches on {}; Ctrl-C ends", account.site());
    }
    let outcome = pacman2_local_ai::play(account, &source, plan, args.json, &stop);
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
        matches_at_once: args.parallel.into(),
        poll_time: Duration::from_secs(args.poll_timeout.into()),
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
