//! Options whose values are names. The lists are here once, and the tests compare the stub with them.
//!
//! An argument is converted to one of the names, not to its value, so that its default can be a name, which `help()` shows.

use pacman2_batch::observe::View;
use pacman2_bots::sage::Component;
use pacman2_rules::ForfeitRuling;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::convert::{flag, shown, whole_number, wrong_type, wrong_value};
use crate::game::Picture;
use crate::observation::{Content, Dtype};
use crate::parallel_env::MaskPlace;
use crate::vec::opponents::OpponentsMode;
use crate::vec::reward::Reward;
use crate::vec::state::Autoreset;
use crate::vec::threads::MOST_THREADS;

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
    fn of(name: &str) -> Self {
        let found = Self::ALL.iter().find(|value| value.name() == name);
        *found.unwrap_or_else(|| panic!("the argument was converted to a name, got {name:?}"))
    }
}

macro_rules! named {
    ($($kind:ty),*) => {
        $(impl Named for $kind {
            const ALL: &'static [$kind] = &<$kind>::ALL;

            fn name(self) -> &'static str {
                self.name()
            }
        })*
    };
}

named!(View, Component, Content, Dtype, OpponentsMode, Reward, Autoreset, ForfeitRuling, MaskPlace, Picture, RenderMode);

/// What an environment renders: a picture, or `None` to print one.
#[derive(Clone, Copy)]
pub(crate) struct RenderMode(Option<Picture>);

impl RenderMode {
    const ALL: [RenderMode; 4] =
        [RenderMode(None), RenderMode(Some(Picture::Ansi)), RenderMode(Some(Picture::RgbArray)), RenderMode(Some(Picture::Html))];

    fn name(self) -> &'static str {
        self.0.map_or("human", Picture::name)
    }
}

/// Converts the name of a value.
pub(crate) fn named<T: Named>(option: &str, given: &Bound<'_, PyAny>) -> PyResult<T> {
    let names = || T::ALL.iter().map(|value| format!("\"{}\"", value.name())).collect::<Vec<_>>().join(", ");
    let Ok(name) = given.cast::<PyString>() else { return Err(wrong_type(option, names(), given)) };
    let name = name.to_string_lossy();
    let found = T::ALL.iter().find(|value| value.name() == name);
    found.copied().ok_or_else(|| wrong_value(option, names(), shown(given)))
}

pub(crate) fn observation(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Content>("observation", given).map(Content::name)
}

/// Converts the name of a view that is not a net's inputs.
pub(crate) fn view(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<View>("observation", given).map(View::name)
}

/// Converts what the values of a search are, which is called like a reward.
pub(crate) fn value(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Reward>("value", given).map(Reward::name)
}

pub(crate) fn per_seat(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag("per_seat", given)
}

pub(crate) fn reward(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Reward>("reward", given).map(Reward::name)
}

pub(crate) fn autoreset_mode(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Autoreset>("autoreset_mode", given).map(Autoreset::name)
}

pub(crate) fn action_mask(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<MaskPlace>("action_mask", given).map(MaskPlace::name)
}

pub(crate) fn copy(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag("copy", given)
}

pub(crate) fn threads(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole_number("threads", given, 1..=MOST_THREADS)? as usize)
}

pub(crate) fn opponents_mode(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<OpponentsMode>("opponents_mode", given).map(OpponentsMode::name)
}

/// Checks the options of a reset for environments that are written in Python: `None` or a dict. `known` is the only key that it may
/// have.
#[pyfunction]
#[pyo3(signature = (options, known = None))]
pub(crate) fn checked_options(options: &Bound<'_, PyAny>, known: Option<&str>) -> PyResult<()> {
    if options.is_none() {
        return Ok(());
    }
    let expected = || match known {
        Some(key) => format!("None or a dict with the key \"{key}\""),
        None => "None or an empty dict".to_owned(),
    };
    let Ok(given) = options.cast::<PyDict>() else { return Err(wrong_type("options", expected(), options)) };
    let is_known = |key: &Bound<'_, PyAny>| known.is_some_and(|known| key.eq(known).unwrap_or(false));
    if given.keys().iter().all(|key| is_known(&key)) { Ok(()) } else { Err(wrong_value("options", expected(), shown(options))) }
}

/// Returns the name of a render mode.
#[pyfunction]
#[pyo3(signature = (mode))]
pub(crate) fn checked_render_mode(mode: Option<&Bound<'_, PyAny>>) -> PyResult<Option<&'static str>> {
    mode.map(|mode| named::<RenderMode>("render_mode", mode).map(RenderMode::name)).transpose()
}

/// Returns the names that each option may have. The type aliases of `pacman2.typing` list them again, for type checkers.
#[pyfunction]
pub(crate) fn option_names(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    fn names<T: Named>(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, T::ALL.iter().map(|value| value.name()))
    }
    let options = PyDict::new(py);
    options.set_item("observation", names::<Content>(py)?)?;
    options.set_item("observation of Search", names::<View>(py)?)?;
    options.set_item("dtype", names::<Dtype>(py)?)?;
    options.set_item("reward", names::<Reward>(py)?)?;
    options.set_item("autoreset_mode", names::<Autoreset>(py)?)?;
    options.set_item("action_mask", names::<MaskPlace>(py)?)?;
    options.set_item("opponents_mode", names::<OpponentsMode>(py)?)?;
    options.set_item("without", names::<Component>(py)?)?;
    options.set_item("ruling", names::<ForfeitRuling>(py)?)?;
    options.set_item("mode", names::<Picture>(py)?)?;
    options.set_item("render_mode", names::<RenderMode>(py)?)?;
    Ok(options)
}
