//! The clock, and the processor's counters if there are any.

use std::io;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::counters::Counters;
use super::lap::{Lap, Spent};

/// Measures work on this thread.
pub(super) struct Meter {
    counters: io::Result<Counters>,
}

/// Something to measure.
pub(super) trait Runner {
    /// Plays some games or turns.
    fn go(&mut self, meter: &mut Meter) -> Lap;
}

impl Meter {
    pub(super) fn new() -> Meter {
        Meter { counters: Counters::open() }
    }

    /// Why there are no counters; `None` if there are.
    pub(super) fn refusal(&self) -> Option<String> {
        self.counters.as_ref().err().map(ToString::to_string)
    }

    /// Runs it again and again until this time is over or `stop` is set, at least once.
    pub(super) fn lap(&mut self, runner: &mut dyn Runner, time: Duration, stop: &AtomicBool) -> Lap {
        let mut total = Lap { spent: Some(Spent::default()), ..Lap::default() };
        loop {
            total.add(&runner.go(self));
            if total.time >= time || stop.load(Ordering::Relaxed) {
                return total;
            }
        }
    }

    /// Times some work. Returns its result and a lap without turns and games.
    pub(super) fn time<T>(&mut self, work: impl FnOnce() -> T) -> (T, Lap) {
        let counting = self.counters.as_mut().is_ok_and(Counters::start);
        let begin = Instant::now();
        let done = work();
        let time = begin.elapsed();
        let spent = self.counters.as_mut().ok().filter(|_| counting).and_then(Counters::stop);
        (done, Lap { time, spent, ..Lap::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sleeper(u32);

    impl Runner for Sleeper {
        fn go(&mut self, meter: &mut Meter) -> Lap {
            self.0 += 1;
            let ((), lap) = meter.time(|| std::thread::sleep(Duration::from_millis(2)));
            Lap { turns: 25, games: 1, ..lap }
        }
    }

    #[test]
    fn a_lap_lasts_until_its_time_is_over() {
        let mut sleeper = Sleeper(0);
        let lap = Meter::new().lap(&mut sleeper, Duration::from_millis(7), &AtomicBool::new(false));
        assert!(lap.time >= Duration::from_millis(7), "{lap:?}");
        assert_eq!((lap.turns, lap.games), (25 * u64::from(sleeper.0), sleeper.0.into()));
        assert!((1..=4).contains(&sleeper.0), "{lap:?}");
        assert!((lap.turns_per_second() / lap.games_per_second() - 25.0).abs() < 1e-9, "{lap:?}");
    }

    #[test]
    fn a_stop_ends_the_lap_after_the_first_run() {
        let mut sleeper = Sleeper(0);
        Meter::new().lap(&mut sleeper, Duration::from_secs(3600), &AtomicBool::new(true));
        assert_eq!(sleeper.0, 1);
    }

    #[test]
    fn counters_count_or_give_a_reason() {
        let mut meter = Meter::new();
        let (sum, lap) = meter.time(|| (0..100_000u64).fold(0, |sum, n| std::hint::black_box(sum + n)));
        assert_eq!(sum, 4_999_950_000);
        match (meter.refusal(), lap.spent) {
            (Some(reason), None) => assert!(!reason.is_empty()),
            (None, Some(spent)) => assert!(spent.instructions > 100_000 && spent.cycles > 0, "{spent:?}"),
            // Another program may have the counters for a while.
            (None, None) => {}
            (reason, spent) => panic!("{reason:?}, {spent:?}"),
        }
    }
}
