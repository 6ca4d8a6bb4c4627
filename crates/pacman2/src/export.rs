//! `pacman2 export`: a built-in bot as one file for Botzone.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_bot_source::built_in::BuiltInBot;
use pacman2_bot_source::bundle;
use pacman2_bots::{BotConfigError, BotSpec, BuiltIn, Method};
use pacman2_console::error::bad_input;
use pacman2_console::files::OutputFile;
use pacman2_console::stdout::stdout;
use pacman2_templates::export::{SOURCES, joined, weights_of};
use pacman2_templates::weights;

use crate::args::ExportArgs;

/// The bot with nets.
const SAGE: &str = "sage";

pub(crate) fn run(args: ExportArgs) -> anyhow::Result<ExitCode> {
    let name = match &args.bot {
        Some(name) => name.as_str(),
        None if args.net.is_some() || args.only_weights => SAGE,
        None => return Err(bad_input("expected greedy, hunter or sage, or --net FILE")),
    };
    let Some((name, source)) = SOURCES.into_iter().find(|&(known, _)| known == name) else {
        return Err(bad_input(format!("{name}: expected greedy, hunter or sage; other bots cannot be exported")));
    };
    let spec = spec(name, &args)?;
    let extension = if args.only_weights { "hpp" } else { &args.lang };
    let to_stdout = args.output == Path::new("-");
    let shown = args.output.display().to_string();
    if !to_stdout && args.output.extension().is_none_or(|found| found != extension) {
        return Err(bad_input(format!("--out {shown}: expected a name that ends in .{extension}")));
    }
    let content = if args.only_weights { weights::CONTENT } else { bundle::CONTENT };
    let file = OutputFile::new("--out", args.output, content, args.force);
    if !to_stdout {
        file.check()?;
    }
    let weights = (name == SAGE).then(|| weights_of(&spec)).transpose()?;
    let (text, what) = match weights {
        Some(weights) if args.only_weights => (weights.into_bytes(), "the weights of sage for sage.hpp"),
        weights => (joined(&spec, source, args.seed, weights)?, name),
    };
    if to_stdout {
        io::stdout().write_all(&text)?;
    } else {
        file.write_bytes(&text)?;
        writeln!(stdout(), "{shown}: {what} in C++17, {} bytes", text.len())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the bot with its options, which it has to have.
fn spec(name: &str, args: &ExportArgs) -> anyhow::Result<BotSpec> {
    let built_in: BuiltIn = name.parse().expect("each source is that of a built-in bot");
    if args.only_weights && built_in.method != Method::Search {
        return Err(bad_input(BotConfigError::DoesNotSearch { name: built_in.name }));
    }
    let spec = BotSpec { simulations: args.simulations, time_ms: args.time, net: args.net.clone(), ..BotSpec::new(built_in) };
    BuiltInBot::load(spec.clone()).map_err(|error| bad_input(format!("{error:#}")))?;
    Ok(spec)
}
