//! `pacman2 arena init`, `add`, `retire` and `reinstate`: the verbs that change what an arena has.

use pacman2_console::stdout::stdout;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::candidate::{BotToAdd, add_bot};
use pacman2_arena::store::{find_bot, open_store, store_error};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_console::error;
use pacman2_console::json_output::labelled;
use pacman2_console::text::sanitize;
use pacman2_tournament::Store;
use pacman2_tournament::store::ArenaSettings;
use serde_json::json;

use super::options::check_bots_to_add;
use crate::args::{AddArgs, InitArgs};

pub(super) fn init(folder: &Path, args: &InitArgs) -> anyhow::Result<ExitCode> {
    let InitArgs { time_limit, memory_limit, turns, ruling } = *args;
    let settings = ArenaSettings { time_ms: time_limit, memory_mb: memory_limit, turns, ruling };
    Store::create(folder, &settings).map_err(store_error)?;
    writeln!(stdout(), "created an arena in {}; add bots with \"pacman2 arena add BOT…\"", folder.display())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn add(folder: &Path, args: &AddArgs) -> anyhow::Result<ExitCode> {
    let bots = args.bots.iter().map(|text| Ok(text.parse::<BotArgument>()?.with_standard(args.sources.standard)));
    let bots: Vec<anyhow::Result<BotArgument>> = bots.collect();
    check_bots_to_add(args, &bots)?;
    let has_programs = bots.iter().flatten().any(|bot| !bot.is_built_in());
    if has_programs && let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let mut store = open_store(folder)?;
    let policy = SandboxPolicy::for_bots(has_programs, args.sandbox.options());
    policy.check_names(&args.bots)?;
    let mut out = stdout();
    let mut failed = Vec::new();
    let count = bots.len();
    for (text, bot) in args.bots.iter().zip(bots) {
        let (name, version, in_place) = (args.name.as_deref(), args.version.as_deref(), args.in_place);
        let added =
            bot.and_then(|bot| add_bot(&mut store, &policy, &BotToAdd { name, version, in_place, ..BotToAdd::new(&bot) }));
        match added {
            Ok(bot) if args.json => writeln!(out, "{}", labelled("arena add", json!({ "bot": bot })))?,
            Ok(bot) => writeln!(out, "added {}", sanitize(&bot.label()))?,
            // A single bot has nothing to sum up.
            Err(error) if count == 1 => return Err(error),
            Err(error) => {
                error::report(&error);
                failed.push(sanitize(text));
            }
        }
    }
    pacman2_runner::sweep();
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("pacman2: added {} of {count} bots, without {}", count - failed.len(), failed.join(", "));
    Ok(ExitCode::FAILURE)
}

pub(super) fn set_active(folder: &Path, bots: &[String], active: bool) -> anyhow::Result<ExitCode> {
    let mut store = open_store(folder)?;
    for text in bots {
        let bot = find_bot(&store.bots()?, text)?;
        store.set_active(bot.id, active)?;
        let label = sanitize(&bot.label());
        if active {
            writeln!(stdout(), "reinstated {label}")?;
        } else {
            writeln!(stdout(), "retired {label}; its games are kept")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
