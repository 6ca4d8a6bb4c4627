//! One match: four players, a referee, and the record of what happened.
//!
//! - [`player`]: who the referee asks, a program or something within this process;
//! - [`referee`]: the match, turn by turn;
//! - [`record`]: the replay of a match.
//!
//! How a program is run and confined is the business of [`pacman2_runner`].

pub mod player;
pub mod record;
pub mod referee;
