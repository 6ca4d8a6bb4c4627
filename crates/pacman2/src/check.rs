//! `pacman2 check`: finds faults of a bot and explains them.

use std::process::ExitCode;
use std::slice;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pacman2_bot_source::check;
use pacman2_bot_source::resolve::Bot;
use pacman2_bot_source::sandbox::{SandboxOptions, SandboxPolicy};
use pacman2_bot_source::watchdog;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_runner::Limits;

use crate::args::CheckArgs;

/// The checked options.
struct CheckOptions {
    bot: String,
    limits: Limits,
    sandbox: SandboxOptions,
    json: bool,
}

impl CheckOptions {
    fn new(args: CheckArgs) -> CheckOptions {
        let time = Some(Duration::from_millis(args.time_limit));
        let memory_bytes = Some(args.memory_limit * 1024 * 1024);
        let limits = Limits { wall: time, cpu: time, memory_bytes, ..Limits::default() };
        CheckOptions { bot: args.bot, limits, sandbox: args.sandbox.options(), json: args.json }
    }
}

pub(crate) fn run(args: CheckArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let options = CheckOptions::new(args);
    let policy = SandboxPolicy::new(options.sandbox);
    policy.check_names(slice::from_ref(&options.bot))?;
    let bot = Bot::find(&options.bot.parse()?, &policy)?;
    let stop = stop_on_interrupt()?;
    let report = check::examine(&bot, options.limits, &policy, &stop)?;
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    report.print(options.json)?;
    Ok(if report.is_fine() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
