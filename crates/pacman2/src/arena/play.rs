//! `pacman2 arena play`: plays jobs, which need nothing but this program and the programs of the bots.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::thread;

use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_console::files;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_jobs::engine::Engine;
use pacman2_jobs::hang_up::stop_on_hang_up;
use pacman2_jobs::lines::{self, MAX_JOB_BYTES};
use pacman2_jobs::output::Output;
use pacman2_jobs::threads::do_jobs;
use pacman2_rules::ForfeitRuling;
use pacman2_tournament::store::ArenaSettings;
use serde_json::json;

use super::args::PlayJobsArgs;
use super::game_player::{Concurrency, GamePlayer};
use super::job_source::{JobSource, Playable, Task};
use super::program_folder::ProgramFolder;
use super::sandbox::start_watchdog;
use super::stalls::StallDetector;
use super::wire::{RESULTS, ResultTerms, ResultsHeader, failure, result_line};

pub(super) fn run(folder: &Path, args: &PlayJobsArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = start_watchdog(true)? {
        return Ok(code);
    }
    let input = files::open_lines(args.file.as_deref())?;
    let stop = stop_on_interrupt()?;
    stop_on_hang_up(&stop);
    let folder = args.programs.as_deref().unwrap_or(folder);
    let policy = SandboxPolicy::new(args.sandbox.options());
    let engine = Engine::of_this_program()?;
    let games_at_once = args.games_at_once.map(usize::from);
    let Concurrency { games_at_once, ask_mode } = match args.cores {
        Some(cores) => Concurrency::of_cores(cores.into(), games_at_once),
        None => Concurrency::of_this_machine(games_at_once),
    };
    // Replaced by those of the jobs.
    let settings = ArenaSettings { time_ms: 0, memory_mb: 0, turns: 0, ruling: ForfeitRuling::default() };
    let terms = ResultTerms { settings, tier: Some(policy.tier()) };
    let header = ResultsHeader::of_this_machine(RESULTS, engine.clone(), args.node.as_deref(), terms)?;
    let lines = lines::read_in_background(input, MAX_JOB_BYTES);
    let mut source = JobSource::new(lines, ProgramFolder::new(folder, &policy), engine, &stop);
    let playing = Playing {
        player: GamePlayer { folder: folder.to_owned(), policy: &policy, ask_mode, stop: &stop },
        stalls: StallDetector::default(),
        header,
        output: Output::new(&stop),
    };
    let played = thread::scope(|scope| {
        let _stop = playing.stalls.stop_on_drop();
        scope.spawn(|| playing.stalls.run());
        do_jobs(games_at_once, || source.next(), |task| playing.play(task))
    });
    pacman2_runner::sweep();
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    played.map(|()| ExitCode::SUCCESS)
}

/// What the threads share.
struct Playing<'a> {
    player: GamePlayer<'a>,
    stalls: StallDetector,
    header: ResultsHeader,
    output: Output<'a>,
}

impl Playing<'_> {
    fn play(&self, task: Task) -> anyhow::Result<()> {
        let (settings, line) = match task {
            // A reader learns from it whether this machine can play, before the first game ends.
            Task::Begin { settings } => return self.output.begin(&self.header_of(&settings)),
            Task::Fail { id, reason, settings } => (settings, failure(&id, &reason).to_string()),
            Task::Play(playable) => {
                let Playable { pending, bots, limits, seats, settings } = *playable;
                let Some(played) = self.player.play(&pending, &bots, &limits, &self.stalls)? else { return Ok(()) };
                let parts = [played.public.as_str(), &played.private];
                let stalled_ms = played.stalled.as_millis() as u64;
                (settings, result_line(&played.game, pending.job.repeat, seats, stalled_ms, parts))
            }
        };
        self.output.write(&self.header_of(&settings), &line)
    }

    fn header_of(&self, settings: &ArenaSettings) -> String {
        let mut header = self.header.clone();
        header.terms.settings = settings.clone();
        json!(header).to_string()
    }
}
