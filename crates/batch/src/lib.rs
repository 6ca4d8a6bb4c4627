//! **Many games at once.** The rules of crate `rules`, for 64 games side by side: game `n` is lane `n` of every register.
//!
//! Two uses:
//!
//! - [`Playouts`]: one position, many random games, for who searches. Lanes stay full: where a game ends the next begins. A
//!   [`Tally`] tells what each player got, by its first order.
//! - [`Games`]: many games, each on its own map with its own settings, for who learns and for tournaments. Positions can be
//!   set and read, orders are given, rewards and ends are told; where a game ends another begins, from a seed of its own.
//!
//! ```
//! use pacman2_batch::{InstructionSet, Playouts};
//! use pacman2_rules::{Order, Direction, Seat, picture};
//!
//! let (arena, state) = picture::read("
//!     turn 98/100
//!     +---+---+---+---+---+
//!     | 0   .   .   .   1 |
//!     +---+---+---+---+---+
//! ").unwrap();
//! let tally = Playouts::new(&arena, InstructionSet::best()).play(&state, 1, 0..1000);
//! let mean_strength = |order: Order| {
//!     let place = Order::ALL.iter().position(|&other| other == order).unwrap();
//!     let sums = tally.by_first_order[Seat::S0][place];
//!     sums.strength as f64 / sums.games as f64
//! };
//! assert!(mean_strength(Order::Move(Direction::Right)) > mean_strength(Order::Stay));
//! ```
//!
//! How it is made, from the bottom up: `lanes` is a small vocabulary of 64 bytes and 64 masks, which each instruction set in
//! `arch` puts into its own words; `ground` answers what the steps ask of maps; `turn` has the twelve steps, written once;
//! `chance` draws orders. What does not fit lanes of bytes is played by `rules` itself. Everything here equals `rules`, its
//! judge, to the last bit, with every instruction set, any number of games and of threads.

#[macro_use]
mod seats;

mod arch;
mod columns;
mod games;
mod ground;
mod instruction_set;
mod lanes;
pub mod observe;
mod playouts;
mod rng;
mod signature;
mod turn;
#[cfg(test)]
mod twin;

pub use games::{EndedGame, Games, SlotState, StartPosition, StartSource};
pub use instruction_set::{InstructionSet, ParseInstructionSetError};
pub use playouts::{PlayerTotals, Playouts, Tally};
pub use rng::{GameRng, seed_of_game};
pub use signature::signature;
