//! When the judging machine itself stood still: somebody who wants to wake up every few milliseconds notices if it does not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often it wakes up.
const NAP: Duration = Duration::from_millis(5);
/// Who sleeps this much longer than it wanted to has been kept from running, and bots with it.
const STALL: Duration = Duration::from_millis(100);

/// The stalls of the machine so far.
#[derive(Default)]
pub(crate) struct Stalls {
    last: Mutex<Option<Instant>>,
    is_over: AtomicBool,
}

impl Stalls {
    pub(crate) fn new() -> Stalls {
        Stalls::default()
    }

    /// Watches until [`Stalls::end`].
    pub(crate) fn watch(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let begin = Instant::now();
            thread::sleep(NAP);
            if begin.elapsed() >= NAP + STALL {
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
        }
    }

    /// Ends the watch.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether a stall ended after that moment.
    pub(crate) fn since(&self, begin: Instant) -> bool {
        // Whoever watches may have stood still, too, and not have said so yet.
        thread::sleep(2 * NAP);
        self.last.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|end| end >= begin)
    }
}
