//! The header for bots in C++, from which `pacman2.export` takes the rules.

use pyo3::prelude::*;

/// Returns the text of `cpp/pacman2.hpp`, the game for bots in C++.
///
/// Examples:
///     >>> from pacman2._engine import cpp_header
///     >>> "#ifndef PACMAN2_HPP" in cpp_header()
///     True
#[pyfunction]
pub(crate) fn cpp_header() -> &'static str {
    include_str!("../../../cpp/pacman2.hpp")
}
