//! A contest: a folder with people, what they hand in, and games that never end.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use pacman2_arena::game_player::Concurrency;
use pacman2_arena::store::{lock_store, open_store, store_error};
use pacman2_bot_source::sandbox::{SandboxOptions, SandboxPolicy};
use pacman2_console::error::bad_input;
use pacman2_tournament::Store;
use pacman2_tournament::store::{ArenaSettings, DATABASE, RunLock};

use crate::database::Database;
use crate::settings::{self, Settings};
use crate::submissions::{self, SubmissionId, Submissions};
use crate::{judging, ladder};

/// The folder of the arena in the folder of a contest.
const ARENA: &str = "arena";
/// How often to look whether it is to stop.
const TICK: Duration = Duration::from_millis(50);
/// How many bots are tried at the same time: those of one game.
const TRIED_AT_ONCE: usize = 4;

/// A contest, opened by this process alone.
pub struct Contest {
    folder: PathBuf,
    arena: PathBuf,
    settings: Settings,
    database: Database,
    policy: SandboxPolicy,
    judged_now: Mutex<Option<SubmissionId>>,
    _lock: RunLock,
}

impl Contest {
    /// Opens the contest in a folder, and creates it if there is none.
    ///
    /// # Errors
    ///
    /// If another process has it open, something in it is wrong, or this machine cannot sandbox bots.
    pub fn open(folder: &Path, sandbox: &SandboxOptions) -> anyhow::Result<Contest> {
        let submissions = folder.join(submissions::FOLDER);
        fs::create_dir_all(&submissions).with_context(|| format!("cannot create {}", submissions.display()))?;
        let folder = fs::canonicalize(folder).with_context(|| format!("cannot find {}", folder.display()))?;
        let settings = Settings::read_or_write(&folder)?;
        let policy = SandboxPolicy::new(sandbox.clone());
        policy.sandbox_for("submissions", false)?;
        let arena = folder.join(ARENA);
        let store = open_or_create(&arena, &settings)?;
        let lock = lock_store(&store)?;
        remove_unfinished(&submissions).with_context(|| format!("cannot tidy {}", submissions.display()))?;
        let database = Database::open(&folder)?;
        Ok(Contest { folder, arena, settings, database, policy, judged_now: Mutex::default(), _lock: lock })
    }

    /// Returns the people and what they have handed in.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Returns what people hand in.
    pub fn submissions(&self) -> Submissions<'_> {
        Submissions { contest: self }
    }

    /// Returns the folder of the arena.
    pub fn arena(&self) -> &Path {
        &self.arena
    }

    /// Returns the folder of the contest.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the sandbox of the bots.
    pub(crate) fn policy(&self) -> &SandboxPolicy {
        &self.policy
    }

    /// Returns what is judged now.
    pub(crate) fn judged_now(&self) -> Option<SubmissionId> {
        *self.judged_now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what is judged now.
    pub(crate) fn set_judged_now(&self, submission: Option<SubmissionId>) {
        *self.judged_now.lock().unwrap_or_else(PoisonError::into_inner) = submission;
    }

    /// Judges what is handed in, and plays, until `stop` is set. A game that is being played then is played again later.
    ///
    /// # Errors
    ///
    /// If the arena cannot be read. A fault of one submission or bot is printed, and the others go on.
    pub fn run(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
        let at_once = Concurrency::from_machine(self.settings.ladder.games_at_once).bots_at_once();
        self.policy.share_tasks(at_once + TRIED_AT_ONCE);
        let halt = Halt::default();
        thread::scope(|scope| {
            let judging = scope.spawn(|| judging::run(self, &halt.all));
            let playing = scope.spawn(|| ladder::run(self, &halt));
            while !(judging.is_finished() && playing.is_finished()) {
                // If one of them ends early, the other one ends, too.
                halt.forward(stop.load(Ordering::Relaxed) || judging.is_finished() || playing.is_finished());
                thread::sleep(TICK);
            }
            let ended = [judging, playing].map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            ended.into_iter().collect()
        })
    }
}

/// How the threads of a contest are stopped.
#[derive(Default)]
pub(crate) struct Halt {
    /// Stops everything.
    pub(crate) all: AtomicBool,
    /// Stops the games that are being played. Playing also sets it if a game fails.
    pub(crate) games: Arc<AtomicBool>,
}

impl Halt {
    fn forward(&self, stops: bool) {
        if stops {
            self.all.store(true, Ordering::Relaxed);
            self.games.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for this time, or until everything is to stop.
    pub(crate) fn wait(all: &AtomicBool, time: Duration) {
        let ticks = time.as_millis() / TICK.as_millis();
        (0..ticks).take_while(|_| !all.load(Ordering::Relaxed)).for_each(|_| thread::sleep(TICK));
    }
}

/// Opens the arena, or creates it.
fn open_or_create(folder: &Path, settings: &Settings) -> anyhow::Result<Store> {
    let expected = settings.arena();
    if !folder.join(DATABASE).exists() {
        return Store::create(folder, &expected).map_err(store_error);
    }
    let store = open_store(folder)?;
    let stored = store.settings().map_err(store_error)?;
    if stored == expected {
        return Ok(store);
    }
    let limits = |ArenaSettings { time_ms, memory_mb, turns, .. }: &ArenaSettings| {
        format!("time_ms = {time_ms}, memory_mb = {memory_mb} and turns = {turns}")
    };
    let file = folder.with_file_name(settings::FILE);
    Err(bad_input(format!(
        "{}: the limits are {} now, but the games were played with {}; restore these, or begin a contest in another folder",
        file.display(),
        limits(&expected),
        limits(&stored)
    )))
}

/// Removes uploads that were not complete when the process before was killed.
fn remove_unfinished(submissions: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(submissions)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(submissions::UNFINISHED) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
