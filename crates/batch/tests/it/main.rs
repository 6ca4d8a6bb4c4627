//! The integration tests: games in lanes compared with the same games played by `pacman2_rules`.

mod common;
mod games;
mod observe;
mod rng;
mod sampling;
mod signature;
mod slots;
mod traces;
