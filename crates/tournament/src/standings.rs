//! The table of a tournament.
//!
//! Its serialised form is what the command line, the server and the report publish.
//!
//! **Intervals.** The games of a block share a map and four bots, so only blocks are independent. Each of 399 resamples weights the
//! blocks by exponential random numbers with mean 1 (Rubin, "The Bayesian Bootstrap", Annals of Statistics 9, 1981) and fits the
//! ratings again. Unlike drawing blocks with replacement, no resample loses a bot with few games. Virtual games are weighted in the
//! same way: the losses that a bot without losses could have had are not in its games but in its prior, which makes its interval wide.
//! An interval covers the middle 95 % of the resamples, stretched by Student's distribution for the number of blocks that the bot
//! played, because resampling few blocks gives too little spread (Hesterberg, "What Teachers Should Know About the Bootstrap", The
//! American Statistician 69, 2015). A bot with a single block has no interval. The opponents of a bot count as random; if a schedule
//! gives all bots the same opponents, the intervals of points are somewhat too wide.
//!
//! In the matrix, where the numbers are means, the spread follows directly from the blocks' deviations from the mean.

use std::collections::{BTreeMap, HashMap};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;

use crate::fit::{Evidence, MEAN_RATING, Placement, Ranking, VirtualGames, Weights};
use crate::game::{BotId, BotVersion, FaultKind, GameResult, SeatResult};

/// The number of resamples. With 399, the tenth value from each end leaves 2.5 % outside.
const RESAMPLES: u64 = 399;

/// The number of resamples beyond each end of an interval.
const OUTSIDE: usize = 9;

/// The number of virtual games of each bot: one won and one lost, as in Laplace's rule of succession. For a bot that is first in 98 of
/// 100 games, the intervals after 25 blocks contained its true rating in 96 % of 300 simulations; with half as many virtual games, in
/// 83 %.
const PRIOR_GAMES: f64 = 2.0;

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval; equal to `value` if there is too little data.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The table of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standings {
    /// The bots, best first.
    pub bots: Vec<Standing>,
    /// For each pair of bots, in the order of `bots`, the first one's record against the second; `None` if they never met.
    pub matrix: Vec<Vec<Option<HeadToHead>>>,
    /// The number of games.
    pub games: usize,
    /// The number of blocks, the independent observations.
    pub blocks: usize,
    /// The number of games that were played again because the machine had stalled.
    pub replayed: usize,
}

/// A bot's row in the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The bot.
    pub bot: BotVersion,
    /// The place in the table; 1 is best.
    pub place: usize,
    /// The rating on Elo's scale, centred at 1500, with a bootstrap interval over blocks.
    pub rating: Estimate,
    /// The mean official score in points, with the same kind of interval.
    pub points: Estimate,
    /// The number of games, counted once per seat.
    pub games: usize,
    /// The mean place; 1 is best.
    pub mean_place: f64,
    /// The share of games in which no player was stronger.
    pub firsts: f64,
    /// The numbers of forfeits by kind in the order of their names; only those that happened.
    pub faults: Vec<(FaultKind, usize)>,
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
    let mut order: Vec<usize> = (0..sample.bots.len()).collect();
    order.sort_by(|&one, &other| {
        let key = |bot: usize| (lines[bot].seats > 0, estimates[bot].rating.value, estimates[bot].points.value);
        let ((plays, rating, points), (other_plays, other_rating, other_points)) = (key(one), key(other));
        let better = other_plays.cmp(&plays).then(other_rating.total_cmp(&rating)).then(other_points.total_cmp(&points));
        better.then(one.cmp(&other))
    });
    let place_in_table = |(index, &bot): (usize, &usize)| lines[bot].standing(sample.bots[bot], index + 1, estimates[bot]);
    let row = |&one: &usize| order.iter().map(|&other| head_to_head(&pairs, one, other)).collect();
    Standings {
        bots: order.iter().enumerate().map(place_in_table).collect(),
        matrix: order.iter().map(row).collect(),
        games: sample.blocks.iter().map(Vec::len).sum(),
        blocks: sample.blocks.len(),
        replayed: sample.blocks.iter().flatten().filter(|game| game.replayed > 0).count(),
    }
}

/// The games of the known bots, in a canonical order.
struct Dataset<'a> {
    /// Sorted by number in the store. Elsewhere in this module a bot is an index into this list.
    bots: Vec<&'a BotVersion>,
    index: HashMap<BotId, usize>,
    blocks: Vec<Vec<&'a GameResult>>,
}

/// The estimates for a bot.
#[derive(Clone, Copy)]
struct Estimates {
    rating: Estimate,
    points: Estimate,
}

/// The ratings and points of all bots in a resample.
struct Resample {
    ratings: Vec<f64>,
    points: Vec<f64>,
}

/// A bot's points in a block.
struct BlockPoints {
    bot: usize,
    hundredths: i64,
    seats: usize,
}

impl<'a> Dataset<'a> {
    fn new(bots: &'a [BotVersion], games: &'a [GameResult]) -> Dataset<'a> {
        let mut bots: Vec<&BotVersion> = bots.iter().collect();
        bots.sort_by_key(|bot| bot.id);
        let index: HashMap<BotId, usize> = bots.iter().enumerate().map(|(index, bot)| (bot.id, index)).collect();
        let is_known = |game: &&GameResult| game.seats.0.iter().all(|seat| index.contains_key(&seat.bot));
        let mut games: Vec<&GameResult> = games.iter().filter(is_known).collect();
        games.sort_by(|one, other| (&one.block, &one.id).cmp(&(&other.block, &other.id)));
        let blocks = games.chunk_by(|one, next| one.block == next.block).map(<[_]>::to_vec).collect();
        Dataset { bots, index, blocks }
    }

    fn bot(&self, seat: &SeatResult) -> usize {
        self.index[&seat.bot]
    }

    /// Returns ratings and points by bot.
    fn estimates(&self, seed: u64) -> Vec<Estimates> {
        let evidence = Evidence::new(self.bots.len(), &self.rankings());
        let yields: Vec<Vec<BlockPoints>> = self.blocks.iter().map(|block| self.yields(block)).collect();
        let weights = evidence.equal_weights(PRIOR_GAMES);
        let value = Resample {
            ratings: evidence.fit(&weights, &vec![MEAN_RATING; self.bots.len()], 0.001),
            points: mean_points(self.bots.len(), &yields, &weights.blocks),
        };
        let draw = |number: u64| {
            let weights = random_weights(&weights, seed, number);
            // After a step of at most two points, the remaining error is some hundredths of a point.
            let ratings = evidence.fit(&weights, &value.ratings, 2.0);
            Resample { ratings, points: mean_points(self.bots.len(), &yields, &weights.blocks) }
        };
        let mut blocks = vec![0; self.bots.len()];
        for played in yields.iter().flatten() {
            blocks[played.bot] += 1;
        }
        let draws: Vec<Resample> = (0..RESAMPLES).into_par_iter().map(draw).collect();
        let estimates = |bot: usize| Estimates {
            rating: interval(value.ratings[bot], draws.iter().map(|draw| draw.ratings[bot]), blocks[bot]),
            points: interval(value.points[bot], draws.iter().map(|draw| draw.points[bot]), blocks[bot]),
        };
        (0..self.bots.len()).map(estimates).collect()
    }

    fn rankings(&self) -> Vec<Ranking> {
        let of_block = |(block, games): (usize, &Vec<&GameResult>)| {
            let placed = |seat: &SeatResult| Placement { bot: self.bot(seat), place: seat.place };
            let ranking = |game: &&GameResult| Ranking { block, seats: game.seats.0.iter().map(placed).collect() };
            games.iter().map(ranking).collect::<Vec<_>>()
        };
        self.blocks.iter().enumerate().flat_map(of_block).collect()
    }

    fn yields(&self, block: &[&GameResult]) -> Vec<BlockPoints> {
        let mut yields: Vec<BlockPoints> = Vec::new();
        for seat in block.iter().flat_map(|game| &game.seats.0) {
            let bot = self.bot(seat);
            match yields.iter_mut().find(|known| known.bot == bot) {
                Some(known) => {
                    known.hundredths += seat.hundredths;
                    known.seats += 1;
                }
                None => yields.push(BlockPoints { bot, hundredths: seat.hundredths, seats: 1 }),
            }
        }
        yields
    }

    fn lines(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = self.bots.iter().map(|_| Line::default()).collect();
        for game in self.blocks.iter().flatten() {
            let cells = u32::from(game.width) * u32::from(game.height);
            for (at, seat) in game.seats.iter() {
                lines[self.bot(seat)].add(at.index(), cells, seat);
            }
        }
        lines
    }

    /// Returns the records of all pairs of bots that met, the smaller index first.
    fn pairs(&self) -> HashMap<(usize, usize), PairTotals> {
        let mut pairs: HashMap<(usize, usize), PairTotals> = HashMap::new();
        for block in &self.blocks {
            let mut sums: BTreeMap<(usize, usize), BlockLead> = BTreeMap::new();
            for game in block {
                self.add_meetings(game, &mut sums);
            }
            for (bots, of_block) in sums {
                pairs.entry(bots).or_default().add(&of_block);
            }
        }
        pairs
    }

    fn add_meetings(&self, game: &GameResult, sums: &mut BTreeMap<(usize, usize), BlockLead>) {
        let mut seats: Vec<(usize, &SeatResult)> = game.seats.0.iter().map(|seat| (self.bot(seat), seat)).collect();
        seats.sort_by_key(|&(bot, _)| bot);
        let bots: Vec<&[(usize, &SeatResult)]> = seats.chunk_by(|one, next| one.0 == next.0).collect();
        for (number, one) in bots.iter().enumerate() {
            for other in &bots[number + 1..] {
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

/// Returns random weights with mean `equal` for blocks and virtual games. Each resample has its own random numbers, on whichever thread
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

/// Returns mean points by bot; 0 for bots without games.
fn mean_points(bots: usize, yields: &[Vec<BlockPoints>], weights: &[f64]) -> Vec<f64> {
    let mut hundredths = vec![0.0; bots];
    let mut seats = vec![0.0; bots];
    for (block, weight) in yields.iter().zip(weights) {
        for played in block {
            hundredths[played.bot] += weight * played.hundredths as f64;
            seats[played.bot] += weight * played.seats as f64;
        }
    }
    let mean = |(sum, &seats): (f64, &f64)| if seats > 0.0 { sum / seats / 100.0 } else { 0.0 };
    hundredths.into_iter().zip(&seats).map(mean).collect()
}

/// Returns the interval of a bot that played this many blocks, from its resamples.
fn interval(value: f64, draws: impl Iterator<Item = f64>, blocks: usize) -> Estimate {
    if blocks < 2 {
        return Estimate { value, low: value, high: value };
    }
    let mut draws: Vec<f64> = draws.collect();
    draws.sort_by(f64::total_cmp);
    // The variance of a mean under random weights is (n - 1) / (n + 1) of the variance of the mean.
    let blocks = blocks as f64;
    let stretch = student(blocks - 1.0) / NORMAL * ((blocks + 1.0) / (blocks - 1.0)).sqrt();
    let low = value - stretch * (value - draws[OUTSIDE]).max(0.0);
    let high = value + stretch * (draws[draws.len() - 1 - OUTSIDE] - value).max(0.0);
    Estimate { value, low, high }
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// Returns the 97.5 % quantile of Student's distribution to a thousandth, by the expansion for many degrees of freedom.
fn student(freedom: f64) -> f64 {
    const FEW: [f64; 4] = [12.7062, 4.3027, 3.1824, 2.7764];
    if let Some(&few) = FEW.get(freedom as usize - 1) {
        return few;
    }
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
    faults: BTreeMap<&'static str, (FaultKind, usize)>,
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

/// The lead of one bot over another in a block.
#[derive(Default)]
struct BlockLead {
    points: f64,
    stronger: f64,
    games: usize,
}

/// The lead over all blocks, with the sums of squares and products that the interval needs.
#[derive(Default)]
struct PairTotals {
    points: f64,
    stronger: f64,
    games: usize,
    blocks: usize,
    points_squared: f64,
    points_by_games: f64,
    games_squared: f64,
}

impl PairTotals {
    fn add(&mut self, block: &BlockLead) {
        let games = block.games as f64;
        self.points += block.points;
        self.stronger += block.stronger;
        self.games += block.games;
        self.blocks += 1;
        self.points_squared += block.points * block.points;
        self.points_by_games += block.points * games;
        self.games_squared += games * games;
    }

    /// Returns the record of the bot with the smaller index.
    fn head_to_head(&self) -> HeadToHead {
        let games = self.games as f64;
        let value = self.points / games;
        // Squared deviations of each block's sum from the mean times its games.
        let squares = self.points_squared - 2.0 * value * self.points_by_games + value * value * self.games_squared;
        let reach = match self.blocks {
            0 | 1 => 0.0,
            blocks => {
                let freedom = blocks as f64 - 1.0;
                student(freedom) * (squares.max(0.0) * blocks as f64 / freedom).sqrt() / games
            }
        };
        let points = Estimate { value, low: value - reach, high: value + reach };
        HeadToHead { points, stronger: self.stronger / games, games: self.games }
    }
}

fn head_to_head(pairs: &HashMap<(usize, usize), PairTotals>, one: usize, other: usize) -> Option<HeadToHead> {
    let seen = pairs.get(&(one.min(other), one.max(other)))?.head_to_head();
    Some(if one < other { seen } else { reversed(seen) })
}

/// Returns the record from the other bot's side.
fn reversed(seen: HeadToHead) -> HeadToHead {
    let Estimate { value, low, high } = seen.points;
    HeadToHead {
        points: Estimate { value: 0.0 - value, low: 0.0 - high, high: 0.0 - low },
        stronger: 1.0 - seen.stronger,
        games: seen.games,
    }
}

/// Returns 1 for a better place and 0.5 for the same.
fn stronger(place: u8, than: u8) -> f64 {
    match place.cmp(&than) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    }
}
