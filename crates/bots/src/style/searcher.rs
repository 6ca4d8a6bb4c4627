//! Styles that search: trees, games of a quick policy, and plans that evolve. They share neither nets nor models of others with `sage`.

use pacman2_rules::{Action, BySeat, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::planner::Goal;
use super::turn::Turn;
use crate::choice::unit;
use crate::joint::Candidates;
use crate::playout::{pick_uniform, play_randomly};
use crate::policy::quick_action;
use crate::sage::{GuidedSearch, LeafEvaluation};

/// A tree search over the joint actions of all players, to which all sensible actions are equally promising.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TreeSearch {
    pub(super) leaf: LeafValue,
    pub(super) simulations: u32,
}

/// How a tree search values a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum LeafValue {
    Goal(Goal),
    /// Shares of all strength after a random game of this many turns.
    Playout(u32),
}

impl LeafValue {
    /// The exploration constant: about the differences between good actions.
    fn exploration(self) -> f32 {
        match self {
            LeafValue::Goal(Goal::Strength | Goal::Lead) => 3.0,
            LeafValue::Goal(Goal::Points) | LeafValue::Playout(_) => 7.0,
        }
    }

    /// Returns how a position is valued in which the game is over.
    fn at_the_end(self) -> fn(&State) -> [f32; 4] {
        match self {
            LeafValue::Goal(goal) => goal.at_the_end(),
            LeafValue::Playout(_) => shares,
        }
    }
}

impl TreeSearch {
    pub(super) fn decide(&self, turn: &Turn<'_>, rng: &mut Xoshiro256PlusPlus) -> Action {
        let &Turn { tables, maze, state, seat } = turn;
        let mut search =
            GuidedSearch::new(maze.clone(), *state, self.simulations, self.leaf.exploration(), self.leaf.at_the_end());
        while let Some(leaf) = search.select(1).first().map(|leaf| leaf.state) {
            let values = match self.leaf {
                LeafValue::Goal(goal) => goal.values(tables, maze, &leaf),
                LeafValue::Playout(turns) => shares(&play_randomly(maze, leaf, turns, rng)),
            };
            search.evaluate(&[LeafEvaluation { logits: of_sensible_actions(turn, &leaf), values }]);
        }
        let found = search.result();
        found.options[seat].iter().max_by_key(|option| option.visits).map_or(Action::Stay, |option| option.action)
    }
}

/// Returns logits for which all sensible actions of a seat are equally likely, and no others.
fn of_sensible_actions(turn: &Turn<'_>, state: &State) -> [[f32; 9]; 4] {
    let choices = Candidates::sensible(turn.tables, turn.maze, state);
    Seat::ALL.map(|seat| Action::ALL.map(|action| if choices.of(seat).contains(&action) { 0.0 } else { f32::NEG_INFINITY }))
}

/// Returns the shares of all strength, in points: their sum is 200, as that of official points is.
fn shares(state: &State) -> [f32; 4] {
    let total: i32 = state.strength.0.iter().sum();
    state.strength.0.map(|strength| if total > 0 { 200.0 * strength as f32 / total as f32 } else { 50.0 })
}

/// Flat Monte Carlo: plays games in which all players follow the quick policy, but for some random actions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct QuickGames {
    pub(super) goal: Goal,
    /// The games for each own action.
    pub(super) games: u32,
    pub(super) turns: u32,
}

impl QuickGames {
    /// How often an action is random.
    const RANDOM: f32 = 0.25;

    /// Returns the player's sensible actions with the sums of their values.
    pub(super) fn valued(&self, turn: &Turn<'_>, rng: &mut Xoshiro256PlusPlus) -> Vec<(Action, f32)> {
        let &Turn { tables, maze, state, seat } = turn;
        let own = Candidates::sensible(tables, maze, state);
        let mut valued: Vec<(Action, f32)> = own.of(seat).iter().map(|&action| (action, 0.0)).collect();
        for _ in 0..self.games {
            for (action, sum) in &mut valued {
                let mut after = *state;
                let mut actions = QuickGames::actions(turn, &after, rng);
                actions[seat] = *action;
                let mut left = self.turns - 1;
                while after.play(maze, &actions, &mut ()) && left > 0 {
                    actions = QuickGames::actions(turn, &after, rng);
                    left -= 1;
                }
                *sum += self.goal.values(tables, maze, &after)[seat.index()];
            }
        }
        valued
    }

    fn actions(turn: &Turn<'_>, state: &State, rng: &mut Xoshiro256PlusPlus) -> BySeat<Action> {
        let &Turn { tables, maze, .. } = turn;
        BySeat::from_fn(|seat| match unit(rng) < QuickGames::RANDOM {
            true => pick_uniform(Candidates::sensible(tables, maze, state).of(seat), rng),
            false => quick_action(tables, maze, state, seat),
        })
    }
}

/// Evolves a plan of its own actions against others that follow the quick policy: of two plans, the better one is kept and changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Evolution {
    pub(super) goal: Goal,
    pub(super) turns: usize,
    pub(super) trials: u32,
}

impl Evolution {
    /// The factor on the value of each later turn.
    const PATIENCE: f32 = 0.9;
    /// One plan in this many is new; the others change the best one.
    const NEW: u32 = 4;

    pub(super) fn decide(&self, turn: &Turn<'_>, rng: &mut Xoshiro256PlusPlus) -> Action {
        let mut best: Vec<u64> = (0..self.turns).map(|_| rng.next_u64()).collect();
        let mut most = self.value(turn, &best);
        for trial in 0..self.trials {
            let mut plan = best.clone();
            if trial % Evolution::NEW == 0 {
                plan.fill_with(|| rng.next_u64());
            } else {
                for _ in 0..2 {
                    let changed = (rng.next_u64() % self.turns as u64) as usize;
                    plan[changed] = rng.next_u64();
                }
            }
            let value = self.value(turn, &plan);
            if value > most {
                (best, most) = (plan, value);
            }
        }
        Evolution::action(turn, turn.state, best[0])
    }

    /// Returns the action of the player that a number stands for.
    fn action(turn: &Turn<'_>, state: &State, number: u64) -> Action {
        let choices = Candidates::sensible(turn.tables, turn.maze, state);
        let own = choices.of(turn.seat);
        own[(number % own.len() as u64) as usize]
    }

    /// Returns the sum of the values of all positions of a plan.
    fn value(&self, turn: &Turn<'_>, plan: &[u64]) -> f32 {
        let &Turn { tables, maze, state, seat } = turn;
        let mut after = *state;
        let (mut sum, mut weight) = (0.0, 1.0);
        for &number in plan {
            let mut actions = BySeat::from_fn(|other| quick_action(tables, maze, &after, other));
            actions[seat] = Evolution::action(turn, &after, number);
            let goes_on = after.play(maze, &actions, &mut ());
            sum += weight * self.goal.values(tables, maze, &after)[seat.index()];
            weight *= Evolution::PATIENCE;
            if !goes_on {
                break;
            }
        }
        sum
    }
}
