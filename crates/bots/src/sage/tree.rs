//! The search tree: for each position, the statistics of every seat's actions.
//!
//! Nodes are found by a hash of the position, so transpositions share a node. A node takes some 40 bytes, and with its actions about
//! 250. There are at most [`Tree::MAX_NODES`]; then the tree stops growing.

use std::ops::Range;

use pacman2_rules::{Action, Seat, State};

use crate::choice::action_number;

/// The maximum depth of a simulation in the tree, in turns.
pub(super) const MAX_DEPTH: usize = 60;

/// All nodes of a search.
// Trees of several threads lie side by side, and must not share a cache line.
#[repr(align(128))]
pub(crate) struct Tree {
    /// An open-addressing hash table of all positions. The nodes are in the table itself: each access to a large tree is a miss of the
    /// cache, and a node elsewhere would be another one.
    slots: Vec<Slot>,
    /// The number of nodes.
    node_count: usize,
    rows: Vec<Row>,
    /// The number of trees among which nodes and rows are divided.
    trees: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    node: Node,
}

impl Slot {
    const EMPTY: Slot = Slot { hash: 0, node: Node { first: u32::MAX, counts: [0; 4] } };

    #[inline]
    fn is_empty(&self) -> bool {
        self.node.first == u32::MAX
    }
}

/// A position of the search: where its rows are. They stay there until the tree is cleared.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    first: u32,
    counts: [u8; 4],
}

impl Node {
    /// A node without actions.
    pub(super) const UNEXPANDED: Node = Node { first: 0, counts: [0; 4] };

    /// Returns whether the node has its actions.
    #[inline]
    pub(crate) fn is_expanded(self) -> bool {
        self.counts[0] > 0
    }

    /// Returns which of its seat's trials in this node one is.
    #[inline]
    pub(super) fn index_of(self, trial: u32) -> usize {
        (trial - self.first) as usize
    }

    /// Returns the rows of a node with this number of them.
    #[inline]
    fn rows(self, count: u8) -> Range<usize> {
        self.first as usize..self.first as usize + usize::from(count)
    }

    /// Returns the rows in which a seat has trials.
    #[inline]
    fn rows_of(self, seat: Seat) -> Range<usize> {
        self.rows(self.counts[seat.index()])
    }

    /// Returns the number of rows, given the numbers of each seat's trials.
    #[inline]
    fn row_count(counts: [u8; 4]) -> u8 {
        let [a, b, c, d] = counts;
        a.max(b).max(c.max(d))
    }
}

/// The statistics of one action of each seat in a node, so that selection computes those of all seats at once. A seat with fewer actions
/// than another one has none in the last rows. A seat's trial is named by its row.
#[derive(Clone, Copy)]
struct Row {
    visits: [u32; 4],
    means: [f32; 4],
    /// The priors, in units of 1/[`PRIOR_SCALE`].
    priors: [u16; 4],
    actions: [u8; 4],
}

impl Row {
    const EMPTY: Row = Row { visits: [0; 4], means: [0.0; 4], priors: [0; 4], actions: [0; 4] };
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

/// How each seat selects its action in a node: by PUCT, or sampled from the prior with a uniform number from 0 to 1.
#[derive(Clone, Copy)]
pub(crate) struct PickModes([Option<f32>; 4]);

impl PickModes {
    /// All by PUCT.
    pub(crate) const SEARCH: PickModes = PickModes([None; 4]);

    /// Makes a seat sample with this probability, by this uniform number from 0 to 1.
    pub(crate) fn set_sampled_with(&mut self, seat: Seat, probability: f32, chance: f32) {
        self.0[seat.index()] = (chance < probability).then(|| chance / probability);
    }
}

impl Tree {
    /// The maximum number of nodes.
    pub(crate) const MAX_NODES: usize = 1_000_000;
    /// The maximum number of rows, so that a process of 256 MB has room for them.
    const MAX_ROWS: usize = 2_100_000;
    /// The least and the largest initial number of slots. It doubles when half of them are taken.
    const MIN_SLOTS: usize = 1 << 12;
    const MAX_INITIAL_SLOTS: usize = 1 << 16;

    /// Creates one of several trees. Together they take as much memory as one alone at most.
    pub(crate) fn one_of(trees: usize) -> Tree {
        Tree { slots: vec![Slot::EMPTY; Tree::MIN_SLOTS], node_count: 0, rows: Vec::new(), trees }
    }

    /// Removes all nodes and keeps the allocated memory. For up to this number of nodes, within reason, slots need not grow.
    pub(crate) fn clear(&mut self, nodes: usize) {
        self.node_count = 0;
        self.rows.clear();
        self.slots.clear();
        let nodes = nodes.min(Tree::MAX_NODES / self.trees).min(Tree::MAX_INITIAL_SLOTS / 2);
        self.slots.resize((2 * nodes).next_power_of_two().max(Tree::MIN_SLOTS), Slot::EMPTY);
    }

    /// Returns the node of a position.
    #[inline]
    pub(crate) fn find(&self, hash: u64) -> Option<Node> {
        let slot = &self.slots[self.slot_of(hash)];
        (!slot.is_empty()).then_some(slot.node)
    }

    /// Returns the slot with this hash, or the empty one where it belongs.
    #[inline]
    fn slot_of(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut number = hash as usize & mask;
        while !self.slots[number].is_empty() && self.slots[number].hash != hash {
            number = (number + 1) & mask;
        }
        number
    }

    /// Returns whether there is room for another node.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.node_count < Tree::MAX_NODES / self.trees
    }

    /// Returns whether there is room for the actions of another node.
    #[inline]
    pub(crate) fn can_expand(&self) -> bool {
        self.rows.len() + 9 <= Tree::MAX_ROWS / self.trees
    }

    /// Adds a node without actions.
    pub(crate) fn add(&mut self, hash: u64) {
        self.node_count += 1;
        if 2 * self.node_count > self.slots.len() {
            let larger = vec![Slot::EMPTY; 2 * self.slots.len()];
            for slot in std::mem::replace(&mut self.slots, larger) {
                if !slot.is_empty() {
                    let number = self.slot_of(slot.hash);
                    self.slots[number] = slot;
                }
            }
        }
        let number = self.slot_of(hash);
        self.slots[number] = Slot { hash, node: Node::UNEXPANDED };
    }

    /// Gives the node with this hash these actions and their priors. Behind a seat's last action, priors are 0.
    pub(crate) fn expand(&mut self, hash: u64, actions: &[[(Action, f32); 9]; 4], counts: [u8; 4]) -> Node {
        let node = Node { first: self.rows.len() as u32, counts };
        // For all seats at once: jumps at each seat's last action would often be mispredicted.
        self.rows.extend((0..usize::from(Node::row_count(counts)).min(9)).map(|row| Row {
            priors: actions.each_ref().map(|actions| (actions[row].1 * PRIOR_SCALE) as u16),
            actions: actions.each_ref().map(|actions| action_number(actions[row].0) as u8),
            ..Row::EMPTY
        }));
        let number = self.slot_of(hash);
        self.slots[number] = Slot { hash, node };
        node
    }

    /// Selects each seat's trial in a node. `exploration` is in points.
    ///
    /// Every simulation visits a trial of each seat, so the sum of one seat's visits is that of all.
    #[inline]
    pub(crate) fn pick(&self, node: Node, modes: &PickModes, exploration: f32) -> [u32; 4] {
        let rows = &self.rows[node.rows(Node::row_count(node.counts))];
        let visits: u32 = rows.iter().map(|row| row.visits[0]).sum();
        // By PUCT, as AlphaZero does.
        let exploration = exploration * (1.0 + GROWTH * (1 + visits / 256).ilog2() as f32);
        let scale = exploration * ((visits + 1) as f32).sqrt() / PRIOR_SCALE;
        std::array::from_fn(|seat| {
            let rows = &rows[..usize::from(node.counts[seat])];
            let pick = match modes.0[seat] {
                Some(chance) => sampled(rows, seat, chance),
                None => searched(rows, seat, visits, scale),
            };
            node.first + pick as u32
        })
    }

    /// Returns a seat's least visited trial in a node.
    pub(crate) fn least_tried(&self, node: Node, seat: Seat) -> u32 {
        let rows = node.rows_of(seat);
        let first = rows.start;
        let row = rows.min_by_key(|&row| self.rows[row].visits[seat.index()]).unwrap_or(first);
        row as u32
    }

    /// Returns the action of a seat's trial.
    #[inline]
    pub(crate) fn action(&self, seat: Seat, trial: u32) -> Action {
        Action::ALL[usize::from(self.rows[trial as usize].actions[seat.index()])]
    }

    /// Backs up the points of a simulation into a trial.
    #[inline]
    pub(crate) fn update(&mut self, seat: Seat, trial: u32, points: f32) {
        let (row, seat) = (&mut self.rows[trial as usize], seat.index());
        row.visits[seat] += 1;
        row.means[seat] += (points - row.means[seat]) / row.visits[seat] as f32;
    }

    /// Replaces one of the values that were backed up into a trial.
    pub(crate) fn replace(&mut self, seat: Seat, trial: u32, old: f32, new: f32) {
        let (row, seat) = (&mut self.rows[trial as usize], seat.index());
        row.means[seat] += (new - old) / row.visits[seat] as f32;
    }

    /// Returns the mean of a trial; `None` without visits.
    pub(crate) fn mean(&self, seat: Seat, trial: u32) -> Option<f32> {
        let (row, seat) = (&self.rows[trial as usize], seat.index());
        (row.visits[seat] > 0).then_some(row.means[seat])
    }

    /// Iterates over a seat's trials in a node.
    pub(crate) fn trials(&self, node: Node, seat: Seat) -> impl Iterator<Item = TrialStats> {
        let index = seat.index();
        self.rows[node.rows_of(seat)].iter().map(move |row| TrialStats {
            action: Action::ALL[usize::from(row.actions[index])],
            visits: row.visits[index],
            mean: row.means[index],
        })
    }
}

/// Returns the row of the trial that is drawn from a seat's priors by a uniform number from 0 to 1.
fn sampled(rows: &[Row], seat: usize, chance: f32) -> usize {
    let total: u32 = rows.iter().map(|row| u32::from(row.priors[seat])).sum();
    let mut rest = chance * total as f32;
    let drawn = rows.iter().position(|row| {
        rest -= f32::from(row.priors[seat]);
        rest < 0.0
    });
    drawn.unwrap_or(rows.len() - 1)
}

/// Returns the row of a seat's trial with the best sum of its mean and of `scale` times its prior by its visits. A trial without visits
/// has the mean of the node.
fn searched(rows: &[Row], seat: usize, visits: u32, scale: f32) -> usize {
    let sum: f32 = rows.iter().map(|row| row.visits[seat] as f32 * row.means[seat]).sum();
    let untried = if visits > 0 { sum / visits as f32 } else { 0.0 };
    let mut best = (f32::MIN, 0);
    for (index, row) in rows.iter().enumerate() {
        let mean = if row.visits[seat] == 0 { untried } else { row.means[seat] };
        let value = mean + scale * f32::from(row.priors[seat]) / (1 + row.visits[seat]) as f32;
        if value > best.0 {
            best = (value, index);
        }
    }
    best.1
}

/// Hashes a position, including its turn.
pub(crate) fn hash(state: &State) -> u64 {
    words(state).into_iter().fold(0x9e37_79b9_7f4a_7c15, |hash, word| folded_product(hash ^ word, FACTOR) ^ word.rotate_left(29))
}

const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

#[inline]
fn folded_product(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// Returns everything of a position as numbers.
#[inline]
fn words(state: &State) -> [u64; 10] {
    let cells = |seat| state.cells[seat].index() as u64 | u64::from(state.alive.contains(seat)) << 8;
    let player = |seat| u64::from(state.strength[seat] as u32) << 32 | u64::from(state.boost_turns_left[seat]);
    let [first, second, third, fourth] = Seat::ALL.map(player);
    let (small, large) = (state.small_fruits.bits(), state.large_fruits.bits());
    [
        u64::from(state.turn) << 32 | u64::from(state.generator_turns_left),
        Seat::ALL.into_iter().fold(0, |word, seat| word << 16 | cells(seat)),
        first,
        second,
        third,
        fourth,
        small as u64,
        (small >> 64) as u64,
        large as u64,
        (large >> 64) as u64,
    ]
}

#[cfg(test)]
mod tests {
    use pacman2_rules::{Direction, picture};

    use super::*;

    #[test]
    fn every_part_of_a_position_changes_its_hash() {
        let drawn = "
            turn 3/100
            +---+---+---+---+
            | 0   1   2   3 |
            +---+---+---+---+
        ";
        let (maze, state) = picture::read(drawn).unwrap();
        let cell = maze.cell(0, 2).unwrap();
        let mut positions = vec![state];
        let mut change = |change: &dyn Fn(&mut State)| {
            let mut changed = state;
            change(&mut changed);
            positions.push(changed);
        };
        change(&|state| state.turn += 1);
        change(&|state| state.generator_turns_left += 1);
        change(&|state| state.small_fruits.insert(cell));
        change(&|state| state.large_fruits.insert(cell));
        for seat in Seat::ALL {
            change(&|state| state.alive.remove(seat));
            change(&|state| state.cells[seat] = maze.neighbour(state.cells[seat], Direction::Right));
            change(&|state| state.strength[seat] += 1);
            change(&|state| state.boost_turns_left[seat] += 1);
        }
        let mut hashes: Vec<u64> = positions.iter().map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), positions.len());
    }

    #[test]
    fn nodes_are_found_in_a_large_tree() {
        let mut tree = Tree::one_of(1);
        // Hashes that collide in the same slots.
        let hash = |node: u64| (node << 40) | (node % 3);
        for node in 0..10_000 {
            assert!(tree.find(hash(node)).is_none());
            tree.add(hash(node));
            if node % 3 == 1 {
                tree.expand(hash(node), &[[(Action::Stay, 1.0); 9]; 4], [1; 4]);
            }
        }
        for node in 0..10_000 {
            assert_eq!(tree.find(hash(node)).map(Node::is_expanded), Some(node % 3 == 1));
        }
        tree.clear(10_000);
        assert!((0..10_000).all(|node| tree.find(hash(node)).is_none()));
    }

    #[test]
    fn the_tree_respects_its_capacity() {
        let mut tree = Tree::one_of(1);
        let mut node = 0u64;
        while tree.has_room() {
            let hash = node.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            tree.add(hash);
            if tree.can_expand() {
                tree.expand(hash, &[[(Action::Stay, 0.2); 9]; 4], [5; 4]);
            }
            node += 1;
        }
        assert!(tree.node_count == Tree::MAX_NODES && tree.rows.len() <= Tree::MAX_ROWS && !tree.can_expand());
        let bytes = size_of_val(&tree.rows[..]) + size_of_val(&tree.slots[..]);
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
        tree.add(1);
        let mut actions = [[(Action::Stay, 0.0); 9]; 4];
        actions[0][..3].copy_from_slice(&[(Action::Stay, 0.2), (Action::ALL[1], 0.5), (Action::ALL[2], 0.3)]);
        let node = tree.expand(1, &actions, [3, 1, 1, 1]);
        let picked = |chance| {
            let mut modes = PickModes::SEARCH;
            modes.set_sampled_with(Seat::S0, 1.0, chance);
            node.index_of(tree.pick(node, &modes, 0.0)[0])
        };
        assert_eq!([0.0, 0.19, 0.21, 0.69, 0.71, 0.999].map(picked), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn search_tries_every_action_and_prefers_the_best() {
        let mut tree = Tree::one_of(1);
        let mut actions = [[(Action::Stay, 0.0); 9]; 4];
        actions[0] = Action::ALL.map(|action| (action, 1.0 / 9.0));
        tree.add(1);
        assert!(tree.find(1).is_some_and(|node| !node.is_expanded()));
        let node = tree.expand(1, &actions, [9, 1, 1, 1]);
        assert!(tree.find(1).is_some_and(Node::is_expanded));
        for _ in 0..2000 {
            let trial = tree.pick(node, &PickModes::SEARCH, 12.0)[0];
            tree.update(Seat::S0, trial, if node.index_of(trial) == 4 { 60.0 } else { 50.0 });
        }
        let trials: Vec<TrialStats> = tree.trials(node, Seat::S0).collect();
        assert!(trials.iter().all(|trial| trial.visits > 0));
        assert!(trials[4].visits > 1500 && trials[4].mean == 60.0, "{trials:?}");
        assert_ne!(node.index_of(tree.least_tried(node, Seat::S0)), 4);
    }
}
