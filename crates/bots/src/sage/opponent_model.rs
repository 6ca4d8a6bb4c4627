//! What the others are like: for each a mixture of ways to play, weighed by what it did so far.
//!
//! A way says how likely each order is in a position. Whoever did in turn after turn what one way expects is expected to
//! go on so; old turns are forgotten by and by. What no simple way explains is a searcher's, which is the search's own
//! business.

use pacman2_rules::{Action, BySeat, CellSet, Game, HistoryEntry, Maze, Seat, State};

use crate::arithmetic::exp_of_negative;
use crate::distance_tables::DistanceTables;
use crate::evaluation::evaluate;
use crate::policy::quick_action;

/// A way to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Any legal order.
    Random,
    /// To the nearest fruit, out of the reach of the stronger; never a light.
    Fruit,
    /// The quick policy.
    Quick,
    /// What the hand-made evaluation likes best, one turn ahead. It stands for all who think.
    Thoughtful,
}

const WAYS: [Way; 4] = [Way::Random, Way::Fruit, Way::Quick, Way::Thoughtful];

/// How likely each way is before anything was seen.
const BEFOREHAND: [f32; 4] = [0.06, 0.12, 0.06, 0.76];
/// How likely somebody changes its way in a turn: so what it did long ago is forgotten by and by.
const CHANGE: f32 = 0.02;
/// How often somebody does anything else than its way says.
const SLIP: f32 = 0.15;
/// So many points less make an order less likely to a thoughtful one by a factor e.
const TEMPERATURE: f32 = 3.0;

/// What was learned of all four.
pub(crate) struct OpponentModel {
    /// How likely each way is, by seat.
    weights: [[f32; 4]; 4],
    /// How many turns were looked at, and the last of them.
    turns: usize,
    last: Option<HistoryEntry>,
}

/// How likely the simple ways of a seat are; what is missing to 1 is the searcher's.
pub(crate) type Simple = [f32; 3];

impl OpponentModel {
    pub(crate) fn new() -> OpponentModel {
        OpponentModel { weights: [BEFOREHAND; 4], turns: 0, last: None }
    }

    /// Looks at the turns that were played since; at all of them if it is another game.
    pub(crate) fn watch(&mut self, knowledge: &DistanceTables, game: &Game) {
        if self.turns > 0 && game.turns().get(self.turns - 1) != self.last.as_ref() {
            *self = OpponentModel::new();
        }
        for played in &game.turns()[self.turns..] {
            for seat in played.before.alive.iter() {
                let legal = played.before.legal_actions(game.maze(), seat);
                let Some(given) = legal.iter().position(|&action| action == played.actions[seat]) else { continue };
                let weights = &mut self.weights[seat.index()];
                for (weight, way) in weights.iter_mut().zip(WAYS) {
                    let likely = way.likely(knowledge, game.maze(), &played.before, seat, legal)[given];
                    *weight *= (1.0 - SLIP) * likely + SLIP / legal.len() as f32;
                }
                let total: f32 = weights.iter().sum();
                for (weight, beforehand) in weights.iter_mut().zip(BEFOREHAND) {
                    *weight = (1.0 - CHANGE) * *weight / total + CHANGE * beforehand;
                }
            }
        }
        self.turns = game.turns().len();
        self.last = game.turns().last().copied();
    }

    /// How likely each simple way is for a seat.
    pub(crate) fn simple(&self, seat: Seat) -> Simple {
        let [random, fruit, quick, _] = self.weights[seat.index()];
        [random, fruit, quick]
    }
}

/// How likely each of the orders is, if a seat plays in one of these ways.
pub(crate) fn expected(
    ways: &Simple,
    knowledge: &DistanceTables,
    maze: &Maze,
    state: &State,
    seat: Seat,
    actions: &[Action],
) -> [f32; 9] {
    let mut expected = [0.0; 9];
    for (&weight, way) in ways.iter().zip(WAYS).filter(|&(&weight, _)| weight > 0.02) {
        let likely = way.likely(knowledge, maze, state, seat, actions);
        expected.iter_mut().zip(likely).for_each(|(expected, likely)| *expected += weight * likely);
    }
    expected
}

impl Way {
    /// How likely each of the orders is.
    fn likely(self, knowledge: &DistanceTables, maze: &Maze, state: &State, seat: Seat, actions: &[Action]) -> [f32; 9] {
        match self {
            Way::Random => std::array::from_fn(|action| if action < actions.len() { 1.0 / actions.len() as f32 } else { 0.0 }),
            Way::Fruit => to_fruit(knowledge, maze, state, seat, actions),
            Way::Quick => {
                let quick = quick_action(knowledge, maze, state, seat);
                std::array::from_fn(|action| if actions.get(action) == Some(&quick) { 1.0 } else { 0.0 })
            }
            Way::Thoughtful => thoughtful(knowledge, maze, state, seat, actions),
        }
    }
}

/// As `greedy` goes, but that it does not go round danger.
fn to_fruit(knowledge: &DistanceTables, maze: &Maze, state: &State, seat: Seat, actions: &[Action]) -> [f32; 9] {
    let here = state.cells[seat];
    let (mut danger, mut taken) = (CellSet::EMPTY, CellSet::EMPTY);
    for other in state.alive.iter().filter(|&other| other != seat) {
        taken.insert(state.cells[other]);
        if state.strength[other] > state.strength[seat] {
            danger |= knowledge.reach(state.cells[other]);
        }
    }
    let fruit = state.small_fruits | state.large_fruits;
    let wanted = if fruit.is_empty() { maze.spawn_cells() } else { fruit };
    let mut ranks = [u32::MAX; 9];
    for (rank, &action) in ranks.iter_mut().zip(actions) {
        let cell = match action {
            Action::Stay => here,
            Action::Move(direction) => maze.neighbour(here, direction),
            Action::Shoot(_) | Action::Invalid => continue,
        };
        let steps = knowledge.steps_from(cell);
        let nearest = wanted.iter().map(|fruit| steps[fruit.index()]).min().unwrap_or(0);
        let flags = u32::from(danger.contains(cell)) << 1 | u32::from(taken.contains(cell));
        *rank = flags << 16 | u32::from(nearest) << 1 | u32::from(action == Action::Stay);
    }
    let best = ranks.into_iter().min().unwrap_or(u32::MAX);
    let many = ranks.iter().filter(|&&rank| rank == best).count() as f32;
    ranks.map(|rank| if rank == best && best != u32::MAX { 1.0 / many } else { 0.0 })
}

fn thoughtful(knowledge: &DistanceTables, maze: &Maze, state: &State, seat: Seat, actions: &[Action]) -> [f32; 9] {
    let quick = BySeat::from_fn(|other| quick_action(knowledge, maze, state, other));
    let mut points = [f32::MIN; 9];
    for (points, &action) in points.iter_mut().zip(actions) {
        let mut joint = quick;
        joint[seat] = action;
        let mut after = *state;
        after.play(maze, &joint, &mut ());
        *points = evaluate(knowledge, maze, &after)[seat.index()];
    }
    let most = points.into_iter().fold(f32::MIN, f32::max);
    let likely = points.map(|points| exp_of_negative(((points - most) / TEMPERATURE).max(-256.0)));
    let total: f32 = likely.iter().sum();
    likely.map(|likely| likely / total)
}
