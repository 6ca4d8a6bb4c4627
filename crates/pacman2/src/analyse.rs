//! `pacman2 analyse`: what each action is worth, and where the points of a match were lost.

mod input;
mod report;

use pacman2_console::stdout::stdout;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pacman2_analysis::position::rounded;
use pacman2_analysis::position::{Analyst, DEFAULT_SIMULATIONS, PlayedTurn, accuracy};
use pacman2_bots::Effort;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::progress::ProgressLine;
use pacman2_console::workers::{self, Progress};
use pacman2_rules::Seat;
use serde_json::{Value, json};

use crate::analysis_folder::AnalysisFolder;
use crate::args::AnalyseArgs;
use input::Input;
use report::Mistake;

/// The simulations for a single turn. Each turn of a match gets [`DEFAULT_SIMULATIONS`].
const SIMULATIONS_FOR_ONE: u32 = 10 * DEFAULT_SIMULATIONS;

/// The checked options.
struct AnalyseOptions {
    input: Input,
    /// The turn to analyse; `None` for every turn of a match.
    turn: Option<usize>,
    seat: Option<Seat>,
    effort: Effort,
    /// Where analyses are kept, if the user wants that.
    cache: Option<Arc<AnalysisFolder>>,
    json: bool,
}

impl AnalyseOptions {
    /// Reads the input and checks that it has the turn and the seat.
    fn new(args: &AnalyseArgs) -> anyhow::Result<AnalyseOptions> {
        let input = Input::read(&args.file)?;
        // On a map nothing was played yet: there is only its first turn.
        let turn = args.turn.or(input.given.is_empty().then_some(1));
        let turn = turn.map(|turn| check_turn(&input, turn)).transpose()?;
        let seat = args.seat.and_then(|number| Seat::new(number.into()));
        if let (Some(turn), Some(seat)) = (turn, seat) {
            check_seat(&input, turn, seat)?;
        }
        let default = if turn.is_some() { SIMULATIONS_FOR_ONE } else { DEFAULT_SIMULATIONS };
        let effort = match args.time {
            Some(ms) => Effort::Time(Duration::from_millis(ms)),
            None => Effort::Simulations(args.simulations.unwrap_or(default)),
        };
        if args.cache && args.file == Path::new("-") {
            return Err(bad_input("--cache: standard input is in no folder; name a file"));
        }
        let cache = args.cache.then(|| Arc::new(AnalysisFolder::beside(files::folder_of(&args.file))));
        Ok(AnalyseOptions { input, turn, seat, effort, cache, json: args.json })
    }

    fn analyst(&self) -> Analyst {
        let analyst = Analyst::new(self.effort);
        match &self.cache {
            Some(cache) => analyst.with_cache(Arc::clone(cache) as _),
            None => analyst,
        }
    }

    /// The seats that are reported.
    fn seats(&self) -> Vec<Seat> {
        self.seat.map_or(Seat::ALL.to_vec(), |seat| vec![seat])
    }
}

pub(crate) fn run(args: &AnalyseArgs) -> anyhow::Result<ExitCode> {
    let options = AnalyseOptions::new(args)?;
    match options.turn {
        Some(turn) => one_turn(&options, turn),
        None => whole_match(&options),
    }
}

/// Checks that there is a position before this turn in which a player can act.
fn check_turn(input: &Input, turn: usize) -> anyhow::Result<usize> {
    let (last, what) = (input.last.last_turn(), if input.names.is_some() { "replay" } else { "map" });
    if (1..=last).contains(&turn) {
        return Ok(turn);
    }
    Err(bad_input(match last {
        0 => "the game is over before its first turn".to_owned(),
        1 => format!("--turn {turn}: the {what} only has turn 1"),
        _ => format!("--turn {turn}: the {what} has turns 1 to {last}"),
    }))
}

/// Checks that the seat is alive before this turn.
fn check_seat(input: &Input, turn: usize, seat: Seat) -> anyhow::Result<()> {
    let game = input.last.before(turn);
    let alive = game.state().alive;
    if alive.contains(seat) {
        return Ok(());
    }
    let living = alive.iter().map(|seat| seat.to_string()).collect::<Vec<_>>().join(", ");
    Err(bad_input(format!("--seat {seat}: seat {seat} is dead before turn {turn}; alive are {living}")))
}

fn one_turn(options: &AnalyseOptions, turn: usize) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let goes_on = || !stop.load(Ordering::Relaxed);
    let mut analysis = options.analyst().analyse(&options.input.last.before(turn), turn as u32, goes_on);
    if let Some(seat) = options.seat {
        analysis.keep_only(seat);
    }
    let text = match options.json {
        true => format!("{}\n", labelled("analyse turn", analysis.json())),
        false => report::of_turn(&options.input, &options.seats(), &analysis),
    };
    stdout().write_all(text.as_bytes())?;
    Ok(if goes_on() { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

fn whole_match(options: &AnalyseOptions) -> anyhow::Result<ExitCode> {
    let input = &options.input;
    let stop = stop_on_interrupt()?;
    let mut turns = analyse_all(options, &stop)?;
    if let Some(seat) = options.seat {
        turns.iter_mut().for_each(|turn| turn.keep_only(seat));
    }
    let mistakes = report::mistakes(&turns);
    let all = input.given.len();
    let text = match options.json {
        true => format!("{}\n", labelled("analyse", match_json(input, &turns, &mistakes))),
        false => {
            let losses = report::of_match(input, &options.seats(), &turns, &mistakes);
            let interrupted = if turns.len() < all { "Interrupted: " } else { "" };
            losses + interrupted + &format!("{} of {all} turns analysed, seed {}\n", turns.len(), input.seed)
        }
    };
    stdout().write_all(text.as_bytes())?;
    Ok(if turns.len() == all { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

fn match_json(input: &Input, turns: &[PlayedTurn], mistakes: &[Mistake]) -> Value {
    let mistake = |mistake: &Mistake| {
        json!({
            "turn": mistake.turn,
            "seat": mistake.seat.index(),
            "given": mistake.given,
            "better": pacman2_botzone::action::to_number(mistake.better),
            "loss": rounded(mistake.points, 2),
            "error": rounded(mistake.error, 2),
            "why": mistake.why.json(),
        })
    };
    json!({
        "seed": input.seed,
        "accuracy": Seat::ALL.map(|seat| accuracy(turns, seat)),
        "turns": turns.iter().map(PlayedTurn::json).collect::<Vec<_>>(),
        "mistakes": mistakes.iter().map(mistake).collect::<Vec<_>>(),
    })
}

/// Analyses the turns that were played on all cores, until all are done or `stop` is set. Returns the complete ones in order.
fn analyse_all(options: &AnalyseOptions, stop: &AtomicBool) -> anyhow::Result<Vec<PlayedTurn>> {
    let input = &options.input;
    let all = input.given.len();
    let threads = workers::default_threads().min(all);
    let goes_on = || !stop.load(Ordering::Relaxed);
    let job = |analyst: &mut Analyst, (turn, &given): (usize, &[Option<i32>; 4])| {
        let played = analyst.analyse_played(&input.last, turn as u32, given, goes_on);
        goes_on().then_some(played)
    };
    let mut turns: Vec<PlayedTurn> = Vec::new();
    let mut line = ProgressLine::for_terminal();
    workers::run(
        threads,
        (1..).zip(&input.given),
        stop,
        || options.analyst(),
        job,
        |progress| {
            if let Progress::Done(turn) = progress {
                turns.push(turn);
            }
            line.show(format_args!("{} of {all} turns analysed", turns.len()));
            Ok(())
        },
    )?;
    turns.sort_by_key(|turn| turn.analysis.turn);
    Ok(turns)
}
