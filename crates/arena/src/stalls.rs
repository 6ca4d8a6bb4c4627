//! Detects stalls of the machine: a thread that should wake up every few milliseconds notices if it wakes up late.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long the detector sleeps.
const NAP: Duration = Duration::from_millis(5);
/// A thread that sleeps this much longer than it should was kept from running, and so were the bots.
const STALL: Duration = Duration::from_millis(100);

/// Records the stalls of the machine.
#[derive(Default)]
pub(crate) struct StallDetector {
    found: Mutex<Stalls>,
    is_stopped: AtomicBool,
}

/// The stalls so far.
#[derive(Clone, Copy, Default)]
struct Stalls {
    /// When the last one ended.
    last: Option<Instant>,
    total: Duration,
}

impl StallDetector {
    /// Watches the machine until the guard of [`stop_on_drop`](StallDetector::stop_on_drop) is dropped.
    pub(crate) fn run(&self) {
        while !self.is_stopped.load(Ordering::Relaxed) {
            let begin = Instant::now();
            thread::sleep(NAP);
            let late = begin.elapsed().saturating_sub(NAP);
            if late >= STALL {
                let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
                *found = Stalls { last: Some(Instant::now()), total: found.total + late };
            }
        }
    }

    /// Makes [`run`](StallDetector::run) return when the guard is dropped, even by a panic.
    pub(crate) fn stop_on_drop(&self) -> StopOnDrop<'_> {
        StopOnDrop(self)
    }

    /// Returns whether a stall ended after that moment.
    pub(crate) fn has_stalled_since(&self, begin: Instant) -> bool {
        // The detector may have stalled too, and not have recorded it yet.
        thread::sleep(2 * NAP);
        self.found().last.is_some_and(|end| end >= begin)
    }

    /// Returns how long all stalls took that were recorded so far.
    pub(crate) fn total(&self) -> Duration {
        self.found().total
    }

    fn found(&self) -> Stalls {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops a [`StallDetector`] when it is dropped.
pub(crate) struct StopOnDrop<'a>(&'a StallDetector);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
    }
}
