//! `pacman2 botzone fetch`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_console::error::bad_input;
use pacman2_console::files::{Content, OutputFile};
use pacman2_console::replay_folder::REPLAYS;
use pacman2_local_ai::{Fetched, Site, write_replay};

use crate::args::BotzoneFetchArgs;

pub(super) fn run(args: &BotzoneFetchArgs) -> anyhow::Result<ExitCode> {
    let BotzoneFetchArgs { id, to, log, force, site } = args;
    let site: Site = site.parse().map_err(|error| bad_input(format!("--site {site}: {error}")))?;
    let content = if *log { Content::MATCH_LOG } else { Content::REPLAY };
    let file = to.as_ref().filter(|to| *to != Path::new("-")).map(|to| OutputFile::new("", to, content, *force));
    file.as_ref().map_or(Ok(()), OutputFile::check)?;
    if *log && to.is_none() {
        return Err(bad_input("--log: expected a file to write the log to, such as match.json, or \"-\""));
    }
    match pacman2_local_ai::fetch(site, id, *log)? {
        Fetched::Log(log) => write(file.as_ref(), &format!("{log}\n")),
        Fetched::Replay(replay) if to.is_none() => {
            let path = write_replay(Path::new(REPLAYS), id, &replay)?;
            writeln!(io::stdout(), "{}", path.display())?;
            Ok(ExitCode::SUCCESS)
        }
        Fetched::Replay(replay) => write(file.as_ref(), &replay.write()),
    }
}

fn write(file: Option<&OutputFile>, text: &str) -> anyhow::Result<ExitCode> {
    match file {
        Some(file) => file.write(text)?,
        None => io::stdout().write_all(text.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
