//! The search tree: for each position, the statistics of every seat's actions.
//!
//! Nodes are found by a hash of the position, so transpositions share a node. A node takes some 20 bytes, and with its actions about
//! 200. There are at most [`Tree::MAX_NODES`]; then the tree stops growing.

use pacman2_rules::{Action, Seat, State};

/// All nodes of a search.
// Trees of several threads lie side by side, and must not share a cache line.
#[repr(align(128))]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    trials: Vec<Trial>,
    /// An open-addressing hash table from positions to node numbers plus one; 0 marks an empty slot.
    slots: Vec<u32>,
    /// The number of trees among which nodes and trials are divided.
    trees: usize,
}

/// A position of the search.
#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    first: u32,
    counts: [u8; 4],
}

/// The statistics of one action of one seat in a node.
#[derive(Clone, Copy)]
struct Trial {
    visits: u32,
    mean: f32,
    /// The prior, in units of 1/[`PRIOR_SCALE`].
    prior: u16,
    action: u8,
}

const PRIOR_SCALE: f32 = 65_535.0;
/// The growth of the exploration constant per doubling of a node's visits beyond 256. The first visits can mislead, and an action
/// that falls far behind would hardly be visited again.
const GROWTH: f32 = 0.15;

/// The statistics of an action, for readers of the tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TrialStats {
    pub(crate) action: Action,
    pub(crate) visits: u32,
    pub(crate) mean: f32,
}

/// How a seat selects its action in a node.
#[derive(Clone, Copy)]
pub(crate) enum PickMode {
    /// By PUCT.
    Search,
    /// Sampled from the prior, with this uniform number from 0 to 1.
    Sampled(f32),
}

impl Tree {
    /// The maximum number of nodes.
    pub(crate) const MAX_NODES: usize = 1_000_000;
    /// The maximum number of trials, so that a process of 256 MB has room for them.
    const MAX_TRIALS: usize = 8_000_000;
    /// The initial number of slots. It doubles when half of them are taken.
    const MIN_SLOTS: usize = 1 << 12;

    /// Creates one of several trees. Together they take as much memory as one alone at most.
    pub(crate) fn one_of(trees: usize) -> Tree {
        Tree { nodes: Vec::new(), trials: Vec::new(), slots: vec![0; Tree::MIN_SLOTS], trees }
    }

    /// Removes all nodes and keeps the allocated memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.trials.clear();
        self.slots.clear();
        self.slots.resize(Tree::MIN_SLOTS, 0);
    }

    /// Returns the node of a position.
    #[inline]
    pub(crate) fn find(&self, hash: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return None,
                node if self.nodes[node as usize - 1].hash == hash => return Some(node - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Returns whether there is room for another node.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.nodes.len() < Tree::MAX_NODES / self.trees
    }

    /// Returns whether there is room for the actions of another node.
    #[inline]
    pub(crate) fn can_expand(&self) -> bool {
        self.trials.len() + 36 <= Tree::MAX_TRIALS / self.trees
    }

    /// Adds a node without actions.
    pub(crate) fn add(&mut self, hash: u64) -> u32 {
        self.nodes.push(Node { hash, first: 0, counts: [0; 4] });
        if 2 * self.nodes.len() > self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            for node in 0..self.nodes.len() {
                self.insert_slot(node);
            }
        } else {
            self.insert_slot(self.nodes.len() - 1);
        }
        self.nodes.len() as u32 - 1
    }

    /// Returns whether a node has its actions.
    #[inline]
    pub(crate) fn is_expanded(&self, node: u32) -> bool {
        self.nodes[node as usize].counts[0] > 0
    }

    /// Gives a node these actions and their priors.
    pub(crate) fn expand(&mut self, node: u32, actions: [&[(Action, f32)]; 4]) {
        let first = self.trials.len() as u32;
        for &(action, prior) in actions.into_iter().flatten() {
            self.trials.push(Trial { visits: 0, mean: 0.0, prior: (prior * PRIOR_SCALE) as u16, action: action_number(action) });
        }
        let node = &mut self.nodes[node as usize];
        (node.first, node.counts) = (first, actions.map(|actions| actions.len() as u8));
    }

    fn insert_slot(&mut self, node: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.nodes[node].hash as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = node as u32 + 1;
    }

    /// Selects a seat's trial in a node. `exploration` is in points.
    #[inline]
    pub(crate) fn pick(&self, node: u32, seat: Seat, pick: PickMode, exploration: f32) -> u32 {
        let (first, count) = self.range(node, seat);
        if count == 1 {
            return first as u32;
        }
        let trials = &self.trials[first..first + count];
        match pick {
            PickMode::Search => first as u32 + search(trials, exploration),
            PickMode::Sampled(chance) => {
                let mut rest = chance * trials.iter().map(|trial| f32::from(trial.prior)).sum::<f32>();
                let position = trials.iter().position(|trial| {
                    rest -= f32::from(trial.prior);
                    rest < 0.0
                });
                (first + position.unwrap_or(count - 1)) as u32
            }
        }
    }

    /// Returns a seat's least visited trial in a node.
    pub(crate) fn least_tried(&self, node: u32, seat: Seat) -> u32 {
        let (first, count) = self.range(node, seat);
        (first..first + count).min_by_key(|&trial| self.trials[trial].visits).unwrap_or(first) as u32
    }

    #[inline]
    fn range(&self, node: u32, seat: Seat) -> (usize, usize) {
        let Node { first, counts, .. } = self.nodes[node as usize];
        let before: usize = counts[..seat.index()].iter().map(|&count| usize::from(count)).sum();
        (first as usize + before, usize::from(counts[seat.index()]))
    }

    /// Returns the action of a trial.
    #[inline]
    pub(crate) fn action(&self, trial: u32) -> Action {
        Action::ALL[usize::from(self.trials[trial as usize].action)]
    }

    /// Backs up the points of a simulation into a trial.
    #[inline]
    pub(crate) fn update(&mut self, trial: u32, points: f32) {
        let trial = &mut self.trials[trial as usize];
        trial.visits += 1;
        trial.mean += (points - trial.mean) / trial.visits as f32;
    }

    /// Replaces one of the values that were backed up into a trial.
    pub(crate) fn replace(&mut self, trial: u32, old: f32, new: f32) {
        let trial = &mut self.trials[trial as usize];
        trial.mean += (new - old) / trial.visits as f32;
    }

    /// Returns the mean of a trial; `None` without visits.
    pub(crate) fn mean(&self, trial: u32) -> Option<f32> {
        let trial = self.trials[trial as usize];
        (trial.visits > 0).then_some(trial.mean)
    }

    /// Iterates over a seat's trials in a node.
    pub(crate) fn trials(&self, node: u32, seat: Seat) -> impl Iterator<Item = TrialStats> {
        let (first, count) = self.range(node, seat);
        self.trials[first..first + count].iter().map(|trial| TrialStats {
            action: Action::ALL[usize::from(trial.action)],
            visits: trial.visits,
            mean: trial.mean,
        })
    }
}

/// Selects by PUCT, as AlphaZero does. An unvisited action is valued at the mean of the node.
#[inline]
fn search(trials: &[Trial], exploration: f32) -> u32 {
    let visits: u32 = trials.iter().map(|trial| trial.visits).sum();
    let mut untried = 0.0;
    if visits > 0 && trials.iter().any(|trial| trial.visits == 0) {
        untried = trials.iter().map(|trial| trial.visits as f32 * trial.mean).sum::<f32>() / visits as f32;
    }
    let exploration = exploration * (1.0 + GROWTH * (1 + visits / 256).ilog2() as f32);
    let scale = exploration * ((visits + 1) as f32).sqrt() / PRIOR_SCALE;
    let mut best = (f32::MIN, 0);
    for (index, trial) in trials.iter().enumerate() {
        let mean = if trial.visits == 0 { untried } else { trial.mean };
        let value = mean + scale * f32::from(trial.prior) / (1 + trial.visits) as f32;
        if value > best.0 {
            best = (value, index as u32);
        }
    }
    best.1
}

fn action_number(action: Action) -> u8 {
    match action {
        Action::Move(direction) => 1 + direction.index() as u8,
        Action::Shoot(direction) => 5 + direction.index() as u8,
        Action::Stay | Action::Invalid => 0,
    }
}

/// Hashes a position, including its turn.
#[inline]
pub(crate) fn hash(state: &State) -> u64 {
    let mut hash: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut mix = |word: u64| {
        let product = u128::from(hash ^ word) * 0xd6e8_feb8_6659_fd93;
        hash = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(29);
    };
    mix(u64::from(state.turn) << 32 | u64::from(state.generator_turns_left));
    let cells = |seat| state.cells[seat].index() as u64 | u64::from(state.alive.contains(seat)) << 8;
    mix(Seat::ALL.into_iter().fold(0, |word, seat| word << 16 | cells(seat)));
    for seat in Seat::ALL {
        mix(u64::from(state.strength[seat] as u32) << 32 | u64::from(state.boost_turns_left[seat]));
    }
    for fruits in [state.small_fruits, state.large_fruits] {
        mix(fruits.bits() as u64);
        mix((fruits.bits() >> 64) as u64);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_in_a_large_tree() {
        let mut tree = Tree::one_of(1);
        // Hashes that collide in the same slots.
        let hash = |node: u64| (node << 40) | (node % 3);
        for node in 0..10_000 {
            assert_eq!(tree.find(hash(node)), None);
            assert_eq!(u64::from(tree.add(hash(node))), node);
        }
        for node in 0..10_000 {
            assert_eq!(tree.find(hash(node)).map(u64::from), Some(node));
        }
        tree.clear();
        assert_eq!((0..10_000).find(|&node| tree.find(hash(node)).is_some()), None);
    }

    #[test]
    fn the_tree_respects_its_capacity() {
        let mut tree = Tree::one_of(1);
        let actions = [(Action::Stay, 0.2); 5];
        let mut node = 0u64;
        while tree.has_room() {
            let added = tree.add(node.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            if tree.can_expand() {
                tree.expand(added, [&actions; 4]);
            }
            node += 1;
        }
        assert!(tree.nodes.len() == Tree::MAX_NODES && tree.trials.len() <= Tree::MAX_TRIALS && !tree.can_expand());
        let bytes = size_of_val(&tree.nodes[..]) + size_of_val(&tree.trials[..]) + size_of_val(&tree.slots[..]);
        // Half of a bot's memory limit; a vector may take twice its length while it grows.
        assert!(bytes < 128 << 20, "{bytes}");
    }

    #[test]
    fn several_trees_share_the_memory_of_one() {
        let mut tree = Tree::one_of(8);
        for node in 0..Tree::MAX_NODES as u64 / 8 {
            assert!(tree.has_room());
            tree.add(node.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        assert!(!tree.has_room());
    }

    #[test]
    fn sampling_follows_the_prior() {
        let mut tree = Tree::one_of(1);
        let node = tree.add(1);
        tree.expand(node, [&[(Action::Stay, 0.2), (Action::ALL[1], 0.5), (Action::ALL[2], 0.3)], &[], &[], &[]]);
        let picked = |chance| tree.pick(node, Seat::S0, PickMode::Sampled(chance), 0.0);
        assert_eq!([0.0, 0.19, 0.21, 0.69, 0.71, 0.999].map(picked), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn search_tries_every_action_and_prefers_the_best() {
        let mut tree = Tree::one_of(1);
        let actions: Vec<(Action, f32)> = Action::ALL.iter().map(|&action| (action, 1.0 / 9.0)).collect();
        let node = tree.add(1);
        assert!(!tree.is_expanded(node));
        tree.expand(node, [&actions, &[], &[], &[]]);
        assert!(tree.is_expanded(node));
        for _ in 0..2000 {
            let trial = tree.pick(node, Seat::S0, PickMode::Search, 12.0);
            tree.update(trial, if trial == 4 { 60.0 } else { 50.0 });
        }
        let trials: Vec<TrialStats> = tree.trials(node, Seat::S0).collect();
        assert!(trials.iter().all(|trial| trial.visits > 0));
        assert!(trials[4].visits > 1500 && trials[4].mean == 60.0, "{trials:?}");
        assert_ne!(tree.least_tried(node, Seat::S0), 4);
    }
}
