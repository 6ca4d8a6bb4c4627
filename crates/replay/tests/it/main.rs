//! Tests of games in links, and in whatever else people keep them.

mod games;
mod links;
