//! The tree of a search: for each position what each seat has tried there, and what came of it.
//!
//! Nodes are found by their positions, so a position that is reached in two ways is one node. A node takes about 190
//! bytes; there are at most [`Tree::MOST_NODES`], and then the tree grows no more.

use pacman2_rules::{Action, Seat, State};

/// All nodes of a search.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    trials: Vec<Trial>,
    /// Where to find a position: its hash picks the first slot to look at. 0 is empty, else the node's number and one.
    slots: Vec<u32>,
}

/// A position.
#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    first: u32,
    counts: [u8; 4],
}

/// An order that a seat may try in a position.
#[derive(Clone, Copy)]
struct Trial {
    visits: u32,
    mean: f32,
    /// How promising it seemed beforehand, in parts of [`WHOLE`].
    prior: u16,
    action: u8,
}

const WHOLE: f32 = 65_535.0;
/// How much more is explored each time that a node's visits double, beyond some hundreds. First visits can deceive, and
/// what is far behind after them would hardly be looked at again.
const GROWTH: f32 = 0.15;

/// What an order of a node came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Tried {
    pub(crate) action: Action,
    pub(crate) visits: u32,
    pub(crate) mean: f32,
}

/// How a seat picks its order in a node.
#[derive(Clone, Copy)]
pub(crate) enum Pick {
    /// What is best so far, or promising and little tried.
    Search,
    /// As likely as it was thought beforehand; a number from 0 to 1 decides.
    Expected(f32),
}

impl Tree {
    /// At most so many nodes.
    pub(crate) const MOST_NODES: usize = 600_000;
    /// At most so many trials: what a process of 256 MB has room for.
    const MOST_TRIALS: usize = 9_000_000;
    /// Slots are doubled when half of them are taken.
    const FEWEST_SLOTS: usize = 1 << 12;

    pub(crate) fn new() -> Tree {
        Tree { nodes: Vec::new(), trials: Vec::new(), slots: vec![0; Tree::FEWEST_SLOTS] }
    }

    /// Forgets everything and keeps the room for it.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.trials.clear();
        self.slots.clear();
        self.slots.resize(Tree::FEWEST_SLOTS, 0);
    }

    /// The node of a position.
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

    /// Whether there is room for another node.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.nodes.len() < Tree::MOST_NODES && self.trials.len() + 36 <= Tree::MOST_TRIALS
    }

    /// A new node with these orders and how promising each seems.
    pub(crate) fn add(&mut self, hash: u64, actions: [&[(Action, f32)]; 4]) -> u32 {
        let first = self.trials.len() as u32;
        for &(action, prior) in actions.into_iter().flatten() {
            self.trials.push(Trial { visits: 0, mean: 0.0, prior: (prior * WHOLE) as u16, action: number(action) });
        }
        self.nodes.push(Node { hash, first, counts: actions.map(|actions| actions.len() as u8) });
        if 2 * self.nodes.len() > self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            for node in 0..self.nodes.len() {
                self.enter(node);
            }
        } else {
            self.enter(self.nodes.len() - 1);
        }
        self.nodes.len() as u32 - 1
    }

    fn enter(&mut self, node: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.nodes[node].hash as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = node as u32 + 1;
    }

    /// The trial that a seat picks in a node. `exploration` is in points.
    #[inline]
    pub(crate) fn pick(&self, node: u32, seat: Seat, pick: Pick, exploration: f32) -> u32 {
        let (first, count) = self.range(node, seat);
        if count == 1 {
            return first as u32;
        }
        let trials = &self.trials[first..first + count];
        match pick {
            Pick::Search => first as u32 + search(trials, exploration),
            Pick::Expected(chance) => {
                let mut rest = chance * trials.iter().map(|trial| f32::from(trial.prior)).sum::<f32>();
                let position = trials.iter().position(|trial| {
                    rest -= f32::from(trial.prior);
                    rest < 0.0
                });
                (first + position.unwrap_or(count - 1)) as u32
            }
        }
    }

    /// The trial of a seat in a node that it picked least often.
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

    /// The order of a trial.
    #[inline]
    pub(crate) fn action(&self, trial: u32) -> Action {
        Action::ALL[usize::from(self.trials[trial as usize].action)]
    }

    /// Adds what came of a trial.
    #[inline]
    pub(crate) fn learn(&mut self, trial: u32, points: f32) {
        let trial = &mut self.trials[trial as usize];
        trial.visits += 1;
        trial.mean += (points - trial.mean) / trial.visits as f32;
    }

    /// Everything that a seat tried in a node.
    pub(crate) fn tried(&self, node: u32, seat: Seat) -> impl Iterator<Item = Tried> {
        let (first, count) = self.range(node, seat);
        self.trials[first..first + count].iter().map(|trial| Tried {
            action: Action::ALL[usize::from(trial.action)],
            visits: trial.visits,
            mean: trial.mean,
        })
    }
}

/// Mean and promise, as AlphaZero weighs them (PUCT). What was never tried is taken for as good as the mean of all.
#[inline]
fn search(trials: &[Trial], exploration: f32) -> u32 {
    let visits: u32 = trials.iter().map(|trial| trial.visits).sum();
    let mut untried = 0.0;
    if visits > 0 && trials.iter().any(|trial| trial.visits == 0) {
        untried = trials.iter().map(|trial| trial.visits as f32 * trial.mean).sum::<f32>() / visits as f32;
    }
    let exploration = exploration * (1.0 + GROWTH * (1 + visits / 256).ilog2() as f32);
    let scale = exploration * ((visits + 1) as f32).sqrt() / WHOLE;
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

fn number(action: Action) -> u8 {
    match action {
        Action::Move(direction) => 1 + direction.index() as u8,
        Action::Shoot(direction) => 5 + direction.index() as u8,
        Action::Stay | Action::Invalid => 0,
    }
}

/// A hash of a position, its turn included.
#[inline]
pub(crate) fn hash(state: &State) -> u64 {
    let mut hash: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut eat = |word: u64| {
        let product = u128::from(hash ^ word) * 0xd6e8_feb8_6659_fd93;
        hash = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(29);
    };
    eat(u64::from(state.turn) << 32 | u64::from(state.generator_turns_left));
    let cells = |seat| state.cells[seat].index() as u64 | u64::from(state.alive.contains(seat)) << 8;
    eat(Seat::ALL.into_iter().fold(0, |word, seat| word << 16 | cells(seat)));
    for seat in Seat::ALL {
        eat(u64::from(state.strength[seat] as u32) << 32 | u64::from(state.boost_turns_left[seat]));
    }
    for fruits in [state.small_fruits, state.large_fruits] {
        eat(fruits.bits() as u64);
        eat((fruits.bits() >> 64) as u64);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_again_however_many_there_are() {
        let mut tree = Tree::new();
        let actions = [(Action::Stay, 1.0)];
        // Hashes that all want the same slots.
        let hash = |node: u64| (node << 40) | (node % 3);
        for node in 0..10_000 {
            assert_eq!(tree.find(hash(node)), None);
            assert_eq!(u64::from(tree.add(hash(node), [&actions; 4])), node);
        }
        for node in 0..10_000 {
            assert_eq!(tree.find(hash(node)).map(u64::from), Some(node));
        }
        tree.clear();
        assert_eq!((0..10_000).find(|&node| tree.find(hash(node)).is_some()), None);
    }

    #[test]
    fn it_does_not_grow_beyond_its_cap() {
        let mut tree = Tree::new();
        let actions = [(Action::Stay, 0.2); 5];
        let mut node = 0u64;
        while tree.has_room() {
            tree.add(node.wrapping_mul(0x9e37_79b9_7f4a_7c15), [&actions; 4]);
            node += 1;
        }
        assert!(node as usize <= Tree::MOST_NODES && tree.trials.len() <= Tree::MOST_TRIALS);
        let bytes = size_of_val(&tree.nodes[..]) + size_of_val(&tree.trials[..]) + size_of_val(&tree.slots[..]);
        // Half of what a bot may have; a list may take twice its length while it grows.
        assert!(bytes < 128 << 20, "{bytes}");
    }

    #[test]
    fn what_is_expected_is_picked_as_often_as_expected() {
        let mut tree = Tree::new();
        let node = tree.add(1, [&[(Action::Stay, 0.2), (Action::ALL[1], 0.5), (Action::ALL[2], 0.3)], &[], &[], &[]]);
        let picked = |chance| tree.pick(node, Seat::S0, Pick::Expected(chance), 0.0);
        assert_eq!([0.0, 0.19, 0.21, 0.69, 0.71, 0.999].map(picked), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn a_search_tries_everything_and_then_the_best() {
        let mut tree = Tree::new();
        let actions: Vec<(Action, f32)> = Action::ALL.iter().map(|&action| (action, 1.0 / 9.0)).collect();
        let node = tree.add(1, [&actions, &[], &[], &[]]);
        for _ in 0..2000 {
            let trial = tree.pick(node, Seat::S0, Pick::Search, 12.0);
            tree.learn(trial, if trial == 4 { 60.0 } else { 50.0 });
        }
        let tried: Vec<Tried> = tree.tried(node, Seat::S0).collect();
        assert!(tried.iter().all(|tried| tried.visits > 0));
        assert!(tried[4].visits > 1500 && tried[4].mean == 60.0, "{tried:?}");
        assert_ne!(tree.least_tried(node, Seat::S0), 4);
    }
}
