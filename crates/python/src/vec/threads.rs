//! On how many threads games are played.

use std::process;

use pacman2_batch::Games;
use pacman2_batch::observe::View;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// This thread alone, or a pool.
pub(super) struct Threads {
    count: usize,
    pool: Option<Pool>,
}

struct Pool {
    threads: ThreadPool,
    /// The process that has these threads: after a fork the child has none of them.
    process: u32,
}

impl Threads {
    /// So many threads, at least one.
    pub(super) fn new(count: usize) -> Result<Threads, ThreadPoolBuildError> {
        let pool = if count > 1 { Some(Pool::new(count)?) } else { None };
        Ok(Threads { count, pool })
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Makes the pool anew if this process is a fork of the one that has its threads.
    pub(super) fn follow_fork(&mut self) -> Result<(), ThreadPoolBuildError> {
        let Some(pool) = &mut self.pool else { return Ok(()) };
        if pool.process != process::id() {
            let stale = std::mem::replace(pool, Pool::new(self.count)?);
            // To drop it would wake threads that are not there, behind locks that they may have held.
            std::mem::forget(stale);
        }
        Ok(())
    }

    /// [`Games::step`] on these threads.
    pub(super) fn step(&self, games: &mut Games, actions: &[[u8; 4]], gains: &mut [[i32; 4]]) {
        match &self.pool {
            None => games.step(actions, gains),
            Some(pool) => pool.threads.install(|| games.step_in_parallel(actions, gains)),
        }
    }

    /// [`Games::observe`] on these threads.
    pub(super) fn observe(&self, games: &Games, view: View, into: &mut [u8]) {
        match &self.pool {
            None => games.observe(view, into),
            Some(pool) => pool.threads.install(|| games.observe_in_parallel(view, into)),
        }
    }
}

impl Pool {
    fn new(count: usize) -> Result<Pool, ThreadPoolBuildError> {
        let threads = ThreadPoolBuilder::new().num_threads(count).thread_name(|n| format!("pacman2-{n}")).build()?;
        Ok(Pool { threads, process: process::id() })
    }
}
