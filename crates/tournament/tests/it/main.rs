//! Integration tests of the crate.

mod compare;
mod rates;
mod ratings;
mod shapes;
mod store;
