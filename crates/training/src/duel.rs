//! Duels: two players on two seats each, in fair seatings of the same map, and the difference in points.

use pacman2_bots::playout::play_to_end;
use pacman2_maps::MapError;
use pacman2_rules::{BySeat, Game};

use crate::league::{Entrant, League};
use crate::league_player::LeaguePlayer;
use crate::record::begin;

/// The seats of the first of two players in the games of a block. Each player has each seat twice.
pub const SEATINGS: [[bool; 4]; 4] =
    [[true, true, false, false], [false, false, true, true], [true, false, false, true], [false, true, true, false]];

/// The four games of a duel on one map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DuelBlock {
    /// The seed of Botzone's map.
    pub map: i32,
    /// For each game, the mean lead of a seat of the first player over a seat of the second, in hundredths of official points
    /// times two, which makes it an integer.
    pub doubled: [i64; 4],
}

/// The number of blocks below which there is no interval: it would say next to nothing.
const MIN_BLOCKS: usize = 5;

/// The mean difference between two players, with a confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DuelEstimate {
    /// The mean difference per seat, in official points.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval, in points; `None` for fewer than five blocks.
    pub margin: Option<f64>,
}

impl DuelBlock {
    /// Plays the four games on Botzone's map of seed `map`. Each search runs `simulations` simulations.
    ///
    /// Returns `None` if `goes_on` returned false before the last game ended.
    ///
    /// # Errors
    ///
    /// If Botzone makes no map from this seed.
    ///
    /// # Panics
    ///
    /// If a player is a net that the league does not have.
    ///
    /// ```
    /// use pacman2_training::{DuelBlock, DuelEstimate, League, LeaguePlayer};
    ///
    /// let league = League::new(Vec::new());
    /// let block = DuelBlock::play(&league, [LeaguePlayer::Greedy, LeaguePlayer::Greedy], 1, 7, || true)?;
    /// let estimate = DuelEstimate::from_blocks(&[block.expect("not interrupted")]);
    /// assert_eq!(estimate.mean, 0.0, "a player ties with itself");
    /// # Ok::<(), pacman2_maps::MapError>(())
    /// ```
    pub fn play(
        league: &League,
        players: [LeaguePlayer; 2],
        simulations: u32,
        map: i32,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<DuelBlock>, MapError> {
        let mut doubled = [0; 4];
        for (difference, is_first) in doubled.iter_mut().zip(SEATINGS) {
            let players = BySeat(is_first.map(|is_first| players[usize::from(!is_first)]));
            let Some(scores) = play(league, &players, simulations, map, &goes_on)? else { return Ok(None) };
            *difference = scores.0.iter().zip(is_first).map(|(score, is_first)| if is_first { *score } else { -score }).sum();
        }
        Ok(Some(DuelBlock { map, doubled }))
    }

    /// Returns the first player's mean lead in points.
    fn difference(&self) -> f64 {
        self.doubled.iter().sum::<i64>() as f64 / 4.0 / 200.0
    }
}

impl DuelEstimate {
    /// Estimates the difference from independent blocks.
    ///
    /// ```
    /// use pacman2_training::{DuelBlock, DuelEstimate};
    ///
    /// let blocks = [DuelBlock { map: 1, doubled: [200; 4] }, DuelBlock { map: 2, doubled: [600; 4] }];
    /// assert_eq!(DuelEstimate::from_blocks(&blocks).mean, 2.0);
    /// ```
    #[must_use]
    pub fn from_blocks(blocks: &[DuelBlock]) -> DuelEstimate {
        let differences: Vec<f64> = blocks.iter().map(DuelBlock::difference).collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n.max(1.0);
        let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
        let margin = (blocks.len() >= MIN_BLOCKS).then(|| student(n - 1.0) * (squares / (n - 1.0) / n).sqrt());
        DuelEstimate { mean, margin }
    }
}

/// Returns the 97.5 % quantile of Student's t distribution, by a series that is accurate within 2 % from 4 degrees of freedom.
fn student(freedom: f64) -> f64 {
    1.96 + 2.372 / freedom + 2.823 / (freedom * freedom)
}

/// Plays one game and returns the scores in hundredths.
fn play(
    league: &League,
    players: &BySeat<LeaguePlayer>,
    simulations: u32,
    map: i32,
    goes_on: &impl Fn() -> bool,
) -> Result<Option<BySeat<i64>>, MapError> {
    let mut game = begin(map)?;
    let mut entrants = BySeat::from_fn(|seat| league.start(players[seat], simulations));
    let decide = |game: &Game, seat| match &mut entrants[seat] {
        Entrant::Searching(sage) => sage.decide(game, seat, map),
        Entrant::Direct(agent) => agent(game, seat, map),
    };
    let is_over = play_to_end(&mut game, decide, goes_on);
    Ok(is_over.then(|| game.scores().map(|score| score.hundredths)))
}
