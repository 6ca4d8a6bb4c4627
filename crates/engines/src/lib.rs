//! Engines of the game: this one for JSON lines, how fast it is, and whether another one plays the same.

#![deny(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

pub mod bench;
mod own_command;
pub mod simulate;
