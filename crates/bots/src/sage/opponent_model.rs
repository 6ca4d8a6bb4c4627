//! The opponent model: for each player a mixture of styles, weighted by how well they predict its actions so far.
//!
//! A style gives the probability of each action in a position. The weights are a posterior in which old turns are gradually forgotten.
//! Actions that no simple style explains are attributed to a searching player, which the tree search models itself.

use pacman2_rules::{Action, BySeat, CellSet, Game, HistoryEntry, Maze, Seat, State};

use crate::arithmetic::exp_of_negative;
use crate::distance_tables::DistanceTables;
use crate::evaluation::evaluate;
use crate::policy::quick_action;

/// A style of play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// Any legal action.
    Random,
    /// Walks to the nearest fruit out of reach of stronger players; never shoots.
    Fruit,
    /// The quick policy.
    Quick,
    /// Maximises the hand-made evaluation one turn ahead. It stands for every player that plans.
    OnePly,
}

const STYLES: [Style; 4] = [Style::Random, Style::Fruit, Style::Quick, Style::OnePly];

/// The prior weights of the styles.
const INITIAL: [f32; 4] = [0.06, 0.12, 0.06, 0.76];
/// The probability that a player changes its style in a turn. It makes old observations fade.
const CHANGE: f32 = 0.02;
/// The probability of an action that does not follow the style.
const SLIP: f32 = 0.15;
/// The loss in points that makes an action less likely by a factor e in the one-ply style.
const TEMPERATURE: f32 = 3.0;

/// What is known about all four players.
pub(crate) struct OpponentModel {
    /// The weights of the styles, by seat.
    weights: [[f32; 4]; 4],
    /// The number of observed turns, and the last of them.
    turns: usize,
    last: Option<HistoryEntry>,
}

/// The weights of a seat's simple styles. The rest to 1 belongs to a searching player.
pub(crate) type StyleWeights = [f32; 3];

impl OpponentModel {
    pub(crate) fn new() -> OpponentModel {
        OpponentModel { weights: [INITIAL; 4], turns: 0, last: None }
    }

    /// Observes the turns played since the last call, or all turns if the game is another one.
    pub(crate) fn observe(&mut self, tables: &DistanceTables, game: &Game) {
        if self.turns > 0 && game.turns().get(self.turns - 1) != self.last.as_ref() {
            *self = OpponentModel::new();
        }
        for played in &game.turns()[self.turns..] {
            for seat in played.before.alive.iter() {
                let legal = played.before.legal_actions(game.maze(), seat);
                let Some(given) = legal.iter().position(|&action| action == played.actions[seat]) else { continue };
                let weights = &mut self.weights[seat.index()];
                for (weight, style) in weights.iter_mut().zip(STYLES) {
                    let likely = style.probabilities(tables, game.maze(), &played.before, seat, legal)[given];
                    *weight *= (1.0 - SLIP) * likely + SLIP / legal.len() as f32;
                }
                let total: f32 = weights.iter().sum();
                for (weight, beforehand) in weights.iter_mut().zip(INITIAL) {
                    *weight = (1.0 - CHANGE) * *weight / total + CHANGE * beforehand;
                }
            }
        }
        self.turns = game.turns().len();
        self.last = game.turns().last().copied();
    }

    /// Returns the probability of each of a seat's legal actions.
    pub(crate) fn probabilities(&self, tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat) -> [f32; 9] {
        let legal = state.legal_actions(maze, seat);
        let weighted = self.weights[seat.index()].iter().copied().zip(STYLES);
        let mut mixed = mixture(weighted, tables, maze, state, seat, legal);
        let slip = SLIP / legal.len().max(1) as f32;
        mixed[..legal.len()].iter_mut().for_each(|mixed| *mixed = (1.0 - SLIP) * *mixed + slip);
        mixed
    }

    /// Returns the weights of a seat's simple styles.
    pub(crate) fn style_weights(&self, seat: Seat) -> StyleWeights {
        let [random, fruit, quick, _] = self.weights[seat.index()];
        [random, fruit, quick]
    }
}

/// Returns the probability of each action under a mixture of the simple styles.
pub(crate) fn expected(
    styles: &StyleWeights,
    tables: &DistanceTables,
    maze: &Maze,
    state: &State,
    seat: Seat,
    actions: &[Action],
) -> [f32; 9] {
    let weighted = styles.iter().copied().zip(STYLES).filter(|&(weight, _)| weight > 0.02);
    mixture(weighted, tables, maze, state, seat, actions)
}

/// Returns the sum of the probabilities under each style, times its weight.
fn mixture(
    weighted: impl Iterator<Item = (f32, Style)>,
    tables: &DistanceTables,
    maze: &Maze,
    state: &State,
    seat: Seat,
    actions: &[Action],
) -> [f32; 9] {
    let mut mixed = [0.0; 9];
    for (weight, style) in weighted {
        let likely = style.probabilities(tables, maze, state, seat, actions);
        mixed.iter_mut().zip(likely).for_each(|(mixed, likely)| *mixed += weight * likely);
    }
    mixed
}

impl Style {
    /// Returns the probability of each action.
    fn probabilities(self, tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, actions: &[Action]) -> [f32; 9] {
        match self {
            Style::Random => std::array::from_fn(|action| if action < actions.len() { 1.0 / actions.len() as f32 } else { 0.0 }),
            Style::Fruit => to_fruit(tables, maze, state, seat, actions),
            Style::Quick => {
                let quick = quick_action(tables, maze, state, seat);
                std::array::from_fn(|action| if actions.get(action) == Some(&quick) { 1.0 } else { 0.0 })
            }
            Style::OnePly => one_ply(tables, maze, state, seat, actions),
        }
    }
}

/// Like `greedy`, except that it does not walk around danger.
fn to_fruit(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, actions: &[Action]) -> [f32; 9] {
    let here = state.cells[seat];
    let (mut danger, mut taken) = (CellSet::EMPTY, CellSet::EMPTY);
    for other in state.alive.iter().filter(|&other| other != seat) {
        taken.insert(state.cells[other]);
        if state.strength[other] > state.strength[seat] {
            danger |= tables.reach(state.cells[other]);
        }
    }
    let fruit = state.small_fruits | state.large_fruits;
    let targets = if fruit.is_empty() { maze.spawn_cells() } else { fruit };
    let mut ranks = [u32::MAX; 9];
    for (rank, &action) in ranks.iter_mut().zip(actions) {
        let cell = match action {
            Action::Stay => here,
            Action::Move(direction) => maze.neighbour(here, direction),
            Action::Shoot(_) | Action::Invalid => continue,
        };
        let steps = tables.steps_from(cell);
        let nearest = targets.iter().map(|fruit| steps[fruit.index()]).min().unwrap_or(0);
        let flags = u32::from(danger.contains(cell)) << 1 | u32::from(taken.contains(cell));
        *rank = flags << 16 | u32::from(nearest) << 1 | u32::from(action == Action::Stay);
    }
    let best = ranks.into_iter().min().unwrap_or(u32::MAX);
    let many = ranks.iter().filter(|&&rank| rank == best).count() as f32;
    ranks.map(|rank| if rank == best && best != u32::MAX { 1.0 / many } else { 0.0 })
}

fn one_ply(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, actions: &[Action]) -> [f32; 9] {
    let quick = BySeat::from_fn(|other| quick_action(tables, maze, state, other));
    let mut points = [f32::MIN; 9];
    for (points, &action) in points.iter_mut().zip(actions) {
        let mut joint = quick;
        joint[seat] = action;
        let mut after = *state;
        after.play(maze, &joint, &mut ());
        *points = evaluate(tables, maze, &after)[seat.index()];
    }
    let most = points.into_iter().fold(f32::MIN, f32::max);
    let likely = points.map(|points| exp_of_negative(((points - most) / TEMPERATURE).max(-256.0)));
    let total: f32 = likely.iter().sum();
    likely.map(|likely| likely / total)
}
