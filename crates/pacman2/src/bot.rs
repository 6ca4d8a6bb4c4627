//! `pacman2 bot`: a built-in bot as a program.

use std::io;
use std::process::ExitCode;

use bots::{BUILT_IN, BuiltIn};
use botzone::bot::{Reply, Wishes};

use crate::args::BotArgs;
use crate::failure::bad_input;

pub(crate) fn run(args: &BotArgs) -> anyhow::Result<ExitCode> {
    let bot = BuiltIn::named(&args.name).ok_or_else(|| bad_input(unknown(&args.name)))?;
    let wishes = Wishes { keep_running: args.keep_running, light_on_the_forfeited: args.ruling.into() };
    botzone::bot::run(io::stdin().lock(), io::stdout().lock(), wishes, |seen| {
        Reply::order((bot.decide)(seen.game, seen.seat, args.seed.unwrap_or(seen.seed)))
    })
    .map_err(bad_input)?;
    Ok(ExitCode::SUCCESS)
}

/// That there is no such built-in bot, and which ones there are.
pub(crate) fn unknown(name: &str) -> String {
    let names = BUILT_IN.map(|bot| bot.name);
    let similar = names.into_iter().max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    let similar = similar.filter(|similar| strsim::jaro_winkler(similar, name) > 0.75);
    let guess = similar.map_or_else(String::new, |similar| format!("; did you mean {similar}?"));
    format!("there is no built-in bot \"{name}\"{guess} (built-in are {})", names.join(", "))
}
