//! A ladder: games without end between bots that come and go.

use std::collections::BTreeMap;

use crate::game::{Block, BotId, GameResult};
use crate::online::OnlineRatings;
use crate::schedule::{block_of, next_match};

/// Chooses the blocks of a ladder from what was played before.
///
/// ```
/// use pacman2_tournament::BotId;
/// use pacman2_tournament::ladder::Ladder;
///
/// let blocks = Ladder::default().next_blocks(1, 2, &[BotId(5)], &[1, 2, 3, 4, 5].map(BotId));
/// assert!(blocks.iter().all(|block| block.jobs[0].seats.0.contains(&BotId(5))));
/// ```
#[derive(Clone, Default, Debug)]
pub struct Ladder {
    ratings: OnlineRatings,
    /// How many games each bot has played.
    games: BTreeMap<BotId, u32>,
    /// How many games two bots have played together, the lower number first.
    met: BTreeMap<(BotId, BotId), u32>,
}

impl Ladder {
    /// Counts a game.
    pub fn observe(&mut self, game: &GameResult) {
        self.ratings.observe(game);
        let bots = distinct(game);
        for (index, &bot) in bots.iter().enumerate() {
            *self.games.entry(bot).or_default() += 1;
            for &other in &bots[index + 1..] {
                *self.met.entry((bot, other)).or_default() += 1;
            }
        }
    }

    /// Returns how many games a bot has played.
    #[must_use]
    pub fn games(&self, bot: BotId) -> u32 {
        self.games.get(&bot).copied().unwrap_or_default()
    }

    /// Returns the next blocks, each with a seed of its own: for the bot of `seeking` that has played least, against those of `bots`
    /// that are close to it and that it has met least often. Without four bots, or bots that seek games, there is no block.
    ///
    /// The bots of `seeking` have to be among `bots`.
    #[must_use]
    pub fn next_blocks(&self, first_seed: i32, count: usize, seeking: &[BotId], bots: &[BotId]) -> Vec<Block> {
        if bots.len() < 4 {
            return Vec::new();
        }
        let mut planned: Vec<Vec<BotId>> = Vec::new();
        let mut blocks = Vec::new();
        for seed in (first_seed..).take(count) {
            let of_planned =
                |both: &[BotId]| 4 * planned.iter().filter(|four| both.iter().all(|bot| four.contains(bot))).count() as u32;
            let games = |bot: BotId| self.games(bot) + of_planned(&[bot]);
            let met = |a: BotId, b: BotId| self.met(a, b) + of_planned(&[a, b]);
            // Among opponents that are equally close, those come first that have played least.
            let mut bots = bots.to_vec();
            bots.sort_by_key(|&bot| (games(bot), bot));
            let ratings: Vec<_> = bots.iter().map(|&bot| self.ratings.rating(bot)).collect();
            let seeking = (0..bots.len()).filter(|&bot| seeking.contains(&bots[bot]));
            let Some(four) = next_match(&ratings, seeking, |bot| games(bots[bot]), |a, b| met(bots[a], bots[b])) else { break };
            let four: Vec<BotId> = four.into_iter().map(|bot| bots[bot]).collect();
            blocks.push(block_of(seed, four.clone()));
            planned.push(four);
        }
        blocks
    }

    fn met(&self, a: BotId, b: BotId) -> u32 {
        self.met.get(&(a.min(b), a.max(b))).copied().unwrap_or_default()
    }
}

/// Returns the blocks of [`Ladder::next_blocks`] of which some games were played and others were not.
#[must_use]
pub fn unfinished(games: &[GameResult]) -> Vec<Block> {
    let mut by_block: BTreeMap<&str, Vec<&GameResult>> = BTreeMap::new();
    for game in games {
        by_block.entry(&game.block).or_default().push(game);
    }
    let begun = by_block.values().filter(|games| games.len() < 4);
    begun.filter_map(|games| games.first()).map(|game| block_of(game.seed, distinct(game))).collect()
}

/// Returns the bots of a game in order, each once.
fn distinct(game: &GameResult) -> Vec<BotId> {
    let mut bots = game.seats.0.each_ref().map(|seat| seat.bot).to_vec();
    bots.sort_unstable();
    bots.dedup();
    bots
}
