//! Many matches: who plays whom ([`schedule`]), where games are kept ([`store`]), what they say of their bots
//! ([`standings`], [`fit`], [`online`]), and whether a bot is better than another ([`compare`]).
//!
//! All but the store is pure: the same games give the same answer, in whatever order they were played.

pub mod compare;
pub mod fit;
pub mod game;
pub mod online;
pub mod schedule;
pub mod standings;
pub mod store;

pub use game::{Block, BotId, BotVersion, Fault, GameResult, Job, SeatResult};
pub use store::{Store, StoreError};
