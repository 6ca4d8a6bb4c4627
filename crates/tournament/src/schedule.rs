//! Who plays whom: four schedules, each of which hands out blocks stage by stage.
//!
//! A plan depends on nothing but what it was made from and on the results of earlier stages. So a run that was interrupted asks
//! for the same blocks again, skips the games that are kept, and goes on. What a block looks like depends on its four bots and
//! its seed alone: a new bot in a league leaves the games of the others as they are, and schedules share games.

use std::cmp::Reverse;
use std::fmt;

use crate::game::{Block, BotId, GameResult};
use crate::online::{OnlineRating, OnlineRatings};

/// Most blocks of a stage of a round robin or a gauntlet: few enough to be held, and so many that all cores are busy.
const STAGE: usize = 1024;

/// Fewest blocks of a stage of matchmaking, so that cores are busy: within a stage, nothing is learnt.
const MATCHES: usize = 8;

/// How opponents are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Each four of the bots on the map of each seed. Seed by seed, so that a run that is stopped is nearly balanced; within a
    /// seed the fours come well mixed.
    ///
    /// Two or three bots fill the four seats in each way in which all of them sit: A A A B, A A B B and A B B B.
    RoundRobin,
    /// One bot against each three of the others on the map of each seed, in such an order too. One or two others fill the three
    /// seats in each way in which all of them sit.
    Gauntlet {
        /// The one. It need not be among the bots of the plan.
        bot: BotId,
    },
    /// Rounds in which bots meet that have done equally well so far, by mean points. From the top, each table is filled with
    /// bots that have met those at it least often, and among such with the next in points. The first round goes by number.
    ///
    /// If the bots are not a multiple of four, seats at the last table are left over: those go to bots that have played least,
    /// among such to those that have met the others at it least often, and then to the lowest. These sit at two tables.
    Swiss {
        /// How many.
        rounds: u32,
    },
    /// Who has played least plays next (then who is most uncertain, then by number), with the three that have the least of:
    /// one more than the blocks they shared, times one more than how far their online ratings are apart, in units of the
    /// uncertainty of that distance. So near bots meet often, and far ones sometimes.
    Matchmaking {
        /// How many blocks in all.
        blocks: u32,
    },
}

impl Schedule {
    fn name(self) -> &'static str {
        match self {
            Schedule::RoundRobin => "a round robin",
            Schedule::Gauntlet { .. } => "a gauntlet",
            Schedule::Swiss { .. } => "a Swiss tournament",
            Schedule::Matchmaking { .. } => "matchmaking",
        }
    }
}

/// Why there is no such plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// So many bots (in a gauntlet, others) are there, and so many are wanted at least.
    TooFewBots(Schedule, usize, usize),
    /// This bot is there twice.
    DoubledBot(BotId),
    /// There is no seed.
    NoSeeds,
    /// This seed is there twice.
    DoubledSeed(i32),
    /// It has no rounds or no blocks.
    Empty(Schedule),
    /// There are no seeds after the given ones for so many blocks.
    SeedsRunOut(usize),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PlanError::TooFewBots(Schedule::Gauntlet { .. }, found, fewest) => {
                write!(f, "a gauntlet is run against at least {fewest} other bot; there are {found}")
            }
            PlanError::TooFewBots(schedule, found, fewest) => {
                write!(f, "{} needs at least {fewest} bots; there are {found}", schedule.name())
            }
            PlanError::DoubledBot(BotId(bot)) => write!(f, "bot number {bot} is in the plan twice; each bot may be there once"),
            PlanError::NoSeeds => f.write_str("the plan has no seeds; at least one is needed"),
            PlanError::DoubledSeed(seed) => write!(f, "seed {seed} is in the plan twice; each seed may be there once"),
            PlanError::Empty(schedule @ Schedule::Swiss { .. }) => {
                write!(f, "{} with 0 rounds plays nothing; at least 1 is accepted", schedule.name())
            }
            PlanError::Empty(schedule) => write!(f, "{} with 0 blocks plays nothing; at least 1 is accepted", schedule.name()),
            PlanError::SeedsRunOut(blocks) => {
                write!(f, "the plan wants {blocks} seeds, one for each block, and those after the given ones end at {}", i32::MAX)
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// A schedule for certain bots on certain maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    schedule: Schedule,
    bots: Vec<BotId>,
    seeds: Vec<i32>,
}

impl Plan {
    /// A plan for these bots, in whatever order, on the maps of these seeds.
    ///
    /// A round robin and a gauntlet play on all seeds. A Swiss tournament and matchmaking take them in turn, one for each block;
    /// when none is left they go on from the greatest of them plus 1.
    pub fn new(schedule: Schedule, mut bots: Vec<BotId>, seeds: Vec<i32>) -> Result<Plan, PlanError> {
        bots.sort_unstable();
        if let Some(bot) = doubled(&bots) {
            return Err(PlanError::DoubledBot(bot));
        }
        let fewest = match schedule {
            Schedule::RoundRobin => 2,
            Schedule::Gauntlet { bot } => {
                bots.retain(|&other| other != bot);
                1
            }
            Schedule::Swiss { .. } | Schedule::Matchmaking { .. } => 4,
        };
        if bots.len() < fewest {
            return Err(PlanError::TooFewBots(schedule, bots.len(), fewest));
        }
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        let Some(&greatest) = sorted.last() else { return Err(PlanError::NoSeeds) };
        if let Some(seed) = doubled(&sorted) {
            return Err(PlanError::DoubledSeed(seed));
        }
        if matches!(schedule, Schedule::Swiss { rounds: 0 } | Schedule::Matchmaking { blocks: 0 }) {
            return Err(PlanError::Empty(schedule));
        }
        let plan = Plan { schedule, bots, seeds };
        let beyond = plan.blocks().saturating_sub(plan.seeds.len());
        if !plan.plays_all_seeds() && beyond > (i64::from(i32::MAX) - i64::from(greatest)) as usize {
            return Err(PlanError::SeedsRunOut(plan.blocks()));
        }
        Ok(plan)
    }

    /// How opponents are chosen.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Who plays, by number; in a gauntlet, whom it is run against.
    pub fn bots(&self) -> &[BotId] {
        &self.bots
    }

    /// How many games the whole plan has.
    pub fn games(&self) -> usize {
        self.blocks().saturating_mul(4)
    }

    /// Whether later stages depend on the results of earlier ones. If not, [`stage`](Plan::stage) only counts the stages, and
    /// who runs a large plan can give it empty lists instead of millions of results.
    pub fn depends_on_results(&self) -> bool {
        !self.plays_all_seeds()
    }

    /// The blocks of the next stage, given the results of all stages before, each in the order of its blocks' games; `None` when
    /// the plan is complete.
    pub fn stage(&self, earlier: &[Vec<GameResult>]) -> Option<Vec<Block>> {
        let per_stage = self.blocks_of_stage();
        let first = earlier.len().checked_mul(per_stage).filter(|&first| first < self.blocks())?;
        let numbers = first..(first + per_stage).min(self.blocks());
        Some(match self.schedule {
            Schedule::RoundRobin | Schedule::Gauntlet { .. } => numbers.map(|number| self.listed(number)).collect(),
            Schedule::Swiss { .. } => self.on_seeds(numbers, self.round(earlier)),
            Schedule::Matchmaking { .. } => {
                let tables = self.matches(numbers.len(), earlier);
                self.on_seeds(numbers, tables)
            }
        })
    }

    fn plays_all_seeds(&self) -> bool {
        matches!(self.schedule, Schedule::RoundRobin | Schedule::Gauntlet { .. })
    }

    fn blocks(&self) -> usize {
        match self.schedule {
            Schedule::RoundRobin | Schedule::Gauntlet { .. } => self.groups().saturating_mul(self.seeds.len()),
            Schedule::Swiss { rounds } => self.bots.len().div_ceil(4).saturating_mul(rounds as usize),
            Schedule::Matchmaking { blocks } => blocks as usize,
        }
    }

    fn blocks_of_stage(&self) -> usize {
        match self.schedule {
            Schedule::RoundRobin | Schedule::Gauntlet { .. } => STAGE,
            Schedule::Swiss { .. } => self.bots.len().div_ceil(4),
            Schedule::Matchmaking { .. } => self.bots.len().div_ceil(4).max(MATCHES),
        }
    }

    /// How many of the bots are chosen for a block.
    fn chosen(&self) -> usize {
        if matches!(self.schedule, Schedule::Gauntlet { .. }) { 3 } else { 4 }
    }

    fn groups(&self) -> usize {
        groups(self.bots.len(), self.chosen())
    }

    /// The block of that number of a round robin or a gauntlet.
    fn listed(&self, number: usize) -> Block {
        let groups = self.groups();
        let rank = mixed(number % groups, groups);
        let mut four: Vec<BotId> = group(rank, self.bots.len(), self.chosen()).into_iter().map(|bot| self.bots[bot]).collect();
        if let Schedule::Gauntlet { bot } = self.schedule {
            four.push(bot);
        }
        at_table(self.seeds[number / groups], four)
    }

    fn on_seeds(&self, numbers: std::ops::Range<usize>, tables: Vec<Vec<usize>>) -> Vec<Block> {
        let bots = |table: Vec<usize>| table.into_iter().map(|bot| self.bots[bot]).collect();
        numbers.zip(tables).map(|(number, table)| at_table(self.seed(number), bots(table))).collect()
    }

    /// The seed of a block; `new` has seen to it that there is one.
    fn seed(&self, number: usize) -> i32 {
        let after = || {
            let greatest = self.seeds.iter().copied().max().unwrap_or(0);
            greatest + 1 + (number - self.seeds.len()) as i32
        };
        self.seeds.get(number).copied().unwrap_or_else(after)
    }

    /// The tables of a Swiss round.
    fn round(&self, earlier: &[Vec<GameResult>]) -> Vec<Vec<usize>> {
        let mut record = Record::of(&self.bots, earlier);
        let mut ranking: Vec<usize> = (0..self.bots.len()).collect();
        ranking.sort_by(|&a, &b| record.mean_points(b).total_cmp(&record.mean_points(a)));
        let mut waiting = ranking.clone();
        let mut tables = Vec::new();
        while !waiting.is_empty() {
            let mut table = vec![waiting.remove(0)];
            while table.len() < 4 {
                let next = (0..waiting.len()).min_by_key(|&place| record.meetings(waiting[place], &table));
                table.push(match next {
                    Some(place) => waiting.remove(place),
                    None => record.filler(&ranking, &table),
                });
            }
            record.seat(&table);
            tables.push(table);
        }
        tables
    }

    /// The tables of a stage of matchmaking.
    fn matches(&self, count: usize, earlier: &[Vec<GameResult>]) -> Vec<Vec<usize>> {
        let mut record = Record::of(&self.bots, earlier);
        let mut online = OnlineRatings::new();
        earlier.iter().flatten().for_each(|game| online.observe(game));
        let ratings: Vec<OnlineRating> = self.bots.iter().map(|&bot| online.rating(bot)).collect();
        let mut tables = Vec::with_capacity(count);
        for _ in 0..count {
            let table = next_match(&record, &ratings);
            record.seat(&table);
            tables.push(table);
        }
        tables
    }
}

/// The first value that is there twice in a sorted list.
fn doubled<T: Copy + PartialEq>(sorted: &[T]) -> Option<T> {
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The block of four bots on the map of a seed.
///
/// A block gives each bot each seat, and leaves who sits beside whom as it is: that changes from seed to seed, through all six
/// ways to sit round a table.
fn at_table(seed: i32, mut four: Vec<BotId>) -> Block {
    const WAYS: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1], [0, 1, 3, 2], [0, 2, 1, 3]];
    four.sort_unstable();
    Block::of_four(seed, WAYS[seed.rem_euclid(6) as usize].map(|place| four[place]))
}

/// How many ways there are to choose so many of so many.
fn choose(of: usize, chosen: usize) -> usize {
    (0..chosen).fold(1_u128, |ways, done| ways * (of as u128).saturating_sub(done as u128) / (done as u128 + 1)) as usize
}

/// How many [groups](group) there are.
fn groups(count: usize, size: usize) -> usize {
    if count >= size { choose(count, size) } else { choose(size - 1, size - count) }
}

/// The group of that rank: `size` different numbers below `count`; if there are fewer numbers, all of them and some again, each
/// such way once.
fn group(rank: usize, count: usize, size: usize) -> Vec<usize> {
    if count >= size {
        return combination(rank, count, size);
    }
    // Numbers that may come again, in order, are different ones after each is raised by its place.
    let again = combination(rank, size - 1, size - count);
    (0..count).chain(again.iter().enumerate().map(|(place, raised)| raised - place)).collect()
}

/// The combination of that rank in the order of dictionaries.
fn combination(mut rank: usize, count: usize, size: usize) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(size);
    let mut next = 0;
    while chosen.len() < size {
        let with_next = choose(count - next - 1, size - chosen.len() - 1);
        if rank < with_next {
            chosen.push(next);
        } else {
            rank -= with_next;
        }
        next += 1;
    }
    chosen
}

/// An order of all ranks in which those beside each other are far apart, so that each part of a seed is nearly balanced: steps
/// of the golden section.
fn mixed(place: usize, count: usize) -> usize {
    let golden = (count as f64 * 0.618_033_988_749_895) as usize;
    let step = (golden.max(1)..).find(|&step| greatest_common_divisor(step, count) == 1).unwrap_or(1);
    (place as u128 * step as u128 % count as u128) as usize
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Who plays the next match.
fn next_match(record: &Record, ratings: &[OnlineRating]) -> Vec<usize> {
    let bots = 0..ratings.len();
    let eager = |a: &usize, b: &usize| {
        let played = record.games[*a].cmp(&record.games[*b]);
        played.then(ratings[*b].uncertainty.total_cmp(&ratings[*a].uncertainty))
    };
    let first = bots.clone().min_by(eager).unwrap_or(0);
    let cost = |other: usize| {
        let (a, b) = (ratings[first], ratings[other]);
        let apart = (a.rating - b.rating).abs() / a.uncertainty.hypot(b.uncertainty).max(f64::MIN_POSITIVE);
        let blocks = f64::from(record.met[first][other]) / 4.0;
        (1.0 + blocks) * (1.0 + apart)
    };
    let mut others: Vec<(f64, usize)> = bots.filter(|&bot| bot != first).map(|bot| (cost(bot), bot)).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    std::iter::once(first).chain(others.iter().take(3).map(|(_, bot)| *bot)).collect()
}

/// What has come of the bots, by their places in the plan, and whom they will meet in this stage.
struct Record {
    /// Games, also of this stage.
    games: Vec<u32>,
    /// Games that are over.
    finished: Vec<u32>,
    /// Hundredths of points in those.
    hundredths: Vec<i64>,
    /// Games together, also of this stage.
    met: Vec<Vec<u32>>,
}

impl Record {
    fn of(bots: &[BotId], earlier: &[Vec<GameResult>]) -> Record {
        let nothing = vec![0; bots.len()];
        let mut record = Record {
            games: nothing.clone(),
            finished: nothing.clone(),
            hundredths: vec![0; bots.len()],
            met: vec![nothing; bots.len()],
        };
        for game in earlier.iter().flatten() {
            let table: Vec<usize> = game.seats.0.iter().filter_map(|seat| bots.binary_search(&seat.bot).ok()).collect();
            record.count(&table, 1);
            for seat in &game.seats.0 {
                if let Ok(bot) = bots.binary_search(&seat.bot) {
                    record.finished[bot] += 1;
                    record.hundredths[bot] += seat.hundredths;
                }
            }
        }
        record
    }

    fn count(&mut self, table: &[usize], games: u32) {
        for &bot in table {
            self.games[bot] += games;
            for &other in table {
                self.met[bot][other] += games;
            }
        }
    }

    /// Notes the games of a block that will be played.
    fn seat(&mut self, table: &[usize]) {
        self.count(table, 4);
    }

    fn mean_points(&self, bot: usize) -> f64 {
        self.hundredths[bot] as f64 / f64::from(self.finished[bot].max(1))
    }

    /// How often a bot has met those at a table, in all.
    fn meetings(&self, bot: usize, table: &[usize]) -> u32 {
        table.iter().map(|&other| self.met[bot][other]).sum()
    }

    /// Who takes a seat that is left over.
    fn filler(&self, ranking: &[usize], table: &[usize]) -> usize {
        let free = ranking.iter().enumerate().filter(|(_, bot)| !table.contains(bot));
        let best = free.min_by_key(|&(place, &bot)| (self.games[bot], self.meetings(bot, table), Reverse(place)));
        best.map_or(table[0], |(_, &bot)| bot)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use pacman2_rules::BySeat;

    use super::*;
    use crate::game::{Job, SeatResult};

    fn plan(schedule: Schedule, bots: i64, seeds: &[i32]) -> Plan {
        Plan::new(schedule, (1..=bots).map(BotId).collect(), seeds.to_vec()).unwrap()
    }

    /// What comes of these blocks if each bot gets what `points` says.
    fn played(blocks: &[Block], points: impl Fn(BotId) -> i64) -> Vec<GameResult> {
        let seat_result = |bot, job: &Job| SeatResult {
            bot,
            hundredths: 100 * points(bot),
            place: 1 + job.seats.0.iter().filter(|other| points(**other) > points(bot)).count() as u8,
            strength: 1,
            fault: None,
            slowest_us: 0,
        };
        let result = |job: &Job| GameResult {
            id: String::new(),
            block: String::new(),
            seed: job.seed,
            width: 5,
            height: 5,
            turns: 100,
            seats: BySeat(job.seats.0.map(|bot| seat_result(bot, job))),
            finished: 0,
            seconds: 0.0,
            replayed: 0,
        };
        blocks.iter().flat_map(|block| &block.jobs).map(result).collect()
    }

    /// All stages of a plan. Each is asked for twice and must be the same.
    fn stages(plan: &Plan, points: impl Fn(BotId) -> i64) -> Vec<Vec<Block>> {
        let mut stages = Vec::new();
        let mut earlier = Vec::new();
        while let Some(blocks) = plan.stage(&earlier) {
            assert_eq!(plan.stage(&earlier), Some(blocks.clone()));
            earlier.push(played(&blocks, &points));
            stages.push(blocks);
        }
        let jobs: Vec<Job> = stages.iter().flatten().flat_map(|block| block.jobs.clone()).collect();
        assert_eq!(jobs.len(), plan.games());
        assert_eq!(jobs.iter().collect::<HashSet<_>>().len(), jobs.len(), "no game is there twice");
        for block in stages.iter().flatten() {
            let times = |seat: usize, bot| block.jobs.iter().filter(|job| job.seats.0[seat] == bot).count();
            let four = block.jobs[0].seats.0;
            assert!(four.iter().all(|&bot| (1..4).all(|seat| times(seat, bot) == times(0, bot))), "{block:?}");
        }
        stages
    }

    /// Who sits at the table of a block, by number.
    fn table(block: &Block) -> [i64; 4] {
        let mut four = block.jobs[0].seats.0.map(|bot| bot.0);
        four.sort_unstable();
        four
    }

    fn tables(blocks: &[Block]) -> Vec<[i64; 4]> {
        blocks.iter().map(table).collect()
    }

    fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
        list.sort_unstable();
        list
    }

    #[test]
    fn a_round_robin_has_each_four_once_for_each_seed() {
        let plan = plan(Schedule::RoundRobin, 7, &[5, 3, -2]);
        let blocks = stages(&plan, |_| 0).concat();
        assert_eq!(plan.games(), 3 * 35 * 4);
        for (seed, of_seed) in [5, 3, -2].into_iter().zip(blocks.chunks(35)) {
            assert!(of_seed.iter().flat_map(|block| &block.jobs).all(|job| job.seed == seed));
            let fours: HashSet<_> = tables(of_seed).into_iter().collect();
            assert_eq!(fours.len(), 35);
            assert!(fours.iter().all(|four| four.windows(2).all(|pair| pair[0] < pair[1])));
        }
    }

    #[test]
    fn two_and_three_bots_meet_in_each_way() {
        let of = |bots| sorted(tables(&stages(&plan(Schedule::RoundRobin, bots, &[1]), |_| 0).concat()));
        assert_eq!(of(2), [[1, 1, 1, 2], [1, 1, 2, 2], [1, 2, 2, 2]]);
        assert_eq!(of(3), [[1, 1, 2, 3], [1, 2, 2, 3], [1, 2, 3, 3]]);
        assert_eq!(of(4), [[1, 2, 3, 4]]);
    }

    #[test]
    fn a_gauntlet_is_one_against_each_three_others() {
        let of = |bots| {
            let plan = plan(Schedule::Gauntlet { bot: BotId(9) }, bots, &[1]);
            sorted(tables(&stages(&plan, |_| 0).concat()))
        };
        assert_eq!(of(1), [[1, 1, 1, 9]]);
        assert_eq!(of(2), [[1, 1, 2, 9], [1, 2, 2, 9]]);
        assert_eq!(of(4), [[1, 2, 3, 9], [1, 2, 4, 9], [1, 3, 4, 9], [2, 3, 4, 9]]);
        assert_eq!(plan(Schedule::Gauntlet { bot: BotId(31) }, 30, &[1, 2]).games(), 2 * 4060 * 4);
        assert_eq!(plan(Schedule::Gauntlet { bot: BotId(3) }, 5, &[1]).bots(), [1, 2, 4, 5].map(BotId));
    }

    #[test]
    fn schedules_share_their_games() {
        let all: HashSet<Job> =
            stages(&plan(Schedule::RoundRobin, 6, &[1, 2, 3]), |_| 0).concat().into_iter().flat_map(|block| block.jobs).collect();
        let gauntlet = stages(&plan(Schedule::Gauntlet { bot: BotId(4) }, 6, &[3, 2]), |_| 0).concat();
        let fewer = stages(&plan(Schedule::RoundRobin, 5, &[2]), |_| 0).concat();
        assert!(gauntlet.iter().chain(&fewer).flat_map(|block| &block.jobs).all(|job| all.contains(job)));
    }

    #[test]
    fn neighbours_change_from_seed_to_seed() {
        let seeds: Vec<i32> = (-3..3).collect();
        let blocks = stages(&plan(Schedule::RoundRobin, 4, &seeds), |_| 0).concat();
        let rounds: HashSet<_> = blocks.iter().map(|block| block.jobs[0].seats).collect();
        assert_eq!(rounds.len(), 6);
    }

    #[test]
    fn a_large_plan_is_handed_out_in_parts() {
        let seeds: Vec<i32> = (1..=100).collect();
        let plan = plan(Schedule::RoundRobin, 30, &seeds);
        assert_eq!(plan.games(), 27_405 * 100 * 4);
        assert!(!plan.depends_on_results());
        let number_of_stages = (27_405_usize * 100).div_ceil(STAGE);
        let last = plan.stage(&vec![Vec::new(); number_of_stages - 1]).unwrap();
        assert_eq!(last.len(), 27_405 * 100 % STAGE);
        assert!(last[0].jobs.iter().all(|job| job.seed == 100));
        assert_eq!(plan.stage(&vec![Vec::new(); number_of_stages]), None);
    }

    #[test]
    fn a_part_of_a_seed_is_nearly_balanced() {
        let blocks = plan(Schedule::RoundRobin, 30, &[1]).stage(&[]).unwrap();
        let times = |bot| tables(&blocks).iter().filter(|four| four.contains(&bot)).count();
        let even = STAGE * 4 / 30;
        for bot in 1..=30 {
            assert!((even * 7 / 10..=even * 13 / 10).contains(&times(bot)), "bot {bot}: {} of about {even}", times(bot));
        }
    }

    #[test]
    fn swiss_rounds_sort_the_strong_from_the_weak() {
        let plan = plan(Schedule::Swiss { rounds: 3 }, 16, &[10, 20]);
        let stages = stages(&plan, |bot| 100 - bot.0 % 4);
        assert_eq!(stages.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);
        assert_eq!(tables(&stages[0]), [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]);
        assert_eq!(tables(&stages[1]), [[4, 8, 12, 16], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]);
        let seeds: Vec<i32> = stages.concat().iter().map(|block| block.jobs[0].seed).collect();
        assert_eq!(seeds, [10, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
        for (number, round) in stages.iter().enumerate() {
            assert_eq!(sorted(tables(round).concat()), (1..=16).collect::<Vec<_>>(), "round {number}");
        }
        let third: HashSet<_> = tables(&stages[2]).into_iter().collect();
        assert!(third.is_disjoint(&tables(&stages[1]).into_iter().collect()), "no table is there again: {third:?}");
    }

    #[test]
    fn seats_left_over_go_round() {
        for bots in [5, 6, 7, 9, 10] {
            let rounds = stages(&plan(Schedule::Swiss { rounds: 20 }, bots, &[1]), |bot| bot.0).into_iter();
            let mut games = vec![0_usize; bots as usize];
            for round in rounds {
                let seated = tables(&round).concat();
                assert_eq!(seated.iter().collect::<HashSet<_>>().len(), bots as usize, "all play");
                assert!(tables(&round).iter().all(|four| four.windows(2).all(|pair| pair[0] < pair[1])), "nobody meets itself");
                seated.iter().for_each(|bot| games[*bot as usize - 1] += 1);
            }
            let (fewest, most) = (games.iter().min().unwrap(), games.iter().max().unwrap());
            assert!(most - fewest <= 2, "{bots} bots: {games:?}");
        }
    }

    #[test]
    fn matches_are_even_and_between_near_bots() {
        let plan = plan(Schedule::Matchmaking { blocks: 300 }, 24, &[7]);
        let stages = stages(&plan, |bot| bot.0);
        assert_eq!((stages.len(), plan.games()), (300_usize.div_ceil(MATCHES), 1200));
        let fours = tables(&stages.concat());
        let times = |bot| fours.iter().filter(|four| four.contains(&bot)).count();
        assert!((1..=24).all(|bot| (35..=70).contains(&times(bot))), "{:?}", (1..=24).map(times).collect::<Vec<_>>());
        let together = |a, b| fours.iter().filter(|four| four.contains(&a) && four.contains(&b)).count();
        let at_distance =
            |apart: i64| (1..=24 - apart).map(|bot| together(bot, bot + apart)).sum::<usize>() as f64 / (24 - apart) as f64;
        assert!(at_distance(1) > 1.5 * at_distance(12), "{} {}", at_distance(1), at_distance(12));
        assert!(at_distance(20) > 0.0);
        assert!(fours.iter().all(|four| four.windows(2).all(|pair| pair[0] < pair[1])), "nobody meets itself");
    }

    #[test]
    fn who_has_played_least_plays_first() {
        let plan = plan(Schedule::Matchmaking { blocks: 2 * MATCHES as u32 }, 9, &[1]);
        // Bot 9 has been left out so far.
        let fours: Vec<Block> = (0..MATCHES as i32).map(|seed| at_table(seed, [1, 2, 3, 4].map(BotId).to_vec())).collect();
        let next = plan.stage(&[played(&fours, |bot| bot.0)]).unwrap();
        assert!(tables(&next)[..3].iter().all(|four| four.iter().any(|bot| *bot > 4)), "{:?}", tables(&next));
        assert!(tables(&next).iter().filter(|four| four.contains(&9)).count() >= 2);
    }

    #[test]
    fn plans_that_make_no_sense_are_refused() {
        let refused = |schedule, bots: &[i64], seeds: &[i32]| {
            Plan::new(schedule, bots.iter().copied().map(BotId).collect(), seeds.to_vec()).unwrap_err().to_string()
        };
        let swiss = |rounds| Schedule::Swiss { rounds };
        assert_eq!(refused(Schedule::RoundRobin, &[1], &[1]), "a round robin needs at least 2 bots; there are 1");
        assert_eq!(refused(swiss(3), &[1, 2, 3], &[1]), "a Swiss tournament needs at least 4 bots; there are 3");
        let alone = refused(Schedule::Gauntlet { bot: BotId(1) }, &[1], &[1]);
        assert_eq!(alone, "a gauntlet is run against at least 1 other bot; there are 0");
        let doubled = refused(Schedule::RoundRobin, &[2, 1, 2], &[1]);
        assert_eq!(doubled, "bot number 2 is in the plan twice; each bot may be there once");
        assert_eq!(refused(Schedule::RoundRobin, &[1, 2], &[]), "the plan has no seeds; at least one is needed");
        assert_eq!(
            refused(Schedule::RoundRobin, &[1, 2], &[4, 5, 4]),
            "seed 4 is in the plan twice; each seed may be there once"
        );
        assert_eq!(
            refused(swiss(0), &[1, 2, 3, 4], &[1]),
            "a Swiss tournament with 0 rounds plays nothing; at least 1 is accepted"
        );
        let matchmaking = refused(Schedule::Matchmaking { blocks: 0 }, &[1, 2, 3, 4], &[1]);
        assert_eq!(matchmaking, "matchmaking with 0 blocks plays nothing; at least 1 is accepted");
        let out = refused(swiss(3), &[1, 2, 3, 4], &[i32::MAX - 1]);
        assert_eq!(out, "the plan wants 3 seeds, one for each block, and those after the given ones end at 2147483647");
        assert!(Plan::new(swiss(2), (1..=4).map(BotId).collect(), vec![i32::MAX - 1]).is_ok());
    }
}
