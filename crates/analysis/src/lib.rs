//! What each action of a position is worth: the search of the bot `sage`, read as an analysis.
//!
//! - [`position`]: the analysis of one position for all seats, and the losses of the actions that were played;
//! - [`comparison`]: what another action than the played one would have been worth;
//! - [`explanation`]: why an action lost points, and what followed;
//! - [`cache`]: what keeps analyses, so that a position is not analysed twice;
//! - [`queries`]: analyses and the decisions of all built-in bots behind one function that takes and returns JSON.
//!
//! The command line and the server use this crate natively. A static page runs it as WebAssembly in a worker
//! (`cargo xtask site` builds it).

#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]
#![cfg_attr(target_family = "wasm", deny(unsafe_code))]

pub mod cache;
pub mod comparison;
pub mod explanation;
pub mod position;
pub mod queries;
#[cfg(target_family = "wasm")]
pub mod wasm;
