//! Plays games on threads of this process.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

use anyhow::Context;
use pacman2_bot_source::resolve;
use pacman2_rules::{BySeat, Seat};
use pacman2_tournament::{BotId, Store};

use super::executor::{Event, Executor};
use super::game_limits::GameLimits;
use super::game_player::{GamePlayer, PendingGame, PlayedGame};
use super::progress::GameProgress;
use super::stalls::StallDetector;

/// The longest time that passes without an [`Event`].
const TICK: Duration = Duration::from_millis(200);

/// What games on this machine need.
pub(super) struct LocalGames<'a> {
    pub(super) player: GamePlayer<'a>,
    /// The bots that play, ready to be started.
    pub(super) bots: BTreeMap<BotId, Arc<resolve::Bot>>,
    pub(super) limits: GameLimits,
    pub(super) games_at_once: usize,
}

impl LocalGames<'_> {
    /// Does some work with an executor, whose threads end with it.
    pub(super) fn with_threads<T>(
        &self,
        work: impl FnOnce(&mut LocalExecutor<'_, '_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let stalls = StallDetector::default();
        let is_abandoned = AtomicBool::new(false);
        let (jobs, queue) = mpsc::channel();
        let shared = Shared { games: self, queue: Mutex::new(queue), stalls: &stalls, is_abandoned: &is_abandoned };
        thread::scope(|scope| {
            let _stop = stalls.stop_on_drop();
            scope.spawn(|| stalls.run());
            let (sender, results) = mpsc::channel();
            work(&mut LocalExecutor { scope, shared: &shared, jobs, sender, results, threads: 0, in_flight: 0 })
        })
    }

    fn play(&self, pending: &PendingGame, stalls: &StallDetector) -> anyhow::Result<Option<PlayedGame>> {
        let seats = pending.job.seats;
        let bot = |seat: Seat| self.bots.get(&seats[seat]).with_context(|| format!("bot {} cannot play", seats[seat].0)).cloned();
        let [a, b, c, d] = Seat::ALL.map(bot);
        self.player.play(pending, &BySeat([a?, b?, c?, d?]), &self.limits, stalls)
    }
}

/// What the threads share.
struct Shared<'a> {
    games: &'a LocalGames<'a>,
    queue: Mutex<Receiver<PendingGame>>,
    stalls: &'a StallDetector,
    /// Whether games that wait in the queue are not needed any more.
    is_abandoned: &'a AtomicBool,
}

/// The result of a game; `None` if it was not played to its end.
type Played = anyhow::Result<Option<PlayedGame>>;

impl Shared<'_> {
    /// Plays games of the queue until it is closed.
    fn play_games(&self, results: &Sender<Result<Played, Box<dyn Any + Send>>>) {
        loop {
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(pending) = next else { return };
            let is_needed = !self.is_abandoned.load(Ordering::Relaxed) && !self.games.player.stop.load(Ordering::Relaxed);
            let play = || if is_needed { self.games.play(&pending, self.stalls) } else { Ok(None) };
            // The thread that waits for the result gets a panic, too.
            if results.send(panic::catch_unwind(AssertUnwindSafe(play))).is_err() {
                return;
            }
        }
    }
}

/// Plays games on threads, which start when they are needed.
pub(super) struct LocalExecutor<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    shared: &'env Shared<'env>,
    jobs: Sender<PendingGame>,
    sender: Sender<Result<Played, Box<dyn Any + Send>>>,
    results: Receiver<Result<Played, Box<dyn Any + Send>>>,
    threads: usize,
    in_flight: usize,
}

impl Executor for LocalExecutor<'_, '_> {
    fn free_slots(&self) -> usize {
        // For each thread, another game waits in the queue, so that no thread waits while a game is stored.
        (2 * self.shared.games.games_at_once.max(1)).saturating_sub(self.in_flight)
    }

    fn open_blocks(&self, games_per_block: usize) -> usize {
        self.shared.games.games_at_once.div_ceil(games_per_block).max(1)
    }

    fn begin(&mut self, game: PendingGame) -> anyhow::Result<()> {
        if self.threads < self.shared.games.games_at_once.max(1) {
            self.threads += 1;
            let (shared, results) = (self.shared, self.sender.clone());
            self.scope.spawn(move || shared.play_games(&results));
        }
        self.in_flight += 1;
        self.jobs.send(game).context("the threads have ended")
    }

    fn wait(&mut self, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<Event> {
        if self.in_flight == 0 {
            return Ok(Event::Ended);
        }
        let played = match self.results.recv_timeout(TICK) {
            Ok(played) => played.unwrap_or_else(|panic| panic::resume_unwind(panic)),
            Err(RecvTimeoutError::Timeout) => return Ok(Event::Nothing),
            Err(RecvTimeoutError::Disconnected) => return Ok(Event::Ended),
        };
        self.in_flight -= 1;
        let Some(PlayedGame { game, public, private, .. }) = played? else { return Ok(Event::Nothing) };
        store.put_game(&game, &public, &private)?;
        progress.add_played(&game);
        Ok(Event::Stored(Box::new(game)))
    }

    fn abandon(&mut self, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<()> {
        self.shared.is_abandoned.store(true, Ordering::Relaxed);
        while !matches!(self.wait(store, progress)?, Event::Ended) {}
        self.shared.is_abandoned.store(false, Ordering::Relaxed);
        Ok(())
    }
}
