//! Texts in two languages.

/// The language of a text for users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locale {
    /// English.
    English,
    /// Chinese.
    Chinese,
}

/// One text in Chinese and in English.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bilingual<T = String> {
    /// The Chinese text.
    pub zh: T,
    /// The English text.
    pub en: T,
}

impl Bilingual {
    /// Returns these two texts.
    pub fn new(zh: impl Into<String>, en: impl Into<String>) -> Bilingual {
        Bilingual { zh: zh.into(), en: en.into() }
    }
}

impl<T> Bilingual<T> {
    /// Returns the text in one language.
    pub fn in_language(self, language: Locale) -> T {
        match language {
            Locale::Chinese => self.zh,
            Locale::English => self.en,
        }
    }
}
