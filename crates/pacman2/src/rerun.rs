//! `pacman2 rerun`: asks a bot the questions of a recorded match again.

mod report;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_analysis::comparison::Comparison;
use pacman2_analysis::position::Analyst;
use pacman2_bots::Effort;
use pacman2_botzone::JsonText;
use pacman2_botzone::response::Verdict;
use pacman2_match::rerun::{RerunMode, RerunTurn, rerun};
use pacman2_replay::Replay;
use pacman2_rules::{Game, Seat};
use pacman2_runner::Limits;

use crate::args::RerunArgs;
use crate::error::bad_input;
use crate::files::{Content, OutputFile};
use crate::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::mounts::Hidden;
use crate::progress::ProgressLine;
use crate::resolve::{Bot, PlayerConfig};
use crate::sandbox::SandboxPolicy;
use crate::workers::{self, Progress};
use crate::{built_in, files, replay, viewer};
use report::{Asked, Report};

/// After this many time-outs in a row, a bot is asked nothing more.
const MAX_TIME_OUTS: usize = 3;

/// The checked options.
struct RerunOptions {
    replay: Replay,
    /// The game after the last turn, which knows the turns before.
    game: Game,
    /// What messages call the replay.
    name: String,
    seat: Seat,
    bot: String,
    mode: RerunMode,
    as_process: bool,
    limits: Limits,
    policy: SandboxPolicy,
    simulations: u32,
    replay_file: Option<OutputFile>,
    html: Option<OutputFile>,
    open: bool,
    json: bool,
}

impl RerunOptions {
    /// Reads the replay, and checks that it has questions for the seat and that the files may be written.
    fn new(args: RerunArgs, is_program: bool) -> anyhow::Result<RerunOptions> {
        let policy = if is_program { SandboxPolicy::new(&args.sandbox) } else { SandboxPolicy::without_programs() };
        policy.check_names(slice::from_ref(&args.bot))?;
        let (recorded, source) = replay::read(&args.file, None)?;
        let name = replay::name(&args.file, source);
        let playback = recorded.play_back();
        if let Some(difference) = playback.difference {
            return Err(bad_input(format!("{name}: {difference}")));
        }
        let seat = Seat::ALL[usize::from(args.seat)];
        if playback.turns.is_empty() {
            return Err(bad_input(format!("{name}: expected a match with at least one turn, got none")));
        }
        if playback.turns[0].responses[seat].is_none() {
            return Err(bad_input(format!(
                "--seat {seat}: seat {seat} of {name} is dead from the start, so it was asked nothing"
            )));
        }
        let file = |option: &str, path: Option<PathBuf>, content| -> anyhow::Result<Option<OutputFile>> {
            let file = path.map(|path| OutputFile::new(option, path, content, args.force));
            file.iter().try_for_each(OutputFile::check)?;
            Ok(file)
        };
        let replay_file = file("--replay", args.replay, Content::Replay)?;
        let html = file("--html", args.html, Content::Page)?;
        if let (Some(replay), Some(html)) = (&replay_file, &html)
            && files::are_same(&replay.path, &html.path)
        {
            let path = html.path.display();
            return Err(bad_input(format!("--html {path}: the replay goes to this file; choose another name")));
        }
        Ok(RerunOptions {
            game: playback.session.game().clone(),
            replay: recorded,
            name,
            seat,
            bot: args.bot,
            mode: if args.afresh { RerunMode::Afresh } else { RerunMode::AsInMatch },
            as_process: args.as_process,
            limits: args.limits.limits(),
            policy,
            simulations: args.simulations,
            replay_file,
            html,
            open: args.open,
            json: args.json,
        })
    }

    /// The number of turns in which the seat was asked.
    fn questions(&self) -> usize {
        self.replay.public.turns.iter().filter(|turn| turn.actions[self.seat.index()].is_some()).count()
    }
}

pub(crate) fn run(args: RerunArgs) -> anyhow::Result<ExitCode> {
    let is_program = args.as_process || !built_in::is_meant(&args.bot);
    #[cfg(target_os = "linux")]
    if is_program && let Some(code) = crate::watchdog::start()? {
        return Ok(code);
    }
    let options = RerunOptions::new(args, is_program)?;
    let bot = Bot::find(&options.bot, &options.policy)?;
    let config = PlayerConfig {
        limits: options.limits,
        as_process: options.as_process,
        ruleset: *options.replay.public.map.maze.ruleset(),
        hidden: Hidden { bots: bot.files.clone(), folders: Vec::new() },
    };
    let mut started = bot.start(&config, &options.policy, String::new())?;
    options.policy.warn([(bot.name.as_str(), started.tier)]);
    let stop = stop_on_interrupt()?;

    let mut line = ProgressLine::new();
    let (mut asked, mut time_outs) = (0, 0);
    let answers = rerun(&options.replay, options.seat, &mut *started.player, options.mode, &stop, |answer| {
        asked += 1;
        line.show(format_args!("{asked} of {} questions asked", options.questions()));
        time_outs = if answer.response.verdict == Verdict::Tle { time_outs + 1 } else { 0 };
        if time_outs < MAX_TIME_OUTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .map_err(|difference| bad_input(format!("{}: {difference}", options.name)))?;
    drop(line);
    // Before the search, which needs the processors.
    drop(started.player);
    pacman2_runner::sweep();

    let asked = compare_all(&options, answers, &stop)?;
    let report = Report { options: &options, info: bot.info(options.as_process), tier: started.tier, asked };
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

/// Finds out on all cores what the answers that differ are worth, until that is done or `stop` is set.
fn compare_all(options: &RerunOptions, answers: Vec<RerunTurn>, stop: &AtomicBool) -> anyhow::Result<Vec<Asked>> {
    let mut asked: Vec<Asked> = answers.into_iter().map(|answer| Asked { answer, comparison: None }).collect();
    let different: Vec<(usize, usize, i32)> = (0..)
        .zip(&asked)
        .filter(|(_, asked)| asked.answer.differs())
        .map(|(index, asked)| (index, asked.answer.turn, asked.answer.action()))
        .collect();
    let goes_on = || !stop.load(Ordering::Relaxed);
    let job = |analyst: &mut Analyst, (index, turn, other): (usize, usize, i32)| {
        let given = options.replay.public.turns[turn - 1].actions;
        let comparison = analyst.compare(&options.game.before(turn), turn as u32, given, options.seat, other, goes_on);
        goes_on().then_some((index, comparison))
    };
    let mut found: Vec<(usize, Comparison)> = Vec::new();
    let (mut line, all) = (ProgressLine::new(), different.len());
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
            line.show(format_args!("{} of {all} differences analysed", found.len()));
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
