//! What commands of `pacman2` share in dealing with their user: errors and exit codes, files that are read and written, texts on a
//! terminal, progress, interruption, and threads whose results are shown as they come.

#![deny(unsafe_code)]

// First, because its macros are in scope after it only.
#[macro_use]
mod stderr;
pub mod stdout;

pub mod error;
pub mod files;
pub mod interrupt;
pub mod json_output;
pub mod language;
pub mod map_source;
pub mod progress;
pub mod replay_folder;
pub mod text;
pub mod workers;
