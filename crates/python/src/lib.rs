//! The Python package: the crate `rules` for search and the crate `batch` for learning.
//!
//! Nothing here implements rules. It converts and checks what Python passes in, and calls the other crates.

#![deny(unsafe_code)]

mod action_features;
mod bot;
mod bot_spec;
mod convert;
mod cpp_header;
mod drawing;
mod game;
mod game_arguments;
mod known_mazes;
mod matches;
mod numbers;
mod observation;
mod option_names;
mod options;
mod position;
mod report;
mod rules;
mod saved_game;
mod search;
mod search_result;
mod terminal;
mod vec;
mod viewer_page;

use pyo3::prelude::*;

/// The engine of the package `pacman2`.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::action_features::action_feature_names;
    #[pymodule_export]
    use crate::bot::{Bot, bot_names};
    #[pymodule_export]
    use crate::convert::seed_of_game;
    #[pymodule_export]
    use crate::cpp_header::cpp_header;
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::matches::Matches;
    #[pymodule_export]
    use crate::option_names::option_names;
    #[pymodule_export]
    use crate::report::Report;
    #[pymodule_export]
    use crate::search::SearchCore;
    #[pymodule_export]
    use crate::search_result::SearchResult;
    #[pymodule_export]
    use crate::vec::{LearnerEngine, VecEngine};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
