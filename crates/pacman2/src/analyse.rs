//! `pacman2 analyse`: what each order is worth, and where the points of a match were lost.

mod opened;
mod position;
mod words;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pacman2_bots::Effort;
use pacman2_rules::Seat;
use serde_json::{Value, json};

pub(crate) use position::{analyse_played, analyse_position};

use crate::args::AnalyseArgs;
use crate::failure::bad_input;
use crate::play::{INTERRUPTED, stop_on_interrupt};
use crate::progress::{ProgressLine, REDRAW};
use opened::Opened;
use position::{Analyst, Judged, rounded};
use words::Mistake;

/// For how long one turn is thought over, and each turn of a whole match.
const TIME_FOR_ONE: Duration = Duration::from_millis(1000);
const TIME_FOR_EACH: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &AnalyseArgs) -> anyhow::Result<ExitCode> {
    let opened = Opened::read(&args.file)?;
    let seat = args.seat.and_then(|number| Seat::new(number.into()));
    match args.turn {
        Some(turn) => one_turn(args, &opened, possible(&opened, turn)?, seat),
        // Nothing was played that could be judged.
        None if opened.given.is_empty() => one_turn(args, &opened, possible(&opened, 1)?, seat),
        None => whole_match(args, &opened, seat),
    }
}

/// The turn, if there is a position before it in which somebody can order something.
fn possible(opened: &Opened, turn: usize) -> anyhow::Result<usize> {
    let (last, what) = (opened.last.last_turn(), if opened.names.is_some() { "replay" } else { "map" });
    if (1..=last).contains(&turn) {
        return Ok(turn);
    }
    Err(bad_input(match last {
        0 => "the game is over before its first turn".to_owned(),
        1 => format!("--turn {turn}: the {what} has turn 1 only"),
        _ => format!("--turn {turn}: the {what} has turns 1 to {last}"),
    }))
}

fn effort(args: &AnalyseArgs, otherwise: Duration) -> Effort {
    match (args.simulations, args.time) {
        (Some(simulations), _) => Effort::Simulations(simulations),
        (None, time) => Effort::Time(time.map_or(otherwise, Duration::from_millis)),
    }
}

fn one_turn(args: &AnalyseArgs, opened: &Opened, turn: usize, seat: Option<Seat>) -> anyhow::Result<ExitCode> {
    let game = opened.last.before(turn);
    let alive = game.state().alive;
    if let Some(seat) = seat.filter(|&seat| !alive.contains(seat)) {
        let living = alive.iter().map(|seat| seat.to_string()).collect::<Vec<_>>().join(", ");
        return Err(bad_input(format!("--seat {seat}: seat {seat} is dead before turn {turn}; alive are {living}")));
    }
    let stop = stop_on_interrupt()?;
    let goes_on = || !stop.load(Ordering::Relaxed);
    let mut analysis = Analyst::new(effort(args, TIME_FOR_ONE)).think_over(&game, turn as u32, goes_on);
    if let Some(seat) = seat {
        analysis.keep_only(seat);
    }
    let text = match args.json {
        true => format!("{}\n", analysis.json()),
        false => words::of_turn(opened, &chosen(seat), &analysis),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(if goes_on() { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

/// The seats that are told of.
fn chosen(seat: Option<Seat>) -> Vec<Seat> {
    seat.map_or(Seat::ALL.to_vec(), |seat| vec![seat])
}

fn whole_match(args: &AnalyseArgs, opened: &Opened, seat: Option<Seat>) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let mut turns = judge_all(opened, effort(args, TIME_FOR_EACH), &stop);
    if let Some(seat) = seat {
        turns.iter_mut().for_each(|judged| judged.keep_only(seat));
    }
    let mistakes = words::mistakes(&turns);
    let all = opened.given.len();
    let text = match args.json {
        true => format!("{}\n", match_json(opened, &turns, &mistakes)),
        false => {
            let interrupted = if turns.len() < all { "Interrupted: " } else { "" };
            let losses = words::of_match(opened, &chosen(seat), &mistakes);
            format!("{losses}{interrupted}{} of {all} turns analysed, seed {}\n", turns.len(), opened.seed)
        }
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(if turns.len() == all { ExitCode::SUCCESS } else { INTERRUPTED.into() })
}

fn match_json(opened: &Opened, turns: &[Judged], mistakes: &[Mistake]) -> Value {
    let mistake = |mistake: &Mistake| {
        json!({
            "turn": mistake.turn,
            "seat": mistake.seat.index(),
            "given": mistake.given,
            "better": pacman2_botzone::action::to_number(mistake.better),
            "loss": rounded(mistake.points),
            "error": rounded(mistake.error),
        })
    };
    json!({
        "seed": opened.seed,
        "turns": turns.iter().map(Judged::json).collect::<Vec<_>>(),
        "mistakes": mistakes.iter().map(mistake).collect::<Vec<_>>(),
    })
}

/// Judges the turns that were played on all cores, all of them or until `stop` is set, and tells a person on a terminal how
/// far it is.
fn judge_all(opened: &Opened, effort: Effort, stop: &AtomicBool) -> Vec<Judged> {
    let all = opened.given.len();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (sender, judged) = mpsc::channel();
    let mut turns: Vec<Judged> = Vec::new();
    thread::scope(|scope| {
        for _ in 0..cores.min(all) {
            let (sender, next) = (sender.clone(), &next);
            // Who receives is there until the last thread has sent.
            scope.spawn(move || judge_some(opened, effort, next, stop, |judged| drop(sender.send(judged))));
        }
        drop(sender);
        let mut progress = ProgressLine::new();
        loop {
            match judged.recv_timeout(REDRAW) {
                Ok(judged) => turns.push(judged),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            progress.show(format_args!("{} of {all} turns analysed", turns.len()));
        }
    });
    turns.sort_by_key(|judged| judged.analysis.turn);
    turns
}

/// Judges the next turn that nobody judges, as long as there is one. What was broken off is not told.
fn judge_some(opened: &Opened, effort: Effort, next: &AtomicUsize, stop: &AtomicBool, mut tell: impl FnMut(Judged)) {
    let mut analyst = Analyst::new(effort);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(&given) = opened.given.get(number) else { return };
        let turn = number + 1;
        let judged = analyst.judge(&opened.last.before(turn), turn as u32, given, || !stop.load(Ordering::Relaxed));
        if stop.load(Ordering::Relaxed) {
            return;
        }
        tell(judged);
    }
}
