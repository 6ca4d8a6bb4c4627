//! `pacman2 replay`: verifies, shows, opens and converts replays.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::report::PAGE;
use pacman2_botzone::match_log::MatchLog;
use pacman2_console::error::bad_input;
use pacman2_console::files::{self, Content, OutputFile};
use pacman2_console::text::sanitize;
use pacman2_replay::{GameLink, LinkError, Replay};
use pacman2_rules::{ForfeitRuling, Ruleset, picture};
use serde_json::json;

use crate::args::{ConvertArgs, OpenArgs, ReplayVerb, ShowArgs, VerifyArgs};
use crate::viewer;

/// What a replay was read from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Replay,
    MatchLog,
    /// A link, with the turn that it leads to.
    Link(Option<usize>),
}

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
    let (replay, source) = read(&args.file, None)?;
    if source == Source::MatchLog {
        let file = args.file.display();
        return Err(bad_input(format!(
            "{file}: expected a replay, got a Botzone match log; convert it with \"pacman2 replay convert {file} replay.json\", which verifies it"
        )));
    }
    let verified = replay.verify();
    let name = name(&args.file, source);
    let mut out = io::stdout();
    match (&verified, args.json) {
        (Ok(turns), true) => {
            writeln!(out, "{}", json!({ "verified": true, "turns": turns.len(), "scores": replay.public.scores }))?
        }
        (Err(error), true) => writeln!(out, "{}", json!({ "verified": false, "difference": error.to_string() }))?,
        (Ok(turns), false) => writeln!(out, "{name}: {} turns, all follow the rules", turns.len())?,
        (Err(error), false) => writeln!(out, "{name}: {}", sanitize(&error.to_string()))?,
    }
    Ok(if verified.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let (replay, source) = read(&args.file, None)?;
    let in_file = |error| bad_input(format!("{}: {error}", name(&args.file, source)));
    let map = &replay.public.map;
    let turns = replay.verify().map_err(in_file)?;
    let turn = match (args.turn, source) {
        (Some(turn), _) if turn > turns.len() => return Err(no_turn(turn, turns.len())),
        (Some(turn), _) => turn,
        // A page, too, shows the last turn instead of one that there is not.
        (None, Source::Link(Some(turn))) => turn.min(turns.len()),
        (None, _) => turns.len(),
    };
    let state = if turn == 0 { map.start } else { turns[turn - 1].state };
    let draw = if args.picture { picture::write } else { picture::debug_print };
    io::stdout().write_all(draw(&map.maze, &state).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn no_turn(turn: usize, last: usize) -> anyhow::Error {
    bad_input(format!("--turn {turn}: the replay has turns 0 to {last}"))
}

/// Reads a replay, a match log or a link as a replay.
pub(crate) fn read(file: &Path, ruling: Option<ForfeitRuling>) -> anyhow::Result<(Replay, Source)> {
    if let Some(link) = file.to_str().filter(|_| !file.exists()).and_then(GameLink::find) {
        return Ok((Replay::from_link(link.game).map_err(|error| bad_link(&error))?, Source::Link(link.turn)));
    }
    let value = files::read_json(file)?;
    let in_file = |error: &dyn std::fmt::Display| bad_input(format!("{}: {error}", file.display()));
    if !MatchLog::recognises(&value) {
        return Ok((Replay::from_json(&value).map_err(|error| in_file(&error))?, Source::Replay));
    }
    let log = match ruling {
        Some(ruling) => MatchLog::read(&value, Ruleset::default().with_forfeit_ruling(ruling)),
        None => MatchLog::read_by_any_ruling(&value),
    };
    Ok((Replay::from_match_log(&log.map_err(|error| in_file(&error))?), Source::MatchLog))
}

fn bad_link(error: &LinkError) -> anyhow::Error {
    let advice = match error {
        LinkError::Character { .. } | LinkError::CutOff { .. } | LinkError::TrailingBytes { .. } | LinkError::Checksum { .. } => {
            "; copy the whole link again"
        }
        _ => "",
    };
    bad_input(format!("{error}{advice}"))
}

/// Returns what messages call the input: a link is too long to be repeated.
pub(crate) fn name(file: &Path, source: Source) -> String {
    if matches!(source, Source::Link(_)) { "the link".to_owned() } else { file.display().to_string() }
}

fn open(args: &OpenArgs) -> anyhow::Result<ExitCode> {
    let (replay, source) = read(&args.file, None)?;
    let page = viewer::place_for_page()?;
    files::write(&page, &viewer::page(&replay.write()))?;
    match source {
        Source::Link(Some(turn)) => viewer::open(viewer::url_at_turn(&page, turn), page.display()),
        _ => viewer::open(&page, page.display()),
    }
    writeln!(io::stdout(), "{}", page.display())?;
    Ok(ExitCode::SUCCESS)
}

fn convert(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let ConvertArgs { from, to, force, ruling, .. } = args;
    if let Some(to) = to.as_deref().filter(|to| !force && *to != Path::new("-") && files::are_same(from, to)) {
        let to = to.display();
        return Err(bad_input(format!("{to}: input and output are the same file; choose another name or add --force")));
    }
    let (replay, source) = read(from, *ruling)?;
    let in_file = |error: &dyn std::fmt::Display| bad_input(format!("{}: {error}", name(from, source)));
    let Some(to) = to else {
        let game = replay.to_link().map_err(|error| in_file(&error))?;
        let last = replay.public.turns.len();
        if let Some(turn) = args.turn.filter(|&turn| turn > last) {
            return Err(no_turn(turn, last));
        }
        let base = args.link.as_deref().unwrap_or_default();
        let turn = args.turn.map_or_else(String::new, |turn| format!("&turn={turn}"));
        writeln!(io::stdout(), "{base}#g={game}{turn}")?;
        return Ok(ExitCode::SUCCESS);
    };
    let (content, text) = if to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
        (PAGE, viewer::page(&replay.write()))
    } else if source == Source::Replay {
        let log = replay.to_match_log().map_err(|error| in_file(&error))?;
        (Content::MATCH_LOG, format!("{}\n", log.write()))
    } else {
        (Content::REPLAY, replay.write())
    };
    if to == Path::new("-") {
        io::stdout().write_all(text.as_bytes())?;
    } else {
        OutputFile::new("", to, content, *force).write(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}
