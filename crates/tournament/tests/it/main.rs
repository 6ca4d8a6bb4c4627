//! Integration tests of the crate.

mod compare;
mod ratings;
mod store;
