//! Tests of games in links.

mod links;
