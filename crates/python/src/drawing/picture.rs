//! The forms of pictures.

use crate::options::impl_named;

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

impl_named!(Picture);
