//! The integration tests: games in lanes compared with the same games played by `pacman2_rules`.

mod common;
mod games;
mod observe;
mod playouts;
mod rng;
mod sampling;
mod slots;
mod traces;
