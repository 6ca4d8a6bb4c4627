//! Schedules: a [`Plan`] hands out blocks of games stage by stage.
//!
//! A plan depends only on its arguments and on the results of earlier stages. An interrupted run therefore asks for the same blocks
//! again, skips the stored games, and continues. A block depends only on its four bots and its seed, so a new bot leaves the games of
//! the others unchanged, and schedules share games.

use std::cmp::Reverse;

use crate::game::{Block, BotId, GameResult};
use crate::online::{OnlineRating, OnlineRatings};

/// The number of blocks in a stage of a round robin or a gauntlet: few enough for memory, many enough to keep all cores busy.
pub const BLOCKS_PER_STAGE: usize = 1024;

/// The minimum number of blocks in a stage of matchmaking, which keeps cores busy. Ratings change only between stages.
pub const MIN_MATCHMAKING_BLOCKS: usize = 8;

/// How opponents are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Every combination of four bots on the map of every seed. The seeds come one after another, so an interrupted run is nearly
    /// balanced; within a seed the combinations are well mixed.
    ///
    /// Two or three bots fill the four seats in every way that includes all of them: A A A B, A A B B and A B B B.
    RoundRobin,
    /// One bot against every combination of three others on the map of every seed, in a similar order. One or two others fill the
    /// three seats in every way that includes all of them.
    Gauntlet {
        /// The bot. It need not be among the bots of the plan.
        bot: BotId,
    },
    /// Rounds between bots with similar mean points so far. From the top, each lineup takes the bots that have met its members least
    /// often, then the next in points. The first round goes by number.
    ///
    /// If the number of bots is not a multiple of four, the seats left in the last lineup go to the bots that have played least, then to
    /// those that have met its members least often, then to the lowest. These bots play twice.
    Swiss {
        /// The number of rounds.
        rounds: u32,
    },
    /// The bot that has played least is next (then the most uncertain one, then by number). Its three opponents minimise (1 + shared
    /// blocks) × (1 + difference of online ratings, in units of its uncertainty). Bots of similar strength meet often, others
    /// sometimes.
    Matchmaking {
        /// The total number of blocks.
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

/// An error in the arguments of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The schedule, the number of bots (in a gauntlet, of opponents), and the minimum.
    #[error(
        "expected at least {least} {kind} for {schedule}, got {1}",
        least = .2,
        kind = if matches!(.0, Schedule::Gauntlet { .. }) { "opponent" } else { "bots" },
        schedule = .0.name(),
    )]
    TooFewBots(Schedule, usize, usize),
    /// A bot appears twice.
    #[error("expected each bot once, got number {bot} twice", bot = .0.0)]
    DuplicateBot(BotId),
    /// There are no seeds.
    #[error("expected at least one seed, got none")]
    NoSeeds,
    /// A seed appears twice.
    #[error("expected each seed once, got {0} twice")]
    DuplicateSeed(i32),
    /// The schedule has no rounds or no blocks.
    #[error(
        "expected at least 1 {kind} for {schedule}, got 0",
        kind = if matches!(.0, Schedule::Swiss { .. }) { "round" } else { "block" },
        schedule = .0.name(),
    )]
    Empty(Schedule),
    /// There are too few seeds above the given ones for this many blocks.
    #[error("expected {0} seeds, one per block; those above the given ones end at {max}", max = i32::MAX)]
    SeedsRunOut(usize),
}

/// A schedule applied to bots and maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    schedule: Schedule,
    bots: Vec<BotId>,
    seeds: Vec<i32>,
}

impl Plan {
    /// Creates a plan for these bots, in any order, on the maps of these seeds.
    ///
    /// A round robin and a gauntlet play on all seeds. A Swiss tournament and matchmaking use one seed per block in the given order, and
    /// continue with the greatest seed plus 1 when none is left.
    ///
    /// # Errors
    ///
    /// If there are too few bots, no seeds, duplicates, or nothing to play.
    ///
    /// ```
    /// use pacman2_tournament::BotId;
    /// use pacman2_tournament::schedule::{Plan, Schedule};
    ///
    /// let bots: Vec<BotId> = (1..=5).map(BotId).collect();
    /// let plan = Plan::new(Schedule::RoundRobin, bots, vec![1, 2])?;
    /// assert_eq!(plan.games(), 5 * 2 * 4, "5 combinations, 2 maps, 4 seatings");
    /// assert_eq!(plan.stage(&[]).expect("the first stage").len(), 10);
    ///
    /// let error = Plan::new(Schedule::RoundRobin, vec![BotId(1)], vec![1]).unwrap_err();
    /// assert_eq!(error.to_string(), "expected at least 2 bots for a round robin, got 1");
    /// # Ok::<(), pacman2_tournament::schedule::PlanError>(())
    /// ```
    pub fn new(schedule: Schedule, mut bots: Vec<BotId>, seeds: Vec<i32>) -> Result<Plan, PlanError> {
        bots.sort_unstable();
        if let Some(bot) = duplicate(&bots) {
            return Err(PlanError::DuplicateBot(bot));
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
        if let Some(seed) = duplicate(&sorted) {
            return Err(PlanError::DuplicateSeed(seed));
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

    /// Returns how opponents are chosen.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Returns the bots in order of their numbers; in a gauntlet, the opponents.
    #[must_use]
    pub fn bots(&self) -> &[BotId] {
        &self.bots
    }

    /// Returns the total number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        self.blocks().saturating_mul(4)
    }

    /// Returns how many seats each bot has in all games together, on average over the results that a plan may depend on.
    ///
    /// ```
    /// use pacman2_tournament::BotId;
    /// use pacman2_tournament::schedule::{Plan, Schedule};
    ///
    /// let plan = Plan::new(Schedule::Gauntlet { bot: BotId(1) }, [1, 2, 3, 4, 5].map(BotId).to_vec(), vec![1])?;
    /// assert_eq!(plan.seats_by_bot()[0], (BotId(1), 16.0));
    /// assert_eq!(plan.seats_by_bot()[1], (BotId(2), 12.0));
    /// # Ok::<(), pacman2_tournament::schedule::PlanError>(())
    /// ```
    #[must_use]
    pub fn seats_by_bot(&self) -> Vec<(BotId, f64)> {
        let games = self.games() as f64;
        let challenger = match self.schedule {
            Schedule::Gauntlet { bot } => Some((bot, games)),
            _ => None,
        };
        let of_each = games * self.chosen() as f64 / self.bots.len() as f64;
        challenger.into_iter().chain(self.bots.iter().map(|&bot| (bot, of_each))).collect()
    }

    /// Returns whether later stages depend on the results of earlier ones. If not, [`stage`](Plan::stage) only counts the stages, so it
    /// accepts empty lists in place of results.
    #[must_use]
    pub fn depends_on_results(&self) -> bool {
        !self.plays_all_seeds()
    }

    /// Returns the blocks of the next stage, given the results of all earlier stages in the order of their games, or `None` if the plan
    /// is complete.
    #[must_use]
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

    /// Returns the stages of a plan that does not depend on results.
    ///
    /// # Panics
    ///
    /// In debug builds, if it does.
    ///
    /// ```
    /// use pacman2_tournament::BotId;
    /// use pacman2_tournament::schedule::{Plan, Schedule};
    ///
    /// let bots = [1, 2, 3, 4, 5].map(BotId).to_vec();
    /// let plan = Plan::new(Schedule::RoundRobin, bots, (0..500).collect())?;
    /// assert_eq!(plan.stages_without_results().map(|stage| stage.len()).sum::<usize>(), 5 * 500);
    /// # Ok::<(), pacman2_tournament::schedule::PlanError>(())
    /// ```
    pub fn stages_without_results(&self) -> impl Iterator<Item = Vec<Block>> {
        debug_assert!(!self.depends_on_results(), "the stages of this plan depend on results");
        (0..).map_while(|earlier| self.stage(&vec![Vec::new(); earlier]))
    }

    /// Returns the number of ways to choose four of these bots.
    ///
    /// ```
    /// use pacman2_tournament::schedule::Plan;
    ///
    /// assert_eq!(Plan::combinations_of_four(100), 3_921_225);
    /// ```
    #[must_use]
    pub fn combinations_of_four(bots: usize) -> usize {
        choose(bots, 4)
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
            Schedule::RoundRobin | Schedule::Gauntlet { .. } => BLOCKS_PER_STAGE,
            Schedule::Swiss { .. } => self.bots.len().div_ceil(4),
            Schedule::Matchmaking { .. } => self.bots.len().div_ceil(4).max(MIN_MATCHMAKING_BLOCKS),
        }
    }

    /// Returns how many of the bots are chosen for a block.
    fn chosen(&self) -> usize {
        if matches!(self.schedule, Schedule::Gauntlet { .. }) { 3 } else { 4 }
    }

    fn groups(&self) -> usize {
        groups(self.bots.len(), self.chosen())
    }

    /// Returns a block of a round robin or a gauntlet by number.
    fn listed(&self, number: usize) -> Block {
        let groups = self.groups();
        let rank = mixed(number % groups, groups);
        let mut four: Vec<BotId> = group(rank, self.bots.len(), self.chosen()).into_iter().map(|bot| self.bots[bot]).collect();
        if let Schedule::Gauntlet { bot } = self.schedule {
            four.push(bot);
        }
        block_of(self.seeds[number / groups], four)
    }

    fn on_seeds(&self, numbers: std::ops::Range<usize>, tables: Vec<Vec<usize>>) -> Vec<Block> {
        let bots = |table: Vec<usize>| table.into_iter().map(|bot| self.bots[bot]).collect();
        numbers.zip(tables).map(|(number, table)| block_of(self.seed(number), bots(table))).collect()
    }

    /// Returns the seed of a block. `new` has checked that there is one.
    fn seed(&self, number: usize) -> i32 {
        let after = || {
            let greatest = self.seeds.iter().copied().max().unwrap_or(0);
            greatest + 1 + (number - self.seeds.len()) as i32
        };
        self.seeds.get(number).copied().unwrap_or_else(after)
    }

    /// Returns the lineups of a Swiss round.
    fn round(&self, earlier: &[Vec<GameResult>]) -> Vec<Vec<usize>> {
        let mut history = History::from_results(&self.bots, earlier);
        let mut ranking: Vec<usize> = (0..self.bots.len()).collect();
        ranking.sort_by(|&a, &b| history.mean_points(b).total_cmp(&history.mean_points(a)));
        let mut waiting = ranking.clone();
        let mut tables = Vec::new();
        while !waiting.is_empty() {
            let mut table = vec![waiting.remove(0)];
            while table.len() < 4 {
                let next = (0..waiting.len()).min_by_key(|&place| history.meetings(waiting[place], &table));
                table.push(match next {
                    Some(place) => waiting.remove(place),
                    None => history.filler(&ranking, &table),
                });
            }
            history.add_block(&table);
            tables.push(table);
        }
        tables
    }

    /// Returns the lineups of a stage of matchmaking.
    fn matches(&self, count: usize, earlier: &[Vec<GameResult>]) -> Vec<Vec<usize>> {
        let mut history = History::from_results(&self.bots, earlier);
        let mut online = OnlineRatings::new();
        earlier.iter().flatten().for_each(|game| online.observe(game));
        let ratings: Vec<OnlineRating> = self.bots.iter().map(|&bot| online.rating(bot)).collect();
        let mut tables = Vec::with_capacity(count);
        for _ in 0..count {
            let met = |a: usize, b: usize| history.met[a][b];
            let Some(table) = next_match(&ratings, 0..ratings.len(), |bot| history.games[bot], met) else { break };
            history.add_block(&table);
            tables.push(table);
        }
        tables
    }
}

/// Returns the first duplicate in a sorted list.
fn duplicate<T: Copy + PartialEq>(sorted: &[T]) -> Option<T> {
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Returns the block of four bots on the map of a seed.
///
/// Within a block each bot has each seat, but the cyclic order stays the same. It changes from seed to seed through all six cyclic
/// orders.
pub(crate) fn block_of(seed: i32, mut four: Vec<BotId>) -> Block {
    const WAYS: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1], [0, 1, 3, 2], [0, 2, 1, 3]];
    four.sort_unstable();
    Block::from_four(seed, WAYS[seed.rem_euclid(6) as usize].map(|place| four[place]))
}

/// Returns the binomial coefficient.
fn choose(of: usize, chosen: usize) -> usize {
    (0..chosen).fold(1_u128, |ways, done| ways * (of as u128).saturating_sub(done as u128) / (done as u128 + 1)) as usize
}

/// Returns the number of [groups](group).
fn groups(count: usize, size: usize) -> usize {
    if count >= size { choose(count, size) } else { choose(size - 1, size - count) }
}

/// Returns the group of that rank: `size` different numbers below `count`; if there are fewer numbers, all of them with repetitions.
fn group(rank: usize, count: usize, size: usize) -> Vec<usize> {
    if count >= size {
        return combination(rank, count, size);
    }
    // A multiset in order becomes a set of distinct numbers if each is raised by its index.
    let again = combination(rank, size - 1, size - count);
    (0..count).chain(again.iter().enumerate().map(|(place, raised)| raised - place)).collect()
}

/// Returns the combination of that rank in lexicographic order.
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

/// Permutes the ranks so that neighbours are far apart and every part of a seed is nearly balanced: steps of the golden ratio.
fn mixed(place: usize, count: usize) -> usize {
    let golden = (count as f64 * 0.618_033_988_749_895) as usize;
    let step = (golden.max(1)..).find(|&step| greatest_common_divisor(step, count) == 1).unwrap_or(1);
    (place as u128 * step as u128 % count as u128) as usize
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Returns the lineup of the next match, for one of the bots that are `seeking` one; `None` if none is.
pub(crate) fn next_match(
    ratings: &[OnlineRating],
    seeking: impl Iterator<Item = usize>,
    games: impl Fn(usize) -> u32,
    met: impl Fn(usize, usize) -> u32,
) -> Option<Vec<usize>> {
    let eager =
        |a: &usize, b: &usize| games(*a).cmp(&games(*b)).then(ratings[*b].uncertainty.total_cmp(&ratings[*a].uncertainty));
    let first = seeking.min_by(eager)?;
    let cost = |other: usize| {
        let (a, b) = (ratings[first], ratings[other]);
        let apart = (a.rating - b.rating).abs() / a.uncertainty.hypot(b.uncertainty).max(f64::MIN_POSITIVE);
        let blocks = f64::from(met(first, other)) / 4.0;
        (1.0 + blocks) * (1.0 + apart)
    };
    let others = (0..ratings.len()).filter(|&bot| bot != first);
    let mut others: Vec<(f64, usize)> = others.map(|bot| (cost(bot), bot)).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(std::iter::once(first).chain(others.iter().take(3).map(|(_, bot)| *bot)).collect())
}

/// Games and points of the bots by index in the plan, including the games of the stage in preparation.
struct History {
    /// Games, including this stage.
    games: Vec<u32>,
    /// Finished games.
    finished: Vec<u32>,
    /// Points in finished games, in hundredths.
    hundredths: Vec<i64>,
    /// Games together, including this stage.
    met: Vec<Vec<u32>>,
}

impl History {
    fn from_results(bots: &[BotId], earlier: &[Vec<GameResult>]) -> History {
        let nothing = vec![0; bots.len()];
        let mut history = History {
            games: nothing.clone(),
            finished: nothing.clone(),
            hundredths: vec![0; bots.len()],
            met: vec![nothing; bots.len()],
        };
        for game in earlier.iter().flatten() {
            let table: Vec<usize> = game.seats.0.iter().filter_map(|seat| bots.binary_search(&seat.bot).ok()).collect();
            history.count(&table, 1);
            for seat in &game.seats.0 {
                if let Ok(bot) = bots.binary_search(&seat.bot) {
                    history.finished[bot] += 1;
                    history.hundredths[bot] += seat.hundredths;
                }
            }
        }
        history
    }

    fn count(&mut self, table: &[usize], games: u32) {
        for &bot in table {
            self.games[bot] += games;
            for &other in table {
                self.met[bot][other] += games;
            }
        }
    }

    /// Adds the games of a planned block.
    fn add_block(&mut self, table: &[usize]) {
        self.count(table, 4);
    }

    fn mean_points(&self, bot: usize) -> f64 {
        self.hundredths[bot] as f64 / f64::from(self.finished[bot].max(1))
    }

    /// Returns how often a bot has met the members of a lineup.
    fn meetings(&self, bot: usize, table: &[usize]) -> u32 {
        table.iter().map(|&other| self.met[bot][other]).sum()
    }

    /// Returns the bot that takes a free seat.
    fn filler(&self, ranking: &[usize], table: &[usize]) -> usize {
        let free = ranking.iter().enumerate().filter(|(_, bot)| !table.contains(bot));
        let best = free.min_by_key(|&(place, &bot)| (self.games[bot], self.meetings(bot, table), Reverse(place)));
        best.map_or(table[0], |(_, &bot)| bot)
    }
}
