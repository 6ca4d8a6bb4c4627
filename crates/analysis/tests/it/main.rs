//! Analyses of positions from games, and what a page may ask and is answered.

mod explanation;
mod position;
mod queries;
