//! The clock, and the processor's counters where they work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::counters::Counters;
use super::runners::Runner;

/// Measures work on this thread.
pub(super) struct Meter {
    counters: Result<Counters, String>,
}

/// What was done, and what it took.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Lap {
    pub(super) turns: u64,
    pub(super) games: u64,
    pub(super) time: Duration,
    /// `None` if the counters were not at work all the time.
    pub(super) spent: Option<Spent>,
}

/// What the processor spent in user space on this thread.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Spent {
    pub(super) cycles: u64,
    pub(super) instructions: u64,
}

impl Meter {
    pub(super) fn new() -> Meter {
        Meter { counters: Counters::open() }
    }

    /// Why there are no counters, if there are none.
    pub(super) fn refusal(&self) -> Option<String> {
        self.counters.as_ref().err().cloned()
    }

    /// Has it run again and again until that time is over or `stop` is set, once at least.
    pub(super) fn lap(&mut self, runner: &mut dyn Runner, time: Duration, stop: &AtomicBool) -> Lap {
        let mut total = Lap { spent: Some(Spent::default()), ..Lap::default() };
        loop {
            total.add(&runner.go(self));
            if total.time >= time || stop.load(Ordering::Relaxed) {
                return total;
            }
        }
    }

    /// Does some work, and says what it came to and what it took: a lap without turns and games.
    pub(super) fn time<T>(&mut self, work: impl FnOnce() -> T) -> (T, Lap) {
        let counting = self.counters.as_mut().is_ok_and(Counters::start);
        let begin = Instant::now();
        let done = work();
        let time = begin.elapsed();
        let spent = self.counters.as_mut().ok().filter(|_| counting).and_then(Counters::stop);
        (done, Lap { time, spent, ..Lap::default() })
    }
}

impl Lap {
    fn add(&mut self, other: &Lap) {
        self.turns += other.turns;
        self.games += other.games;
        self.time += other.time;
        self.spent = self.spent.zip(other.spent).map(|(own, others)| Spent {
            cycles: own.cycles + others.cycles,
            instructions: own.instructions + others.instructions,
        });
    }

    pub(super) fn turns_per_second(&self) -> f64 {
        self.turns as f64 / self.time.as_secs_f64()
    }

    pub(super) fn games_per_second(&self) -> f64 {
        self.games as f64 / self.time.as_secs_f64()
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
    fn a_lap_goes_on_until_its_time_is_over() {
        let mut sleeper = Sleeper(0);
        let lap = Meter::new().lap(&mut sleeper, Duration::from_millis(7), &AtomicBool::new(false));
        assert!(lap.time >= Duration::from_millis(7), "{lap:?}");
        assert_eq!((lap.turns, lap.games), (25 * u64::from(sleeper.0), sleeper.0.into()));
        assert!((1..=4).contains(&sleeper.0), "{lap:?}");
        assert!((lap.turns_per_second() / lap.games_per_second() - 25.0).abs() < 1e-9, "{lap:?}");
    }

    #[test]
    fn who_wants_to_end_it_waits_for_no_second_run() {
        let mut sleeper = Sleeper(0);
        Meter::new().lap(&mut sleeper, Duration::from_secs(3600), &AtomicBool::new(true));
        assert_eq!(sleeper.0, 1);
    }

    #[test]
    fn what_was_spent_is_known_only_if_it_always_was() {
        let of = |spent| Lap { spent, ..Lap::default() };
        let some = |cycles, instructions| Some(Spent { cycles, instructions });
        let mut total = of(some(10, 30));
        total.add(&of(some(5, 6)));
        assert_eq!(total.spent, some(15, 36));
        total.add(&of(None));
        total.add(&of(some(1, 1)));
        assert_eq!(total.spent, None);
    }

    #[test]
    fn counters_count_or_say_why_they_do_not() {
        let mut meter = Meter::new();
        let (sum, lap) = meter.time(|| (0..100_000u64).fold(0, |sum, n| std::hint::black_box(sum + n)));
        assert_eq!(sum, 4_999_950_000);
        match (meter.refusal(), lap.spent) {
            (Some(reason), None) => assert!(!reason.is_empty()),
            (None, Some(spent)) => assert!(spent.instructions > 100_000 && spent.cycles > 0, "{spent:?}"),
            // Another program may have the counters for itself for a while.
            (None, None) => {}
            (reason, spent) => panic!("{reason:?}, {spent:?}"),
        }
    }
}
