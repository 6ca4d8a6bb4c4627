//! What Python sees of the game: crate `rules` for search, crate `batch` for learning.
//!
//! Nothing here knows rules. It takes what Python gives, checks it, and asks.

use pyo3::prelude::*;

/// The engine of the package `pacman2`.
#[pymodule]
mod _engine {
}
