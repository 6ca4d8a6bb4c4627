//! Integration tests of the crate.

mod matches;
mod replays;
mod reruns;
