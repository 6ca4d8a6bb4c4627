//! The twelve steps of a turn, in their order, and what the report tells of each: what happened, with causes and culprits,
//! and what came of each player, in gains of strength and in the bits of Botzone's log.

#[path = "../common/mod.rs"]
mod common;

mod end;
mod fruit;
mod lights;
mod walks;
