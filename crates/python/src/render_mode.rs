//! The forms of pictures, and what environments do with them.

use pyo3::prelude::*;

use crate::options::{impl_named, named};

/// A form of pictures.
#[derive(Clone, Copy)]
pub(crate) enum Picture {
    Ansi,
    RgbArray,
    Html,
}

impl Picture {
    pub(crate) const ALL: [Picture; 3] = [Picture::Ansi, Picture::RgbArray, Picture::Html];

    /// Returns the name in Python.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Picture::Ansi => "ansi",
            Picture::RgbArray => "rgb_array",
            Picture::Html => "html",
        }
    }
}

/// What an environment renders: a picture, or `None` to print one.
#[derive(Clone, Copy)]
pub(crate) struct RenderMode(Option<Picture>);

impl RenderMode {
    pub(crate) const ALL: [RenderMode; 4] =
        [RenderMode(None), RenderMode(Some(Picture::Ansi)), RenderMode(Some(Picture::RgbArray)), RenderMode(Some(Picture::Html))];

    fn name(self) -> &'static str {
        self.0.map_or("human", Picture::name)
    }
}

impl_named!(Picture, RenderMode);

/// Returns the name of a render mode.
#[pyfunction]
#[pyo3(signature = (mode))]
pub(crate) fn checked_render_mode(mode: Option<&Bound<'_, PyAny>>) -> PyResult<Option<&'static str>> {
    mode.map(|mode| named::<RenderMode>("render_mode", mode).map(RenderMode::name)).transpose()
}
