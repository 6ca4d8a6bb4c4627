//! A position: all that a turn can change.

use crate::action::Action;
use crate::field::{Cell, CellSet};
use crate::maze::Maze;
use crate::seat::{BySeat, Seat, SeatSet};

/// A position of a game. It is small and `Copy`: to be able to come back to it, keep it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Turns played.
    pub turn: u32,
    /// Turns until the generators bear, the coming one included.
    pub generator_turns_left: u32,
    /// Who lives.
    pub alive: SeatSet,
    /// Where the players stand, and where the dead last stood.
    pub cells: BySeat<Cell>,
    /// Strengths, what a boost lends included. The dead keep theirs; it counts in the end.
    pub strength: BySeat<i32>,
    /// For how many more turns a boost lasts; 0 where there is none.
    pub boost_turns_left: BySeat<u32>,
    /// Where small fruit lies.
    pub small_fruits: CellSet,
    /// Where large fruit lies.
    pub large_fruits: CellSet,
}

/// One player of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlayerState {
    /// Where it stands, or last stood.
    pub cell: Cell,
    /// Its strength, boost included.
    pub strength: i32,
    /// For how many more turns its boost lasts.
    pub boost_turns_left: u32,
    /// Whether it lives.
    pub alive: bool,
}

impl State {
    /// The position before the first turn: four living players of strength 1.
    pub fn start(maze: &Maze, cells: BySeat<Cell>, small_fruits: CellSet, large_fruits: CellSet) -> State {
        State {
            turn: 0,
            generator_turns_left: maze.ruleset().generator_interval,
            alive: SeatSet::FULL,
            cells,
            strength: BySeat([1; 4]),
            boost_turns_left: BySeat([0; 4]),
            small_fruits,
            large_fruits,
        }
    }

    /// One player.
    pub fn player(&self, seat: Seat) -> PlayerState {
        PlayerState {
            cell: self.cells[seat],
            strength: self.strength[seat],
            boost_turns_left: self.boost_turns_left[seat],
            alive: self.alive.contains(seat),
        }
    }

    /// The living players on a cell.
    #[inline]
    pub fn standing_on(&self, cell: Cell) -> SeatSet {
        SeatSet::from_fn(|seat| self.cells[seat] == cell).and(self.alive)
    }

    /// Whether the game has ended: at most one player lives, or the turn limit is reached.
    #[inline]
    pub fn is_over(&self, maze: &Maze) -> bool {
        self.alive.len() <= 1 || self.turn >= maze.ruleset().turn_limit
    }

    /// The orders that a player may give now, in the order of [`Order::ALL`]; none for the dead.
    #[inline]
    pub fn legal_actions(&self, maze: &Maze, seat: Seat) -> &'static [Action] {
        if !self.alive.contains(seat) {
            return &[];
        }
        Action::legal(maze.open_sides(self.cells[seat]), self.can_shoot(maze, seat))
    }

    /// Whether a living player may give this order: a walk needs an open side, a light more strength than it costs.
    #[inline]
    pub fn is_legal(&self, maze: &Maze, seat: Seat, action: Action) -> bool {
        match action {
            Action::Stay => true,
            Action::Move(direction) => maze.is_open(self.cells[seat], direction),
            Action::Shoot(_) => self.can_shoot(maze, seat),
            Action::Invalid => false,
        }
    }

    #[inline(always)]
    pub(crate) fn can_shoot(&self, maze: &Maze, seat: Seat) -> bool {
        self.strength[seat] > maze.ruleset().skill_cost
    }

    /// A number that tells positions of one arena apart: FNV-1a, 64 bits, over little-endian numbers in this order:
    /// `turn`, `generator_turns_left` (4 bytes each); for each seat its cell's index and whether it lives (1 byte each),
    /// its strength and boost turns left (4 bytes each); then small and large fruit as bits (16 bytes each).
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.eat(&self.turn.to_le_bytes());
        hash.eat(&self.generator_turns_left.to_le_bytes());
        for seat in Seat::ALL {
            hash.eat(&[self.cells[seat].index() as u8, u8::from(self.alive.contains(seat))]);
            hash.eat(&self.strength[seat].to_le_bytes());
            hash.eat(&self.boost_turns_left[seat].to_le_bytes());
        }
        hash.eat(&self.small_fruits.bits().to_le_bytes());
        hash.eat(&self.large_fruits.bits().to_le_bytes());
        hash.0
    }
}

struct Fnv(u64);

impl Fnv {
    fn eat(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
