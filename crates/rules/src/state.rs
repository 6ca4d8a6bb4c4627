//! A position: everything that a turn can change.

use std::fmt;

use crate::action::Action;
use crate::cell::{Cell, CellSet};
use crate::fnv::Fnv1a;
use crate::maze::Maze;
use crate::ruleset::Ruleset;
use crate::seat::{BySeat, Seat, SeatSet};

/// A position of a game. It is small and `Copy`: keep a copy to come back to it.
///
/// ```
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read("
///     +---+---+---+---+
///     | 0   1   2   3 |
///     +---+---+---+---+
///     2: 12 +9
/// ").unwrap();
/// assert_eq!((state.strength[Seat::S2], state.boost_turns_left[Seat::S2]), (12, 9));
/// assert!(!state.is_over(&maze));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The number of turns played.
    pub turn: u32,
    /// Turns until fruit spawns, the next turn included.
    pub generator_turns_left: u32,
    /// The living players.
    pub alive: SeatSet,
    /// The cells of the players; of the dead, the last ones.
    pub cells: BySeat<Cell>,
    /// The strengths, boosts included. The dead keep theirs, which count in the scores.
    pub strength: BySeat<i32>,
    /// How many more turns each boost lasts; 0 without a boost.
    pub boost_turns_left: BySeat<u32>,
    /// The cells with small fruit.
    pub small_fruits: CellSet,
    /// The cells with large fruit.
    pub large_fruits: CellSet,
}

/// One player of a position, from [`State::player`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlayerState {
    /// Its cell, or its last one if it is dead.
    pub cell: Cell,
    /// Its strength, boost included.
    pub strength: i32,
    /// How many more turns its boost lasts.
    pub boost_turns_left: u32,
    /// Whether it is alive.
    pub alive: bool,
}

impl State {
    /// Returns the position before the first turn: four living players of strength 1.
    ///
    /// ```
    /// use pacman2_rules::{BySeat, CellSet, Maze, MazeSpec, Ruleset, Square, State};
    ///
    /// let squares = vec![Square::default(); 4];
    /// let maze = Maze::new(&MazeSpec { width: 2, height: 2, squares, ruleset: Ruleset::default() }).unwrap();
    /// let mut cells = maze.cells();
    /// let cells = BySeat::from_fn(|_| cells.next().unwrap());
    /// let state = State::start(&maze, cells, CellSet::EMPTY, CellSet::EMPTY);
    /// assert_eq!((state.turn, state.generator_turns_left, state.alive.len()), (0, 20, 4));
    /// ```
    #[must_use]
    pub fn start(maze: &Maze, cells: BySeat<Cell>, small_fruits: CellSet, large_fruits: CellSet) -> State {
        State::start_with(maze.ruleset(), cells, small_fruits, large_fruits)
    }

    /// Returns the position before the first turn of a game with these rules, as [`State::start`] does.
    #[must_use]
    pub fn start_with(ruleset: &Ruleset, cells: BySeat<Cell>, small_fruits: CellSet, large_fruits: CellSet) -> State {
        State {
            turn: 0,
            generator_turns_left: ruleset.generator_interval,
            alive: SeatSet::FULL,
            cells,
            strength: BySeat([1; 4]),
            boost_turns_left: BySeat([0; 4]),
            small_fruits,
            large_fruits,
        }
    }

    /// Returns one player.
    ///
    /// ```
    /// use pacman2_rules::{Seat, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    ///     3: 7 dead at 0,1
    /// ").unwrap();
    /// let player = state.player(Seat::S3);
    /// assert_eq!((player.alive, player.strength, maze.col(player.cell)), (false, 7, 1));
    /// ```
    #[must_use]
    pub fn player(&self, seat: Seat) -> PlayerState {
        PlayerState {
            cell: self.cells[seat],
            strength: self.strength[seat],
            boost_turns_left: self.boost_turns_left[seat],
            alive: self.alive.contains(seat),
        }
    }

    /// Returns the living players on a cell.
    ///
    /// ```
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     +----+----+
    ///     | 02   1  |
    ///     +----+----+
    /// ").unwrap();
    /// assert_eq!(state.standing_on(maze.cell(0, 0).unwrap()).len(), 2);
    /// ```
    #[must_use]
    #[inline]
    pub fn standing_on(&self, cell: Cell) -> SeatSet {
        SeatSet::from_fn(|seat| self.cells[seat] == cell).and(self.alive)
    }

    /// Returns whether the game has ended: at most one player lives, or the turn limit is reached.
    ///
    /// ```
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     turn 100/100
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// assert!(state.is_over(&maze));
    /// ```
    #[must_use]
    #[inline]
    pub fn is_over(&self, maze: &Maze) -> bool {
        self.alive.len() <= 1 || self.turn >= maze.ruleset().turn_limit
    }

    /// Returns the legal actions of a player, in the order of [`Action::ALL`]; none for the dead.
    ///
    /// ```
    /// use pacman2_rules::{Action, Direction, Seat, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    ///     1: 5
    /// ").unwrap();
    /// assert_eq!(state.legal_actions(&maze, Seat::S0), [Action::Stay, Action::Move(Direction::Right)]);
    /// // A shot needs more strength than it costs.
    /// assert!(state.legal_actions(&maze, Seat::S1).contains(&Action::Shoot(Direction::Left)));
    /// assert!(state.legal_actions(&maze, Seat::S2).is_empty());
    /// ```
    #[must_use]
    #[inline]
    pub fn legal_actions(&self, maze: &Maze, seat: Seat) -> &'static [Action] {
        if !self.alive.contains(seat) {
            return &[];
        }
        Action::legal(maze.open_sides(self.cells[seat]), self.can_shoot(maze, seat))
    }

    /// Returns whether an action of a living player is legal: a move needs an open side, a shot more strength than it costs.
    ///
    /// ```
    /// use pacman2_rules::{Action, Direction, Seat, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// assert!(state.is_legal(&maze, Seat::S0, Action::Move(Direction::Right)));
    /// assert!(!state.is_legal(&maze, Seat::S0, Action::Move(Direction::Up)));
    /// assert!(!state.is_legal(&maze, Seat::S0, Action::Shoot(Direction::Right)));
    /// ```
    #[must_use]
    #[inline]
    pub fn is_legal(&self, maze: &Maze, seat: Seat, action: Action) -> bool {
        match action {
            Action::Stay => true,
            Action::Move(direction) => maze.is_open(self.cells[seat], direction),
            Action::Shoot(_) => self.can_shoot(maze, seat),
            Action::Invalid => false,
        }
    }

    /// Checks what [`State::play`] takes for granted.
    pub(crate) fn check_playable(&self, maze: &Maze) -> Result<(), PlayError> {
        // Only the living need to be inside: the dead do nothing, and no player reaches fruit outside, though a sole survivor
        // inherits it.
        if self.alive.iter().any(|seat| self.cells[seat].index() >= maze.cells().len()) {
            return Err(PlayError::OutsideMaze);
        }
        if self.is_over(maze) { Err(PlayError::GameOver { turn: self.turn }) } else { Ok(()) }
    }

    #[inline(always)]
    pub(crate) fn can_shoot(&self, maze: &Maze, seat: Seat) -> bool {
        self.strength[seat] > maze.ruleset().skill_cost
    }

    /// Returns a hash of the position: FNV-1a, 64 bits, over little-endian numbers in this order:
    /// `turn`, `generator_turns_left` (4 bytes each); for each seat its cell's index and whether it lives (1 byte each),
    /// its strength and boost turns left (4 bytes each); then small and large fruit as bits (16 bytes each).
    ///
    /// ```
    /// use pacman2_rules::{Action, BySeat, picture};
    ///
    /// let (maze, before) = picture::read("
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// let mut after = before;
    /// after.play(&maze, &BySeat([Action::Stay; 4]), &mut ());
    /// assert_ne!(after.fingerprint(), before.fingerprint());
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv1a::new();
        hash.write(&self.turn.to_le_bytes());
        hash.write(&self.generator_turns_left.to_le_bytes());
        for seat in Seat::ALL {
            hash.write(&[self.cells[seat].index() as u8, u8::from(self.alive.contains(seat))]);
            hash.write(&self.strength[seat].to_le_bytes());
            hash.write(&self.boost_turns_left[seat].to_le_bytes());
        }
        hash.write(&self.small_fruits.bits().to_le_bytes());
        hash.write(&self.large_fruits.bits().to_le_bytes());
        hash.finish()
    }
}

/// Why a turn cannot be played, from [`State::try_play`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PlayError {
    /// The game is over.
    GameOver {
        /// The number of turns played.
        turn: u32,
    },
    /// A living player's cell is outside the maze: the position belongs to another maze.
    OutsideMaze,
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::GameOver { turn } => write!(f, "the game is over after turn {turn}"),
            PlayError::OutsideMaze => {
                f.write_str("the position belongs to another maze: expected all living players inside this one")
            }
        }
    }
}

impl std::error::Error for PlayError {}
