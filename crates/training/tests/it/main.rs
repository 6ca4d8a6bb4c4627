//! Integration tests of the crate.

mod games;
mod gradient;
mod symmetry;
