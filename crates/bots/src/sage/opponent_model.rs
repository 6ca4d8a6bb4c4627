//! The opponent model: for each player a mixture of the policy net's styles, weighted by how well they predict its actions so far.

use pacman2_rules::{Game, HistoryEntry, Maze, Seat, State};

use crate::distance_tables::DistanceTables;
use crate::policy_net::{HIDDEN, Neurons, PolicyNet, PolicyPosition, STYLES, with_slips};

/// The probability that a player changes its style in a turn. It makes old observations fade.
const CHANGE: f32 = 0.01;

/// What is known about all four players.
#[derive(Default)]
pub(crate) struct OpponentModel {
    /// The weights of the styles, by seat; nothing before the first observation.
    weights: Option<[[f32; STYLES]; 4]>,
    /// The number of observed turns, and the last of them.
    turns: usize,
    last: Option<HistoryEntry>,
}

impl OpponentModel {
    /// Observes the turns played since the last call, or all turns if the game is another one.
    pub(crate) fn observe(&mut self, net: &PolicyNet, tables: &DistanceTables, game: &Game) {
        if self.turns > 0 && game.turns().get(self.turns - 1) != self.last.as_ref() {
            *self = OpponentModel::default();
        }
        let weights = self.weights.get_or_insert([*net.shares(); 4]);
        for played in &game.turns()[self.turns..] {
            for seat in played.before.alive.iter() {
                let legal = played.before.legal_actions(game.maze(), seat);
                let Some(given) = legal.iter().position(|&action| action == played.actions[seat]) else { continue };
                let rows = PolicyPosition::new(tables, game.maze(), &played.before).rows(seat, legal);
                let likely = net.likelihoods(&rows[..legal.len()], given);
                let weights = &mut weights[seat.index()];
                weights.iter_mut().zip(likely).for_each(|(weight, likely)| *weight *= likely);
                let total: f32 = weights.iter().sum();
                for (weight, beforehand) in weights.iter_mut().zip(net.shares()) {
                    *weight = (1.0 - CHANGE) * *weight / total + CHANGE * beforehand;
                }
            }
        }
        self.turns = game.turns().len();
        self.last = game.turns().last().copied();
    }

    /// Returns the probability of each of a seat's legal actions.
    pub(crate) fn probabilities(
        &self,
        net: &PolicyNet,
        tables: &DistanceTables,
        maze: &Maze,
        state: &State,
        seat: Seat,
    ) -> [f32; 9] {
        let legal = state.legal_actions(maze, seat);
        let rows = PolicyPosition::new(tables, maze, state).rows(seat, legal);
        let mut mixed = [0.0; 9];
        for (likely, weight) in net.probabilities_by_style(&rows[..legal.len()]).iter().zip(self.weights(net, seat)) {
            mixed.iter_mut().zip(likely).for_each(|(mixed, likely)| *mixed += weight * likely);
        }
        mixed[..legal.len()].iter_mut().for_each(|mixed| *mixed = with_slips(*mixed, legal.len()));
        mixed
    }

    /// Returns the mean row of a seat's styles.
    pub(crate) fn mean_style(&self, net: &PolicyNet, seat: Seat) -> Neurons {
        let mut mean = [0.0; HIDDEN];
        for (style, weight) in self.weights(net, seat).iter().enumerate() {
            mean.iter_mut().zip(net.style(style)).for_each(|(mean, row)| *mean += weight * row);
        }
        mean
    }

    fn weights<'a>(&'a self, net: &'a PolicyNet, seat: Seat) -> &'a [f32; STYLES] {
        self.weights.as_ref().map_or(net.shares(), |weights| &weights[seat.index()])
    }
}
