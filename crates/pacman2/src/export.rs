//! `pacman2 export`: a built-in bot as one file for Botzone.
//!
//! Tests compare the decisions of these files with those of the built-in bots: of `greedy` and `hunter` in the Python package, of `sage`
//! in this one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use pacman2_bot_source::built_in::{BuiltInBot, read_net};
use pacman2_bot_source::bundle::{
    self,
    cpp::{self, CppOptions},
};
use pacman2_bots::{BotConfigError, BotSpec, BuiltIn, Method};
use pacman2_console::error::bad_input;
use pacman2_console::files::OutputFile;

use crate::args::ExportArgs;
use crate::weights;

/// The bots, and their sources in C++, which include the headers.
const BOTS: [(&str, &str); 3] = [
    ("greedy", include_str!("../templates/export/greedy.cpp")),
    ("hunter", include_str!("../templates/export/hunter.cpp")),
    (SAGE, include_str!("../templates/export/sage.cpp")),
];
/// The bot with nets.
const SAGE: &str = "sage";
const HEADER: &str = include_str!("../../../cpp/pacman2.hpp");
/// The lines of a source that contain its options.
const SEED: &str = "seed = 0; // [seed]\n";
const SIMULATIONS: &str = "simulations = 0; // [simulations]\n";
const TIME: &str = "milliseconds = 800; // [time]\n";

pub(crate) fn run(args: ExportArgs) -> anyhow::Result<ExitCode> {
    let name = match &args.bot {
        Some(name) => name.as_str(),
        None if args.net.is_some() || args.only_weights => SAGE,
        None => return Err(bad_input("expected greedy, hunter or sage, or --net FILE")),
    };
    let Some((name, source)) = BOTS.into_iter().find(|&(known, _)| known == name) else {
        return Err(bad_input(format!("{name}: expected greedy, hunter or sage; other bots cannot be exported")));
    };
    let spec = spec(name, &args)?;
    let extension = if args.only_weights { "hpp" } else { &args.lang };
    let to_stdout = args.output == Path::new("-");
    let shown = args.output.display().to_string();
    if !to_stdout && args.output.extension().is_none_or(|found| found != extension) {
        return Err(bad_input(format!("--output {shown}: expected a name that ends in .{extension}")));
    }
    let content = if args.only_weights { weights::CONTENT } else { bundle::CONTENT };
    let file = OutputFile::new("--output", args.output, content, args.force);
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
        println!("{shown}: {what} in C++17, {} bytes", text.len());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the bot with its options, which it has to have.
fn spec(name: &str, args: &ExportArgs) -> anyhow::Result<BotSpec> {
    let built_in = BuiltIn::named(name).expect("each source is that of a built-in bot");
    if args.only_weights && built_in.method != Method::Search {
        return Err(bad_input(BotConfigError::DoesNotSearch { name: built_in.name }));
    }
    let spec = BotSpec { simulations: args.simulations, time_ms: args.time, net: args.net.clone(), ..BotSpec::new(built_in) };
    BuiltInBot::load(spec.clone()).map_err(|error| bad_input(format!("{error:#}")))?;
    Ok(spec)
}

fn weights_of(spec: &BotSpec) -> anyhow::Result<String> {
    let Some(path) = &spec.net else { return Ok(weights::built_in()) };
    let (net, hash) = read_net(path).with_context(|| path.display().to_string())?;
    Ok(weights::text(&net, &format!("a net whose file has the SHA-256 {hash}")))
}

/// Returns a source with its options, and with what it uses of the headers and weights.
fn joined(spec: &BotSpec, source: &str, seed: i32, weights: Option<String>) -> anyhow::Result<Vec<u8>> {
    // A number of simulations is played in full, however slow the machine is.
    let (most_simulations, default) = match spec.simulations {
        Some(most) => (most, *BotSpec::TIME_MS.end()),
        None => (0, pacman2_bots::sage::DEFAULT_TIME.as_millis() as u64),
    };
    let options = [
        (SEED, format!("seed = {seed};\n")),
        (SIMULATIONS, format!("simulations = {most_simulations};\n")),
        (TIME, format!("milliseconds = {};\n", spec.time_ms.unwrap_or(default))),
    ];
    let source = options.into_iter().fold(source.to_owned(), |source, (line, own)| source.replace(line, &own));
    let folder = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
    let file = folder.path().join(format!("{}.cpp", spec.built_in.name));
    fs::write(&file, source)?;
    fs::write(folder.path().join("pacman2.hpp"), HEADER)?;
    if let Some(weights) = weights {
        fs::write(folder.path().join("sage.hpp"), weights::SEARCH)?;
        fs::write(folder.path().join(weights::FILE), weights)?;
    }
    Ok(cpp::bundle(&file, &CppOptions::default())?.text)
}
