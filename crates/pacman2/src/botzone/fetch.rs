//! `pacman2 botzone fetch`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use pacman2_botzone::match_log::MatchLog;
use pacman2_console::error::bad_input;
use pacman2_console::files::{Content, OutputFile};
use pacman2_console::replay_folder::REPLAYS;
use pacman2_replay::Replay;
use serde_json::Value;

use super::account::Site;
use super::bridge::checked;
use super::http::{Call, Client, Transport};
use super::record;
use super::start::{NEVER, in_words};
use crate::args::BotzoneFetchArgs;

pub(super) fn run(args: &BotzoneFetchArgs) -> anyhow::Result<ExitCode> {
    let BotzoneFetchArgs { id, to, log, force, site } = args;
    let site = Site::parse(site)
        .ok_or_else(|| bad_input(format!("--site {site}: expected the address of a site, such as https://www.botzone.org.cn")))?;
    let content = if *log { Content::MATCH_LOG } else { Content::REPLAY };
    let file = to.as_ref().filter(|to| *to != Path::new("-")).map(|to| OutputFile::new("", to, content, *force));
    file.as_ref().map_or(Ok(()), OutputFile::check)?;
    if *log && to.is_none() {
        return Err(bad_input("--log: expected a file to write the log to, such as match.json, or \"-\""));
    }
    let mut client = Client::anonymous(site, &NEVER);
    let reply = client.get(Call::Log(id.clone()), &[]);
    let body = checked(&client, reply).map_err(|failure| in_words(&failure)).with_context(|| format!("match {id}"))?;
    let value: Value = serde_json::from_str(&body).map_err(|error| {
        bad_input(format!("match {id}: expected its log in JSON, got something else ({error}); is the match over?"))
    })?;
    if *log {
        return write(file.as_ref(), &format!("{value}\n"));
    }
    let parsed = MatchLog::read_by_any_ruling(&value).map_err(|error| {
        let error = client.quote(&error.to_string());
        bad_input(format!("match {id}: {error}; to keep the log as it is, run \"pacman2 botzone fetch {id} match.json --log\""))
    })?;
    let replay = Replay::from_match_log(&parsed);
    if to.is_none() {
        let path = record::write(Path::new(REPLAYS), id, &replay)?;
        writeln!(io::stdout(), "{}", path.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    write(file.as_ref(), &replay.write())
}

fn write(file: Option<&OutputFile>, text: &str) -> anyhow::Result<ExitCode> {
    match file {
        Some(file) => file.write(text)?,
        None => io::stdout().write_all(text.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
