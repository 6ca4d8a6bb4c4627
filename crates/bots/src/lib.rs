//! The built-in bots.
pub mod playout;
