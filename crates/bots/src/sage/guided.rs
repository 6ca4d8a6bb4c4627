//! The search of `sage` with leaves that are evaluated elsewhere, such as by a net on an accelerator.
//!
//! A search collects leaves of several simulations before they are evaluated. Until then, each of these simulations counts as a
//! visit with the mean of its action, so that the next one tends to go elsewhere. Once the values are known, they replace these means.

use std::sync::Arc;

use pacman2_rules::{Action, BySeat, Maze, Seat, State};

use super::root::{Root, RootSums};
use super::tree::{self, PickMode, Tree};
use super::{MAX_DEPTH, SearchResult};
use crate::arithmetic::softmax;
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
    node: u32,
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
    leaves: Vec<Leaf>,
    /// The simulations that wait for the values of a leaf.
    waiting: Vec<Simulation>,
}

/// A position to be evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The position. The game is not over there.
    pub state: State,
    /// The node that gets its actions; `None` if there is no room.
    node: Option<u32>,
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

/// A simulation whose leaf is not evaluated yet.
struct Simulation {
    leaf: usize,
    /// For each turn the trials, and the value that was backed up into each for the time being.
    way: Vec<[(u32, f32); 4]>,
}

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
        let node = tree.add(tree::hash(&root));
        GuidedSearch {
            maze: maze.into(),
            root,
            node,
            tree,
            most: simulations,
            exploration,
            outcome,
            noise: None,
            simulations: 0,
            sums: RootSums::default(),
            values: [0.0; 4],
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

    /// Simulates until `most` leaves or all simulations wait for an evaluation, and returns the leaves. Without any, the search is
    /// over. The first leaf is the root, whose evaluation is no simulation.
    pub fn select(&mut self, most: usize) -> &[Leaf] {
        debug_assert!(self.leaves.is_empty(), "the leaves were not evaluated");
        if !self.tree.is_expanded(self.node) {
            self.leaves.push(Leaf { state: self.root, node: Some(self.node) });
            return &self.leaves;
        }
        // Simulations that end in the same leaf add no leaf, and must not go on for ever.
        while self.leaves.len() < most && self.waiting.len() < 2 * most && self.simulations < self.most {
            self.simulate();
            self.simulations += 1;
        }
        &self.leaves
    }

    /// Backs up the evaluations of the leaves that [`GuidedSearch::select`] returned, in the same order.
    ///
    /// # Panics
    ///
    /// If their number is another one.
    pub fn evaluate(&mut self, evaluations: &[LeafEvaluation]) {
        assert_eq!(evaluations.len(), self.leaves.len(), "expected an evaluation of each leaf");
        for (leaf, evaluation) in std::mem::take(&mut self.leaves).iter().zip(evaluations) {
            if let Some(node) = leaf.node {
                self.expand(node, &leaf.state, &evaluation.logits);
                if node == self.node {
                    self.values = evaluation.values;
                }
            }
        }
        for Simulation { leaf, way } in std::mem::take(&mut self.waiting) {
            let values = evaluations[leaf].values;
            for (&(trial, old), new) in way.iter().flat_map(|turn| turn.iter().zip(values)) {
                self.tree.replace(trial, old, new);
            }
            self.sums.add(&self.tree, self.node, &way[0].map(|(trial, _)| trial), values);
        }
    }

    /// Returns what was found. Points are in the unit of the values.
    #[must_use]
    pub fn result(&self) -> SearchResult {
        let root = Root { tree: &self.tree, maze: &self.maze, state: &self.root, node: self.node };
        root.result(&self.sums, self.simulations)
    }

    fn simulate(&mut self) {
        let mut state = self.root;
        let mut node = self.node;
        let mut way = Vec::new();
        loop {
            let picks = Seat::ALL.map(|seat| self.tree.pick(node, seat, PickMode::Search, self.exploration));
            way.push(Seat::ALL.map(|seat| {
                let trial = picks[seat.index()];
                (trial, self.tree.mean(trial).unwrap_or(self.values[seat.index()]))
            }));
            let actions = BySeat::from_fn(|seat| self.tree.action(picks[seat.index()]));
            if !state.play(&self.maze, &actions, &mut ()) {
                let values = (self.outcome)(&state);
                for (&(trial, _), value) in way.iter().flat_map(|turn| turn.iter().zip(values)) {
                    self.tree.update(trial, value);
                }
                self.sums.add(&self.tree, self.node, &picks_of(&way[0]), values);
                return;
            }
            let hash = tree::hash(&state);
            match self.tree.find(hash) {
                Some(next) if self.tree.is_expanded(next) && way.len() < MAX_DEPTH => node = next,
                found => {
                    let leaf = self.leaf(state, hash, found);
                    for &(trial, mean) in way.iter().flatten() {
                        self.tree.update(trial, mean);
                    }
                    self.waiting.push(Simulation { leaf, way });
                    return;
                }
            }
        }
    }

    /// Returns the index of a leaf, adding it unless it is there.
    fn leaf(&mut self, state: State, hash: u64, found: Option<u32>) -> usize {
        let node = match found {
            Some(node) if self.tree.is_expanded(node) => None,
            Some(node) => Some(node),
            None => self.tree.has_room().then(|| self.tree.add(hash)),
        };
        let is_same = |leaf: &Leaf| node.is_some() && leaf.node == node;
        self.leaves.iter().position(is_same).unwrap_or_else(|| {
            self.leaves.push(Leaf { state, node });
            self.leaves.len() - 1
        })
    }

    /// Gives the node of a position its actions.
    fn expand(&mut self, node: u32, state: &State, logits: &[[f32; 9]; 4]) {
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
            if let Some((part, noise)) = self.noise.as_ref().filter(|_| node == self.node) {
                let noise: [f32; 9] = std::array::from_fn(|place| of(noise, place));
                let total: f32 = noise.iter().sum();
                if total > 0.0 {
                    prior.iter_mut().zip(noise).for_each(|(prior, noise)| *prior += part * (noise / total - *prior));
                }
            }
            prior
        });
        let actions: [Vec<(Action, f32)>; 4] =
            Seat::ALL.map(|seat| choices.of(seat).iter().copied().zip(priors[seat]).collect());
        self.tree.expand(node, actions.each_ref().map(|actions| &actions[..]));
    }
}

fn picks_of(turn: &[(u32, f32); 4]) -> [u32; 4] {
    turn.map(|(trial, _)| trial)
}

/// Returns the softmax of the first `count` logits.
fn prior(logits: &[f32; 9], count: usize) -> [f32; 9] {
    let is_possible = logits[..count].iter().any(|&logit| logit > f32::NEG_INFINITY);
    let logits = if is_possible { *logits } else { [0.0; 9] };
    softmax(&logits.map(|logit| logit.max(-1e30)), count, 1.0)
}
