//! What Python sees of the game: crate `rules` for search, crate `batch` for learning.
//!
//! Nothing here knows rules. It takes what Python gives, checks it at the door, and asks.

mod bot;
mod door;
mod drawing;
mod game;
mod ground;
mod position;
mod report;
mod retelling;
mod rules;
mod saved;
mod sheet;
mod solo;
mod table;
mod terminal;
mod vec;

use pyo3::prelude::*;

/// The engine of the package `pacman2`.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::bot::{Bot, bot_names};
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::report::Report;
    #[pymodule_export]
    use crate::solo::Solo;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::vec::VecEngine;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
