//! The table of a tournament.
//!
//! Its serialised form is what the command line, the server and the report publish.
//!
//! **Intervals.** The games on a map depend on each other: a map suits some bots, and the four games of a block share their players. So
//! only maps are independent observations, and a bot that has played on fewer than [`MIN_MAPS`] has no interval. Points and leads
//! have bounds, and so have their intervals.
//!
//! Points and leads are means, whose spread follows from the maps' deviations from the mean (the estimator for a ratio of sums). A bot
//! that nearly always wins has a skewed distribution: few maps seldom show a loss. Student's t would cover the truth in 86 of 100 cases
//! then, so Hall's transformation of it is used (P. Hall, "On the Removal of Skewness by Transformation", Journal of the Royal Statistical
//! Society B 54, 1992), which covers it in 91 to 95. `tests/it/ratings.rs` measures the coverage. Ratings come from a bootstrap: each of 399 resamples weights the maps by exponential
//! random numbers with mean 1 (Rubin, "The Bayesian Bootstrap", Annals of Statistics 9, 1981) and fits the ratings again. Unlike drawing
//! maps with replacement, no resample loses a bot with few games. Virtual games are weighted in the same way: the losses that a bot
//! without losses could have had are not in its games but in its prior, which makes its interval wide. An interval covers the middle
//! 95 % of the resamples, stretched by Student's distribution, because resampling few maps gives too little spread (Hesterberg, "What
//! Teachers Should Know About the Bootstrap", The American Statistician 69, 2015). The opponents of a bot count as random; if a schedule
//! gives all bots the same opponents, the intervals are somewhat too wide.
//!
//! **Copies of one program** have one strength, so their games count together: they have the same rating, points and leads, and share a
//! place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;

use crate::fit::{Evidence, MEAN_RATING, Placement, Ranking, VirtualGames, Weights};
use crate::game::{BotId, BotVersion, GameResult, SeatResult};
use pacman2_botzone::response::Verdict;

/// The number of resamples. With 399, the tenth value from each end leaves 2.5 % outside.
const RESAMPLES: u64 = 399;

/// The number of resamples beyond each end of an interval.
const OUTSIDE: usize = 9;

/// The number of virtual games of each bot: one won and one lost, as in Laplace's rule of succession. For a bot that is first in 98 of
/// 100 games, the intervals after 25 blocks contained its true rating in 96 % of 300 simulations; with half as many virtual games, in
/// 83 %.
const PRIOR_GAMES: f64 = 2.0;

/// The number of maps below which there is no interval: Student's quantile of four is 3.2, of two 12.7.
pub const MIN_MAPS: usize = 5;

/// The most points of a game: a first place with all the strength. The fewest are 0.
pub(crate) const MAX_POINTS: f64 = 130.0;

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The interval; `None` with fewer than [`MIN_MAPS`] maps.
    #[serde(flatten)]
    pub interval: Option<Interval>,
}

/// A 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Returns half the width.
    #[must_use]
    pub fn margin(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The table of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standings {
    /// The bots, best first.
    pub bots: Vec<Standing>,
    /// For each pair of bots, in the order of `bots`, the first one's record against the second; `None` if they never met, and for copies
    /// of one program.
    pub matrix: Vec<Vec<Option<HeadToHead>>>,
    /// The number of games.
    pub games: usize,
    /// The number of blocks.
    pub blocks: usize,
    /// The number of maps, the independent observations.
    pub maps: usize,
    /// The number of games that were played again because the machine had stalled.
    pub replayed: usize,
}

impl Standings {
    /// Returns the bots that are copies of one program, in groups of two or more.
    #[must_use]
    pub fn copies(&self) -> Vec<Vec<&BotVersion>> {
        // Copies are next to each other.
        let groups = self.bots.chunk_by(|one, next| one.bot.is_same_program(&next.bot));
        groups.filter(|group| group.len() > 1).map(|group| group.iter().map(|line| &line.bot).collect()).collect()
    }
}

/// A bot's row in the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The bot.
    pub bot: BotVersion,
    /// The place in the table; 1 is best. Copies of one program share a place.
    pub place: usize,
    /// The rating on Elo's scale, centred at 1500, with a bootstrap interval over maps.
    pub rating: Estimate,
    /// The mean official score in points, with an interval over maps.
    pub points: Estimate,
    /// The number of games, counted once per seat.
    pub games: usize,
    /// The mean place; 1 is best.
    pub mean_place: f64,
    /// The share of games in which no player was stronger.
    #[serde(rename = "win_rate")]
    pub firsts: f64,
    /// The numbers of forfeits by kind in the order of their names; only those that happened.
    pub faults: Vec<(Verdict, usize)>,
    /// Mean points on each seat; `None` for seats it never had.
    pub by_seat: [Option<f64>; 4],
    /// Mean points by size of the map in increasing order: cells, mean, games.
    pub by_size: Vec<(u32, f64, usize)>,
    /// The slowest response, in milliseconds.
    pub slowest_ms: f64,
}

/// A bot's record against another.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct HeadToHead {
    /// The mean lead in points.
    pub points: Estimate,
    /// The share of games in which it was stronger; ties count half.
    pub stronger: f64,
    /// The number of games.
    pub games: usize,
}

/// Computes the table of these games.
///
/// Games with bots that are not in `bots` are left out. Bots without games come last, with a rating of 1500 and 0 points. `seed` is
/// that of the bootstrap. Neither the order of the games nor the number of threads matters.
#[must_use]
pub fn standings(bots: &[BotVersion], games: &[GameResult], seed: u64) -> Standings {
    let sample = Dataset::new(bots, games);
    let estimates = sample.estimates(seed);
    let lines = sample.lines();
    let pairs = sample.pairs();
    let program = |bot: usize| sample.program[&sample.bots[bot].id];
    let has_played: Vec<bool> =
        (0..sample.programs).map(|of| (0..lines.len()).any(|bot| program(bot) == of && lines[bot].seats > 0)).collect();
    let mut order: Vec<usize> = (0..sample.bots.len()).collect();
    order.sort_by(|&one, &other| {
        let key = |bot: usize| {
            let Estimates { rating, points } = estimates[program(bot)];
            (has_played[program(bot)], rating.value, points.value)
        };
        let ((plays, rating, points), (other_plays, other_rating, other_points)) = (key(one), key(other));
        let better = other_plays.cmp(&plays).then(other_rating.total_cmp(&rating)).then(other_points.total_cmp(&points));
        better.then(program(one).cmp(&program(other))).then(one.cmp(&other))
    });
    let place = |bot: usize| 1 + order.iter().position(|&other| program(other) == program(bot)).unwrap_or_default();
    let row = |&one: &usize| order.iter().map(|&other| head_to_head(&pairs, program(one), program(other))).collect();
    let of_block = |game: &&GameResult| game.block.clone();
    Standings {
        bots: order.iter().map(|&bot| lines[bot].standing(sample.bots[bot], place(bot), estimates[program(bot)])).collect(),
        matrix: order.iter().map(row).collect(),
        games: sample.maps.iter().map(Vec::len).sum(),
        blocks: sample.maps.iter().flatten().map(of_block).collect::<BTreeSet<String>>().len(),
        maps: sample.maps.len(),
        replayed: sample.maps.iter().flatten().filter(|game| game.replayed > 0).count(),
    }
}

/// The games of the known bots, in a canonical order.
struct Dataset<'a> {
    /// Sorted by number in the store.
    bots: Vec<&'a BotVersion>,
    /// The index of each bot's program. Copies of one program have the same index.
    program: HashMap<BotId, usize>,
    /// The number of different programs.
    programs: usize,
    /// The games on each map.
    maps: Vec<Vec<&'a GameResult>>,
}

/// The estimates for a program.
#[derive(Clone, Copy)]
struct Estimates {
    rating: Estimate,
    points: Estimate,
}

impl<'a> Dataset<'a> {
    fn new(bots: &'a [BotVersion], games: &'a [GameResult]) -> Dataset<'a> {
        let mut bots: Vec<&BotVersion> = bots.iter().collect();
        bots.sort_by_key(|bot| bot.id);
        let mut first_copies: Vec<&BotVersion> = Vec::new();
        let mut program = HashMap::new();
        for bot in &bots {
            let known = first_copies.iter().position(|other| other.is_same_program(bot));
            program.insert(bot.id, known.unwrap_or(first_copies.len()));
            if known.is_none() {
                first_copies.push(bot);
            }
        }
        let is_known = |game: &&GameResult| game.seats.0.iter().all(|seat| program.contains_key(&seat.bot));
        let mut games: Vec<&GameResult> = games.iter().filter(is_known).collect();
        games.sort_by(|one, other| (one.seed, &one.block, &one.id).cmp(&(other.seed, &other.block, &other.id)));
        let maps = games.chunk_by(|one, next| one.seed == next.seed).map(<[_]>::to_vec).collect();
        Dataset { bots, programs: first_copies.len(), program, maps }
    }

    fn program(&self, seat: &SeatResult) -> usize {
        self.program[&seat.bot]
    }

    /// Returns ratings and points by program.
    fn estimates(&self, seed: u64) -> Vec<Estimates> {
        let evidence = Evidence::new(self.programs, &self.rankings());
        let weights = evidence.equal_weights(PRIOR_GAMES);
        let ratings = evidence.fit(&weights, &vec![MEAN_RATING; self.programs], 0.001);
        let draw = |number: u64| {
            // After a step of at most two points, the remaining error is some hundredths of a point.
            evidence.fit(&random_weights(&weights, seed, number), &ratings, 2.0)
        };
        let draws: Vec<Vec<f64>> = (0..RESAMPLES).into_par_iter().map(draw).collect();
        let points = self.points();
        let estimates = |program: usize| Estimates {
            rating: rating(ratings[program], draws.iter().map(|draw| draw[program]), points[program].maps),
            points: points[program].mean(Interval { low: 0.0, high: MAX_POINTS }),
        };
        (0..self.programs).map(estimates).collect()
    }

    fn rankings(&self) -> Vec<Ranking> {
        let on_map = |(map, games): (usize, &Vec<&GameResult>)| {
            let placed = |seat: &SeatResult| Placement { bot: self.program(seat), place: seat.place };
            let ranking = |game: &&GameResult| Ranking { block: map, seats: game.seats.0.iter().map(placed).collect() };
            games.iter().map(ranking).collect::<Vec<_>>()
        };
        self.maps.iter().enumerate().flat_map(on_map).collect()
    }

    /// Returns the points by program.
    fn points(&self) -> Vec<MapTotals> {
        let mut totals = vec![MapTotals::default(); self.programs];
        for map in &self.maps {
            let mut sums: BTreeMap<usize, Points> = BTreeMap::new();
            for seat in map.iter().flat_map(|game| &game.seats.0) {
                sums.entry(self.program(seat)).or_default().add(seat.hundredths);
            }
            for (program, Points { hundredths, seats }) in sums {
                totals[program].add(hundredths as f64 / 100.0, seats as f64);
            }
        }
        totals
    }

    /// Returns the counts by bot.
    fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = self.bots.iter().map(|_| Line::default()).collect();
        for game in self.maps.iter().flatten() {
            let cells = u32::from(game.width) * u32::from(game.height);
            for (at, seat) in game.seats.iter() {
                // All bots of these games are known.
                let bot = self.bots.partition_point(|bot| bot.id < seat.bot);
                lines[bot].add(at.index(), cells, seat);
            }
        }
        lines
    }

    /// Returns the records of all pairs of programs that met, the smaller index first.
    fn pairs(&self) -> HashMap<(usize, usize), PairTotals> {
        let mut pairs: HashMap<(usize, usize), PairTotals> = HashMap::new();
        for map in &self.maps {
            let mut sums: BTreeMap<(usize, usize), MapLead> = BTreeMap::new();
            for game in map {
                self.add_meetings(game, &mut sums);
            }
            for (programs, lead) in sums {
                pairs.entry(programs).or_default().add(&lead);
            }
        }
        pairs
    }

    fn add_meetings(&self, game: &GameResult, sums: &mut BTreeMap<(usize, usize), MapLead>) {
        let mut seats: Vec<(usize, &SeatResult)> = game.seats.0.iter().map(|seat| (self.program(seat), seat)).collect();
        seats.sort_by_key(|&(program, _)| program);
        let programs: Vec<&[(usize, &SeatResult)]> = seats.chunk_by(|one, next| one.0 == next.0).collect();
        for (number, one) in programs.iter().enumerate() {
            for other in &programs[number + 1..] {
                let sums = sums.entry((one[0].0, other[0].0)).or_default();
                let share = 1.0 / (one.len() * other.len()) as f64;
                for (one, other) in one.iter().flat_map(|(_, one)| other.iter().map(move |(_, other)| (one, other))) {
                    sums.points += share * (one.hundredths - other.hundredths) as f64 / 100.0;
                    sums.stronger += share * stronger(one.place, other.place);
                }
                sums.games += 1;
            }
        }
    }
}

/// Returns random weights with mean `equal` for maps and virtual games. Each resample has its own random numbers, on whichever thread
/// it runs.
fn random_weights(equal: &Weights, seed: u64, number: u64) -> Weights {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(RESAMPLES).wrapping_add(number));
    // Exponentially distributed with mean 1, from 53 random bits and never from 0.
    let mut weight = || -(((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64).ln();
    Weights {
        blocks: equal.blocks.iter().map(|mean| mean * weight()).collect(),
        prior: equal.prior.iter().map(|mean| VirtualGames { won: mean.won * weight(), lost: mean.lost * weight() }).collect(),
    }
}

/// Returns the rating of a program that played on this many maps, with its interval from the resamples.
fn rating(value: f64, draws: impl Iterator<Item = f64>, maps: usize) -> Estimate {
    if maps < MIN_MAPS {
        return Estimate { value, interval: None };
    }
    let mut draws: Vec<f64> = draws.collect();
    draws.sort_by(f64::total_cmp);
    // The variance of a mean under random weights is (n - 1) / (n + 1) of the variance of the mean.
    let maps = maps as f64;
    let stretch = student(maps - 1.0) / NORMAL * ((maps + 1.0) / (maps - 1.0)).sqrt();
    let low = value - stretch * (value - draws[OUTSIDE]).max(0.0);
    let high = value + stretch * (draws[draws.len() - 1 - OUTSIDE] - value).max(0.0);
    Estimate { value, interval: Some(Interval { low, high }) }
}

/// Returns half the width of the 95 % interval of a mean, from its standard error and the number of independent observations; `None`
/// with fewer than [`MIN_MAPS`].
///
/// ```
/// use pacman2_tournament::standings::margin;
///
/// assert_eq!(margin(1.0, 4), None);
/// assert!(margin(1.0, 5).is_some_and(|margin| (2.7..2.8).contains(&margin)));
/// ```
#[must_use]
pub fn margin(standard_error: f64, observations: usize) -> Option<f64> {
    (observations >= MIN_MAPS).then(|| student(observations as f64 - 1.0) * standard_error)
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// Returns the 97.5 % quantile of Student's distribution to 0.3 %, by the expansion for many degrees of freedom: at least four.
fn student(freedom: f64) -> f64 {
    let power = |exponent: i32| NORMAL.powi(exponent);
    NORMAL
        + (power(3) + NORMAL) / (4.0 * freedom)
        + (5.0 * power(5) + 16.0 * power(3) + 3.0 * NORMAL) / (96.0 * freedom.powi(2))
        + (3.0 * power(7) + 19.0 * power(5) + 17.0 * power(3) - 15.0 * NORMAL) / (384.0 * freedom.powi(3))
}

/// The counts of a bot.
#[derive(Default)]
struct Line {
    seats: usize,
    places: u64,
    firsts: usize,
    /// By name, which is their order in results.
    faults: BTreeMap<&'static str, (Verdict, usize)>,
    by_seat: [Points; 4],
    by_size: BTreeMap<u32, Points>,
    slowest_us: u64,
}

/// A sum of points over seats.
#[derive(Clone, Copy, Default)]
struct Points {
    hundredths: i64,
    seats: usize,
}

impl Points {
    fn add(&mut self, hundredths: i64) {
        self.hundredths += hundredths;
        self.seats += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.seats > 0).then(|| self.hundredths as f64 / self.seats as f64 / 100.0)
    }
}

impl Line {
    fn add(&mut self, at: usize, cells: u32, seat: &SeatResult) {
        self.seats += 1;
        self.places += u64::from(seat.place);
        self.firsts += usize::from(seat.place == 1);
        if let Some(fault) = &seat.fault {
            self.faults.entry(fault.kind.name()).or_insert((fault.kind, 0)).1 += 1;
        }
        self.by_seat[at].add(seat.hundredths);
        self.by_size.entry(cells).or_default().add(seat.hundredths);
        self.slowest_us = self.slowest_us.max(seat.slowest_us);
    }

    fn standing(&self, bot: &BotVersion, place: usize, estimates: Estimates) -> Standing {
        let seats = self.seats.max(1) as f64;
        Standing {
            bot: bot.clone(),
            place,
            rating: estimates.rating,
            points: estimates.points,
            games: self.seats,
            mean_place: self.places as f64 / seats,
            firsts: self.firsts as f64 / seats,
            faults: self.faults.values().copied().collect(),
            by_seat: self.by_seat.map(Points::mean),
            by_size: self.by_size.iter().filter_map(|(&cells, points)| Some((cells, points.mean()?, points.seats))).collect(),
            slowest_ms: self.slowest_us as f64 / 1000.0,
        }
    }
}

/// The lead of one program over another on a map.
#[derive(Default)]
struct MapLead {
    points: f64,
    stronger: f64,
    games: usize,
}

/// The lead over all maps.
#[derive(Default)]
struct PairTotals {
    points: MapTotals,
    stronger: f64,
    games: usize,
}

impl PairTotals {
    fn add(&mut self, lead: &MapLead) {
        self.points.add(lead.points, lead.games as f64);
        self.stronger += lead.stronger;
        self.games += lead.games;
    }

    /// Returns the record of the program with the smaller index.
    fn head_to_head(&self) -> HeadToHead {
        HeadToHead {
            points: self.points.mean(Interval { low: -MAX_POINTS, high: MAX_POINTS }),
            stronger: self.stronger / self.games as f64,
            games: self.games,
        }
    }
}

/// Points on several maps, with the sums of powers and products that the interval of their mean needs.
#[derive(Clone, Copy, Default)]
struct MapTotals {
    maps: usize,
    points: f64,
    games: f64,
    /// The sums of `points^(2 - i) * games^i`.
    second: [f64; 3],
    /// The sums of `points^(3 - i) * games^i`.
    third: [f64; 4],
}

impl MapTotals {
    /// Adds the sum of points on a map, and over how many games it goes.
    fn add(&mut self, points: f64, games: f64) {
        self.maps += 1;
        self.points += points;
        self.games += games;
        let product = |points_times: i32, games_times: i32| points.powi(points_times) * games.powi(games_times);
        (0..3).for_each(|times| self.second[times as usize] += product(2 - times, times));
        (0..4).for_each(|times| self.third[times as usize] += product(3 - times, times));
    }

    /// Returns the mean of all games with its interval, which is a part of `bounds`; 0 without games.
    fn mean(&self, bounds: Interval) -> Estimate {
        let value = if self.maps == 0 { 0.0 } else { self.points / self.games };
        // The second and third powers of each map's deviation: its sum minus the mean times its games.
        let [points2, product, games2] = self.second;
        let squares = points2 - 2.0 * value * product + value.powi(2) * games2;
        if self.maps < MIN_MAPS {
            return Estimate { value, interval: None };
        }
        if squares <= 0.0 {
            return Estimate { value, interval: Some(Interval { low: value, high: value }) };
        }
        let [points3, product21, product12, games3] = self.third;
        let cubes = points3 - 3.0 * value * product21 + 3.0 * value.powi(2) * product12 - value.powi(3) * games3;
        let (maps, freedom) = (self.maps as f64, self.maps as f64 - 1.0);
        let error = (squares * maps / freedom).sqrt() / self.games;
        let skewness = cubes / maps / (squares / maps).powf(1.5);
        let end = |quantile: f64| (value - error * without_skew(quantile, skewness, maps)).clamp(bounds.low, bounds.high);
        Estimate { value, interval: Some(Interval { low: end(student(freedom)), high: end(-student(freedom)) }) }
    }
}

/// Returns the value of Student's statistic for which Hall's transformation, which removes most of the effect of skewness, has this value.
fn without_skew(transformed: f64, skewness: f64, count: f64) -> f64 {
    if skewness.abs() < 1e-6 {
        return transformed;
    }
    let root = count.sqrt();
    3.0 * root / skewness * ((1.0 + skewness * (transformed / root - skewness / (6.0 * count))).cbrt() - 1.0)
}

fn head_to_head(pairs: &HashMap<(usize, usize), PairTotals>, one: usize, other: usize) -> Option<HeadToHead> {
    let seen = pairs.get(&(one.min(other), one.max(other)))?.head_to_head();
    Some(if one < other { seen } else { reversed(seen) })
}

/// Returns the record from the other bot's side.
fn reversed(seen: HeadToHead) -> HeadToHead {
    let Estimate { value, interval } = seen.points;
    let interval = interval.map(|Interval { low, high }| Interval { low: 0.0 - high, high: 0.0 - low });
    HeadToHead { points: Estimate { value: 0.0 - value, interval }, stronger: 1.0 - seen.stronger, games: seen.games }
}

/// Returns 1 for a better place and 0.5 for the same.
fn stronger(place: u8, than: u8) -> f64 {
    match place.cmp(&than) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    }
}
