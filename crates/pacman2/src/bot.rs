//! `pacman2 bot`: a built-in bot as a program.

use std::io;
use std::process::ExitCode;

use pacman2_bots::BuiltIn;
use pacman2_botzone::bot::{BotReply, RunOptions};

use crate::args::BotArgs;
use crate::built_in::{self, Chosen};
use crate::failure::bad_input;

pub(crate) fn run(args: &BotArgs) -> anyhow::Result<ExitCode> {
    let bot = BuiltIn::named(&args.name).ok_or_else(|| bad_input(built_in::unknown(&args.name)))?;
    let mut mind = Chosen::new(bot, args.options.clone()).map_err(bad_input)?.opponent.start();
    let wishes = RunOptions { keep_running: args.keep_running, ruleset: args.ruling.ruleset() };
    pacman2_botzone::bot::run(io::stdin().lock(), io::stdout().lock(), wishes, |seen| {
        BotReply::action(mind(seen.game, seen.seat, args.seed.unwrap_or(seen.seed)))
    })
    .map_err(bad_input)?;
    Ok(ExitCode::SUCCESS)
}
