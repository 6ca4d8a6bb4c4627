//! Work that is done side by side, each piece kept as soon as it is done.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does these pieces of work on so many threads, until all are done or `stop` is set, and hands over what came of each. A piece
/// of which nothing came was interrupted. After an error nothing new is begun.
pub(super) fn work<T: Send>(
    pieces: &[u32],
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(u32) -> anyhow::Result<Option<T>> + Sync,
    mut done: impl FnMut(u32, T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.min(pieces.len()) {
            let (sender, next, failed, work) = (sender.clone(), &next, &failed, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
                    let Some(&piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    // Who receives is there until the last thread has sent.
                    let _ = sender.send((piece, work(piece)));
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        for (piece, result) in results {
            let kept = result.and_then(|result| result.map_or(Ok(()), |result| done(piece, result)));
            if kept.is_err() {
                failed.store(true, Ordering::Relaxed);
                outcome = outcome.and(kept);
            }
        }
        outcome
    })
}
