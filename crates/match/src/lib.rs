//! One match: four players, a referee, and the record that is left of it.
//!
//! - [`program`]: a bot as a child process, asked under [`limits`];
//! - [`player`]: what the referee asks, whether a program or something within this process;
//! - [`referee`]: the match, turn by turn;
//! - [`record`]: what is kept of it.

pub mod limits;
pub mod player;
pub mod program;
pub mod record;
pub mod referee;
pub mod sandbox;
