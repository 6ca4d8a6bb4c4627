//! Plays on Botzone with a bot on this machine, by Local AI, and fetches match logs.
//!
//! The protocol, without a network, is `pacman2_botzone::local_ai`. Here are the connection (`http`), the loop of polls and answers
//! (`bridge`), the matches with their players (`active`), and what is left of them (`record`).

#![deny(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

mod account;
mod active;
mod bridge;
mod calls;
mod http;
mod output;
mod record;
mod retry;
#[cfg(test)]
mod tests;
mod unfinished;

pub use account::{Account, Site, SiteError};
pub use active::PlayedBot;
pub use bridge::{Outcome, Plan};
pub use calls::{Fetched, abort, fetch, play, start};
pub use record::write as write_replay;
