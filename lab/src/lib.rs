//! What the programs that measure share.

pub mod bot;
pub mod recorded;
