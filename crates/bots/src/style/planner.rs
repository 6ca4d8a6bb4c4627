//! Styles that play turns ahead and rate the positions that they reach.

use pacman2_rules::{Action, BySeat, Maze, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::turn::Turn;
use crate::distance_tables::DistanceTables;
use crate::evaluation::{evaluate, exact};
use crate::joint::{Candidates, PayoffTable, is_sensible};
use crate::playout::pick_uniform;
use crate::policy::quick_action;

/// What a style wants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Goal {
    /// Official points, by the hand-made evaluation.
    Points,
    /// Its own strength, and to have little of it far from the next fruit.
    Strength,
    /// To lead the strongest other player.
    Lead,
}

impl Goal {
    /// Returns the value of a position for all four seats, about in points.
    pub(super) fn values(self, tables: &DistanceTables, maze: &Maze, state: &State) -> [f32; 4] {
        if self == Goal::Points {
            return evaluate(tables, maze, state);
        }
        let wanted = self.at_the_end()(state);
        Seat::ALL.map(|seat| {
            let steps = tables.steps_from(state.cells[seat]);
            let fruit = state.small_fruits | state.large_fruits;
            let way =
                fruit.iter().map(|cell| steps[cell.index()]).min().unwrap_or_else(|| tables.steps_to_spawn(state.cells[seat]));
            let near = if state.alive.contains(seat) { -0.05 * f32::from(way) } else { -5.0 };
            wanted[seat.index()] + near
        })
    }

    /// Returns how a position is valued in which the game is over.
    pub(super) fn at_the_end(self) -> fn(&State) -> [f32; 4] {
        match self {
            Goal::Points => exact,
            Goal::Strength => |state| state.strength.0.map(|strength| strength as f32),
            Goal::Lead => leads,
        }
    }
}

/// Returns the lead of each seat over the strongest other one.
fn leads(state: &State) -> [f32; 4] {
    Seat::ALL.map(|seat| {
        let most = Seat::ALL.into_iter().filter(|&other| other != seat).map(|other| state.strength[other]).max();
        state.strength[seat] as f32 - most.unwrap_or_default() as f32
    })
}

/// Tries its own actions several turns ahead, against others that follow the quick policy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Lookahead {
    pub(super) goal: Goal,
    pub(super) turns: u32,
    /// Random noise on the values.
    pub(super) noise: f32,
}

impl Lookahead {
    /// Returns the player's sensible actions with the best value that follows.
    pub(super) fn valued(&self, turn: &Turn<'_>) -> Vec<(Action, f32)> {
        self.valued_for(turn, self.turns)
    }

    fn valued_for(&self, turn: &Turn<'_>, turns: u32) -> Vec<(Action, f32)> {
        let &Turn { tables, maze, state, seat } = turn;
        let quick = BySeat::from_fn(|other| quick_action(tables, maze, state, other));
        let sensible = state.legal_actions(maze, seat).iter().filter(|&&action| is_sensible(tables, maze, state, seat, action));
        let valued = sensible.map(|&action| {
            let mut joint = quick;
            joint[seat] = action;
            let mut after = *state;
            let goes_on = after.play(maze, &joint, &mut ()) && after.alive.contains(seat);
            let value = match turns {
                2.. if goes_on => {
                    let later = self.valued_for(&Turn { state: &after, ..*turn }, turns - 1);
                    later.iter().map(|&(_, value)| value).fold(f32::MIN, f32::max)
                }
                _ => self.goal.values(tables, maze, &after)[seat.index()],
            };
            (action, value)
        });
        valued.collect()
    }
}

/// Tries all joint actions of the next turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Joint {
    pub(super) goal: Goal,
    /// Whether the others are assumed to choose well. Otherwise each of their actions is equally likely.
    pub(super) clever_others: bool,
    /// The weight of the worst likely reply against the mean.
    pub(super) caution: f32,
    /// Random noise on the values.
    pub(super) noise: f32,
}

impl Joint {
    /// The maximum number of joint actions.
    const MAX_JOINT: usize = 600;

    /// Returns the player's sensible actions with their values.
    pub(super) fn valued(&self, turn: &Turn<'_>) -> Vec<(Action, f32)> {
        let &Turn { tables, maze, state, seat } = turn;
        let mut choices = Candidates::sensible(tables, maze, state);
        choices.thin_out(tables, maze, state, seat, Joint::MAX_JOINT);
        let table = PayoffTable::new(maze, state, &choices, |after| self.goal.values(tables, maze, &after));
        let likely = if self.clever_others { table.quantal_response() } else { table.uniform() };
        choices.of(seat).iter().copied().zip(table.values(seat, &likely, self.caution)).collect()
    }
}

/// Tries its sensible actions of two turns against sensible replies that are drawn, all equally likely.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Expectimax {
    pub(super) goal: Goal,
    /// The joint replies to each action.
    pub(super) replies: u32,
}

impl Expectimax {
    /// Returns the player's sensible actions with the sums of their values.
    pub(super) fn valued(&self, turn: &Turn<'_>, rng: &mut Xoshiro256PlusPlus) -> Vec<(Action, f32)> {
        self.valued_for(turn, 2, rng)
    }

    fn valued_for(&self, turn: &Turn<'_>, turns: u32, rng: &mut Xoshiro256PlusPlus) -> Vec<(Action, f32)> {
        let &Turn { tables, maze, state, seat } = turn;
        let choices = Candidates::sensible(tables, maze, state);
        let mut valued: Vec<(Action, f32)> = choices.of(seat).iter().map(|&action| (action, 0.0)).collect();
        for (action, sum) in &mut valued {
            for _ in 0..self.replies {
                let mut joint = BySeat::from_fn(|other| pick_uniform(choices.of(other), rng));
                joint[seat] = *action;
                let mut after = *state;
                let goes_on = after.play(maze, &joint, &mut ()) && after.alive.contains(seat);
                *sum += match turns {
                    2.. if goes_on => {
                        let later = self.valued_for(&Turn { state: &after, ..*turn }, turns - 1, rng);
                        later.iter().map(|&(_, sum)| sum).fold(f32::MIN, f32::max) / self.replies as f32
                    }
                    _ => self.goal.values(tables, maze, &after)[seat.index()],
                };
            }
        }
        valued
    }
}
