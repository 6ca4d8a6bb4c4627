//! The tests of the crate.

mod compare;
mod comparison_rules;
mod fit;
mod ladder;
mod nodes;
mod online;
mod rates;
mod ratings;
mod results;
mod schedule;
mod shapes;
mod similarity;
mod store;
