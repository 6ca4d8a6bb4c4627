//! Integration tests of the crate.

mod games;
mod gradient;
mod policy;
mod symmetry;
