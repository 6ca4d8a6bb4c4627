//! Integration tests of the crate.

#[cfg(unix)]
mod answers;
mod matches;
mod replays;
mod reruns;
