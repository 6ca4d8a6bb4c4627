//! Jobs and results as JSON lines, with which games are played elsewhere. `docs/SCALE.md` describes the format.

#![deny(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

pub mod engine;
pub mod exchange;
pub mod hang_up;
pub mod header;
pub mod lines;
pub mod output;
pub mod threads;
