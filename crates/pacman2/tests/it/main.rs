//! Tests of the command line in which a busy machine costs nothing but time: no bot in them has a deadline that matters.
//!
//! Cargo runs test binaries one after another, so the tests that need a machine of their own are separate binaries:
//! `timed` (deadlines), `hostile` (attacks) and `browser`.

#[path = "../common/mod.rs"]
mod common;
mod server;

mod analyse;
mod bad_input;
mod bench;
#[cfg(unix)]
mod bot_argument;
mod bot_data;
mod built_in;
mod completions;
mod doctor;
mod input_files;
mod judge;
#[cfg(unix)]
mod languages;
mod map;
mod match_games;
mod matches;
#[cfg(unix)]
mod new;
#[cfg(target_os = "linux")]
mod odd_paths;
#[cfg(unix)]
mod protocol_page;
mod replacing;
mod replay;
mod replay_links;
#[cfg(target_os = "linux")]
mod sandbox;
mod serve;
mod serve_analysis;
mod simulate;
mod train;
#[cfg(unix)]
mod verdicts;
mod viewer;
