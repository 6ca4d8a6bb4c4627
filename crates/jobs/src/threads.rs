//! Threads that do jobs as they come.

use std::panic;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

/// Does jobs on this number of threads until `next` returns none. After an error, jobs that were begun are done.
///
/// # Errors
///
/// The first error of `next` or `work`.
pub fn do_jobs<T>(
    threads: usize,
    next: impl FnMut() -> anyhow::Result<Option<T>> + Send,
    work: impl Fn(T) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<()> {
    let (next, failure) = (Mutex::new(next), Mutex::new(None));
    let take = || if locked(&failure).is_some() { Ok(None) } else { (locked(&next))() };
    let do_some = || {
        loop {
            let done = match take() {
                Ok(Some(job)) => work(job),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            if let Err(error) = done {
                locked(&failure).get_or_insert(error);
                return;
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(do_some)).collect();
        // A panic of a thread is one of this thread, after the others have ended.
        let ended: Vec<_> = threads.into_iter().map(ScopedJoinHandle::join).collect();
        if let Some(payload) = ended.into_iter().find_map(Result::err) {
            panic::resume_unwind(payload);
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Locks a mutex, even if a thread panicked that held it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
