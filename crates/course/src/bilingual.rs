//! Texts in both languages of a course.

use pacman2_botzone::response::Verdict;
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

/// Returns what a verdict means.
pub(crate) fn meaning(verdict: Verdict) -> Bilingual {
    match verdict {
        Verdict::Ok => Bilingual::new("没有过失", "no fault"),
        Verdict::Tle => Bilingual::new("超时", "it took too long"),
        Verdict::Mle => Bilingual::new("超出内存限制", "it took too much memory"),
        Verdict::Ole => Bilingual::new("输出过多", "it wrote too much"),
        Verdict::Nj => Bilingual::new("回答不是 JSON，或者没有回答", "its answer was not JSON, or it did not answer"),
        Verdict::Re => Bilingual::new("程序崩溃或提前退出", "it crashed or exited too early"),
        Verdict::Illegal => Bilingual::new("动作不合法", "an illegal action"),
    }
}
