//! Work that several threads share, with the results on the thread that waits for them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rayon::ThreadPoolBuilder;
use rayon::iter::{ParallelBridge, ParallelIterator};

/// The longest time that passes without a [`Progress`].
const TICK: Duration = Duration::from_millis(200);

/// What the waiting thread learns.
pub enum Progress<T> {
    /// A job is done.
    Done(T),
    /// Nothing happened for a while: time to redraw a line.
    Waiting,
}

/// Returns the number of threads to use if none is given: one for each core.
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does these jobs on this number of threads. Each thread takes the next job until none is left or `stop` is set.
///
/// Each thread has a state of its own, made by `init`. `job` returns `None` if it was interrupted. `watch` runs on this
/// thread: it gets each result as soon as it is there, in no certain order.
///
/// # Errors
///
/// The first error of `watch`. No job begins after it, but `watch` still gets the results of jobs that were running. Or the
/// threads cannot be started.
pub fn run<I, S, T: Send>(
    threads: usize,
    jobs: I,
    stop: &AtomicBool,
    init: impl Fn() -> S + Sync + Send,
    job: impl Fn(&mut S, I::Item) -> Option<T> + Sync + Send,
    mut watch: impl FnMut(Progress<T>) -> anyhow::Result<()>,
) -> anyhow::Result<()>
where
    I: IntoIterator<Item: Send, IntoIter: Send>,
{
    let jobs = jobs.into_iter();
    let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).build().context("cannot start the threads")?;
    let failed = AtomicBool::new(false);
    let (sender, results) = mpsc::channel();
    let goes_on = || !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed);
    pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            jobs.take_while(|_| goes_on()).par_bridge().for_each_init(
                || (sender.clone(), init()),
                |(sender, state), next| {
                    if let Some(result) = job(state, next) {
                        // The receiver lives until the last sender is gone.
                        let _ = sender.send(result);
                    }
                },
            );
            drop(sender);
        });
        let mut outcome = Ok(());
        loop {
            let progress = match results.recv_timeout(TICK) {
                Ok(result) => Progress::Done(result),
                Err(RecvTimeoutError::Timeout) => Progress::Waiting,
                Err(RecvTimeoutError::Disconnected) => return outcome,
            };
            // The results of jobs that were running at an error still count.
            let watched = watch(progress);
            failed.fetch_or(watched.is_err(), Ordering::Relaxed);
            outcome = outcome.and(watched);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(threads: usize, jobs: std::ops::Range<u32>, stop: &AtomicBool) -> anyhow::Result<Vec<u32>> {
        let mut done = Vec::new();
        let watch = |progress| {
            if let Progress::Done(result) = progress {
                done.push(result);
            }
            Ok(())
        };
        run(threads, jobs, stop, || (), |(), job| Some(job * job), watch)?;
        done.sort();
        Ok(done)
    }

    #[test]
    fn every_job_is_done_once_on_any_number_of_threads() {
        let expected: Vec<u32> = (0..100).map(|job| job * job).collect();
        for threads in [1, 2, 7, 200] {
            assert_eq!(collect(threads, 0..100, &AtomicBool::new(false)).unwrap(), expected);
        }
    }

    #[test]
    fn nothing_begins_after_a_stop() {
        assert_eq!(collect(2, 0..100, &AtomicBool::new(true)).unwrap(), [0; 0]);
    }

    #[test]
    fn nothing_begins_after_an_error() {
        let begun = std::sync::atomic::AtomicUsize::new(0);
        let job = |(): &mut (), ()| {
            begun.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(1));
            Some(())
        };
        let result =
            run(2, std::iter::repeat_n((), 100_000), &AtomicBool::new(false), || (), job, |_| anyhow::bail!("disk full"));
        assert_eq!(result.unwrap_err().to_string(), "disk full");
        assert!(begun.load(Ordering::Relaxed) < 10_000);
    }
}
