//! `pacman2 rerun`: asks a bot the questions of a recorded match again.

mod folder;
mod options;
mod report;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_analysis::comparison::Comparison;
use pacman2_analysis::position::Analyst;
use pacman2_bot_source::resolve::{Bot, print_remarks};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_bots::Effort;
use pacman2_botzone::JsonText;
use pacman2_botzone::response::Verdict;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::progress::ProgressLine;
use pacman2_console::workers::{self, Progress};
use pacman2_match::rerun::{RerunError, RerunTurn, rerun};
use pacman2_replay::Replay;

use crate::args::RerunArgs;
use crate::viewer;
use options::MAX_TIME_OUTS;
pub(crate) use options::RerunOptions;
use report::{Asked, Report};

pub(crate) fn run(args: RerunArgs) -> anyhow::Result<ExitCode> {
    let bot = args.bot.parse::<BotArgument>()?.with_standard(args.sources.standard);
    let is_program = args.as_process || !bot.is_built_in();
    if is_program && let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let policy = SandboxPolicy::for_bots(is_program, args.sandbox.options());
    policy.check_names(slice::from_ref(&args.bot))?;
    if args.file.is_dir() {
        return folder::run(&args, &bot, &policy);
    }
    let options = RerunOptions::new(&args, &args.file)?;
    let bot = Bot::find(&bot, &policy)?;
    print_remarks([&bot]);
    let stop = stop_on_interrupt()?;
    let report = ask(&options, &bot, &policy, &stop, &mut on_terminal())?;
    let rerun = report.json();
    let replay = Replay { rerun: Some(JsonText::from(&rerun)), ..options.replay.clone() };
    // Even if a file cannot be written, the result is printed first.
    let page = write_files(&options, &replay);
    let printed = report.print(&rerun);
    let page = page?;
    // Last, because the reader of the output may be gone.
    printed?;
    if let Some(page) = page.filter(|_| options.open) {
        viewer::open(&page, page.display());
    }
    Ok(match report.asked.len() {
        _ if stop.load(Ordering::Relaxed) => INTERRUPTED.into(),
        asked if asked < options.questions() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

/// The steps of a rerun.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The bot is asked.
    Asking,
    /// Differences are analysed.
    Analysing,
}

/// Gets how much of a step is done.
type Watch<'a> = &'a mut dyn FnMut(Step, usize, usize);

/// Shows how far a rerun is, as a line on a terminal.
fn on_terminal() -> impl FnMut(Step, usize, usize) {
    let mut line = ProgressLine::for_terminal();
    move |step, done, all| match step {
        Step::Asking => line.show(format_args!("{done} of {all} questions asked")),
        Step::Analysing => line.show(format_args!("{done} of {all} differences analysed")),
    }
}

/// Asks the questions of a match, and finds out what the answers that differ are worth.
pub(crate) fn ask<'a>(
    options: &'a RerunOptions,
    bot: &Bot,
    policy: &SandboxPolicy,
    stop: &AtomicBool,
    watch: Watch<'_>,
) -> anyhow::Result<Report<'a>> {
    let ruleset = *options.replay.public.map.maze.ruleset();
    let mut started = bot.start_alone(options.limits, options.as_process, ruleset, policy)?;
    let (mut asked, mut time_outs) = (0, 0);
    let answers = rerun(&options.replay, options.seat, &mut *started.player, options.mode, stop, |answer| {
        asked += 1;
        watch(Step::Asking, asked, options.questions());
        time_outs = if answer.response.verdict() == Verdict::Tle { time_outs + 1 } else { 0 };
        if time_outs < MAX_TIME_OUTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .map_err(|error| match error {
        RerunError::Replay(difference) => bad_input(format!("{}: {difference}", options.name)),
        RerunError::Machine(fault) => fault.into(),
    })?;
    // Before the search, which needs the processors.
    drop(started.player);
    pacman2_runner::sweep();
    let asked = compare_all(options, answers, stop, watch)?;
    Ok(Report { options, info: bot.info(options.as_process), tier: started.tier, asked })
}

/// Finds out on all cores what the answers that differ are worth, until that is done or `stop` is set.
fn compare_all(
    options: &RerunOptions,
    answers: Vec<RerunTurn>,
    stop: &AtomicBool,
    watch: Watch<'_>,
) -> anyhow::Result<Vec<Asked>> {
    let mut asked: Vec<Asked> = answers.into_iter().map(|answer| Asked { answer, comparison: None }).collect();
    let different: Vec<(usize, usize, i32)> = (0..)
        .zip(&asked)
        .filter(|(_, asked)| asked.answer.differs() && options.simulations > 0)
        .map(|(index, asked)| (index, asked.answer.turn, asked.answer.action()))
        .collect();
    let goes_on = || !stop.load(Ordering::Relaxed);
    let job = |analyst: &mut Analyst, (index, turn, other): (usize, usize, i32)| {
        let given = options.replay.public.turns[turn - 1].actions;
        let comparison = analyst.compare(&options.game.before(turn), turn as u32, given, options.seat, other, goes_on);
        goes_on().then_some((index, comparison))
    };
    let mut found: Vec<(usize, Comparison)> = Vec::new();
    let all = different.len();
    workers::run(
        workers::default_threads().min(all),
        different,
        stop,
        || Analyst::new(Effort::Simulations(options.simulations)),
        job,
        |progress| {
            if let Progress::Done(comparison) = progress {
                found.push(comparison);
            }
            watch(Step::Analysing, found.len(), all);
            Ok(())
        },
    )?;
    for (index, comparison) in found {
        asked[index].comparison = Some(comparison);
    }
    Ok(asked)
}

/// Writes the files that the user named, and the page to open. Returns the path of the page, if there is one.
fn write_files(options: &RerunOptions, replay: &Replay) -> anyhow::Result<Option<PathBuf>> {
    let text = replay.write();
    options.replay_file.as_ref().map_or(Ok(()), |file| file.write(&text))?;
    if let Some(file) = &options.html {
        file.write(&viewer::page(&text))?;
        return Ok(Some(file.path.clone()));
    }
    if !options.open {
        return Ok(None);
    }
    let path = viewer::place_for_page()?;
    files::write(&path, &viewer::page(&text))?;
    Ok(Some(path))
}
