//! The ladder of a class: people, their versions, and games without end, on one server.

#![forbid(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

pub mod contest;
pub mod database;
mod invitations;
mod judging;
mod ladder;
pub mod log;
pub mod people;
mod secret;
pub mod server;
mod sessions;
pub mod settings;
pub mod submissions;
