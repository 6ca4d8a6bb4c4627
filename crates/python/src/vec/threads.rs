//! The threads on which games are played.

use std::process;
use std::time::Instant;

use pacman2_batch::observe::View;
use pacman2_batch::{Games, PlayerRows, ShownPlanes};
use pyo3::prelude::*;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::convert;

/// The limit of threads.
pub(crate) const MOST_THREADS: i64 = 1024;

/// The calling thread, or a pool, which only works where that saves more time than it costs.
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
        let Some(pool) = &self.pool else { return items.iter_mut().for_each(call) };
        let Some((first, others)) = items.split_first_mut() else { return };
        // How long a call takes is not known: a bot may look one turn ahead, or search.
        let began = Instant::now();
        call(first);
        if began.elapsed().as_nanos() as usize * others.len() < MIN_NANOSECONDS {
            others.iter_mut().for_each(call);
        } else {
            // The items take different times, so each is a task of its own.
            pool.threads.install(|| others.par_iter_mut().with_max_len(1).for_each(call));
        }
    }

    /// Runs [`Games::step`] on these threads.
    pub(crate) fn step(&self, games: &mut Games, actions: &[[u8; 4]], gains: &mut [[i32; 4]]) {
        match self.pool_for(games.count(), STEP_NANOSECONDS) {
            None => games.step(actions, gains),
            Some(pool) => pool.install(|| games.step_in_parallel(actions, gains)),
        }
    }

    /// Runs [`Games::observe_players`] on these threads.
    pub(crate) fn observe(&self, games: &Games, view: View, into: PlayerRows<'_>) {
        match self.pool_for(games.count(), observe_nanoseconds(view)) {
            None => games.observe_players(view, into),
            Some(pool) => pool.install(|| games.observe_players_in_parallel(view, into)),
        }
    }

    /// Runs [`Games::update_planes`] on these threads.
    pub(super) fn update_planes(&self, games: &Games, shown: &mut ShownPlanes, into: &mut [u8]) {
        match self.pool_for(games.count(), observe_nanoseconds(View::Planes)) {
            None => games.update_planes(shown, into),
            Some(pool) => pool.install(|| games.update_planes_in_parallel(shown, into)),
        }
    }

    /// Calls a function with each item, with neighbours on the same thread.
    pub(super) fn for_each_in_runs<T: Send>(&self, items: impl Iterator<Item = T>, call: impl Fn(T) + Send + Sync) {
        if self.pool.is_none() {
            return items.for_each(call);
        }
        let items: Vec<T> = items.collect();
        match self.pool_for(items.len(), FORMAT_NANOSECONDS) {
            None => items.into_iter().for_each(call),
            Some(pool) => pool.install(|| items.into_par_iter().with_min_len(MIN_ITEMS).for_each(call)),
        }
    }

    /// Returns the pool if this number of items, with that time for each, is worth waking its threads.
    fn pool_for(&self, items: usize, nanoseconds: usize) -> Option<&ThreadPool> {
        let pool = self.pool.as_ref()?;
        (items * nanoseconds >= MIN_NANOSECONDS).then_some(&pool.threads)
    }
}

/// The least work for which threads are woken. A call costs 14 µs of CPU time for waking and waiting (`lab/python/threads.py`), and
/// returns that much later, so that two threads save more than they cost from some 90 µs on.
const MIN_NANOSECONDS: usize = 150_000;

/// How long a turn of a game takes at least.
const STEP_NANOSECONDS: usize = 10;

/// How fast views are written.
const BYTES_PER_NANOSECOND: usize = 80;

/// How long it takes to write the views of a game's players.
fn observe_nanoseconds(view: View) -> usize {
    STEP_NANOSECONDS + 4 * view.len() / BYTES_PER_NANOSECOND
}

/// The least time that it takes to format a game.
const FORMAT_NANOSECONDS: usize = 300;

/// The least number of games that a thread formats at once.
const MIN_ITEMS: usize = 64;

impl OwnedPool {
    fn new(count: usize) -> Result<OwnedPool, ThreadPoolBuildError> {
        let threads = ThreadPoolBuilder::new().num_threads(count).thread_name(|n| format!("pacman2-{n}")).build()?;
        Ok(OwnedPool { threads, process: process::id() })
    }
}

/// Converts the argument `threads`.
pub(crate) fn threads(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(convert::whole_number("threads", given, 1..=MOST_THREADS)? as usize)
}
