//! Two players on two seats each, on the same map in all ways that are fair, and what that says of them.

use pacman2_maps::MapError;
use pacman2_rules::{Action, BySeat, Seat};

use crate::league::{League, LeaguePlayer};
use crate::record::begin;
use crate::self_play::at_once;

/// Who has the seats of the first of two players. Everybody has each seat twice.
pub const SEATINGS: [[bool; 4]; 4] =
    [[true, true, false, false], [false, false, true, true], [true, false, false, true], [false, true, true, false]];

/// The games on one map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DuelBlock {
    /// The seed of Botzone's map.
    pub map: i32,
    /// By how many hundredths of official points a seat of the first player was ahead of one of the second in each game,
    /// doubled, so that it is a whole number.
    pub doubled: [i64; 4],
}

/// A mean, and how far it may be off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DuelEstimate {
    /// The mean.
    pub mean: f64,
    /// Half of the interval that holds the true mean in 95 cases of 100; `None` of fewer than two blocks.
    pub margin: Option<f64>,
}

impl DuelBlock {
    /// Plays the games on this map; `None` if `goes_on` said no before their end. All searches have so many simulations.
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

    /// By how many points the first player was ahead.
    fn difference(&self) -> f64 {
        self.doubled.iter().sum::<i64>() as f64 / 4.0 / 200.0
    }
}

impl DuelEstimate {
    /// What blocks say.
    pub fn of(blocks: &[DuelBlock]) -> DuelEstimate {
        let differences: Vec<f64> = blocks.iter().map(DuelBlock::difference).collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n.max(1.0);
        let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
        let margin = (blocks.len() > 1).then(|| student(n - 1.0) * (squares / (n - 1.0) / n).sqrt());
        DuelEstimate { mean, margin }
    }
}

/// How many standard errors hold 95 cases of 100 with so many degrees of freedom, by a series; from 4 on it is right within
/// 2 %.
fn student(freedom: f64) -> f64 {
    1.96 + 2.372 / freedom + 2.823 / (freedom * freedom)
}

/// Scores in hundredths.
fn play(
    league: &League,
    players: &BySeat<LeaguePlayer>,
    simulations: u32,
    map: i32,
    goes_on: &impl Fn() -> bool,
) -> Result<Option<BySeat<i64>>, MapError> {
    let mut game = begin(map)?;
    let mut sages = BySeat::from_fn(|seat| league.sage(players[seat], simulations));
    while !game.is_over() {
        if !goes_on() {
            return Ok(None);
        }
        let alive = game.state().alive;
        let mut decide = |seat: Seat| match &mut sages[seat] {
            _ if !alive.contains(seat) => Action::Stay,
            Some(sage) => sage.decide(&game, seat, map),
            None => at_once(players[seat])(&game, seat, map),
        };
        let actions = BySeat::from_fn(&mut decide);
        game.play(&actions);
    }
    Ok(Some(game.scores().map(|score| score.hundredths)))
}
