//! The search of `sage` with leaves that are evaluated elsewhere, such as by a net on an accelerator.
//!
//! A search collects leaves of several simulations before they are evaluated. Until then, each of these simulations counts as a
//! visit with the mean of its action, so that the next one tends to go elsewhere. Once the values are known, they replace these means.

use std::sync::Arc;

use pacman2_rules::{Action, BySeat, Maze, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::result::SearchResult;
use super::root::{Root, RootSums};
use super::tree::{self, MAX_DEPTH, Node, PickModes, Tree};
use crate::arithmetic::softmax;
use crate::choice::unit;
use crate::joint::Candidates;

/// A search in progress.
///
/// Call [`GuidedSearch::select`] and, with an evaluation of each leaf, [`GuidedSearch::evaluate`], until there are no leaves.
///
/// ```
/// use pacman2_bots::sage::{GuidedSearch, LeafEvaluation};
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read(
///     "
///     turn 98/100
///     +---+---+---+---+---+
///     | 0   .   .   .   1 |
///     +---+---+---+---+---+",
/// )?;
/// let strengths = |end: &pacman2_rules::State| end.strength.0.map(|strength| strength as f32);
/// let mut search = GuidedSearch::new(maze, state, 200, 2.0, strengths);
/// loop {
///     let leaves = search.select(8);
///     if leaves.is_empty() {
///         break;
///     }
///     // This function knows nothing: all actions are equally likely, and strengths stay as they are.
///     let evaluate = |leaf: &pacman2_rules::State| LeafEvaluation { logits: [[0.0; 9]; 4], values: strengths(leaf) };
///     let evaluations: Vec<_> = leaves.iter().map(|leaf| evaluate(&leaf.state)).collect();
///     search.evaluate(&evaluations);
/// }
/// let found = search.result();
/// let best = found.options[Seat::S0].iter().max_by_key(|option| option.visits).unwrap();
/// assert_eq!((found.simulations, best.action.to_string()), (200, "right".to_owned()));
/// # Ok::<(), pacman2_rules::picture::PictureError>(())
/// ```
pub struct GuidedSearch {
    maze: Arc<Maze>,
    root: State,
    /// The hash of the root.
    hash: u64,
    node: Node,
    tree: Tree,
    /// The number of simulations to make.
    most: u32,
    exploration: f32,
    /// Returns the values of all seats in a game that is over.
    outcome: fn(&State) -> [f32; 4],
    /// The noise in the priors of the root: its part, and what it is for each seat and action.
    noise: Option<(f32, [[f32; 9]; 4])>,
    simulations: u32,
    sums: RootSums,
    /// The values of the root, which stand for actions without visits in it.
    values: [f32; 4],
    random: Xoshiro256PlusPlus,
    leaves: Vec<Leaf>,
    /// The simulations that wait for the values of the leaves.
    waiting: Vec<Way>,
}

/// A position to be evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The position. The game is not over there.
    pub state: State,
    /// The hash of the node that gets its actions; `None` if there is no room.
    hash: Option<u64>,
}

/// The evaluation of a leaf.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LeafEvaluation {
    /// The logit of each action of each seat, by [`Action::ALL`]. Those of illegal actions have no effect. If all legal ones are -∞,
    /// the actions are equally likely.
    pub logits: [[f32; 9]; 4],
    /// The values of all seats.
    pub values: [f32; 4],
}

/// The trials of each turn of a simulation, and the value that was backed up into each for the time being.
type Way = Vec<[(u32, f32); 4]>;

impl GuidedSearch {
    /// Creates a search of a game that is not over. `exploration` is the constant of PUCT, in the unit of values, and `outcome`
    /// returns the values in games that are over.
    #[must_use]
    pub fn new(
        maze: impl Into<Arc<Maze>>,
        root: State,
        simulations: u32,
        exploration: f32,
        outcome: fn(&State) -> [f32; 4],
    ) -> GuidedSearch {
        let mut tree = Tree::one_of(1);
        let hash = tree::hash(&root);
        tree.add(hash);
        GuidedSearch {
            maze: maze.into(),
            root,
            hash,
            node: Node::UNEXPANDED,
            tree,
            most: simulations,
            exploration,
            outcome,
            noise: None,
            simulations: 0,
            sums: RootSums::default(),
            values: [0.0; 4],
            random: Xoshiro256PlusPlus::seed_from_u64(hash),
            leaves: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Mixes noise into the priors of the root: `part` of them is this number for each seat and action, after those of a seat's legal
    /// actions were scaled to a sum of 1.
    #[must_use]
    pub fn with_noise(self, part: f32, noise: [[f32; 9]; 4]) -> GuidedSearch {
        GuidedSearch { noise: Some((part, noise)), ..self }
    }

    /// Returns the maze.
    #[must_use]
    pub fn maze(&self) -> &Maze {
        &self.maze
    }

    /// Simulates until `most` leaves wait for an evaluation, or a simulation ends in one of them again, and returns the leaves.
    /// Without any, the search is over. The first leaf is the root, whose evaluation is no simulation.
    pub fn select(&mut self, most: usize) -> &[Leaf] {
        debug_assert!(self.leaves.is_empty(), "the leaves were not evaluated");
        if !self.node.is_expanded() {
            self.leaves.push(Leaf { state: self.root, hash: Some(self.hash) });
            return &self.leaves;
        }
        while self.leaves.len() < most && self.simulations < self.most && self.simulate() {
            self.simulations += 1;
        }
        &self.leaves
    }

    /// Returns the actions that lead from the root to a leaf that [`GuidedSearch::select`] returned, by its index.
    pub fn line(&self, leaf: usize) -> impl Iterator<Item = BySeat<Action>> {
        let way = self.waiting.get(leaf).into_iter().flatten();
        way.map(|turn| BySeat::from_fn(|seat| self.tree.action(seat, turn[seat.index()].0)))
    }

    /// Backs up the evaluations of the leaves that [`GuidedSearch::select`] returned, in the same order.
    ///
    /// # Panics
    ///
    /// If their number is another one.
    pub fn evaluate(&mut self, evaluations: &[LeafEvaluation]) {
        assert_eq!(evaluations.len(), self.leaves.len(), "expected an evaluation of each leaf");
        for (leaf, evaluation) in std::mem::take(&mut self.leaves).iter().zip(evaluations) {
            if let Some(hash) = leaf.hash {
                self.expand(hash, &leaf.state, &evaluation.logits);
                if hash == self.hash {
                    self.values = evaluation.values;
                }
            }
        }
        for (way, evaluation) in std::mem::take(&mut self.waiting).iter().zip(evaluations) {
            let values = evaluation.values;
            for (seat, &(trial, old)) in way.iter().flat_map(|turn| Seat::ALL.into_iter().zip(turn)) {
                self.tree.replace(seat, trial, old, values[seat.index()]);
            }
            self.sums.add(self.node, &way[0].map(|(trial, _)| trial), values);
        }
    }

    /// Returns what was found. Points are in the unit of the values.
    #[must_use]
    pub fn result(&self) -> SearchResult {
        let root = Root { tree: &self.tree, maze: &self.maze, state: &self.root, node: self.node };
        root.result(&self.sums, self.simulations)
    }

    /// Simulates once. Returns false and changes nothing if the simulation ends in a leaf that waits for its evaluation.
    fn simulate(&mut self) -> bool {
        let mut state = self.root;
        let mut node = self.node;
        let mut way: Way = Vec::new();
        loop {
            let picks = self.tree.pick(node, &PickModes::SEARCH, self.exploration);
            way.push(Seat::ALL.map(|seat| {
                let trial = picks[seat.index()];
                (trial, self.tree.mean(seat, trial).unwrap_or(self.values[seat.index()]))
            }));
            let actions = BySeat::from_fn(|seat| self.tree.action(seat, picks[seat.index()]));
            if !state.play(&self.maze, &actions, &mut ()) {
                let values = (self.outcome)(&state);
                for (seat, &(trial, _)) in way.iter().flat_map(|turn| Seat::ALL.into_iter().zip(turn)) {
                    self.tree.update(seat, trial, values[seat.index()]);
                }
                self.sums.add(self.node, &way[0].map(|(trial, _)| trial), values);
                return true;
            }
            let hash = tree::hash(&state);
            let leaf = match self.tree.find(hash) {
                Some(next) if next.is_expanded() && way.len() < MAX_DEPTH => {
                    node = next;
                    continue;
                }
                Some(next) if next.is_expanded() => None,
                Some(_) if self.leaves.iter().any(|leaf| leaf.hash == Some(hash)) => return false,
                Some(_) => Some(hash),
                None => self.tree.has_room().then(|| {
                    self.tree.add(hash);
                    hash
                }),
            };
            for (seat, &(trial, mean)) in way.iter().flat_map(|turn| Seat::ALL.into_iter().zip(turn)) {
                self.tree.update(seat, trial, mean);
            }
            self.leaves.push(Leaf { state, hash: leaf });
            self.waiting.push(way);
            return true;
        }
    }

    /// Gives the node of a position with this hash its actions.
    fn expand(&mut self, hash: u64, state: &State, logits: &[[f32; 9]; 4]) {
        if !self.tree.can_expand() {
            return;
        }
        let choices = Candidates::legal(&self.maze, state);
        let priors = BySeat::from_fn(|seat| {
            let actions = choices.of(seat);
            let of = |table: &[[f32; 9]; 4], place: usize| {
                let index = actions.get(place).and_then(|action| action.index());
                index.map_or(0.0, |index| table[seat.index()][index])
            };
            let mut prior = prior(&std::array::from_fn(|place| of(logits, place)), actions.len());
            // Without it, seats with the same priors would all turn to their next action at once.
            prior.iter_mut().for_each(|prior| *prior *= 0.98 + 0.02 * unit(&mut self.random));
            if let Some((part, noise)) = self.noise.as_ref().filter(|_| hash == self.hash) {
                let noise: [f32; 9] = std::array::from_fn(|place| of(noise, place));
                let total: f32 = noise.iter().sum();
                if total > 0.0 {
                    prior.iter_mut().zip(noise).for_each(|(prior, noise)| *prior += part * (noise / total - *prior));
                }
            }
            prior
        });
        let mut actions = [[(Action::Stay, 0.0); 9]; 4];
        for seat in Seat::ALL {
            for ((place, &action), prior) in actions[seat.index()].iter_mut().zip(choices.of(seat)).zip(priors[seat]) {
                *place = (action, prior);
            }
        }
        let node = self.tree.expand(hash, &actions, Seat::ALL.map(|seat| choices.of(seat).len() as u8));
        if hash == self.hash {
            self.node = node;
        }
    }
}

/// Returns the softmax of the first `count` logits.
fn prior(logits: &[f32; 9], count: usize) -> [f32; 9] {
    let is_possible = logits[..count].iter().any(|&logit| logit > f32::NEG_INFINITY);
    let logits = if is_possible { *logits } else { [0.0; 9] };
    softmax(&logits.map(|logit| logit.max(-1e30)), count, 1.0)
}
