//! Compares a bot with an older version of itself.
//!
//! One observation is a [`block`] of eight games on one map: NEW on each seat against three opponents, and OLD on each seat against the
//! same three. After each observation there is a [conclusion](Comparison::conclusion).
//!
//! The test is sequential. It decides between three hypotheses about the true mean of the observations in points: at least the given
//! difference, zero, or at most minus the difference (Sobel and Wald, "A Sequential Decision Procedure for Choosing One of Three
//! Hypotheses", Annals of Mathematical Statistics 20, 1949: two simultaneous tests). Each of the two is Wald's sequential probability
//! ratio test, generalized to an unknown variance in the approximation used for testing chess engines (M. Van den Bergh's notes on the
//! GSPRT for Fishtest): the likelihood ratio of normal observations with the variance observed so far.
//!
//! Two things differ from the textbook, because observations here are neither normal nor many:
//! - A hypothesis is not dropped when the evidence has been against it, so the conclusion depends only on count, mean and variance. The
//!   bounds are those that hold without dropping: `ln(1/alpha)` and `ln(1/beta)` (Ville's inequality).
//! - [`PRIOR_BLOCKS`] pseudo-observations with a large spread enter the variance, and nothing is decided before [`MIN_BLOCKS`]. Without
//!   the pseudo-observations, a bot that gains 3 points in nine of ten blocks and loses 27 in the tenth was called better in 17 of 100
//!   comparisons; with them, in 4.
//!
//! `tests/it/compare.rs` measures the error rates. They hold for the spread of this game, about 10 points, and for symmetric
//! distributions twice as wide. If one block in ten is a loss of more than 50 points, 12 of 100 conclusions are wrong.

use pacman2_rules::{BySeat, Seat};

use crate::game::{Block, BotId, GameResult, Job};
use crate::standings::Estimate;

/// Games in a block.
pub const GAMES_PER_BLOCK: usize = 8;

/// The number of blocks before which nothing is decided.
pub const MIN_BLOCKS: usize = 32;

/// The number of pseudo-observations with standard deviation [`PRIOR_SPREAD`] around the mean.
///
/// They affect only the variance. Bots that always do the same come to an end, and a few blocks that happen to be alike prove nothing.
/// For a standard deviation of 10 points and a difference of 2, they cost a quarter more blocks.
pub const PRIOR_BLOCKS: usize = 16;

/// The standard deviation of the pseudo-observations in points.
pub const PRIOR_SPREAD: f64 = 20.0;

/// Returns the eight games of an observation: NEW on seats 0, 1, 2 and 3, then OLD in the same way. The opponents have the other seats
/// in their order.
///
/// ```
/// use pacman2_tournament::BotId;
/// use pacman2_tournament::compare::block;
///
/// let block = block(7, BotId(1), BotId(2), [3, 4, 5].map(BotId));
/// assert_eq!(block.jobs.len(), 8);
/// assert_eq!(block.jobs[5].seats.0, [3, 2, 4, 5].map(BotId), "OLD on seat 1");
/// ```
#[must_use]
pub fn block(seed: i32, new: BotId, old: BotId, opponents: [BotId; 3]) -> Block {
    let mut jobs: Vec<Job> = Vec::with_capacity(GAMES_PER_BLOCK);
    for bot in [new, old] {
        for seat in Seat::ALL {
            let mut others = opponents.iter();
            let seats = BySeat::from_fn(|s| if s == seat { bot } else { *others.next().unwrap_or(&bot) });
            // OLD against three copies of itself is the same game on every seat; `repeat` distinguishes them.
            let repeat = jobs.iter().filter(|job| job.seats == seats).count() as u32;
            jobs.push(Job { seed, seats, repeat });
        }
    }
    Block { jobs }
}

/// Returns NEW's mean lead over OLD per seat in points, from the results of a [`block`] in the order of its jobs. Returns `None` if
/// these are not its results.
///
/// The index of a game in the block identifies the compared seat, since OLD may also be among the opponents.
#[must_use]
pub fn observation(new: BotId, old: BotId, results: &[GameResult]) -> Option<f64> {
    if results.len() != GAMES_PER_BLOCK {
        return None;
    }
    let mut hundredths = 0;
    for (seat, (with_new, with_old)) in Seat::ALL.into_iter().zip(results.iter().zip(&results[4..])) {
        let (of_new, of_old) = (&with_new.seats[seat], &with_old.seats[seat]);
        if of_new.bot != new || of_old.bot != old {
            return None;
        }
        hundredths += of_new.hundredths - of_old.hundredths;
    }
    Some(hundredths as f64 / 400.0)
}

/// The difference to detect and the error rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ComparisonConfig {
    /// The difference to detect, in points; greater than 0.
    pub difference: f64,
    /// The maximum probability of calling an equal bot better, and of calling it worse; between 0 and 0.5.
    pub alpha: f64,
    /// The maximum probability of missing a bot that differs by `difference`; between 0 and 0.5.
    pub beta: f64,
}

impl Default for ComparisonConfig {
    fn default() -> ComparisonConfig {
        ComparisonConfig { difference: 2.0, alpha: 0.05, beta: 0.05 }
    }
}

/// An invalid [`ComparisonConfig`].
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonConfigError {
    /// The difference, in points.
    #[error("expected a difference of more than 0 points, got {0}")]
    Difference(f64),
    /// The name and the value of an error rate.
    #[error("expected {0} between 0 and 0.5, got {1}")]
    ErrorRate(&'static str, f64),
}

/// The conclusion of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// NEW is better.
    Better,
    /// NEW is worse.
    Worse,
    /// NEW is neither better nor worse by the difference.
    NotBetter,
    /// More blocks are needed.
    Undecided {
        /// An estimate of the number of further blocks, if the variance stays the same and one of the three hypotheses is true. It is
        /// rather a third too high than too low.
        more_blocks: usize,
    },
}

/// A sequential comparison of two bots.
///
/// ```
/// use pacman2_tournament::compare::{Comparison, ComparisonConfig, Conclusion};
///
/// let mut comparison = Comparison::new(ComparisonConfig::default())?;
/// while !comparison.is_decided() {
///     comparison.observe(12.0);
/// }
/// assert_eq!(comparison.conclusion(), Conclusion::Better);
/// assert_eq!(comparison.estimate().value, 12.0);
/// # Ok::<(), pacman2_tournament::compare::ComparisonConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparison {
    config: ComparisonConfig,
    blocks: usize,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Comparison {
    /// Creates a comparison without observations.
    ///
    /// # Errors
    ///
    /// If the difference or an error rate is out of range.
    pub fn new(config: ComparisonConfig) -> Result<Comparison, ComparisonConfigError> {
        if !(config.difference > 0.0 && config.difference.is_finite()) {
            return Err(ComparisonConfigError::Difference(config.difference));
        }
        for (name, chance) in [("alpha", config.alpha), ("beta", config.beta)] {
            if !(chance > 0.0 && chance < 0.5) {
                return Err(ComparisonConfigError::ErrorRate(name, chance));
            }
        }
        Ok(Comparison { config, blocks: 0, mean: 0.0, squares: 0.0 })
    }

    /// Returns the difference and the error rates.
    #[must_use]
    pub fn config(&self) -> ComparisonConfig {
        self.config
    }

    /// Returns the number of observed blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Adds a block, given NEW's lead in points (Welford's running mean and variance).
    pub fn observe(&mut self, points: f64) {
        self.blocks += 1;
        let before = points - self.mean;
        self.mean += before / self.blocks as f64;
        self.squares += before * (points - self.mean);
    }

    /// Returns the current conclusion.
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        self.decision().unwrap_or_else(|| Conclusion::Undecided { more_blocks: self.more_blocks() })
    }

    /// Returns whether the comparison is decided. This is quicker than [`conclusion`](Comparison::conclusion), which also estimates the
    /// missing blocks.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.decision().is_some()
    }

    fn decision(&self) -> Option<Conclusion> {
        if self.blocks < MIN_BLOCKS {
            return None;
        }
        let Bounds { accept, reject } = self.bounds();
        let better = self.evidence(self.config.difference);
        let worse = self.evidence(-self.config.difference);
        if better >= accept {
            Some(Conclusion::Better)
        } else if worse >= accept {
            Some(Conclusion::Worse)
        } else if better.max(worse) <= -reject {
            Some(Conclusion::NotBetter)
        } else {
            None
        }
    }

    /// Returns the mean difference in points with a 95 % interval by Student's t. It ignores that the test stops by its own results,
    /// so its coverage is 90 to 95 %.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        let half = match self.blocks {
            0 | 1 => 0.0,
            blocks => student_95(blocks - 1) * (self.variance() / blocks as f64).sqrt(),
        };
        Estimate { value: self.mean, low: self.mean - half, high: self.mean + half }
    }

    fn bounds(&self) -> Bounds {
        Bounds { accept: -self.config.alpha.ln(), reject: -self.config.beta.ln() }
    }

    /// Returns the log-likelihood ratio of the true mean `difference` to the true mean 0.
    fn evidence(&self, difference: f64) -> f64 {
        let variance = Self::widened(self.squares, self.blocks as f64);
        self.blocks as f64 * difference * (self.mean - difference / 2.0) / variance
    }

    /// Returns the variance including the pseudo-observations.
    fn widened(squares: f64, blocks: f64) -> f64 {
        let prior = PRIOR_BLOCKS as f64;
        (squares + prior * PRIOR_SPREAD.powi(2)) / (blocks + prior)
    }

    /// Returns the variance of the observations.
    fn variance(&self) -> f64 {
        match self.blocks {
            0 | 1 => PRIOR_SPREAD.powi(2),
            blocks => self.squares / (blocks - 1) as f64,
        }
    }

    /// Estimates the number of missing blocks: for each of the three hypotheses the number needed if it is true, weighted by its
    /// likelihood.
    fn more_blocks(&self) -> usize {
        let size = self.config.difference;
        let Bounds { accept, reject } = self.bounds();
        let blocks = self.blocks as f64;
        let sum = blocks * self.mean;
        // The mean continues at the difference until the sum exceeds half of it by the bound.
        let until_accepted = |sum: f64| self.settled(|_, widened| 2.0 * (accept * widened / size + blocks * size - sum) / size);
        // The sum is a random walk until it lies between the two diverging bounds. Measured: the first such time needs about 0.65 of the
        // typical distance.
        let until_rejected = self.settled(|total, widened| {
            let strays = (sum.powi(2) + 0.42 * (total - blocks).max(0.0) * self.variance()).sqrt();
            2.0 * (strays + reject * widened / size) / size
        });
        let totals =
            [(0.0, until_rejected), (self.evidence(size), until_accepted(sum)), (self.evidence(-size), until_accepted(-sum))];
        let likeliest = totals.iter().map(|(evidence, _)| *evidence).fold(0.0, f64::max);
        let weighed = totals.map(|(evidence, total)| ((evidence - likeliest).exp(), (total - blocks).max(1.0)));
        let expected = weighed.iter().map(|(weight, more)| weight * more).sum::<f64>()
            / weighed.iter().map(|(weight, _)| weight).sum::<f64>();
        (expected.ceil() as usize).max(MIN_BLOCKS.saturating_sub(self.blocks))
    }

    /// Solves for the number of blocks, since the weight of the pseudo-observations depends on it.
    fn settled(&self, total: impl Fn(f64, f64) -> f64) -> f64 {
        let mut blocks = self.blocks as f64;
        for _ in 0..30 {
            blocks = total(blocks, Self::widened(self.variance() * blocks, blocks)).max(self.blocks as f64);
        }
        blocks
    }
}

/// The log-likelihood ratios that accept and reject a hypothesis.
struct Bounds {
    accept: f64,
    reject: f64,
}

/// Returns the 97.5 % quantile of Student's distribution by its expansion around the normal one (Abramowitz and Stegun, "Handbook of
/// Mathematical Functions", 26.7.5), accurate to 0.004 from three degrees of freedom on.
fn student_95(degrees: usize) -> f64 {
    const NORMAL: f64 = 1.959_963_984_540_054;
    match degrees {
        0 | 1 => 12.706,
        2 => 4.303,
        _ => {
            let (z, n) = (NORMAL, degrees as f64);
            let first = (z.powi(3) + z) / 4.0;
            let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
            let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
            let fourth = (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z) / 92160.0;
            z + first / n + second / n.powi(2) + third / n.powi(3) + fourth / n.powi(4)
        }
    }
}

/// The numbers of time-outs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeOuts {
    /// Time-outs of OLD on the compared seats.
    pub old: usize,
    /// Time-outs of NEW on the compared seats.
    pub new: usize,
}

/// The language of a text for users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locale {
    /// English.
    English,
    /// Chinese.
    Chinese,
}

/// Returns the result as a sentence.
///
/// ```
/// use pacman2_tournament::compare::{Comparison, ComparisonConfig, Locale, TimeOuts, sentence};
///
/// let mut comparison = Comparison::new(ComparisonConfig::default())?;
/// (0..200).for_each(|_| comparison.observe(0.0));
/// assert_eq!(
///     sentence(&comparison, TimeOuts::default(), Locale::English),
///     "Not better: +0.0 points (95 % 0.0 to 0.0) in 200 blocks; time-outs 0 → 0",
/// );
/// # Ok::<(), pacman2_tournament::compare::ComparisonConfigError>(())
/// ```
#[must_use]
pub fn sentence(comparison: &Comparison, time_outs: TimeOuts, locale: Locale) -> String {
    let conclusion = comparison.conclusion();
    if let Conclusion::Undecided { more_blocks } = conclusion {
        return undecided(more_blocks, comparison.config.difference, locale);
    }
    let Estimate { value, low, high } = comparison.estimate();
    let (value, low, high) = (tenths(value), tenths(low), tenths(high));
    let (blocks, TimeOuts { old, new }) = (comparison.blocks, time_outs);
    let word = word(conclusion, locale);
    match locale {
        Locale::English => {
            format!("{word}: {value:+.1} points (95 % {low:.1} to {high:.1}) in {blocks} blocks; time-outs {old} → {new}")
        }
        Locale::Chinese => {
            format!(
                "{word}：{value:+.1} 分（95% 区间：{low:.1} 至 {high:.1}），共 {blocks} 组，每组 {GAMES_PER_BLOCK} 局；超时次数 {old} → {new}"
            )
        }
    }
}

fn word(conclusion: Conclusion, locale: Locale) -> &'static str {
    let [english, chinese] = match conclusion {
        Conclusion::Better => ["Better", "更好"],
        Conclusion::Worse => ["Worse", "更差"],
        Conclusion::NotBetter => ["Not better", "没有更好"],
        Conclusion::Undecided { .. } => ["Undecided", "尚无定论"],
    };
    match locale {
        Locale::English => english,
        Locale::Chinese => chinese,
    }
}

fn undecided(more_blocks: usize, difference: f64, locale: Locale) -> String {
    let word = word(Conclusion::Undecided { more_blocks }, locale);
    let games = two_digits(more_blocks.saturating_mul(GAMES_PER_BLOCK));
    match locale {
        Locale::English => {
            let points = if difference == 1.0 { "point" } else { "points" };
            format!("{word}; about {games} more games for a difference of {difference} {points}.")
        }
        Locale::Chinese => format!("{word}：要看出 {difference} 分的差距，大约还需 {games} 局。"),
    }
}

/// Rounds to a tenth, without negative zero.
fn tenths(points: f64) -> f64 {
    (points * 10.0).round() / 10.0 + 0.0
}

/// Rounds up to two significant digits; more would be false precision.
fn two_digits(number: usize) -> usize {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    number.div_ceil(unit).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::SeatResult;

    const NEW: BotId = BotId(1);
    const OLD: BotId = BotId(2);

    /// Returns results in which every seat gets `points(game, seat, bot)`.
    fn played(block: &Block, points: impl Fn(usize, Seat, BotId) -> i64) -> Vec<GameResult> {
        let seat_result =
            |bot, points: i64| SeatResult { bot, hundredths: 100 * points, place: 1, strength: 1, fault: None, slowest_us: 0 };
        let result = |(number, job): (usize, &Job)| GameResult {
            id: String::new(),
            block: String::new(),
            seed: job.seed,
            width: 5,
            height: 5,
            turns: 100,
            seats: BySeat::from_fn(|seat| seat_result(job.seats[seat], points(number, seat, job.seats[seat]))),
            finished: 0,
            seconds: 0.0,
            replayed: 0,
        };
        block.jobs.iter().enumerate().map(result).collect()
    }

    fn comparison(observations: impl IntoIterator<Item = f64>) -> Comparison {
        let mut comparison = Comparison::new(ComparisonConfig::default()).unwrap();
        observations.into_iter().for_each(|points| comparison.observe(points));
        comparison
    }

    /// Returns a comparison of blocks half of which are above and half below the mean by `spread`.
    fn spread(blocks: usize, mean: f64, spread: f64) -> Comparison {
        comparison((0..blocks).map(|number| if number % 2 == 0 { mean - spread } else { mean + spread }))
    }

    #[test]
    fn new_and_old_have_each_seat_once_against_the_same_opponents() {
        let block = block(7, NEW, OLD, [3, 4, 5].map(BotId));
        let seats: Vec<_> = block.jobs.iter().map(|job| job.seats.0.map(|bot| bot.0)).collect();
        let of_new = [[1, 3, 4, 5], [3, 1, 4, 5], [3, 4, 1, 5], [3, 4, 5, 1]];
        assert_eq!(seats[..4], of_new);
        assert_eq!(seats[4..], of_new.map(|seats| seats.map(|bot| if bot == 1 { 2 } else { bot })));
        assert!(block.jobs.iter().all(|job| job.seed == 7 && job.repeat == 0));
    }

    #[test]
    fn equal_games_are_distinguished() {
        let repeats = |opponents| block(7, NEW, OLD, opponents).jobs.iter().map(|job| job.repeat).collect::<Vec<_>>();
        assert_eq!(repeats([OLD; 3]), [0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!(repeats([OLD, OLD, BotId(3)]), [0, 0, 0, 0, 0, 1, 2, 0]);
    }

    #[test]
    fn the_compared_seat_follows_from_the_index_of_the_game() {
        let block = block(7, NEW, OLD, [OLD, OLD, NEW]);
        // On compared seats NEW gets 40 and OLD 10 plus the seat; opponents get values that must not count.
        let results = played(&block, |game, seat, bot| match (game % 4 == seat.index(), bot) {
            (false, _) => 1000 * game as i64,
            (true, NEW) => 40,
            (true, _) => 10 + seat.index() as i64,
        });
        assert_eq!(observation(NEW, OLD, &results), Some(40.0 - 11.5));
        assert_eq!(observation(OLD, NEW, &results), None);
        assert_eq!(observation(NEW, OLD, &results[1..]), None);
    }

    #[test]
    fn a_bot_against_itself_is_decided() {
        let blocks =
            (0..).find(|&blocks| !matches!(comparison(vec![0.0; blocks]).conclusion(), Conclusion::Undecided { .. })).unwrap();
        assert_eq!(comparison(vec![0.0; blocks]).conclusion(), Conclusion::NotBetter);
        assert!((MIN_BLOCKS..=100).contains(&blocks), "{blocks}");
        assert_eq!(comparison(vec![0.0; 100_000]).conclusion(), Conclusion::NotBetter);
        assert_eq!(comparison([0.0; 40]).estimate(), Estimate { value: 0.0, low: 0.0, high: 0.0 });
    }

    #[test]
    fn few_blocks_decide_nothing() {
        for blocks in 0..MIN_BLOCKS {
            for points in [0.0, 60.0, -60.0] {
                let conclusion = comparison(vec![points; blocks]).conclusion();
                assert!(
                    matches!(conclusion, Conclusion::Undecided { more_blocks } if more_blocks >= MIN_BLOCKS - blocks),
                    "{blocks}: {conclusion:?}"
                );
            }
        }
        assert_eq!(comparison([60.0; MIN_BLOCKS]).conclusion(), Conclusion::Better);
        assert_eq!(comparison([-60.0; MIN_BLOCKS]).conclusion(), Conclusion::Worse);
    }

    #[test]
    fn better_excludes_zero_from_the_interval() {
        for blocks in (MIN_BLOCKS..400).step_by(2) {
            for deviation in [0.5, 5.0, 10.0, 30.0] {
                let means = (0..100).map(|tenth| f64::from(tenth) / 10.0);
                let better =
                    means.map(|mean| spread(blocks, mean, deviation)).find(|found| found.conclusion() == Conclusion::Better);
                assert!(better.is_none_or(|found| found.estimate().low > 0.0), "{blocks} {deviation}");
            }
        }
        assert_eq!(spread(100, 9.9, 10.0).conclusion(), Conclusion::Better);
    }

    #[test]
    fn mirrored_blocks_have_the_mirrored_conclusion() {
        for (blocks, mean) in [(40, 8.0), (300, 2.0), (300, 0.1), (100, 1.0)] {
            let mirrored = match spread(blocks, -mean, 10.0).conclusion() {
                Conclusion::Better => Conclusion::Worse,
                Conclusion::Worse => Conclusion::Better,
                same => same,
            };
            assert_eq!(spread(blocks, mean, 10.0).conclusion(), mirrored);
        }
    }

    #[test]
    fn quantiles_match_published_tables() {
        for (degrees, expected) in [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (7, 2.365), (15, 2.131), (120, 1.980)] {
            assert!((student_95(degrees) - expected).abs() < 0.004, "{degrees}: {}", student_95(degrees));
        }
    }

    #[test]
    fn the_interval_is_by_students_t() {
        // Mean 3, variance 2.5, five observations: 3 ± 2.776 · √(2.5 / 5).
        let Estimate { value, low, high } = comparison([1.0, 2.0, 3.0, 4.0, 5.0]).estimate();
        assert!((value - 3.0).abs() < 1e-12);
        assert!((high - 4.963).abs() < 0.001 && (low - 1.037).abs() < 0.001, "{low} {high}");
        assert_eq!(comparison([4.0]).estimate(), Estimate { value: 4.0, low: 4.0, high: 4.0 });
    }

    #[test]
    fn invalid_configs_are_rejected() {
        let error =
            |difference, alpha, beta| Comparison::new(ComparisonConfig { difference, alpha, beta }).unwrap_err().to_string();
        assert_eq!(error(0.0, 0.05, 0.05), "expected a difference of more than 0 points, got 0");
        assert_eq!(error(f64::NAN, 0.05, 0.05), "expected a difference of more than 0 points, got NaN");
        assert_eq!(error(2.0, 0.5, 0.05), "expected alpha between 0 and 0.5, got 0.5");
        assert_eq!(error(2.0, 0.05, 0.0), "expected beta between 0 and 0.5, got 0");
    }

    #[test]
    fn sentences_in_both_languages() {
        let say = |comparison: &Comparison, locale| sentence(comparison, TimeOuts { old: 0, new: 2 }, locale);
        let better = spread(384, 6.1, 20.0);
        assert_eq!(say(&better, Locale::English), "Better: +6.1 points (95 % 4.1 to 8.1) in 384 blocks; time-outs 0 → 2");
        assert_eq!(say(&better, Locale::Chinese), "更好：+6.1 分（95% 区间：4.1 至 8.1），共 384 组，每组 8 局；超时次数 0 → 2");
        let worse = spread(384, -6.1, 20.0);
        assert_eq!(say(&worse, Locale::English), "Worse: -6.1 points (95 % -8.1 to -4.1) in 384 blocks; time-outs 0 → 2");
        assert!(say(&worse, Locale::Chinese).starts_with("更差：-6.1 分（95% 区间：-8.1 至 -4.1）"));
        let same = comparison([0.0; 200]);
        assert_eq!(say(&same, Locale::English), "Not better: +0.0 points (95 % 0.0 to 0.0) in 200 blocks; time-outs 0 → 2");
        assert!(say(&same, Locale::Chinese).starts_with("没有更好：+0.0 分"));
        let open = spread(100, 1.0, 10.0);
        let (english, chinese) = (say(&open, Locale::English), say(&open, Locale::Chinese));
        let Conclusion::Undecided { more_blocks } = open.conclusion() else { panic!("{english}") };
        let games = two_digits(8 * more_blocks);
        assert_eq!(english, format!("Undecided; about {games} more games for a difference of 2 points."));
        assert_eq!(chinese, format!("尚无定论：要看出 2 分的差距，大约还需 {games} 局。"));
    }

    #[test]
    fn numbers_are_rounded_sensibly() {
        assert_eq!([7, 99, 100, 896, 901, 12_345].map(two_digits), [7, 99, 100, 900, 910, 13_000]);
        assert_eq!(format!("{:+.1}", tenths(-0.04)), "+0.0");
    }
}
