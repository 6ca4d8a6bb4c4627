//! `pacman2 replay`: verifies, shows, opens and converts replays.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_botzone::match_log::MatchLog;
use pacman2_replay::Replay;
use pacman2_rules::{ForfeitRuling, Ruleset, picture};
use serde_json::json;

use crate::args::{ConvertArgs, OpenArgs, ReplayVerb, ShowArgs, VerifyArgs};
use crate::error::bad_input;
use crate::files::{self, Content, OutputFile};
use crate::text::sanitize;
use crate::viewer;

pub(crate) fn run(verb: ReplayVerb) -> anyhow::Result<ExitCode> {
    match verb {
        ReplayVerb::Verify(args) => verify(&args),
        ReplayVerb::Show(args) => show(&args),
        ReplayVerb::Open(args) => open(&args),
        ReplayVerb::Convert(args) => convert(&args),
    }
}

/// Returns exit code 1 if the replay differs from the rules.
fn verify(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let (replay, is_log) = read_either(&args.file, None)?;
    if is_log {
        let file = args.file.display();
        return Err(bad_input(format!(
            "{file}: expected a replay, got a Botzone match log; convert it with \"pacman2 replay convert {file} replay.json\", which verifies it"
        )));
    }
    let verified = replay.verify();
    let mut out = io::stdout();
    match (&verified, args.json) {
        (Ok(turns), true) => {
            writeln!(out, "{}", json!({ "verified": true, "turns": turns.len(), "scores": replay.public.scores }))?
        }
        (Err(error), true) => writeln!(out, "{}", json!({ "verified": false, "difference": error.to_string() }))?,
        (Ok(turns), false) => writeln!(out, "{}: {} turns, all follow the rules", args.file.display(), turns.len())?,
        (Err(error), false) => writeln!(out, "{}: {}", args.file.display(), sanitize(&error.to_string()))?,
    }
    Ok(if verified.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let (replay, _) = read_either(&args.file, None)?;
    let in_file = |error| bad_input(format!("{}: {error}", args.file.display()));
    let map = &replay.public.map;
    let turns = replay.verify().map_err(in_file)?;
    let turn = args.turn.unwrap_or(turns.len());
    if turn > turns.len() {
        return Err(bad_input(format!("--turn {turn}: the replay has turns 0 to {}", turns.len())));
    }
    let state = if turn == 0 { map.start } else { turns[turn - 1].state };
    let draw = if args.picture { picture::write } else { picture::debug_print };
    io::stdout().write_all(draw(&map.maze, &state).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a replay or a match log as a replay. Also returns whether it was a match log.
fn read_either(file: &Path, ruling: Option<ForfeitRuling>) -> anyhow::Result<(Replay, bool)> {
    let value = files::read_json(file)?;
    let in_file = |error: &dyn std::fmt::Display| bad_input(format!("{}: {error}", file.display()));
    if !MatchLog::recognises(&value) {
        return Ok((Replay::from_json(&value).map_err(|error| in_file(&error))?, false));
    }
    let log = match ruling {
        Some(ruling) => MatchLog::read(&value, Ruleset::default().with_forfeit_ruling(ruling)),
        None => MatchLog::read_by_any_ruling(&value),
    };
    Ok((Replay::from_match_log(&log.map_err(|error| in_file(&error))?), true))
}

fn open(args: &OpenArgs) -> anyhow::Result<ExitCode> {
    let (replay, _) = read_either(&args.file, None)?;
    let page = viewer::place_for_page()?;
    files::write(&page, &viewer::page(&replay.write()))?;
    viewer::open(&page, page.display());
    writeln!(io::stdout(), "{}", page.display())?;
    Ok(ExitCode::SUCCESS)
}

fn convert(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let ConvertArgs { from, to, force, ruling } = args;
    if !force && to != Path::new("-") && files::are_same(from, to) {
        let to = to.display();
        return Err(bad_input(format!("{to}: input and output are the same file; choose another name or add --force")));
    }
    let (replay, is_log) = read_either(from, *ruling)?;
    let (content, text) = if to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
        (Content::Page, viewer::page(&replay.write()))
    } else if is_log {
        (Content::Replay, replay.write())
    } else {
        let log = replay.to_match_log().map_err(|error| bad_input(format!("{}: {error}", from.display())))?;
        (Content::MatchLog, format!("{}\n", log.write()))
    };
    if to == Path::new("-") {
        io::stdout().write_all(text.as_bytes())?;
    } else {
        OutputFile::new("", to, content, *force).write(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}
