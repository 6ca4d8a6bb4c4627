//! Integration tests of the crate.

mod bots;
mod distance;
mod hunter;
mod sage;
