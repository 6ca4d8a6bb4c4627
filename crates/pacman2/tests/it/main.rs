//! Tests of the command line.
//!
//! They are one binary, because Cargo runs binaries one after another, and tests that wait (for a deadline, for a browser, for
//! a hostile bot) are to run beside those that compute. So all of them hold on a busy machine: deadlines that bots must meet
//! are generous, and a time limit does not count the time in which a bot waits for a processor.

#[cfg(unix)]
#[path = "../../../web/tests/it/arena_fixture.rs"]
mod arena_fixture;
mod common;
mod export;
mod server;
#[cfg(unix)]
#[path = "../../../local-ai/tests/stand_in/mod.rs"]
mod stand_in;

mod analyse;
mod bad_input;
mod bench;
#[cfg(unix)]
mod bot_argument;
mod bot_data;
#[cfg(unix)]
mod botzone;
#[cfg(unix)]
mod browser;
mod built_in;
mod bundle;
mod check_positions;
mod chinese;
mod completions;
#[cfg(unix)]
mod cpp;
mod diagnosis;
mod doctor;
#[cfg(target_os = "linux")]
mod games;
mod hostile;
mod input_files;
#[cfg(unix)]
mod json_outputs;
mod judge;
#[cfg(unix)]
mod languages;
mod lessons;
mod line_process;
mod map;
mod match_games;
mod matches;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod new;
#[cfg(target_os = "linux")]
mod odd_paths;
#[cfg(unix)]
mod protocol_page;
mod replacing;
mod replay;
mod replay_links;
mod rerun;
#[cfg(target_os = "linux")]
mod sandbox;
mod serve;
mod serve_analysis;
mod serve_bots;
mod serve_clients;
mod simulate;
#[cfg(unix)]
mod submissions;
#[cfg(unix)]
mod timed;
mod train;
#[cfg(unix)]
mod verdicts;
mod viewer;
