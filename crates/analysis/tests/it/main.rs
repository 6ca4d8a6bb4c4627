//! Analyses of positions from games, and what a page may ask and is answered.

mod position;
mod queries;
