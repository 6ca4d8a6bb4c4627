//! `pacman2 arena play`: plays jobs, which need nothing but this program and the programs of the bots.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use pacman2_runner::Tier;
use pacman2_tournament::store::ArenaSettings;
use serde_json::json;

use super::args::PlayJobsArgs;
use super::game_player::{Concurrency, GamePlayer};
use super::job_source::{JobSource, Playable, Task};
use super::program_folder::ProgramFolder;
use super::record;
use super::sandbox::start_watchdog;
use super::stalls::StallDetector;
use super::wire::{RESULTS, ResultsHeader, failure, result_line};
use crate::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::jobs::engine::{self, Engine};
use crate::jobs::hang_up::stop_on_hang_up;
use crate::jobs::lines::{self, MAX_JOB_BYTES, VERSION};
use crate::sandbox::SandboxPolicy;

pub(super) fn run(folder: &Path, args: &PlayJobsArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = start_watchdog(true)? {
        return Ok(code);
    }
    let input = record::open(args.file.as_deref())?;
    let stop = stop_on_interrupt()?;
    stop_on_hang_up(&stop);
    let folder = args.programs.as_deref().unwrap_or(folder);
    let policy = SandboxPolicy::new(&args.sandbox);
    let engine = Engine::of_this_program()?;
    let games_at_once = args.games_at_once.map(usize::from);
    let Concurrency { games_at_once, ask_mode } = match args.cores {
        Some(cores) => Concurrency::of_cores(cores.into(), games_at_once),
        None => Concurrency::of_this_machine(games_at_once),
    };
    let output = Output {
        engine: engine.clone(),
        node: args.node.clone().unwrap_or_else(|| gethostname::gethostname().to_string_lossy().into_owned()),
        tier: policy.tier(),
        calibration_ms: engine::calibration_ms()?,
        header_of: Mutex::new(None),
    };
    let lines = lines::read_in_background(input, MAX_JOB_BYTES);
    let source = JobSource::new(lines, ProgramFolder::new(folder, &policy), engine, &stop);
    let playing = Playing {
        source: Mutex::new(source),
        player: GamePlayer { folder: folder.to_owned(), policy: &policy, ask_mode, stop: &stop },
        stalls: StallDetector::default(),
        output,
        failure: Mutex::new(None),
    };
    playing.run(games_at_once.max(1));
    pacman2_runner::sweep();
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    let failure = playing.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// What the threads share.
struct Playing<'a> {
    source: Mutex<JobSource<'a>>,
    player: GamePlayer<'a>,
    stalls: StallDetector,
    output: Output,
    /// The first error. Games that are being played then are played to their end.
    failure: Mutex<Option<anyhow::Error>>,
}

impl Playing<'_> {
    fn run(&self, threads: usize) {
        thread::scope(|scope| {
            let _stop = self.stalls.stop_on_drop();
            scope.spawn(|| self.stalls.run());
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.play_jobs())).collect();
            // A panic of a thread is one of this thread, after the others have ended.
            let ended: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
            if let Some(panic) = ended.into_iter().find_map(Result::err) {
                std::panic::resume_unwind(panic);
            }
        });
    }

    /// Plays jobs until there are no more.
    fn play_jobs(&self) {
        loop {
            let next = locked(&self.source).next();
            let Some(task) = next.transpose() else { return };
            if let Err(error) = task.and_then(|task| self.play(task)) {
                locked(&self.source).end();
                locked(&self.failure).get_or_insert(error);
                return;
            }
        }
    }

    fn play(&self, task: Task) -> anyhow::Result<()> {
        let (settings, line) = match task {
            // A reader learns from it whether this machine can play, before the first game ends.
            Task::Begin { settings } => return self.output.write(&settings, None, self.player.stop),
            Task::Fail { id, reason, settings } => (settings, failure(&id, &reason).to_string()),
            Task::Play(playable) => {
                let Playable { pending, bots, limits, seats, settings } = *playable;
                let Some(played) = self.player.play(&pending, &bots, &limits, &self.stalls)? else { return Ok(()) };
                let parts = [played.public.as_str(), &played.private];
                let stalled_ms = played.stalled.as_millis() as u64;
                (settings, result_line(&played.game, pending.job.repeat, seats, stalled_ms, parts))
            }
        };
        self.output.write(&settings, Some(&line), self.player.stop)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The results on standard output.
struct Output {
    engine: Engine,
    node: String,
    tier: Tier,
    calibration_ms: f64,
    /// The settings of the last header that was written.
    header_of: Mutex<Option<Arc<ArenaSettings>>>,
}

impl Output {
    /// Writes a line, if there is one, after a header if the last one does not hold for these settings.
    fn write(&self, settings: &Arc<ArenaSettings>, line: Option<&str>, stop: &AtomicBool) -> anyhow::Result<()> {
        let mut header_of = locked(&self.header_of);
        let mut text = String::new();
        if header_of.as_ref() != Some(settings) {
            let header = ResultsHeader {
                pacman2: RESULTS.to_owned(),
                version: VERSION,
                engine: self.engine.clone(),
                settings: ArenaSettings::clone(settings),
                node: self.node.clone(),
                tier: Some(self.tier),
                calibration_ms: self.calibration_ms,
            };
            text = json!(header).to_string() + "\n";
            *header_of = Some(Arc::clone(settings));
        }
        if let Some(line) = line {
            text += line;
            text.push('\n');
        }
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // Without a reader, there is no reason to play on.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                stop.store(true, Ordering::Relaxed);
                Ok(())
            }
            other => Ok(other?),
        }
    }
}
