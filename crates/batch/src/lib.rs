//! **Many games at once.** The rules of `pacman2_rules`, for 64 games side by side, one in each *lane* of a vector register.
//!
//! - [`Games`]: many games, each on its own maze with its own ruleset, for learning and tournaments. Positions can be set and
//!   read, actions are given, rewards and ends are returned. When a game ends, the next one begins, from a seed of its own.
//! - `observe`, unless its feature is switched off: positions as arrays of bytes, for learning, and actions sampled from logits.
//!
//! ```
//! use std::sync::Arc;
//!
//! use pacman2_batch::{Games, InstructionSet, StartPosition};
//! use pacman2_rules::picture;
//!
//! let (maze, state) = picture::read("
//!     turn 98/100
//!     +---+---+---+---+---+
//!     | 0   .   .   .   1 |
//!     +---+---+---+---+---+
//! ").unwrap();
//! let starts = vec![Arc::new(StartPosition::new(maze, state))];
//! let mut games = Games::new(InstructionSet::best(), 1000, 1, Arc::new(starts));
//! let (mut actions, mut rewards) = (vec![[0; 4]; 1000], vec![[0; 4]; 1000]);
//! while games.ended().count() == 0 {
//!     games.random_actions(&mut actions);
//!     games.step(&actions, &mut rewards);
//! }
//! assert_eq!(games.ended().count(), 1000);
//! ```
//!
//! From the bottom up: `lanes` has the operations on 64 lanes, which each file in `arch` implements for an instruction set;
//! `maze_tables` answers what the steps ask about mazes; `turn` has the twelve steps, written once; `rng` draws random numbers.
//! Games that do not fit lanes of bytes are played by `pacman2_rules`. All results equal those of `pacman2_rules` exactly, with
//! every instruction set and any number of games and threads.
//!
//! # Unsafe code
//!
//! Vector instructions need `unsafe`: a CPU without them must not execute them. All of it is in the files of `arch`, apart
//! from `Pod` in `lanes.rs`, the trait of what a register may be loaded from. Only the detection of CPU features makes token types
//! such as `Avx2`, and every vector is made from a token. So the rest of the crate is safe code.

#![deny(unsafe_code)]

#[macro_use]
mod seats;

mod arch;
mod games;
mod instruction_set;
mod lanes;
mod maze_tables;
#[cfg(feature = "observe")]
pub mod observe;
mod rng;
mod signature;
mod soa_states;
mod turn;

pub use games::{EndedGame, Games, SlotState, StartPosition, StartSource};
#[cfg(feature = "observe")]
pub use games::{PlayerRows, ShownPlanes};
pub use instruction_set::{InstructionSet, ParseInstructionSetError};
pub use rng::{GameRng, index_below, seed_of_game};
pub use signature::signature;
