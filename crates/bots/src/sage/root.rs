//! The root of a search: the sums over its simulations, and what it found.

use pacman2_rules::{Action, BySeat, Maze, Seat, State};

use super::result::{RootAction, SearchResult};
use super::tree::{self, MAX_DEPTH, Node, Tree};

/// Sums over all simulations.
#[derive(Default)]
pub(super) struct RootSums {
    points: [f64; 4],
    /// Squares of points by seat and trial.
    squares: [[f64; 9]; 4],
}

impl RootSums {
    /// Adds a simulation that began with these trials of the root.
    #[inline]
    pub(super) fn add(&mut self, root: Node, picks: &[u32; 4], points: [f32; 4]) {
        for seat in 0..4 {
            self.points[seat] += f64::from(points[seat]);
            self.squares[seat][root.index_of(picks[seat])] += f64::from(points[seat] * points[seat]);
        }
    }
}

/// The root of a tree.
pub(super) struct Root<'a> {
    pub(super) tree: &'a Tree,
    pub(super) maze: &'a Maze,
    pub(super) state: &'a State,
    pub(super) node: Node,
}

impl Root<'_> {
    /// Returns what was found.
    pub(super) fn result(&self, sums: &RootSums, simulations: u32) -> SearchResult {
        let options = BySeat::from_fn(|seat| {
            if !self.state.alive.contains(seat) {
                return Vec::new();
            }
            let tried = self.tree.trials(self.node, seat).zip(sums.squares[seat.index()]);
            let actions = tried.map(|(tried, squares)| {
                let visits = f64::from(tried.visits.max(1));
                let variance = (squares / visits - f64::from(tried.mean).powi(2)).max(0.0);
                RootAction {
                    action: tried.action,
                    visits: tried.visits,
                    points: tried.mean,
                    error: (variance / visits).sqrt() as f32,
                    pv: self.pv(seat, tried.action),
                }
            });
            actions.collect()
        });
        let points = BySeat(sums.points.map(|points| (points / f64::from(simulations.max(1))) as f32));
        SearchResult { simulations, points, options }
    }

    /// Returns the most visited line from the root if a seat begins with this action.
    fn pv(&self, seat: Seat, action: Action) -> Vec<BySeat<Action>> {
        let mut line = Vec::new();
        let (mut state, mut node) = (*self.state, Some(self.node));
        while let Some(here) = node.filter(|node| node.is_expanded()) {
            let most_tried = |seat| {
                let best = self.tree.trials(here, seat).max_by_key(|tried| tried.visits);
                best.filter(|best| best.visits > 0).map(|best| best.action)
            };
            let Some(mut actions) = Seat::ALL.into_iter().map(most_tried).collect::<Option<Vec<_>>>() else { break };
            if line.is_empty() {
                actions[seat.index()] = action;
            }
            let actions = BySeat::from_fn(|seat| actions[seat.index()]);
            line.push(actions);
            if !state.play(self.maze, &actions, &mut ()) || line.len() == MAX_DEPTH {
                break;
            }
            node = self.tree.find(tree::hash(&state));
        }
        line
    }
}
