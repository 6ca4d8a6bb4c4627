//! The threads on which games are played.

use std::process;

use pacman2_batch::observe::View;
use pacman2_batch::{Games, PlayerRows, ShownPlanes};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The calling thread, or a pool.
pub(crate) struct Threads {
    count: usize,
    pool: Option<OwnedPool>,
}

/// A pool and its process.
struct OwnedPool {
    threads: ThreadPool,
    /// The process that owns the threads. After a fork, the child has none of them.
    process: u32,
}

impl Threads {
    /// Creates a pool of `count` threads, at least one.
    pub(crate) fn new(count: usize) -> Result<Threads, ThreadPoolBuildError> {
        let pool = if count > 1 { Some(OwnedPool::new(count)?) } else { None };
        Ok(Threads { count, pool })
    }

    /// Returns the number of threads.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Creates the pool again if this process is a fork of its owner.
    pub(crate) fn follow_fork(&mut self) -> Result<(), ThreadPoolBuildError> {
        let Some(pool) = &mut self.pool else { return Ok(()) };
        if pool.process != process::id() {
            let stale = std::mem::replace(pool, OwnedPool::new(self.count)?);
            // Dropping it would wait for threads that do not exist here, behind locks that they may have held.
            std::mem::forget(stale);
        }
        Ok(())
    }

    /// Calls a function with each item on these threads. It returns when all calls have.
    pub(crate) fn for_each<T: Send>(&self, items: &mut [T], call: impl Fn(&mut T) + Send + Sync) {
        match &self.pool {
            None => items.iter_mut().for_each(call),
            // The items take different times, so each is a task of its own.
            Some(pool) => pool.threads.install(|| items.par_iter_mut().with_max_len(1).for_each(call)),
        }
    }

    /// Runs [`Games::step`] on these threads.
    pub(crate) fn step(&self, games: &mut Games, actions: &[[u8; 4]], gains: &mut [[i32; 4]]) {
        match &self.pool {
            None => games.step(actions, gains),
            Some(pool) => pool.threads.install(|| games.step_in_parallel(actions, gains)),
        }
    }

    /// Runs [`Games::observe_players`] on these threads.
    pub(crate) fn observe(&self, games: &Games, view: View, into: PlayerRows<'_>) {
        match &self.pool {
            None => games.observe_players(view, into),
            Some(pool) => pool.threads.install(|| games.observe_players_in_parallel(view, into)),
        }
    }

    /// Runs [`Games::update_planes`] on these threads.
    pub(super) fn update_planes(&self, games: &Games, shown: &mut ShownPlanes, into: &mut [u8]) {
        match &self.pool {
            None => games.update_planes(shown, into),
            Some(pool) => pool.threads.install(|| games.update_planes_in_parallel(shown, into)),
        }
    }

    /// Calls a function with each item, with neighbours on the same thread.
    pub(super) fn for_each_in_runs<T: Send>(&self, items: impl Iterator<Item = T>, call: impl Fn(T) + Send + Sync) {
        let Some(pool) = &self.pool else { return items.for_each(call) };
        let items: Vec<T> = items.collect();
        pool.threads.install(|| items.into_par_iter().with_min_len(MIN_ITEMS).for_each(call));
    }
}

/// The least number of games that a thread formats at once.
const MIN_ITEMS: usize = 64;

impl OwnedPool {
    fn new(count: usize) -> Result<OwnedPool, ThreadPoolBuildError> {
        let threads = ThreadPoolBuilder::new().num_threads(count).thread_name(|n| format!("pacman2-{n}")).build()?;
        Ok(OwnedPool { threads, process: process::id() })
    }
}
