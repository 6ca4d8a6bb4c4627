//! `pacman2 check`: finds faults of a bot and explains them.

mod positions;

use std::process::ExitCode;
use std::slice;
use std::sync::atomic::Ordering;

use pacman2_bot_source::check;
use pacman2_bot_source::resolve::{Bot, print_remarks};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};

use crate::args::CheckArgs;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let policy = SandboxPolicy::new(args.sandbox.options());
    policy.check_names(slice::from_ref(&args.bot))?;
    let bot = Bot::find(&args.bot.parse::<BotArgument>()?.with_standard(args.sources.standard), &policy)?;
    print_remarks([&bot]);
    let stop = stop_on_interrupt()?;
    if let Some(file) = &args.positions {
        return positions::run(file, &bot, args.limits.limits(), &policy, args.json, &stop);
    }
    let report = check::examine(&bot, args.limits.limits(), &policy, &stop)?;
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    report.print(args.json)?;
    Ok(if report.is_fine() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
