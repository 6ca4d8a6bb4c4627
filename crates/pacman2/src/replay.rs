//! `pacman2 replay`: verifies, shows, opens and converts replays.

mod pack;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::report::PAGE;
use pacman2_botzone::match_log::MatchLogError;
use pacman2_console::error::bad_input;
use pacman2_console::files::{self, Content, OutputFile};
use pacman2_console::json_output::labelled;
use pacman2_console::stdout::stdout;
use pacman2_console::text::sanitize;
use pacman2_engines::simulate::describe;
use pacman2_replay::Replay;
use pacman2_replay::games::{BadGame, FoundGame, GameError, GameForm, Remark};
use pacman2_rules::{Report, picture};
use serde_json::json;

use crate::args::{ConvertArgs, OpenArgs, ReplayVerb, ShowArgs, VerifyArgs, warn_of_old_name};
use crate::games::{self, NamedGames};
use crate::viewer;

pub(crate) fn run(verb: ReplayVerb) -> anyhow::Result<ExitCode> {
    match verb {
        ReplayVerb::Verify(args) => verify(&args),
        ReplayVerb::Show(args) => show(&args),
        ReplayVerb::Open(args) => {
            warn_of_old_name("replay open", "open");
            open(&args)
        }
        ReplayVerb::Convert(args) => convert(&args),
    }
}

/// Returns exit code 1 if a match differs from the rules, or if one of several cannot be read.
fn verify(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let named = NamedGames::new(&args.file);
    let mut games = (1..).zip(named.open(None)?).filter(|(number, game)| named.is_selected(*number, game)).peekable();
    let (mut all_right, mut checked) = (true, 0);
    while let Some((number, game)) = games.next() {
        let is_alone = number == 1 && games.peek().is_none();
        let verified = match game {
            Ok(game) => Verified::new(&named, game),
            Err(bad) => match difference_of_log(&bad) {
                Some(difference) => Verified { name: named.name(&bad.place), id: None, result: Err(difference) },
                None if is_alone => return Err(named.without_games(&bad)),
                None => {
                    named.warn_of_skipped(&bad);
                    all_right = false;
                    continue;
                }
            },
        };
        checked += 1;
        all_right &= verified.result.is_ok();
        writeln!(stdout(), "{}", if args.json { verified.json(is_alone) } else { verified.sentence() })?;
    }
    if checked == 0 {
        return Err(bad_input(format!("{}: expected a match, got none that can be read", args.file.display())));
    }
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How a match compares with the rules.
struct Verified {
    name: String,
    id: Option<String>,
    /// The number of turns with the scores, or the first difference.
    result: Result<(usize, Option<[f64; 4]>), String>,
}

impl Verified {
    fn new(named: &NamedGames, mut game: FoundGame) -> Verified {
        let of_log = game.remarks.extract_if(.., |remark| matches!(remark, Remark::Log(_))).next();
        named.warn_of(&game);
        let FoundGame { place, id, replay, .. } = game;
        let result = match (replay.verify(), of_log) {
            (Ok(turns), None) => Ok((turns.len(), replay.public.scores)),
            (Ok(_), Some(difference)) => Err(difference.to_string()),
            (Err(difference), _) => Err(difference.to_string()),
        };
        Verified { name: named.name(&place), id, result }
    }

    fn sentence(&self) -> String {
        let id = self.id.as_ref().map_or_else(String::new, |id| format!(", {}", sanitize(id)));
        match &self.result {
            Ok((turns, _)) => format!("{}{id}: {turns} turns, all follow the rules", self.name),
            Err(difference) => format!("{}{id}: {}", self.name, sanitize(difference)),
        }
    }

    fn json(&self, is_alone: bool) -> String {
        let mut object = match &self.result {
            Ok((turns, scores)) => json!({ "verified": true, "turns": turns, "scores": scores }),
            Err(difference) => json!({ "verified": false, "difference": difference }),
        };
        if !is_alone {
            object["match"] = json!(self.id);
            object["file"] = json!(self.name);
        }
        labelled("replay verify", object).to_string()
    }
}

/// Returns how a match log differs from the rules, if that is why it cannot be read.
fn difference_of_log(bad: &BadGame) -> Option<String> {
    match &bad.error {
        GameError::MatchLog(
            error @ (MatchLogError::GameOver { .. } | MatchLogError::StrengthDelta { .. } | MatchLogError::Scores { .. }),
        ) => Some(error.to_string()),
        _ => None,
    }
}

fn show(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let (game, name) = games::read(&args.file, None)?;
    let map = &game.replay.public.map;
    let turns = game.replay.verify().map_err(|error| bad_input(format!("{name}: {error}")))?;
    let last = turns.len();
    if let Some(turn) = args.turn.filter(|&turn| turn > last) {
        return Err(no_turn(turn, last));
    }
    let state = |turn: usize| if turn == 0 { &map.start } else { &turns[turn - 1].state };
    // A page, too, shows the last turn instead of one that there is not.
    let turn = args.turn.or(games::linked_turn(&game)).map_or(last, |turn| turn.min(last));
    if args.json {
        let shown = if args.turn.is_some() { turn..=turn } else { 0..=last };
        for turn in shown {
            let report = turn.checked_sub(1).map_or_else(Report::default, |index| turns[index].report.clone());
            writeln!(io::stdout(), "{}", describe(&map.maze, state(turn), &report))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let draw = if args.sample { picture::debug_print } else { picture::write };
    stdout().write_all(draw(&map.maze, state(turn)).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn no_turn(turn: usize, last: usize) -> anyhow::Error {
    bad_input(format!("--turn {turn}: the replay has turns 0 to {last}"))
}

pub(crate) fn open(args: &OpenArgs) -> anyhow::Result<ExitCode> {
    let (game, _) = games::read(&args.file, None)?;
    let page = viewer::place_for_page()?;
    files::write(&page, &viewer::page(&game.replay.write()))?;
    match games::linked_turn(&game) {
        Some(turn) => viewer::open(viewer::url_at(&page, &format!("turn={turn}")), page.display()),
        None => viewer::open(&page, page.display()),
    }
    writeln!(io::stdout(), "{}", page.display())?;
    Ok(ExitCode::SUCCESS)
}

fn convert(args: &ConvertArgs) -> anyhow::Result<ExitCode> {
    let ConvertArgs { from, to, force, ruling, filter, .. } = args;
    if let Some(to) = to.as_deref().filter(|to| !force && *to != Path::new("-") && files::are_same(from, to)) {
        let to = to.display();
        return Err(bad_input(format!("{to}: input and output are the same file; choose another name or add --force")));
    }
    if let Some(folder) = to.as_deref()
        && (filter.is_some() || pack::is_wanted(from, folder, *ruling)?)
    {
        return pack::convert(from, folder, filter.as_ref(), *ruling, *force);
    }
    let (game, name) = games::read(from, *ruling)?;
    let in_file = |error: &dyn std::fmt::Display| bad_input(format!("{name}: {error}"));
    let FoundGame { replay, form, .. } = &game;
    let Some(to) = to else { return print_link(args, replay, in_file) };
    let (content, text) = if to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
        (PAGE, viewer::page(&replay.write()))
    } else if *form == GameForm::Replay {
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

fn print_link(
    args: &ConvertArgs,
    replay: &Replay,
    in_file: impl Fn(&dyn std::fmt::Display) -> anyhow::Error,
) -> anyhow::Result<ExitCode> {
    let game = replay.to_link().map_err(|error| in_file(&error))?;
    let last = replay.public.turns.len();
    if let Some(turn) = args.turn.filter(|&turn| turn > last) {
        return Err(no_turn(turn, last));
    }
    let base = args.link.as_deref().unwrap_or_default();
    let turn = args.turn.map_or_else(String::new, |turn| format!("&turn={turn}"));
    writeln!(io::stdout(), "{base}#g={game}{turn}")?;
    Ok(ExitCode::SUCCESS)
}
