//! One turn ahead by weights: fruit, fear, hunger for weaker players, lines of fire.

use pacman2_rules::{Action, Cell};

use super::turn::Turn;
use crate::distance_tables::DistanceTables;

/// The weights. All values are in the same unit, of which a small fruit on the cell is usually 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct RuleFollower {
    /// The value of a small fruit on the cell.
    pub(super) small: f32,
    /// The value of a large fruit on the cell.
    pub(super) large: f32,
    /// The value of a cell where fruit spawns within as many turns as the way there takes.
    pub(super) spawn: f32,
    /// The factor on all of these per step.
    pub(super) patience: f32,
    /// The factor on a fruit to which another player is nearer.
    pub(super) contested: f32,
    /// The loss beside a stronger player.
    pub(super) fear: f32,
    /// How many steps away a stronger player frightens.
    pub(super) fear_range: u8,
    /// The loss on a cell that another player can shoot at.
    pub(super) exposure: f32,
    /// The loss in a dead end while there is a stronger player.
    pub(super) dead_end: f32,
    /// The loss on a cell where another player stands.
    pub(super) company: f32,
    /// The value of a weaker player's cell.
    pub(super) hunt: f32,
    /// The factor on that while boosted.
    pub(super) boosted_hunt: f32,
    /// The value of a cell from which the player can shoot at another.
    pub(super) lurk: f32,
    /// The value of a light for each player that it is expected to hit.
    pub(super) light: f32,
    /// The least number of expected hits for which it shoots.
    pub(super) aim: f32,
    /// Random noise on all values.
    pub(super) noise: f32,
}

/// The factor on the fear of stronger players and the hunt for weaker ones, per step.
const NEARNESS: f32 = 0.7;

impl RuleFollower {
    /// Eats what is near and stays out of reach. Other styles are variations of it.
    pub(super) const PLAIN: RuleFollower = RuleFollower {
        small: 1.0,
        large: 2.0,
        spawn: 0.6,
        patience: 0.8,
        contested: 0.6,
        fear: 3.0,
        fear_range: 2,
        exposure: 0.0,
        dead_end: 0.0,
        company: 0.6,
        hunt: 0.0,
        boosted_hunt: 1.0,
        lurk: 0.0,
        light: 0.0,
        aim: f32::INFINITY,
        noise: 0.01,
    };

    /// Returns the player's actions with their values, without the lights that it does not shoot.
    pub(super) fn valued(&self, turn: &Turn<'_>) -> impl Iterator<Item = (Action, f32)> {
        let &Turn { tables, maze, state, seat } = turn;
        let here = state.cells[seat];
        state.legal_actions(maze, seat).iter().filter_map(move |&action| match action {
            Action::Stay => Some((action, self.value(turn, here))),
            Action::Move(direction) => Some((action, self.value(turn, maze.neighbour(here, direction)))),
            Action::Shoot(direction) => {
                let ray = maze.ray(here, direction);
                let others = state.alive.iter().filter(|&other| other != seat);
                let hits: f32 = others
                    .map(|other| tables.reach(state.cells[other]))
                    .map(|reach| (reach & ray).len() as f32 / reach.len() as f32)
                    .sum();
                (hits >= self.aim).then(|| (action, self.value(turn, here) + self.light * hits))
            }
            Action::Invalid => None,
        })
    }

    /// Returns the value of being on a cell after the turn.
    fn value(&self, turn: &Turn<'_>, cell: Cell) -> f32 {
        let &Turn { tables, maze, state, seat } = turn;
        let others = || state.alive.iter().filter(|&other| other != seat);
        let own = state.strength[seat];
        let mut value = self.food(turn, cell);
        let (mut hunt, mut lurk) = (0.0f32, 0.0f32);
        for other in others() {
            let there = state.cells[other];
            let steps = tables.steps(cell, there);
            let nearness = || NEARNESS.powi(i32::from(steps.saturating_sub(1)));
            if state.strength[other] > own {
                if steps <= self.fear_range {
                    value -= self.fear * nearness();
                }
                if tables.dead_end(cell).depth > 0 {
                    value -= self.dead_end;
                }
            } else if state.strength[other] < own {
                hunt = hunt.max(self.hunt * nearness());
            }
            if there == cell {
                value -= self.company;
            }
            if own > maze.ruleset().skill_cost && tables.light_targets(cell).contains(there) {
                lurk = self.lurk;
            }
            if state.strength[other] > maze.ruleset().skill_cost && tables.light_targets(there).contains(cell) {
                value -= self.exposure;
            }
        }
        let boost = if state.boost_turns_left[seat] > 0 { self.boosted_hunt } else { 1.0 };
        value + hunt * boost + lurk
    }

    /// Returns the value of the best fruit, seen from a cell.
    fn food(&self, turn: &Turn<'_>, cell: Cell) -> f32 {
        let &Turn { tables, maze, state, seat } = turn;
        let steps = tables.steps_from(cell);
        let mut most = 0.0f32;
        let mut see = |fruit: Cell, worth: f32, not_before: u32| {
            if worth <= 0.0 || steps[fruit.index()] == DistanceTables::UNREACHABLE {
                return;
            }
            let own = u32::from(steps[fruit.index()]).max(not_before);
            let is_nearer = |other| u32::from(tables.steps(state.cells[other], fruit)) <= own;
            let is_contested = state.alive.iter().any(|other| other != seat && is_nearer(other));
            let worth = if is_contested { worth * self.contested } else { worth };
            most = most.max(worth * self.patience.powi(own as i32));
        };
        state.small_fruits.iter().for_each(|fruit| see(fruit, self.small, 0));
        state.large_fruits.iter().for_each(|fruit| see(fruit, self.large, 0));
        let fruit = state.small_fruits | state.large_fruits;
        (maze.spawn_cells() & !fruit).iter().for_each(|cell| see(cell, self.spawn, state.generator_turns_left));
        most
    }
}
