//! `pacman2 botzone play`.

use std::fs;
use std::process::ExitCode;
use std::slice;
use std::time::Duration;

use pacman2_bot_source::resolve::{Bot, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_botzone::local_ai::NewMatch;
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_local_ai::{Account, Outcome, Plan, PlayedBot};
use pacman2_rules::{ForfeitRuling, Ruleset};

use super::start;
use crate::args::BotzonePlayArgs;

pub(super) fn run(args: BotzonePlayArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    // First, while there is one thread.
    let account = Account::find(args.account.secret_file.as_deref())?;
    if let Some(id) = &args.abort {
        return start::abort(account, id);
    }
    let terms = &args.terms;
    let new = |players| start::new_match(players, terms.map.as_deref(), terms.site_time_limit);
    let new = args.start.clone().map(new).transpose()?;
    match (&args.bot, new) {
        (Some(bot), new) => play(&args, account, bot, new),
        (None, Some(new)) => start::start(account, &new, args.json),
        (None, None) => unreachable!("clap requires one of them"),
    }
}

fn play(args: &BotzonePlayArgs, account: Account, name: &String, start: Option<NewMatch>) -> anyhow::Result<ExitCode> {
    let plan = plan(args, start);
    let bot: BotArgument = name.parse()?;
    let policy = SandboxPolicy::for_bots(!bot.is_built_in(), args.sandbox.options());
    policy.check_names(slice::from_ref(name))?;
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
    source.policy.warn([(name.as_str(), tier)]);
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

fn plan(args: &BotzonePlayArgs, start: Option<NewMatch>) -> Plan {
    Plan {
        matches: args.matches.or(start.as_ref().map(|_| 1)),
        start,
        matches_at_once: args.parallel.into(),
        poll_time: Duration::from_secs(args.poll_timeout.into()),
        folder: args.folder.clone(),
        fetch_logs: !args.no_log,
    }
}
