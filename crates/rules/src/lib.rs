//! The game Pacman2 (吃豆人2): its arena, its positions, and the twelve steps of a turn.
//!
//! Start with [`State::play`] in `turn.rs`: it reads like the rule book, one line a step. Everything here is exact and
//! deterministic; there is no I/O, no clock, no chance and no floating point.
//!
//! ```
//! use pacman2_rules::{picture, Order, BySeat, Direction};
//!
//! let (arena, mut state) = picture::read("
//!     +---+---+---+
//!     | 0   .   1 |
//!     +---+---+---+
//! ").unwrap();
//! let orders = BySeat([Order::Move(Direction::Right), Order::Stay, Order::Stay, Order::Stay]);
//! state.play(&arena, &orders, &mut ());
//! assert!(picture::write(&arena, &state).contains("
//! +---+---+---+
//! |     0   1 |
//! +---+---+---+
//! "));
//! ```

mod action;
mod field;
mod game;
mod maze;
pub mod picture;
mod report;
mod ruleset;
mod score;
mod seat;
mod state;
mod turn;

pub use action::{Action, ParseActionError};
pub use field::{Cell, CellSet, Direction, MAX_CELLS, MAX_SIDE};
pub use game::{Game, HistoryEntry};
pub use maze::{Maze, MazeError, MazeErrorReason, MazeSpec, Square, Walls};
pub use report::{Cause, ChangeFlags, Event, Fruit, Observer, Report};
pub use ruleset::{ForfeitRuling, ParseForfeitRulingError, Ruleset, RulesetError, Setting};
pub use score::{Score, scores};
pub use seat::{BySeat, Seat, SeatSet};
pub use state::{PlayerState, State};
