//! `pacman2 bot`: a built-in bot as a process.

use std::io;
use std::process::ExitCode;

use pacman2_bot_source::built_in::{self, BuiltInBot};
use pacman2_bots::{BotSpec, BuiltIn, ParseBotError};
use pacman2_botzone::bot::{BotReply, RunOptions};
use pacman2_console::error::bad_input;
use pacman2_rules::Ruleset;

use crate::args::{BotArgs, BotOptions};

pub(crate) fn run(args: BotArgs) -> anyhow::Result<ExitCode> {
    let built_in: BuiltIn = args.name.parse().map_err(|_| bad_input(built_in::unknown(&args.name)))?;
    let BotOptions { simulations, time: time_ms, threads, without, net } = args.options;
    let style = args.style.map(|name| name.parse().map_err(|_| ParseBotError::UnknownStyle(name))).transpose();
    let style = style.map_err(bad_input)?;
    let bot = BuiltInBot::load(BotSpec { built_in, style, simulations, time_ms, threads, without, net });
    let mut agent = bot.map_err(|error| bad_input(format!("{error:#}")))?.config.start();
    let options = RunOptions { keep_running: args.keep_running, ruleset: Ruleset::default().with_forfeit_ruling(args.ruling) };
    pacman2_botzone::bot::run(io::stdin().lock(), io::stdout().lock(), options, |view| {
        BotReply::action(agent(view.game, view.seat, args.seed.unwrap_or(view.seed)))
    })
    .map_err(bad_input)?;
    Ok(ExitCode::SUCCESS)
}
