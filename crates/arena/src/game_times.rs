//! How long games will take, from games that were played.

use std::collections::{BTreeMap, VecDeque};

use pacman2_rules::BySeat;
use pacman2_tournament::{BotId, GameResult};

/// How many games count, the newest ones. A machine may become slower or faster.
pub(crate) const NEWEST_GAMES: usize = 500;
/// How often the fit of the bots' shares is improved.
const FIT_STEPS: usize = 20;

/// How often each bot plays in some games, counted by seats.
pub(crate) type Appearances = BTreeMap<BotId, f64>;

/// How long games took, in seconds, by the bots that played. Bots differ in speed, so the games of a run that were played first may
/// be slower or faster than the rest.
#[derive(Clone, Default)]
pub(crate) struct GameTimes {
    games: VecDeque<(BySeat<BotId>, f64)>,
}

impl GameTimes {
    /// Adds a game that was played.
    pub(crate) fn add(&mut self, game: &GameResult) {
        self.add_seats(BySeat(game.seats.0.each_ref().map(|seat| seat.bot)), game.seconds);
    }

    /// Adds a game of these bots.
    pub(crate) fn add_seats(&mut self, bots: BySeat<BotId>, seconds: f64) {
        if self.games.len() == NEWEST_GAMES {
            self.games.pop_front();
        }
        self.games.push_back((bots, seconds));
    }

    /// Returns how long games take in which bots appear this often, one game at a time, for each of these; `None` if no game was played.
    pub(crate) fn seconds_of<const N: usize>(&self, appearances: [&Appearances; N]) -> Option<[f64; N]> {
        let (share, mean) = (self.shares(), self.mean()? / 4.0);
        let seconds = |(bot, count): (&BotId, &f64)| count * share.get(bot).copied().unwrap_or(mean);
        Some(appearances.map(|appearances| appearances.iter().map(seconds).sum()))
    }

    fn mean(&self) -> Option<f64> {
        let sum: f64 = self.games.iter().map(|(_, seconds)| seconds).sum();
        (!self.games.is_empty()).then(|| sum / self.games.len() as f64)
    }

    /// Returns the share of a game's time that each bot takes. The shares of a game's four bots add up to about its time: each step
    /// multiplies a share by the mean of how much too short its games are.
    fn shares(&self) -> BTreeMap<BotId, f64> {
        let first = self.mean().unwrap_or_default() / 4.0;
        let mut shares: BTreeMap<BotId, f64> = self.games.iter().flat_map(|(bots, _)| bots.0).map(|bot| (bot, first)).collect();
        for _ in 0..FIT_STEPS {
            let mut ratios: BTreeMap<BotId, (f64, f64)> = BTreeMap::new();
            for (bots, seconds) in &self.games {
                let expected: f64 = bots.0.iter().map(|bot| shares[bot]).sum();
                for &bot in &bots.0 {
                    let (sum, count) = ratios.entry(bot).or_default();
                    *sum += if expected > 0.0 { seconds / expected } else { 1.0 };
                    *count += 1.0;
                }
            }
            for (bot, share) in &mut shares {
                let (sum, count) = ratios[bot];
                *share *= sum / count;
            }
        }
        shares
    }
}

/// What is done and left of a run.
pub(crate) struct Work {
    times: GameTimes,
    done: Appearances,
    left: Appearances,
}

impl Work {
    /// `earlier` are games that were played before, and `left` what will be played.
    pub(crate) fn new(earlier: GameTimes, left: Appearances) -> Work {
        Work { times: earlier, done: Appearances::new(), left }
    }

    /// Counts a game that is in the store already.
    pub(crate) fn add_known(&mut self, game: &GameResult) {
        for seat in &game.seats.0 {
            if let Some(left) = self.left.get_mut(&seat.bot) {
                *left = (*left - 1.0).max(0.0);
            }
        }
    }

    /// Counts a game that was played just now.
    pub(crate) fn add_played(&mut self, game: &GameResult) {
        self.add_known(game);
        self.times.add(game);
        for seat in &game.seats.0 {
            *self.done.entry(seat.bot).or_default() += 1.0;
        }
    }

    /// Returns the amounts of work that are done and left, in seconds of one game at a time, if a game was played.
    pub(crate) fn amounts(&self) -> Option<[f64; 2]> {
        self.times.seconds_of([&self.done, &self.left])
    }
}

#[cfg(test)]
mod tests {
    use pacman2_console::progress::seconds_left;
    use pacman2_tournament::SeatResult;
    use pacman2_tournament::schedule::{Plan, Schedule};

    use super::*;

    fn game(bots: [i64; 4], seconds: f64) -> GameResult {
        let seat = |bot| SeatResult { bot: BotId(bot), hundredths: 0, place: 1, strength: 1, fault: None, slowest_us: 0 };
        GameResult {
            id: String::new(),
            block: String::new(),
            seed: 0,
            width: 6,
            height: 6,
            turns: 100,
            seats: BySeat(bots.map(seat)),
            finished: 0,
            seconds,
            replayed: 0,
            node: None,
        }
    }

    /// Lets these games be played in this order, `at_once` at a time. From the tenth game on, until a tenth is left, each estimate has
    /// to be within a factor of 2.
    #[track_caller]
    fn check(at_once: usize, games: &[GameResult]) {
        check_after(&GameTimes::default(), at_once, games);
    }

    #[track_caller]
    fn check_after(earlier: &GameTimes, at_once: usize, games: &[GameResult]) {
        let mut left = Appearances::new();
        games.iter().flat_map(|game| &game.seats.0).for_each(|seat| *left.entry(seat.bot).or_default() += 1.0);
        let mut work = Work::new(earlier.clone(), left);
        let mut slots = vec![0.0_f64; at_once];
        let mut ends: Vec<(f64, &GameResult)> = Vec::new();
        for game in games {
            let slot = slots.iter_mut().min_by(|a, b| a.total_cmp(b)).unwrap();
            *slot += game.seconds;
            ends.push((*slot, game));
        }
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let end = ends.last().unwrap().0;
        for (number, (now, game)) in ends.iter().enumerate() {
            work.add_played(game);
            let played = number + 1;
            if played < 10 || played > games.len() * 9 / 10 {
                continue;
            }
            let [done, left] = work.amounts().unwrap();
            let estimate = seconds_left(*now, done, left, (at_once - 1) as f64 * done / played as f64).unwrap();
            let truth = end - now;
            assert!(
                (0.5..=2.0).contains(&(estimate / truth)),
                "after {played} games: {estimate:.1} s left, in truth {truth:.1} s"
            );
        }
    }

    /// Four bots, each on each seat.
    fn rotated(count: usize, seconds: impl Fn(usize) -> f64) -> Vec<GameResult> {
        (0..count).map(|number| game([0, 1, 2, 3].map(|seat| (seat + number as i64) % 4), seconds(number))).collect()
    }

    /// The games of a plan on a map, as they are scheduled, between bots of which each takes so long.
    fn scheduled(schedule: Schedule, bots: &[i64], seconds: &[f64]) -> Vec<GameResult> {
        let bots = bots.iter().copied().map(BotId).collect();
        let plan = Plan::new(schedule, bots, vec![1]).unwrap();
        let jobs = plan.stages_without_results().flatten().flat_map(|block| block.jobs);
        let bots = jobs.map(|job| job.seats.0.map(|bot| bot.0));
        bots.map(|bots| game(bots, bots.map(|bot| seconds[bot as usize]).iter().sum())).collect()
    }

    /// The limits allowed 2 h 13 min, 22 h and 19 min.
    #[test]
    fn games_far_below_their_limits() {
        check(2, &rotated(40, |number| [0.31, 0.22, 0.35, 0.24][number % 4]));
        check(2, &rotated(396, |number| [0.08, 0.11, 0.13, 0.08, 0.10][number % 5]));
        check(1, &rotated(60, |number| [4.1, 6.9, 3.2, 5.8][number % 4]));
    }

    #[test]
    fn many_games_at_once() {
        for at_once in [1, 2, 4, 8, 16] {
            check(at_once, &rotated(200, |number| [1.0, 1.3, 0.8, 1.1, 0.9][number % 5]));
        }
    }

    #[test]
    fn bots_that_differ_in_speed() {
        let seconds = [5.0, 0.2, 2.0, 0.1, 1.0, 0.3, 0.1, 3.0];
        check(1, &scheduled(Schedule::RoundRobin, &[0, 1, 2, 3, 4, 5, 6, 7], &seconds));
    }

    /// A class: slow references come first, and then the submissions play among themselves, 20 times as fast. Only the trial games show
    /// how fast they are.
    #[test]
    fn fast_games_after_slow_ones() {
        let seconds = [3.0, 3.0, 3.0, 0.05, 0.1, 0.05, 0.1, 0.05, 0.1, 0.05, 0.1];
        let submissions = [3, 4, 5, 6, 7, 8, 9, 10];
        let mut games = Vec::new();
        for bot in submissions {
            games.extend(scheduled(Schedule::Gauntlet { bot: BotId(bot) }, &[0, 1, 2, bot], &seconds));
        }
        games.extend(scheduled(Schedule::RoundRobin, &submissions, &seconds));
        let mut trials = GameTimes::default();
        for (bot, seconds) in (0..).zip(seconds) {
            trials.add_seats(BySeat([BotId(bot); 4]), 4.0 * seconds);
        }
        check_after(&trials, 1, &games);
    }

    #[test]
    fn nothing_is_known_before_a_game() {
        let left = Appearances::from([(BotId(0), 4.0)]);
        assert_eq!(Work::new(GameTimes::default(), left.clone()).amounts(), None);
        let mut earlier = GameTimes::default();
        earlier.add(&game([0, 0, 1, 1], 8.0));
        assert_eq!(Work::new(earlier, left).amounts(), Some([0.0, 8.0]));
    }

    /// A trial game is one of four copies.
    #[test]
    fn trial_games_give_the_speed_of_their_bot() {
        let mut times = GameTimes::default();
        times.add_seats(BySeat([BotId(0); 4]), 40.0);
        times.add_seats(BySeat([BotId(1); 4]), 4.0);
        let left = Appearances::from([(BotId(0), 10.0), (BotId(1), 30.0)]);
        assert_eq!(times.seconds_of([&left]).map(|[seconds]| seconds.round()), Some(130.0));
    }
}
