//! Integration tests of the crate.

mod bots;
mod distance;
mod guided;
mod hunter;
mod sage;
