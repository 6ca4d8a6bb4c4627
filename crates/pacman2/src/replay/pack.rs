//! `pacman2 replay convert PACK DIR`: the matches of a pack as replays.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::Context;
use pacman2_console::error::bad_input;
use pacman2_console::files::{Content, OutputFile};
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::progress::ProgressLine;
use pacman2_console::stdout::stdout;
use pacman2_console::workers::{self, Progress};
use pacman2_replay::Replay;
use pacman2_replay::games::{BadGame, FoundGame, Place};
use pacman2_rules::ForfeitRuling;

use crate::args::MatchFilter;
use crate::games::NamedGames;

/// The least number of threads: writing a file mostly waits for the disk.
const WRITERS: usize = 4;

/// Returns whether the output is a folder of replays: it is a folder, or the input has several matches, or it is a pack with one and the
/// output has no name of a file.
pub(super) fn is_wanted(from: &Path, to: &Path, ruling: Option<ForfeitRuling>) -> anyhow::Result<bool> {
    if to.is_dir() {
        return Ok(true);
    }
    let named = NamedGames::new(from);
    if from == Path::new("-") || named.selector().is_some() {
        return Ok(false);
    }
    let first: Vec<_> = named.open(ruling)?.take(2).collect();
    let is_file_name = to == Path::new("-") || to.is_file() || has_ending(to, &["json", "html"]);
    let is_in_pack = first.iter().flatten().any(|game| game.place != Place::default()) || has_ending(from, &["matches"]);
    let has_several = first.len() > 1;
    if has_several && is_file_name {
        let (from, to) = (from.display(), to.display());
        return Err(bad_input(format!(
            "{to}: {from} has several matches; name a folder to write all of them, or one match, such as \"{from}#1\""
        )));
    }
    Ok(has_several || is_in_pack && !is_file_name)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
}

/// Writes the matches that pass the filter, each under its id, or under its number if it has none.
pub(super) fn convert(
    from: &Path,
    folder: &Path,
    filter: Option<&MatchFilter>,
    ruling: Option<ForfeitRuling>,
    force: bool,
) -> anyhow::Result<ExitCode> {
    let named = NamedGames::new(from);
    let games = named.open(ruling)?;
    if !folder.is_dir() {
        fs::create_dir(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let stop = stop_on_interrupt()?;
    let (mut line, mut names) = (ProgressLine::for_terminal(), HashSet::new());
    let (mut read, mut written, mut skipped) = (0, 0, 0);
    let wanted = (1..).zip(games).filter(|(number, game)| named.is_selected(*number, game));
    let jobs = wanted.map(|(number, game)| game.map(|game| (file_name(&game, number, &mut names), game)));
    let job = |(): &mut (), game: Result<(String, FoundGame), BadGame>| {
        Some(game.map(|(name, game)| match filter.is_none_or(|filter| is_kept(&game.replay, filter)) {
            true => OutputFile::new("", folder.join(name), Content::REPLAY, force).write(&game.replay.write()).map(|()| 1),
            false => Ok(0),
        }))
    };
    workers::run(
        workers::default_threads().max(WRITERS),
        jobs,
        &stop,
        || (),
        job,
        |progress| {
            if let Progress::Done(game) = progress {
                read += 1;
                match game {
                    Ok(files) => written += files?,
                    Err(bad) => {
                        line.clear();
                        named.warn_of_skipped(&bad);
                        skipped += 1;
                    }
                }
            }
            line.show(format_args!("{read} matches read, {written} replays written"));
            Ok(())
        },
    )?;
    drop(line);
    let of_skipped = if skipped > 0 { format!(", {skipped} matches skipped") } else { String::new() };
    writeln!(stdout(), "{}: {written} replays written{of_skipped}", folder.display())?;
    Ok(match stop.load(Ordering::Relaxed) {
        true => INTERRUPTED.into(),
        false if read == skipped => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

/// Returns the name of a replay. An id of a stranger's pack is used only if it is a plain word.
fn file_name(game: &FoundGame, number: usize, names: &mut HashSet<String>) -> String {
    let is_plain = |id: &&String| {
        (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let id = game.id.as_ref().filter(is_plain).filter(|id| names.insert((*id).to_lowercase()));
    id.map_or_else(|| format!("match-{number:05}.json"), |id| format!("{id}.json"))
}

/// Returns whether all bots of the filter played, and whether one of them, or of all players if it names none, has such a score.
fn is_kept(replay: &Replay, filter: &MatchFilter) -> bool {
    let seats_of = |bot: &String| (0..4).filter(|&seat| replay.public.seats[seat].name == *bot).collect::<Vec<_>>();
    let seats: Vec<Vec<usize>> = filter.bots.iter().map(seats_of).collect();
    if seats.iter().any(Vec::is_empty) {
        return false;
    }
    let Some(range) = &filter.score else { return true };
    let scored = |seat: usize| replay.public.scores.is_some_and(|scores| range.contains(&scores[seat]));
    if seats.is_empty() { (0..4).any(scored) } else { seats.concat().into_iter().any(scored) }
}
