//! Tests of the rules: pictures and actions in, pictures out.

#[path = "../common/mod.rs"]
mod common;
mod laws;
mod pictures;
mod ruleset;
mod rulings;
mod steps;
mod traces;
