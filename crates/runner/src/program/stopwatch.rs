//! The clock of a run: it charges what the program would have taken if it had been alone on the machine.
//!
//! The kernel counts how long each thread has worked and how long it has waited for a processor. Between two looks, the program was
//! busy as long as its busiest thread was one or the other. It is charged the time in which it was not busy, and for the rest what
//! its work takes on as many processors as it has threads that are busy together, and as there are. So threads that wait for each
//! other gain nothing, and threads that follow one another lose nothing.

use std::collections::{HashMap, VecDeque};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use super::usage::ThreadTime;

/// How many intervals are kept. The kernel counts a wait when it is over, so that it may belong to earlier ones.
const MAX_INTERVALS: usize = 128;
/// Of how many threads something is known, even if they have ended.
const MAX_THREADS: usize = 1024;

/// How long the last moments of a thread are at most: what comes after them passed without it.
const LAST_MOMENTS: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct Stopwatch {
    started: Instant,
    looked: Instant,
    processors: u32,
    threads: HashMap<i32, Seen>,
    intervals: VecDeque<Interval>,
    /// How many intervals were before those that are kept.
    settled_intervals: usize,
    /// What was charged for them.
    settled_charge: Duration,
    /// The program has worked, or waited for a processor, in this run.
    has_begun: bool,
}

/// What is known of a thread.
#[derive(Debug, Default)]
struct Seen {
    time: ThreadTime,
    /// How long it has been ready, and has counted as waiting, since the kernel counted something for it.
    assumed: Duration,
    /// The share of its busy time for which it worked, between the last two looks.
    worked_share: f64,
    /// The interval after the last one in which it was there.
    next: usize,
    /// How long it was busy in the one before, and so on.
    busy: VecDeque<Duration>,
}

/// The time between two looks.
#[derive(Debug, Default)]
struct Interval {
    length: Duration,
    /// How long the busiest thread was busy.
    busy: Duration,
    /// How long all threads were busy, in sum.
    busy_sum: Duration,
    worked: Duration,
    /// The share of the first [`LAST_MOMENTS`] in which no thread is known to have been busy for which the program is charged: it was
    /// idle, or a thread of which the kernel says no more was busy.
    unknown_share: f64,
    /// How long the program was kept from working, or its answer from being seen, by us.
    ours: Duration,
}

impl Interval {
    fn charged(&self, processors: u32) -> Duration {
        let unknown = self.length.saturating_sub(self.busy).saturating_sub(self.ours);
        let last_moments = unknown.min(LAST_MOMENTS);
        unknown - last_moments
            + last_moments.mul_f64(self.unknown_share)
            + self.worked.div_f64(self.at_once().clamp(1.0, f64::from(processors)))
    }

    /// How many threads were busy together.
    fn at_once(&self) -> f64 {
        self.busy_sum.div_duration_f64(self.busy.max(Duration::from_nanos(1)))
    }
}

impl Stopwatch {
    /// Starts now. `threads` are those of the program, as they are now.
    pub(super) fn start(threads: &[ThreadTime]) -> Stopwatch {
        static PROCESSORS: OnceLock<u32> = OnceLock::new();

        let processors = PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, |number| number.get() as u32));
        Stopwatch::start_at(Instant::now(), threads, *processors)
    }

    fn start_at(started: Instant, threads: &[ThreadTime], processors: u32) -> Stopwatch {
        Stopwatch {
            started,
            looked: started,
            processors,
            threads: threads.iter().map(|&time| (time.thread, Seen { time, ..Seen::default() })).collect(),
            intervals: VecDeque::new(),
            settled_intervals: 0,
            settled_charge: Duration::ZERO,
            has_begun: false,
        }
    }

    pub(super) fn started(&self) -> Instant {
        self.started
    }

    /// Takes over what the program's threads have done until now. `delay` is for how long we have waited for a processor since the
    /// last look: it counts as ours as long as the program has not begun.
    pub(super) fn look(&mut self, now: Instant, threads: &[ThreadTime], delay: Duration) {
        self.look_as(now, threads, if self.has_begun { Duration::ZERO } else { delay });
    }

    /// The same when the program has ended or answered, which was seen with a `delay`.
    pub(super) fn look_at_end(&mut self, now: Instant, threads: &[ThreadTime], delay: Duration) {
        self.look_as(now, threads, delay);
    }

    fn look_as(&mut self, now: Instant, threads: &[ThreadTime], ours: Duration) {
        self.intervals.push_back(Interval { length: now - self.looked, ours, unknown_share: 1.0, ..Interval::default() });
        self.looked = now;
        for time in threads {
            self.count(*time);
        }
        let unknown_share = self.worked_share_of_ended();
        if let Some(interval) = self.intervals.back_mut() {
            interval.unknown_share = unknown_share;
        }
        if self.threads.len() > MAX_THREADS {
            let next = self.next_interval();
            self.threads.retain(|_, seen| seen.next == next);
        }
        if self.intervals.len() > MAX_INTERVALS
            && let Some(oldest) = self.intervals.pop_front()
        {
            self.settled_intervals += 1;
            self.settled_charge += oldest.charged(self.processors);
        }
    }

    /// Divides what a thread did since the last look among the intervals: the last one, and, as far as that has no room for it, those
    /// before. A thread that was ready and still is, and for which the kernel has counted nothing, has been waiting: if it ends as
    /// soon as it has got a processor, nobody would hear of that wait.
    fn count(&mut self, time: ThreadTime) {
        let next = self.next_interval();
        let seen = self.threads.entry(time.thread).or_default();
        let worked = time.worked.saturating_sub(seen.time.worked);
        let counted = worked + time.waited.saturating_sub(seen.time.waited);
        self.has_begun |= !counted.is_zero();
        let (busy, assumed) = if counted.is_zero() {
            let length = self.intervals.back().map_or(Duration::ZERO, |interval| interval.length);
            let waits = if seen.time.is_ready && time.is_ready { length } else { Duration::ZERO };
            seen.assumed += waits;
            (waits, Duration::ZERO)
        } else {
            let assumed = std::mem::take(&mut seen.assumed);
            (counted.saturating_sub(assumed), assumed)
        };
        for _ in seen.next.max(self.settled_intervals)..next {
            seen.busy.push_front(Duration::ZERO);
        }
        seen.busy.truncate(self.intervals.len());
        seen.worked_share = if (counted + busy).is_zero() { 1.0 } else { worked.div_duration_f64(counted.max(busy)) };
        (seen.time, seen.next) = (time, next);
        let mut left = busy;
        for (its_busy, interval) in seen.busy.iter_mut().zip(self.intervals.iter_mut().rev()) {
            if left.is_zero() {
                break;
            }
            let part = left.min(interval.length.saturating_sub(*its_busy));
            left -= part;
            *its_busy += part;
            interval.busy = interval.busy.max(*its_busy);
            interval.busy_sum += part;
        }
        if let Some(interval) = self.intervals.back_mut() {
            interval.worked += worked.min(busy - left + assumed);
        }
    }

    /// Returns for which share of its last moments a thread worked that was ready at the last look and has ended since then. The kernel
    /// does not say: it is taken to have waited for others as much as before. Threads that had to wait for each other gain nothing.
    fn worked_share_of_ended(&self) -> f64 {
        let before = self.intervals.len().checked_sub(2).map(|number| &self.intervals[number]);
        if before.is_none_or(|interval| interval.at_once() > f64::from(self.processors)) {
            return 1.0;
        }
        let has_ended = |seen: &&Seen| seen.next + 1 == self.next_interval() && seen.time.is_ready;
        self.threads.values().filter(has_ended).map(|seen| seen.worked_share).reduce(f64::max).unwrap_or(1.0)
    }

    /// Returns what the program has been charged until the last look.
    pub(super) fn charged(&self) -> Duration {
        self.settled_charge + self.intervals.iter().map(|interval| interval.charged(self.processors)).sum::<Duration>()
    }

    /// The number of the interval that begins with the last look.
    fn next_interval(&self) -> usize {
        self.settled_intervals + self.intervals.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Looks every 10 ms at threads, with the milliseconds for which each has worked and waited since the look before.
    fn charged(processors: u32, threads: usize, looks: &[&[(u64, u64)]]) -> u128 {
        let before = |thread| ThreadTime { thread, worked: 7 * MS, waited: 3 * MS, ..ThreadTime::default() };
        let mut times: Vec<ThreadTime> = (1..=threads as i32).map(before).collect();
        let begin = Instant::now();
        let mut stopwatch = Stopwatch::start_at(begin, &times, processors);
        for (number, look) in (1..).zip(looks) {
            for (time, &(worked, waited)) in times.iter_mut().zip(*look) {
                (time.worked, time.waited) = (time.worked + MS * worked as u32, time.waited + MS * waited as u32);
            }
            stopwatch.look(begin + 10 * MS * number, &times, Duration::ZERO);
        }
        stopwatch.charged().as_millis()
    }

    #[test]
    fn one_thread_is_charged_for_work_and_sleep_and_not_for_waiting() {
        assert_eq!(charged(2, 1, &[&[(10, 0)], &[(10, 0)]]), 20, "works");
        assert_eq!(charged(2, 1, &[&[(0, 0)], &[(0, 0)]]), 20, "sleeps");
        assert_eq!(charged(2, 1, &[&[(4, 6)], &[(2, 8)]]), 6, "waits");
        assert_eq!(charged(2, 1, &[&[(4, 1)], &[(0, 0)]]), 19, "works, waits and sleeps");
        assert_eq!(charged(2, 1, &[&[(3, 0)], &[(0, 0)], &[(0, 0)], &[(3, 34)]]), 6, "a wait is counted when it is over");
        assert_eq!(charged(2, 1, &[&[(6, 0)], &[(14, 0)]]), 20, "work is counted late");
    }

    #[test]
    fn threads_that_work_together_are_charged_as_on_a_free_machine() {
        let work = |worked, waited| [(worked, waited); 8];
        assert_eq!(charged(2, 8, &[&work(10, 0)[..2]; 3]), 30, "two on two processors");
        assert_eq!(charged(2, 8, &[&work(5, 5)[..2]; 3]), 15, "two that share one with others");
        assert_eq!(charged(2, 8, &[&work(5, 5)[..4]; 3]), 30, "four that wait for each other gain nothing");
        assert_eq!(charged(4, 8, &[&work(5, 5)[..4]; 3]), 15, "four that wait for others");
        assert_eq!(charged(1, 8, &[&work(1, 9)]), 8, "eight on one processor, of which others have the rest");
    }

    #[test]
    fn threads_that_follow_one_another_are_charged_as_one() {
        assert_eq!(charged(2, 3, &[&[(5, 5), (0, 0), (0, 0)], &[(0, 0), (5, 5), (0, 0)], &[(0, 0), (0, 0), (5, 5)]]), 15);
    }

    /// It worked for 20 ms with two hundred threads, of which each waited most of the time, and has slept since then.
    #[test]
    fn many_threads_buy_no_time() {
        let crowd: Vec<(u64, u64)> = (0..200).map(|thread| (u64::from(thread < 20), 10 - u64::from(thread < 20))).collect();
        let sleep = vec![(0, 0); 200];
        assert_eq!(charged(2, 200, &[&crowd, &sleep, &sleep]), 30);
    }

    #[test]
    fn a_new_thread_counts_from_its_beginning() {
        let begin = Instant::now();
        let mut stopwatch = Stopwatch::start_at(begin, &[], 2);
        stopwatch.look(
            begin + 10 * MS,
            &[ThreadTime { thread: 5, worked: 2 * MS, waited: 3 * MS, ..ThreadTime::default() }],
            Duration::ZERO,
        );
        assert_eq!(stopwatch.charged(), 7 * MS);
    }

    #[test]
    fn what_we_are_late_is_not_charged_before_it_begins_and_when_it_has_ended() {
        let begin = Instant::now();
        let mut time = ThreadTime { thread: 1, ..ThreadTime::default() };
        let mut stopwatch = Stopwatch::start_at(begin, &[time], 2);
        stopwatch.look(begin + 10 * MS, &[time], 9 * MS);
        assert_eq!(stopwatch.charged(), MS, "the question was sent late");
        time.worked += MS;
        stopwatch.look(begin + 20 * MS, &[time], 4 * MS);
        assert_eq!(stopwatch.charged(), 7 * MS, "it begins");
        stopwatch.look(begin + 30 * MS, &[time], 9 * MS);
        assert_eq!(stopwatch.charged(), 17 * MS, "it sleeps, whether we are late or not");
        time.worked += 3 * MS;
        stopwatch.look_at_end(begin + 40 * MS, &[time], 20 * MS);
        assert_eq!(stopwatch.charged(), 20 * MS, "its answer was seen late");
    }

    #[test]
    fn old_intervals_and_threads_are_forgotten_and_stay_charged() {
        let begin = Instant::now();
        let mut stopwatch = Stopwatch::start_at(begin, &[], 2);
        for look in 1..=3 * MAX_INTERVALS as i32 {
            let threads =
                [1, 2].map(|one| ThreadTime { thread: 2 * look + one, worked: MS, waited: MS, ..ThreadTime::default() });
            stopwatch.look(begin + 4 * MS * look as u32, &threads, Duration::ZERO);
        }
        assert_eq!(stopwatch.charged(), 3 * MS * 3 * MAX_INTERVALS as u32);
        assert!(stopwatch.intervals.len() <= MAX_INTERVALS && stopwatch.threads.len() <= MAX_THREADS);
    }

    #[test]
    fn a_thread_that_is_ready_waits_even_if_it_is_not_counted_yet() {
        let begin = Instant::now();
        let mut time = ThreadTime { thread: 1, is_ready: true, ..ThreadTime::default() };
        let mut stopwatch = Stopwatch::start_at(begin, &[time], 2);
        let mut look = |number, (worked, waited), is_ready| {
            (time.worked, time.waited, time.is_ready) = (time.worked + worked * MS, time.waited + waited * MS, is_ready);
            stopwatch.look(begin + 10 * MS * number, &[time], Duration::ZERO);
            stopwatch.charged().as_millis()
        };
        assert_eq!(look(1, (0, 0), true), 0, "it waits");
        assert_eq!(look(2, (0, 0), true), 0);
        assert_eq!(look(3, (2, 25), true), 5, "it got a processor, and slept for 3 ms");
        assert_eq!(look(4, (0, 0), false), 15, "it sleeps");
        assert_eq!(look(5, (0, 0), true), 25, "it may be ready only since now");
        assert_eq!(look(6, (0, 0), true), 25, "it waits");
        stopwatch.look(begin + 70 * MS, &[], Duration::ZERO);
        assert_eq!(stopwatch.charged(), 25 * MS, "it has ended, and waited as before");
    }

    /// A thread that worked for so long, and was ready at two looks, has ended at the third.
    fn charged_at_its_end(threads: usize, worked: u32, until_look: u32) -> Duration {
        let begin = Instant::now();
        let times = |worked, waited| -> Vec<ThreadTime> {
            let of = |thread| ThreadTime { thread, worked, waited, is_ready: true };
            (1..=threads as i32).map(of).collect()
        };
        let mut stopwatch = Stopwatch::start_at(begin, &times(Duration::ZERO, Duration::ZERO), 2);
        stopwatch.look(begin + 10 * MS, &times(worked * MS, (10 - worked) * MS), Duration::ZERO);
        let before = stopwatch.charged();
        stopwatch.look(begin + (10 + until_look) * MS, &[], Duration::ZERO);
        stopwatch.charged() - before
    }

    #[test]
    fn a_thread_that_has_ended_waited_for_others_as_much_as_before() {
        assert_eq!(charged_at_its_end(1, 10, 10), 10 * MS, "it did not wait");
        assert_eq!(charged_at_its_end(1, 3, 10), 3 * MS, "it waited for others");
        assert_eq!(charged_at_its_end(1, 3, 100), 86 * MS, "what came after its last moments passed without it");
        assert_eq!(charged_at_its_end(8, 3, 10), 10 * MS, "eight waited for each other");
    }
}
