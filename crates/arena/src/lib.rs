//! Arenas: folders that keep bots and games. Here bots are tried and added, and the games of schedules and comparisons are played, on
//! this machine or as jobs on others.

#![deny(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

pub mod announce;
pub mod candidate;
pub mod copied_data;
mod elsewhere;
mod executor;
mod game_limits;
pub mod game_player;
mod game_times;
mod job_source;
mod job_writer;
pub mod listing;
mod local;
pub mod one_file;
pub mod play;
mod program_folder;
pub mod progress;
pub mod record;
mod recorder;
pub mod report;
pub mod runner;
pub mod series;
pub mod similar;
mod stalls;
pub mod store;
mod wire;
