//! Compares a bot with an older version of itself.
//!
//! One observation is a [`block`] of games on one map, in which NEW has each seat once. After each observation there is a
//! [conclusion](Comparison::conclusion).
//!
//! **The test** is Wald's sequential probability ratio test between two true means of the observations, `points0` and `points1`, with the
//! variance observed so far in place of the unknown one: the GSPRT by which Fishtest compares chess engines. There the five possible
//! results of a pair of games with changed colours are the observations. Here they are the mean points of a block, which take so many
//! values that their mean and variance suffice. Between two means, no test with the same error rates needs fewer observations on
//! average. Tests that are valid against every alternative need more: one that stops when a confidence sequence excludes a mean needs a
//! fifth more for a standard deviation of 20 points and means of 0 and 2, even if it is told the variance (`lab/src/bin/error_rates.rs`).
//! But a test that expects a small lead is slow to believe in a large one, so part of the likelihood goes to a mean that is [`FAR`]
//! times as far away. That costs one block in twelve if the lead is small, and saves half of them if it is large.
//!
//! **The interval** contains the means that the same test has not rejected, each against the means that lie above and below it by the
//! difference of `points0` and `points1`. So it never contradicts the conclusion: NEW is better exactly if `points0` lies below the
//! interval, and not better exactly if `points1` lies above it. Each end is wrong with a probability of at most `alpha` or `beta`,
//! whenever and for whatever reason one stops (Ville's inequality). When the test itself stops, only one end can be near a wrong value,
//! so the interval then contains the true mean with the probability [`confidence`](ComparisonConfig::confidence). The estimate itself is
//! the mean, which is a little too far from 0 when a test has just stopped.
//!
//! **Few observations.** Observations are not normal, and a few may be alike by chance. Therefore [`PRIOR_BLOCKS`] pseudo-observations
//! with a large spread enter the variance, and nothing is decided before [`MIN_BLOCKS`].

use pacman2_botzone::response::Verdict;
use pacman2_rules::{BySeat, Seat};

use crate::game::{Block, BotId, GameResult, Job, SeatResult};
use crate::standings::{Interval, MAX_POINTS};

/// The number of blocks before which nothing is decided.
pub const MIN_BLOCKS: usize = 24;

/// The number of pseudo-observations with standard deviation [`PRIOR_SPREAD`] around the mean.
///
/// They affect only the variance. A bot with a standard deviation of 10 points that gains 3 points in nine of ten blocks and loses 27 in
/// the tenth is called better in 2 of 100 comparisons; without them, in 17.
pub const PRIOR_BLOCKS: usize = 16;

/// The standard deviation of the pseudo-observations in points: that of a block against three copies of the old bot, about.
pub const PRIOR_SPREAD: f64 = 25.0;

/// How many times the difference of the two means the far alternative is away.
pub const FAR: f64 = 6.0;

/// The weight of the far alternative; that of the near one is 1.
const FAR_WEIGHT: f64 = 0.25;

/// Whom the two bots play against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparedAgainst {
    /// NEW plays against three copies of OLD.
    ///
    /// Four games: NEW's lead is the excess of its points over the mean of the four players of its games. OLD among copies of itself
    /// would get that mean, so it need not play.
    OldBots,
    /// OLD plays against three copies of NEW.
    ///
    /// Four games: NEW's lead is the excess of the mean of the four players over OLD's points.
    NewBots,
    /// Two copies of each play.
    ///
    /// Six games: NEW's lead is the difference of the mean points.
    TwoEach,
    /// NEW and OLD play against the same three opponents.
    ///
    /// Up to eight games: NEW's lead is the difference of its points and OLD's on the same seats.
    Others([BotId; 3]),
}

/// The lineup in which a bot has this seat, and the opponents have the other seats in their order.
fn lineup(bot: BotId, seat: Seat, opponents: [BotId; 3]) -> BySeat<BotId> {
    let mut others = opponents.into_iter();
    BySeat::from_fn(|s| if s == seat { bot } else { others.next().unwrap_or(bot) })
}

/// The lineups in which each bot has two seats.
fn pairs(new: BotId, old: BotId) -> impl Iterator<Item = BySeat<BotId>> {
    let first_pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    first_pairs.into_iter().map(move |pair| BySeat::from_fn(|seat| if pair.contains(&seat.index()) { new } else { old }))
}

/// Returns the games of an observation. Against others, these are NEW on seats 0, 1, 2 and 3, then OLD in the same way. No game is played
/// twice, although it may count for several seats.
///
/// ```
/// use pacman2_tournament::BotId;
/// use pacman2_tournament::compare::{ComparedAgainst, block};
///
/// let (new, old) = (BotId(1), BotId(2));
/// let against_others = block(7, new, old, ComparedAgainst::Others([3, 4, 5].map(BotId)));
/// assert_eq!(against_others.jobs.len(), 8);
/// assert_eq!(against_others.jobs[5].seats.0, [3, 2, 4, 5].map(BotId), "OLD on seat 1");
/// assert_eq!(block(7, new, old, ComparedAgainst::OldBots).jobs.len(), 4);
/// // OLD against copies of itself is one game, whichever of its seats counts.
/// assert_eq!(block(7, new, old, ComparedAgainst::Others([old; 3])).jobs.len(), 5);
/// ```
#[must_use]
pub fn block(seed: i32, new: BotId, old: BotId, against: ComparedAgainst) -> Block {
    let on_each_seat = |bot, opponents| Seat::ALL.map(|seat| lineup(bot, seat, opponents));
    let lineups = match against {
        ComparedAgainst::OldBots => on_each_seat(new, [old; 3]).to_vec(),
        ComparedAgainst::NewBots => on_each_seat(old, [new; 3]).to_vec(),
        ComparedAgainst::TwoEach => pairs(new, old).collect(),
        ComparedAgainst::Others(opponents) => [on_each_seat(new, opponents), on_each_seat(old, opponents)].concat(),
    };
    let mut jobs: Vec<Job> = Vec::new();
    for seats in lineups {
        let job = Job { seed, seats, repeat: 0 };
        if !jobs.contains(&job) {
            jobs.push(job);
        }
    }
    Block { jobs }
}

/// What was observed in a block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BlockObservation {
    /// NEW's mean lead per seat, in points.
    pub points: f64,
    /// The time-outs.
    pub time_outs: TimeOuts,
}

/// Returns what the games of a [`block`] show, in any order. Returns `None` if one of them is missing.
#[must_use]
pub fn observation(new: BotId, old: BotId, against: ComparedAgainst, results: &[GameResult]) -> Option<BlockObservation> {
    let game = |seats: BySeat<BotId>| {
        let is_that = |game: &&GameResult| Seat::ALL.into_iter().all(|seat| game.seats[seat].bot == seats[seat]);
        results.iter().find(is_that).map(|game| &game.seats)
    };
    let mut time_outs = TimeOuts::default();
    let mut add_alone = |alone: BotId, copies: BotId| -> Option<i64> {
        let mut excess = 0;
        for seat in Seat::ALL {
            let seats = game(lineup(alone, seat, [copies; 3]))?;
            excess += 4 * seats[seat].hundredths - seats.0.iter().map(|seat| seat.hundredths).sum::<i64>();
            seats.0.iter().for_each(|seat| time_outs.of(seat.bot, new).add(seat));
        }
        Some(excess)
    };
    // Hundredths of points, and how many leads they add up.
    let (hundredths, leads) = match against {
        ComparedAgainst::OldBots => (add_alone(new, old)?, 16),
        ComparedAgainst::NewBots => (-add_alone(old, new)?, 16),
        ComparedAgainst::TwoEach => {
            let mut lead = 0;
            for lineup in pairs(new, old) {
                for seat in &game(lineup)?.0 {
                    lead += if seat.bot == new { seat.hundredths } else { -seat.hundredths };
                    time_outs.of(seat.bot, new).add(seat);
                }
            }
            (lead, 12)
        }
        ComparedAgainst::Others(opponents) => {
            let mut lead = 0;
            for seat in Seat::ALL {
                let [of_new, of_old] = [game(lineup(new, seat, opponents))?, game(lineup(old, seat, opponents))?];
                lead += 4 * (of_new[seat].hundredths - of_old[seat].hundredths);
                time_outs.new.add(&of_new[seat]);
                time_outs.old.add(&of_old[seat]);
            }
            (lead, 16)
        }
    };
    Some(BlockObservation { points: hundredths as f64 / f64::from(100 * leads), time_outs })
}

/// The time-outs on the compared seats.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeOuts {
    /// Those of OLD.
    pub old: TimeOutCount,
    /// Those of NEW.
    pub new: TimeOutCount,
}

impl TimeOuts {
    /// Those of a bot that is NEW or OLD.
    fn of(&mut self, bot: BotId, new: BotId) -> &mut TimeOutCount {
        if bot == new { &mut self.new } else { &mut self.old }
    }
}

/// The number of time-outs of a bot.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeOutCount {
    /// The number of seats in which it timed out.
    pub count: usize,
    /// The number of seats that it had.
    pub seats: usize,
}

impl TimeOutCount {
    fn add(&mut self, seat: &SeatResult) {
        self.count += usize::from(seat.fault.is_some_and(|fault| fault.kind == Verdict::Tle));
        self.seats += 1;
    }
}

impl std::ops::AddAssign for TimeOuts {
    fn add_assign(&mut self, more: TimeOuts) {
        for (sum, more) in [(&mut self.old, more.old), (&mut self.new, more.new)] {
            sum.count += more.count;
            sum.seats += more.seats;
        }
    }
}

/// The two means to decide between, in points, and the error rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ComparisonConfig {
    /// NEW is not better if its true lead is at most this.
    pub points0: f64,
    /// NEW is better if its true lead is at least this; greater than `points0`.
    pub points1: f64,
    /// The maximum probability of calling a bot better whose true lead is at most `points0`; between 0 and 0.5.
    pub alpha: f64,
    /// The maximum probability of missing a bot whose true lead is at least `points1`; between 0 and 0.5.
    pub beta: f64,
}

impl Default for ComparisonConfig {
    fn default() -> ComparisonConfig {
        ComparisonConfig { points0: 0.0, points1: 2.0, alpha: 0.05, beta: 0.05 }
    }
}

impl ComparisonConfig {
    /// Returns the probability with which the interval of a finished comparison contains the true lead.
    ///
    /// ```
    /// use pacman2_tournament::compare::ComparisonConfig;
    ///
    /// assert_eq!(ComparisonConfig::default().confidence(), 0.95);
    /// ```
    #[must_use]
    pub fn confidence(&self) -> f64 {
        1.0 - self.alpha.max(self.beta)
    }

    fn difference(&self) -> f64 {
        self.points1 - self.points0
    }
}

/// An invalid [`ComparisonConfig`].
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonConfigError {
    /// `points0` and `points1`.
    #[error("expected points1 above points0, and both between -{MAX_POINTS} and {MAX_POINTS}, got points0 {0} and points1 {1}")]
    Points(f64, f64),
    /// The name and the value of an error rate.
    #[error("expected {0} between 0 and 0.5, got {1}")]
    ErrorRate(&'static str, f64),
}

/// The conclusion of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// NEW is better: its lead is more than `points0`.
    Better,
    /// NEW is worse: its lead is not only less than `points1`, but also less than `points0`, by the interval.
    Worse,
    /// NEW is not better: its lead is less than `points1`.
    NotBetter,
    /// More blocks are needed.
    Undecided {
        /// An estimate of the number of further blocks, if the variance stays the same and the lead is `points0` or `points1`.
        more_blocks: usize,
    },
}

/// The logarithm of a likelihood ratio, and the bounds at which it decides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LogLikelihoodRatio {
    /// Positive if `points1` is likelier than `points0`. The likelihood of the likelier one includes that of its far alternative.
    pub value: f64,
    /// At this value or below, NEW is not better.
    pub lower: f64,
    /// At this value or above, NEW is better.
    pub upper: f64,
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
/// let (lead, interval) = comparison.estimate().expect("there are observations");
/// assert!(lead == 12.0 && interval.low >= 0.0);
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
    /// If the means or an error rate are out of range.
    pub fn new(config: ComparisonConfig) -> Result<Comparison, ComparisonConfigError> {
        let ComparisonConfig { points0, points1, alpha, beta } = config;
        let is_possible = |points: f64| points.abs() <= MAX_POINTS;
        if !(points0 < points1 && is_possible(points0) && is_possible(points1)) {
            return Err(ComparisonConfigError::Points(points0, points1));
        }
        for (name, chance) in [("alpha", alpha), ("beta", beta)] {
            if !(chance > 0.0 && chance < 0.5) {
                return Err(ComparisonConfigError::ErrorRate(name, chance));
            }
        }
        Ok(Comparison { config, blocks: 0, mean: 0.0, squares: 0.0 })
    }

    /// Returns the means to decide between and the error rates.
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
        let LogLikelihoodRatio { value, lower, upper } = self.log_likelihood_ratio();
        if self.blocks < MIN_BLOCKS || lower < value && value < upper {
            return None;
        }
        Some(if value >= upper {
            Conclusion::Better
        } else if self.estimate().is_some_and(|(_, interval)| interval.high < self.config.points0) {
            Conclusion::Worse
        } else {
            Conclusion::NotBetter
        })
    }

    /// Returns the log-likelihood ratio of `points1` to `points0`, and its bounds.
    #[must_use]
    pub fn log_likelihood_ratio(&self) -> LogLikelihoodRatio {
        let ComparisonConfig { points0, points1, alpha, beta } = self.config;
        let is_above = self.mean > (points0 + points1) / 2.0;
        let value = if is_above { self.evidence(self.mean - points0) } else { -self.evidence(points1 - self.mean) };
        let bound = |chance: f64| (1.0 + FAR_WEIGHT).ln() - chance.ln();
        LogLikelihoodRatio { value, lower: -bound(beta), upper: bound(alpha) }
    }

    /// Returns the logarithm of the likelihood of both alternatives relative to that of a mean that the observed mean exceeds by this.
    fn evidence(&self, excess: f64) -> f64 {
        let (near, far) = (self.config.difference(), FAR * self.config.difference());
        let ratio = |distance: f64| self.blocks as f64 * distance * (excess - distance / 2.0) / self.variance();
        let (near, far) = (ratio(near), ratio(far) + FAR_WEIGHT.ln());
        // The logarithm of the sum of both, without overflow.
        near.max(far) + (-(near - far).abs()).exp().ln_1p()
    }

    /// Returns the mean lead in points with its interval, or `None` without observations.
    ///
    /// The [module](self) describes what the interval covers.
    #[must_use]
    pub fn estimate(&self) -> Option<(f64, Interval)> {
        if self.blocks == 0 {
            return None;
        }
        let LogLikelihoodRatio { lower, upper, .. } = self.log_likelihood_ratio();
        let low = (self.mean - self.excess_at(upper)).max(-MAX_POINTS);
        let high = (self.mean + self.excess_at(-lower)).min(MAX_POINTS);
        Some((self.mean, Interval { low, high }))
    }

    /// Returns the excess at which the evidence reaches a bound: it grows with the excess.
    fn excess_at(&self, bound: f64) -> f64 {
        let (mut below, mut above) = (0.0, 2.0 * MAX_POINTS);
        // Bisection, beyond the precision of any text.
        for _ in 0..50 {
            let middle = (below + above) / 2.0;
            *(if self.evidence(middle) < bound { &mut below } else { &mut above }) = middle;
        }
        above
    }

    /// Returns the variance including the pseudo-observations.
    fn variance(&self) -> f64 {
        Self::widened(self.squares, self.blocks as f64)
    }

    fn widened(squares: f64, blocks: f64) -> f64 {
        let prior = PRIOR_BLOCKS as f64;
        (squares + prior * PRIOR_SPREAD.powi(2)) / (blocks + prior)
    }

    /// Estimates the number of missing blocks: for each of the two means the number needed if it is true, weighted by its likelihood.
    fn more_blocks(&self) -> usize {
        let LogLikelihoodRatio { value, lower, upper } = self.log_likelihood_ratio();
        let ComparisonConfig { points0, points1, .. } = self.config;
        let (blocks, difference) = (self.blocks as f64, self.config.difference());
        let lead = blocks * (self.mean - (points0 + points1) / 2.0);
        let variance = if self.blocks < 2 { PRIOR_SPREAD.powi(2) } else { self.squares / (blocks - 1.0) };
        // On average, a block moves the sum of leads by half the difference towards the bound on the side of the truth. The bounds come
        // closer with the number of blocks, because the pseudo-observations weigh less and less.
        let until = |bound: f64| {
            (0..30).fold(0.0, |more: f64, _| {
                let total = blocks + more;
                let distance = bound.abs() * Self::widened(variance * total, total) / difference - bound.signum() * lead;
                (2.0 * distance / difference).max(0.0)
            })
        };
        let of_better = 1.0 / (1.0 + (-value).exp());
        let missing = of_better * until(upper) + (1.0 - of_better) * until(lower);
        (missing.ceil() as usize).max(MIN_BLOCKS.saturating_sub(self.blocks)).max(1)
    }
}

/// Returns the result as a sentence: the conclusion, the estimate with its interval, the number of blocks and games, the likelihood ratio
/// with its bounds, and the time-outs.
///
/// ```
/// use pacman2_tournament::compare::{Comparison, ComparisonConfig, TimeOuts, sentence};
///
/// let mut comparison = Comparison::new(ComparisonConfig::default())?;
/// (0..200).for_each(|_| comparison.observe(0.0));
/// assert_eq!(
///     sentence(&comparison, 800, TimeOuts::default()),
///     "Not better: +0.0 points (95 % -1.4 to 1.4) in 200 blocks, 800 games; LLR -8.64 (-3.22 to 3.22); time-outs 0 of 0 → 0 of 0",
/// );
/// # Ok::<(), pacman2_tournament::compare::ComparisonConfigError>(())
/// ```
#[must_use]
pub fn sentence(comparison: &Comparison, games: usize, time_outs: TimeOuts) -> String {
    let (config, conclusion) = (comparison.config, comparison.conclusion());
    let word = word(conclusion, &config);
    let Some((value, Interval { low, high })) = comparison.estimate() else { return word.to_owned() };
    let (value, low, high) = (tenths(value), tenths(low), tenths(high));
    let confidence = (1000.0 * config.confidence()).round() / 10.0;
    let blocks = comparison.blocks;
    let LogLikelihoodRatio { value: ratio, lower, upper } = comparison.log_likelihood_ratio();
    // Without negative zero.
    let ratio = (ratio * 100.0).round() / 100.0 + 0.0;
    // Blocks differ in their games only where bots are among their own opponents.
    let more = match conclusion {
        Conclusion::Undecided { more_blocks } => Some(two_digits((more_blocks * games).div_ceil(blocks))),
        _ => None,
    };
    let more = more.map_or_else(String::new, |more| format!(", about {more} more games"));
    let TimeOuts { old, new } = time_outs;
    format!(
        "{word}: {value:+.1} points ({confidence} % {low:.1} to {high:.1}) in {blocks} blocks, {games} games; \
         LLR {ratio:.2} ({lower:.2} to {upper:.2}){more}; time-outs {} of {} → {} of {}",
        old.count, old.seats, new.count, new.seats
    )
}

fn word(conclusion: Conclusion, config: &ComparisonConfig) -> &'static str {
    match conclusion {
        // A lead above a negative number need not be a lead.
        Conclusion::Better if config.points0 < 0.0 => "Not worse",
        Conclusion::Better => "Better",
        Conclusion::Worse => "Worse",
        Conclusion::NotBetter => "Not better",
        Conclusion::Undecided { .. } => "Undecided",
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
