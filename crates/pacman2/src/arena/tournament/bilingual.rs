//! Texts in both languages of a course.

use pacman2_tournament::compare::Locale;

/// One text in Chinese and in English.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bilingual {
    pub(crate) zh: String,
    pub(crate) en: String,
}

impl Bilingual {
    pub(crate) fn new(zh: impl Into<String>, en: impl Into<String>) -> Bilingual {
        Bilingual { zh: zh.into(), en: en.into() }
    }

    /// Returns the text in one language.
    pub(crate) fn in_language(self, language: Locale) -> String {
        match language {
            Locale::Chinese => self.zh,
            Locale::English => self.en,
        }
    }
}
