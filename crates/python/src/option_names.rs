//! The names of all options, for the tests of the stub.

use pacman2_bots::sage::Component;
use pacman2_rules::ForfeitRuling;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::drawing::picture::Picture;
use crate::observation::{Content, Dtype};
use crate::options::Named;
use crate::vec::opponents::OpponentsMode;
use crate::vec::reward::Reward;
use crate::vec::state::Autoreset;

/// Returns the names that each option may have. The type aliases of `pacman2.typing` list them again, for type checkers.
#[pyfunction]
pub(crate) fn option_names(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    fn names<T: Named>(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, T::ALL.iter().map(|value| value.name()))
    }
    let options = PyDict::new(py);
    options.set_item("observation", names::<Content>(py)?)?;
    options.set_item("dtype", names::<Dtype>(py)?)?;
    options.set_item("reward", names::<Reward>(py)?)?;
    options.set_item("autoreset_mode", names::<Autoreset>(py)?)?;
    options.set_item("opponents_mode", names::<OpponentsMode>(py)?)?;
    options.set_item("without", names::<Component>(py)?)?;
    options.set_item("ruling", names::<ForfeitRuling>(py)?)?;
    options.set_item("mode", names::<Picture>(py)?)?;
    Ok(options)
}
