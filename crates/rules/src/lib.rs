//! The rules of the game Pacman2 (吃豆人2): mazes, positions, and the twelve steps of a turn.
//!
//! Start with [`State::play`] in `turn.rs`, the executable specification: one line for each step. Everything here is exact
//! and deterministic: no I/O, no clock, no randomness of their own, no floats.
//!
//! ```
//! use pacman2_rules::{Action, BySeat, Direction, picture};
//!
//! let (maze, mut state) = picture::read("
//!     +---+---+---+
//!     | 0   .   1 |
//!     +---+---+---+
//! ").unwrap();
//! let actions = BySeat([Action::Move(Direction::Right), Action::Stay, Action::Stay, Action::Stay]);
//! state.play(&maze, &actions, &mut ());
//! assert!(picture::write(&maze, &state).contains("
//! +---+---+---+
//! |     0   1 |
//! +---+---+---+
//! "));
//! ```

#![forbid(unsafe_code)]

// Its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod action;
mod cell;
mod event;
mod fnv;
mod game;
mod lazy_maze;
mod maze;
mod maze_rows;
pub mod picture;
mod report;
mod ruleset;
mod score;
mod seat;
mod state;
mod turn;

pub use action::{Action, ParseActionError};
pub use cell::{Cell, CellSet, Direction, MAX_CELLS, MAX_SIDE};
pub use event::{Cause, Event, Fruit, Observer};
pub use fnv::Fnv1a;
pub use game::{Game, HistoryEntry};
pub use lazy_maze::LazyMaze;
pub use maze::{Maze, MazeError, MazeErrorReason, MazeSpec, Square, Walls};
pub use maze_rows::MazeRows;
pub use report::Report;
pub use ruleset::{ForfeitRuling, ParseForfeitRulingError, Ruleset, RulesetError, Setting};
pub use score::{Score, scores};
pub use seat::{BySeat, Seat, SeatSet};
pub use state::{PlayError, PlayerState, State};
