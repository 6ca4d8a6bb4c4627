//! What each machine that played games of an arena contributed, and how far its results are from those of the others.
//!
//! A machine that is too slow, overloaded or broken shows in the results of bots that play there: they run out of time more often, or
//! end in other places. For each bot, the places and time-outs of its seats on the machine are compared with those on all other
//! machines, as a table of two rows; the sum of all chi-squares is the residual.

use std::collections::{BTreeMap, BTreeSet};

use pacman2_botzone::response::Verdict;
use pacman2_rules::Seat;
use serde::Serialize;

use crate::game::{BotId, GameResult, SeatResult, us_as_ms};

/// The outcomes of a seat that are counted separately: its place, and that it ran out of time.
const OUTCOMES: usize = Seat::ALL.len() + 1;
/// Outcomes that are expected less often than this are counted together with others.
const MIN_EXPECTED: f64 = 5.0;

/// A machine that played games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NodeReport {
    /// Its name; `None` is the machine of the arena.
    pub node: Option<String>,
    /// The games that it played.
    pub games: usize,
    /// How often a bot ran out of time in them.
    pub time_outs: usize,
    /// How often games were played again because the machine had stalled.
    pub replayed: u32,
    /// The slowest response, in microseconds.
    #[serde(rename = "slowest_ms", serialize_with = "us_as_ms")]
    pub slowest_us: u64,
    /// How far the results are from those of the other machines; `None` if no bot played often enough on both.
    pub residual: Option<Residual>,
}

/// A sum of chi-squares.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Residual {
    /// The sum.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The probability of such a sum or a larger one if the machines play alike.
    pub p_value: f64,
}

/// Returns a report of each machine that played some of these games; none if all were played by one machine.
///
/// ```
/// assert_eq!(pacman2_tournament::nodes::node_reports(&[]), []);
/// ```
#[must_use]
pub fn node_reports(games: &[GameResult]) -> Vec<NodeReport> {
    let nodes: BTreeSet<&Option<String>> = games.iter().map(|game| &game.node).collect();
    if nodes.len() < 2 {
        return Vec::new();
    }
    let mut counts: BTreeMap<&Option<String>, NodeCounts> = BTreeMap::new();
    for game in games {
        counts.entry(&game.node).or_default().add(game);
    }
    let mut all: BTreeMap<BotId, Outcomes> = BTreeMap::new();
    for (bot, outcomes) in counts.values().flat_map(|node| &node.outcomes) {
        all.entry(*bot).or_default().add(outcomes);
    }
    let report = |(node, counts): (&Option<String>, NodeCounts)| {
        let NodeCounts { games, time_outs, replayed, slowest_us, outcomes } = counts;
        let residual = residual(&outcomes, &all);
        NodeReport { node: node.clone(), games, time_outs, replayed, slowest_us, residual }
    };
    counts.into_iter().map(report).collect()
}

/// What a machine played.
#[derive(Default)]
struct NodeCounts {
    games: usize,
    time_outs: usize,
    replayed: u32,
    slowest_us: u64,
    outcomes: BTreeMap<BotId, Outcomes>,
}

impl NodeCounts {
    fn add(&mut self, game: &GameResult) {
        self.games += 1;
        self.replayed += game.replayed;
        for seat in &game.seats.0 {
            let outcome = outcome(seat);
            self.time_outs += usize::from(outcome == OUTCOMES - 1);
            self.slowest_us = self.slowest_us.max(seat.slowest_us);
            self.outcomes.entry(seat.bot).or_default().0[outcome] += 1;
        }
    }
}

/// How often each outcome came.
#[derive(Clone, Copy, Default)]
struct Outcomes([u64; OUTCOMES]);

impl Outcomes {
    fn add(&mut self, other: &Outcomes) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, count)| *sum += count);
    }
}

fn outcome(seat: &SeatResult) -> usize {
    let is_time_out = seat.fault.is_some_and(|fault| fault.kind == Verdict::Tle);
    if is_time_out { OUTCOMES - 1 } else { usize::from(seat.place.clamp(1, 4)) - 1 }
}

fn residual(node: &BTreeMap<BotId, Outcomes>, all: &BTreeMap<BotId, Outcomes>) -> Option<Residual> {
    let (mut chi_square, mut degrees) = (0.0, 0);
    for (bot, here) in node {
        let Some(all) = all.get(bot) else { continue };
        let (sum, more) = chi_square_of(here, all);
        chi_square += sum;
        degrees += more;
    }
    (degrees > 0).then(|| Residual { chi_square, degrees, p_value: chi_square_tail(chi_square, degrees) })
}

/// Returns the chi-square of a bot's outcomes here against those elsewhere, and its degrees of freedom.
fn chi_square_of(here: &Outcomes, all: &Outcomes) -> (f64, usize) {
    let [here_sum, sum] = [here, all].map(|outcomes| outcomes.0.iter().sum::<u64>() as f64);
    let rest_sum = sum - here_sum;
    if here_sum == 0.0 || rest_sum == 0.0 {
        return (0.0, 0);
    }
    // Rare outcomes are merged, the rarest first.
    let mut columns: Vec<[u64; 2]> = here.0.iter().zip(all.0).map(|(&here, all)| [here, all]).collect();
    columns.retain(|&[_, all]| all > 0);
    columns.sort_by_key(|&[_, all]| all);
    let is_rare = |all: u64| all as f64 * here_sum.min(rest_sum) / sum < MIN_EXPECTED;
    while columns.len() > 1 && is_rare(columns[0][1]) {
        let [here, all] = columns.remove(0);
        columns[0] = [columns[0][0] + here, columns[0][1] + all];
        columns.sort_by_key(|&[_, all]| all);
    }
    let of_column = |&[here, all]: &[u64; 2]| {
        let (here, all) = (here as f64, all as f64);
        let part = |found: f64, row: f64| (found - all * row / sum).powi(2) / (all * row / sum);
        part(here, here_sum) + part(all - here, rest_sum)
    };
    (columns.iter().map(of_column).sum(), columns.len() - 1)
}

/// Returns the probability that a chi-square with these degrees of freedom is at least `value`.
///
/// The incomplete gamma function is a finite sum for whole and half numbers. Its terms are logarithms, since they may be tiny.
fn chi_square_tail(value: f64, degrees: usize) -> f64 {
    let half = value / 2.0;
    if half <= 0.0 {
        return 1.0;
    }
    let (first, first_exponent) = if degrees.is_multiple_of(2) { (0.0, 0.0) } else { (libm::erfc(half.sqrt()), 0.5) };
    let term = |number: usize| {
        let exponent = first_exponent + number as f64;
        (exponent * half.ln() - half - libm::lgamma(exponent + 1.0)).exp()
    };
    (first + (0..degrees / 2).map(term).sum::<f64>()).min(1.0)
}
