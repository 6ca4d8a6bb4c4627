//! Detects when the machine itself stalls: a thread that wants to wake up every few milliseconds notices if it does not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long the detector sleeps.
const NAP: Duration = Duration::from_millis(5);
/// A thread that sleeps this much longer than it wanted was kept from running, and so were the bots.
const STALL: Duration = Duration::from_millis(100);

/// Records the stalls of the machine.
#[derive(Default)]
pub(crate) struct StallDetector {
    last: Mutex<Option<Instant>>,
    is_stopped: AtomicBool,
}

impl StallDetector {
    /// Watches the machine until [`stop`](StallDetector::stop).
    pub(crate) fn run(&self) {
        while !self.is_stopped.load(Ordering::Relaxed) {
            let begin = Instant::now();
            thread::sleep(NAP);
            if begin.elapsed() >= NAP + STALL {
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
        }
    }

    /// Makes [`run`](StallDetector::run) return.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns whether a stall ended after that moment.
    pub(crate) fn has_stalled_since(&self, begin: Instant) -> bool {
        // The detector may have stalled too, and not have recorded it yet.
        thread::sleep(2 * NAP);
        self.last.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|end| end >= begin)
    }
}
