//! The viewer of matches and of arenas, and the server that shows them.
//!
//! - [`page`] puts the viewer together: one HTML text that holds everything it needs;
//! - `arena` does the same for the page of an arena;
//! - `server` serves both pages, plays matches, and answers the pages' questions;
//! - `contest` does it for the page of a contest;
//! - `human` is a match player whose actions come from a page.
//!
//! All but [`page`] need the feature `server`, which is on by default.

#![forbid(unsafe_code)]

#[cfg(feature = "server")]
pub mod arena;
#[cfg(feature = "server")]
pub mod contest;
#[cfg(feature = "server")]
pub mod human;
pub mod page;
#[cfg(feature = "server")]
pub mod server;
