//! From what a user calls a bot to a program in its sandbox.
//!
//! [`source`] parses what was typed: a built-in bot, a file, a folder, an archive or a command line. [`archive`] unpacks, and
//! [`resolve`] finds the bot. [`compile`] makes programs of C++ sources and keeps them,
//! [`mounts`] says what a bot can read, and [`sandbox`] which bots run in the sandbox. [`bundle`](mod@bundle) makes one file of a bot,
//! and [`check`] looks for faults.

#![deny(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

pub mod archive;
pub mod bot_folder;
pub mod bot_name;
mod bot_problem;
pub mod built_in;
pub mod bundle;
pub mod check;
pub mod compile;
mod cpp_text;
pub mod diagnostics;
pub mod executables;
pub mod hash;
pub mod mounts;
mod program_cache;
pub mod resolve;
pub mod sandbox;
pub mod source;
pub mod source_files;
#[cfg_attr(target_os = "linux", path = "watchdog_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "watchdog_elsewhere.rs")]
pub mod watchdog;
