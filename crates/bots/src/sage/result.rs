//! The result of a search.

use pacman2_rules::{Action, BySeat};

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The number of simulations.
    pub simulations: u32,
    /// The expected official points of each seat.
    pub points: BySeat<f32>,
    /// The searched actions of each seat; empty for dead players.
    pub options: BySeat<Vec<RootAction>>,
}

/// An action at the root of a search, with its statistics.
#[derive(Clone, PartialEq, Debug)]
pub struct RootAction {
    /// The action.
    pub action: Action,
    /// The number of simulations that began with it.
    pub visits: u32,
    /// The seat's expected official points after it: the mean of these simulations.
    pub points: f32,
    /// The standard error of that mean.
    pub error: f32,
    /// The principal variation: the expected actions of all seats from this turn on.
    pub pv: Vec<BySeat<Action>>,
}

impl SearchResult {
    /// Adds what another search of the same position found.
    pub(super) fn and(self, other: SearchResult) -> SearchResult {
        let simulations = self.simulations + other.simulations;
        let mean = |one: f32, other_one: f32, parts: [u32; 2]| {
            let [part, rest] = parts.map(f64::from);
            ((f64::from(one) * part + f64::from(other_one) * rest) / (part + rest).max(1.0)) as f32
        };
        let points = BySeat::from_fn(|seat| mean(self.points[seat], other.points[seat], [self.simulations, other.simulations]));
        let options = BySeat::from_fn(|seat| {
            let pairs = self.options[seat].iter().zip(&other.options[seat]);
            pairs.map(|(one, two)| one.and(two, mean(one.points, two.points, [one.visits, two.visits]))).collect()
        });
        SearchResult { simulations, points, options }
    }
}

impl RootAction {
    /// Adds what another search found about the same action. `points` is the mean of both.
    fn and(&self, other: &RootAction, points: f32) -> RootAction {
        let visits = self.visits + other.visits;
        // The sum of squared distances from the common mean.
        let squares = |of: &RootAction| {
            let count = f64::from(of.visits);
            count * (count * f64::from(of.error).powi(2) + f64::from(of.points - points).powi(2))
        };
        let error = ((squares(self) + squares(other)).sqrt() / f64::from(visits.max(1))) as f32;
        let pv = if other.visits > self.visits { &other.pv } else { &self.pv };
        RootAction { action: self.action, visits, points, error, pv: pv.clone() }
    }
}
