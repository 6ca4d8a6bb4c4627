//! Options whose values are names. The lists are here once, and the tests compare the stub with them.
//!
//! An argument is converted to one of the names, not to its value, so that its default can be a name, which `help()` shows.

use pacman2_bots::sage::Component;
use pacman2_rules::ForfeitRuling;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::{shown, wrong_type, wrong_value};

/// The values of an option.
pub(crate) trait Named: Copy + 'static {
    /// All values.
    const ALL: &'static [Self];

    /// Returns the name in Python.
    fn name(self) -> &'static str;

    /// Returns the value of a name.
    ///
    /// # Panics
    ///
    /// If there is no such name: arguments are converted to names before.
    fn from_name(name: &str) -> Self {
        let found = Self::ALL.iter().find(|value| value.name() == name);
        *found.unwrap_or_else(|| panic!("the argument was converted to a name, got {name:?}"))
    }
}

macro_rules! impl_named {
    ($($kind:ty),*) => {
        $(impl $crate::options::Named for $kind {
            const ALL: &'static [$kind] = &<$kind>::ALL;

            fn name(self) -> &'static str {
                self.name()
            }
        })*
    };
}

pub(crate) use impl_named;

impl_named!(Component, ForfeitRuling);

/// Converts the name of a value.
pub(crate) fn named<T: Named>(option: &str, given: &Bound<'_, PyAny>) -> PyResult<T> {
    let names = || T::ALL.iter().map(|value| format!("\"{}\"", value.name())).collect::<Vec<_>>().join(", ");
    let Ok(name) = given.cast::<PyString>() else { return Err(wrong_type(option, names(), given)) };
    let name = name.to_string_lossy();
    let found = T::ALL.iter().find(|value| value.name() == name);
    found.copied().ok_or_else(|| wrong_value(option, names(), shown(given)))
}
