//! Whether a bot is better than an older version of itself.
//!
//! One observation is a [`block`] of eight games on one map: NEW on each seat against three opponents, and OLD on each
//! seat against the same three. Observations come one after another, and after each there is a [verdict](Comparison::verdict).
//!
//! The test is sequential, and decides between three statements about the true mean of the observations, in points: it is the
//! stated difference or more, nothing, or minus the difference or less (Sobel and Wald, "A Sequential Decision Procedure for
//! Choosing One of Three Hypotheses", Annals of Mathematical Statistics 20, 1949: two tests beside each other). Each of the
//! two is a probability ratio test of Wald's, generalized to a variance that is not known, in the approximation by which chess
//! engines are tested (M. Van den Bergh's notes on the GSPRT for Fishtest): the likelihood ratio of normal observations that
//! have the variance found so far.
//!
//! Two things differ from the textbook, since observations here are neither normal nor many:
//! - a side is not dropped once the evidence has been against it, so a verdict follows from the count, the mean and the
//!   variance alone. The bounds are those that hold without dropping: `ln(1/alpha)` and `ln(1/beta)` (Ville's inequality);
//! - some blocks with a large spread are [imagined](IMAGINED) beforehand, and nothing is decided before [`FEWEST`]. Without
//!   the imagined ones, a bot that gains 3 points in nine blocks of ten and loses 27 in the tenth was called better in 17 of
//!   100 comparisons; with them, in 4.
//!
//! What the errors are is measured in `tests/compare.rs`. They hold for spreads as this game has them, about 10 points, and for
//! even ones twice as wide. Where one block in ten is a disaster of more than 50 points, 12 verdicts in 100 are wrong.

use std::fmt;

use pacman2_rules::{BySeat, Seat};

use crate::game::{Block, BotId, GameResult, Job};
use crate::standings::Estimate;

/// Games in a block.
pub const GAMES_PER_BLOCK: usize = 8;

/// No verdict comes before so many blocks.
pub const MIN_BLOCKS: usize = 32;

/// So many blocks are imagined to have been seen beforehand, spread around the mean by [`IMAGINED_SPREAD`].
///
/// They count for the variance alone. So bots that always do the same need not wait for ever, and some blocks that happen to
/// be alike are no proof. The price, for a standard deviation of 10 points and a difference of 2: a quarter more blocks.
pub const PRIOR_BLOCKS: usize = 16;

/// The standard deviation of the imagined blocks in points.
pub const PRIOR_SPREAD: f64 = 20.0;

/// The eight games of an observation: first NEW on seat 0, 1, 2 and 3, then OLD likewise. The opponents sit on the other
/// seats in their order.
pub fn block(seed: i32, new: BotId, old: BotId, opponents: [BotId; 3]) -> Block {
    let mut jobs: Vec<Job> = Vec::with_capacity(GAMES_PER_BLOCK);
    for bot in [new, old] {
        for seat in Seat::ALL {
            let mut others = opponents.iter();
            let seats = BySeat::from_fn(|s| if s == seat { bot } else { *others.next().unwrap_or(&bot) });
            // OLD among three like it is the same game on every seat, played as often.
            let repeat = jobs.iter().filter(|job| job.seats == seats).count() as u32;
            jobs.push(Job { seed, seats, repeat });
        }
    }
    Block { jobs }
}

/// By how many points NEW was better than OLD in the mean of the four seats, from the results of a [`block`] in the order of
/// its jobs. `None` if these are not its results.
///
/// A seat's bot is known by the place of its game in the block: OLD may be among the opponents too.
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

/// What is asked, and how sure the answer shall be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ComparisonConfig {
    /// The difference that matters, in points, more than 0.
    pub difference: f64,
    /// How often at most a bot that is as good may be called better, and how often worse: between 0 and 0.5.
    pub alpha: f64,
    /// How often at most a bot that differs by `difference` may be missed: between 0 and 0.5.
    pub beta: f64,
}

impl Default for ComparisonConfig {
    fn default() -> ComparisonConfig {
        ComparisonConfig { difference: 2.0, alpha: 0.05, beta: 0.05 }
    }
}

/// Which of the terms makes no sense.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ComparisonConfigError {
    /// The difference, in points.
    Difference(f64),
    /// The chance of an error, and its name.
    Chance(&'static str, f64),
}

impl fmt::Display for ComparisonConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComparisonConfigError::Difference(found) => write!(f, "the difference is {found} points; more than 0 is accepted"),
            ComparisonConfigError::Chance(name, found) => {
                write!(f, "{name} is {found}; more than 0 and less than 0.5 is accepted")
            }
        }
    }
}

impl std::error::Error for ComparisonConfigError {}

/// What can be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// NEW is better.
    Better,
    /// NEW is worse.
    Worse,
    /// NEW is not better, by the difference that matters; nor is it worse by that.
    NotBetter,
    /// It takes more.
    Undecided {
        /// About how many blocks more, if the variance stays as it is and the truth is one of the three statements: rather a
        /// third too many than too few.
        more_blocks: usize,
    },
}

/// The observations so far.
#[derive(Clone, Debug)]
pub struct Comparison {
    terms: ComparisonConfig,
    blocks: usize,
    mean: f64,
    /// The sum of the squares of the distances from the mean.
    squares: f64,
}

impl Comparison {
    /// Nothing was observed yet.
    pub fn new(terms: ComparisonConfig) -> Result<Comparison, ComparisonConfigError> {
        if !(terms.difference > 0.0 && terms.difference.is_finite()) {
            return Err(ComparisonConfigError::Difference(terms.difference));
        }
        for (name, chance) in [("alpha", terms.alpha), ("beta", terms.beta)] {
            if !(chance > 0.0 && chance < 0.5) {
                return Err(ComparisonConfigError::Chance(name, chance));
            }
        }
        Ok(Comparison { terms, blocks: 0, mean: 0.0, squares: 0.0 })
    }

    /// What is asked.
    pub fn config(&self) -> ComparisonConfig {
        self.terms
    }

    /// How many blocks were observed.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Takes a block into account, by the points by which NEW was better (Welford's running mean and variance).
    pub fn observe(&mut self, points: f64) {
        self.blocks += 1;
        let before = points - self.mean;
        self.mean += before / self.blocks as f64;
        self.squares += before * (points - self.mean);
    }

    /// What can be said now.
    pub fn conclusion(&self) -> Conclusion {
        self.decision().unwrap_or_else(|| Conclusion::Undecided { more_blocks: self.more_blocks() })
    }

    /// Whether there is a verdict; quicker than to ask for it, since nothing is foretold.
    pub fn is_decided(&self) -> bool {
        self.decision().is_some()
    }

    fn decision(&self) -> Option<Conclusion> {
        if self.blocks < MIN_BLOCKS {
            return None;
        }
        let Bounds { accept, reject } = self.bounds();
        let better = self.evidence(self.terms.difference);
        let worse = self.evidence(-self.terms.difference);
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

    /// The mean difference in points, with the interval of Student's t; it does not know that the test stops when it has seen
    /// enough, which makes the interval right in 90 to 95 cases of 100.
    pub fn estimate(&self) -> Estimate {
        let half = match self.blocks {
            0 | 1 => 0.0,
            blocks => student_95(blocks - 1) * (self.variance() / blocks as f64).sqrt(),
        };
        Estimate { value: self.mean, low: self.mean - half, high: self.mean + half }
    }

    fn bounds(&self) -> Bounds {
        Bounds { accept: -self.terms.alpha.ln(), reject: -self.terms.beta.ln() }
    }

    /// How much likelier the blocks are if the true mean is `difference` than if it is 0, as a logarithm.
    fn evidence(&self, difference: f64) -> f64 {
        let variance = Self::widened(self.squares, self.blocks as f64);
        self.blocks as f64 * difference * (self.mean - difference / 2.0) / variance
    }

    /// The variance of blocks together with the imagined ones.
    fn widened(squares: f64, blocks: f64) -> f64 {
        let imagined = PRIOR_BLOCKS as f64;
        (squares + imagined * PRIOR_SPREAD.powi(2)) / (blocks + imagined)
    }

    /// The variance of what was observed.
    fn variance(&self) -> f64 {
        match self.blocks {
            0 | 1 => PRIOR_SPREAD.powi(2),
            blocks => self.squares / (blocks - 1) as f64,
        }
    }

    /// About how many blocks are missing: for each of the three statements as many as it takes if it is true, weighed by how
    /// likely the blocks so far make it.
    fn more_blocks(&self) -> usize {
        let size = self.terms.difference;
        let Bounds { accept, reject } = self.bounds();
        let blocks = self.blocks as f64;
        let sum = blocks * self.mean;
        // The mean goes on at the difference, until the sum is as far beyond half the way as the bound asks.
        let until_accepted = |sum: f64| self.settled(|_, widened| 2.0 * (accept * widened / size + blocks * size - sum) / size);
        // The sum goes to and fro, until it lies between the two bounds, which go apart. Of its typical distance, the first
        // moment that will do wants about 0.65: measured.
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

    /// A number of blocks that agrees with the variance that will be seen in as many: the imagined ones count less and less.
    fn settled(&self, total: impl Fn(f64, f64) -> f64) -> f64 {
        let mut blocks = self.blocks as f64;
        for _ in 0..30 {
            blocks = total(blocks, Self::widened(self.variance() * blocks, blocks)).max(self.blocks as f64);
        }
        blocks
    }
}

/// How much evidence it takes to accept a statement and to reject it.
struct Bounds {
    accept: f64,
    reject: f64,
}

/// The 97.5 % quantile of Student's distribution: by its expansion around the normal one (Abramowitz and Stegun, "Handbook of
/// Mathematical Functions", 26.7.5), which is right to four thousandths from three degrees of freedom on.
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

/// How often bots ran out of time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeOuts {
    /// OLD on the seats that are compared.
    pub old: usize,
    /// NEW likewise.
    pub new: usize,
}

/// A language that people read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locale {
    /// English.
    English,
    /// Chinese.
    Chinese,
}

/// What the comparison says, in a sentence for people.
pub fn sentence(comparison: &Comparison, time_outs: TimeOuts, language: Locale) -> String {
    let verdict = comparison.conclusion();
    if let Conclusion::Undecided { more_blocks } = verdict {
        return undecided(more_blocks, comparison.terms.difference, language);
    }
    let Estimate { value, low, high } = comparison.estimate();
    let (value, low, high) = (tenths(value), tenths(low), tenths(high));
    let (blocks, TimeOuts { old, new }) = (comparison.blocks, time_outs);
    let word = word(verdict, language);
    match language {
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

fn word(verdict: Conclusion, language: Locale) -> &'static str {
    let [english, chinese] = match verdict {
        Conclusion::Better => ["Better", "更好"],
        Conclusion::Worse => ["Worse", "更差"],
        Conclusion::NotBetter => ["Not better", "没有更好"],
        Conclusion::Undecided { .. } => ["Cannot tell yet", "还不能断定"],
    };
    match language {
        Locale::English => english,
        Locale::Chinese => chinese,
    }
}

fn undecided(more_blocks: usize, difference: f64, language: Locale) -> String {
    let word = word(Conclusion::Undecided { more_blocks }, language);
    let games = two_digits(more_blocks.saturating_mul(GAMES_PER_BLOCK));
    match language {
        Locale::English => {
            let points = if difference == 1.0 { "point" } else { "points" };
            format!("{word}; about {games} more games for a difference of {difference} {points}.")
        }
        Locale::Chinese => format!("{word}：要看出 {difference} 分的差距，大约还需 {games} 局。"),
    }
}

/// Rounded to a tenth, and never minus nothing.
fn tenths(points: f64) -> f64 {
    (points * 10.0).round() / 10.0 + 0.0
}

/// Rounded up to two digits that say something: more would be false precision.
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

    /// The results of a block in which every seat gets what `points` says of its game, its seat and its bot.
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

    /// So many blocks, half of them above and half of them below the mean by that spread.
    fn spread(blocks: usize, mean: f64, spread: f64) -> Comparison {
        comparison((0..blocks).map(|number| if number % 2 == 0 { mean - spread } else { mean + spread }))
    }

    #[test]
    fn new_and_old_sit_once_on_each_seat_among_the_same_opponents() {
        let block = block(7, NEW, OLD, [3, 4, 5].map(BotId));
        let seats: Vec<_> = block.jobs.iter().map(|job| job.seats.0.map(|bot| bot.0)).collect();
        let of_new = [[1, 3, 4, 5], [3, 1, 4, 5], [3, 4, 1, 5], [3, 4, 5, 1]];
        assert_eq!(seats[..4], of_new);
        assert_eq!(seats[4..], of_new.map(|seats| seats.map(|bot| if bot == 1 { 2 } else { bot })));
        assert!(block.jobs.iter().all(|job| job.seed == 7 && job.repeat == 0));
    }

    #[test]
    fn games_that_are_alike_are_told_apart() {
        let repeats = |opponents| block(7, NEW, OLD, opponents).jobs.iter().map(|job| job.repeat).collect::<Vec<_>>();
        assert_eq!(repeats([OLD; 3]), [0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!(repeats([OLD, OLD, BotId(3)]), [0, 0, 0, 0, 0, 1, 2, 0]);
    }

    #[test]
    fn a_seat_is_known_by_the_place_of_its_game() {
        let block = block(7, NEW, OLD, [OLD, OLD, NEW]);
        // 40 for NEW and 10 and the seat's number for OLD where they are compared; opponents get what must not count.
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
    fn a_bot_and_itself_come_to_an_end() {
        let blocks =
            (0..).find(|&blocks| !matches!(comparison(vec![0.0; blocks]).conclusion(), Conclusion::Undecided { .. })).unwrap();
        assert_eq!(comparison(vec![0.0; blocks]).conclusion(), Conclusion::NotBetter);
        assert!((MIN_BLOCKS..=100).contains(&blocks), "{blocks}");
        assert_eq!(comparison(vec![0.0; 100_000]).conclusion(), Conclusion::NotBetter);
        assert_eq!(comparison([0.0; 40]).estimate(), Estimate { value: 0.0, low: 0.0, high: 0.0 });
    }

    #[test]
    fn nothing_is_decided_on_few_blocks() {
        for blocks in 0..MIN_BLOCKS {
            for points in [0.0, 60.0, -60.0] {
                let verdict = comparison(vec![points; blocks]).conclusion();
                assert!(
                    matches!(verdict, Conclusion::Undecided { more_blocks } if more_blocks >= MIN_BLOCKS - blocks),
                    "{blocks}: {verdict:?}"
                );
            }
        }
        assert_eq!(comparison([60.0; MIN_BLOCKS]).conclusion(), Conclusion::Better);
        assert_eq!(comparison([-60.0; MIN_BLOCKS]).conclusion(), Conclusion::Worse);
    }

    #[test]
    fn better_is_never_said_of_an_interval_with_zero_in_it() {
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
    fn the_mirrored_blocks_have_the_mirrored_verdict() {
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
    fn quantiles_are_those_of_the_tables() {
        for (degrees, expected) in [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (7, 2.365), (15, 2.131), (120, 1.980)] {
            assert!((student_95(degrees) - expected).abs() < 0.004, "{degrees}: {}", student_95(degrees));
        }
    }

    #[test]
    fn the_interval_is_students() {
        // Mean 3, variance 2.5, five observations: 3 ± 2.776 · √(2.5 / 5).
        let Estimate { value, low, high } = comparison([1.0, 2.0, 3.0, 4.0, 5.0]).estimate();
        assert!((value - 3.0).abs() < 1e-12);
        assert!((high - 4.963).abs() < 0.001 && (low - 1.037).abs() < 0.001, "{low} {high}");
        assert_eq!(comparison([4.0]).estimate(), Estimate { value: 4.0, low: 4.0, high: 4.0 });
    }

    #[test]
    fn terms_that_make_no_sense_are_refused() {
        let refused =
            |difference, alpha, beta| Comparison::new(ComparisonConfig { difference, alpha, beta }).unwrap_err().to_string();
        assert_eq!(refused(0.0, 0.05, 0.05), "the difference is 0 points; more than 0 is accepted");
        assert_eq!(refused(f64::NAN, 0.05, 0.05), "the difference is NaN points; more than 0 is accepted");
        assert_eq!(refused(2.0, 0.5, 0.05), "alpha is 0.5; more than 0 and less than 0.5 is accepted");
        assert_eq!(refused(2.0, 0.05, 0.0), "beta is 0; more than 0 and less than 0.5 is accepted");
    }

    #[test]
    fn a_sentence_says_it() {
        let say = |comparison: &Comparison, language| sentence(comparison, TimeOuts { old: 0, new: 2 }, language);
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
        assert_eq!(english, format!("Cannot tell yet; about {games} more games for a difference of 2 points."));
        assert_eq!(chinese, format!("还不能断定：要看出 2 分的差距，大约还需 {games} 局。"));
    }

    #[test]
    fn numbers_are_no_more_precise_than_they_are_known() {
        assert_eq!([7, 99, 100, 896, 901, 12_345].map(two_digits), [7, 99, 100, 900, 910, 13_000]);
        assert_eq!(format!("{:+.1}", tenths(-0.04)), "+0.0");
    }
}
