//! Tournaments: schedules ([`schedule`]), games without end ([`ladder`]), the store of bots and games ([`store`]), tables and ratings ([`standings`], [`fit`],
//! [`online`]), the comparison of two bots ([`compare`]), what bots have in common ([`similarity`]), and how machines that play differ ([`nodes`]).
//!
//! Everything except the store is pure: the same games give the same result, in whatever order they were played. This crate plays no
//! games itself.

#![forbid(unsafe_code)]

pub mod compare;
pub mod fit;
pub mod game;
pub mod ladder;
pub mod nodes;
pub mod online;
pub mod schedule;
pub mod similarity;
pub mod standings;
pub mod store;

pub use game::{Block, BotId, BotVersion, Fault, GameResult, Job, SeatResult};
pub use store::{Store, StoreError};
