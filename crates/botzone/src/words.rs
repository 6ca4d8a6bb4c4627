//! Problems in words, in English and Chinese.
//!
//! The sentences are in `words/en.json` and `words/zh.json`, by the codes of problems. `{name}` in one of them stands for a
//! parameter. The sentence of `CODE-advice` says what to do, and that of `CODE-because` replaces the first one where a cause is known.
//! The page contains the Chinese ones.

use std::collections::BTreeMap;
use std::fmt;
use std::iter;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::problem::Problem;

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

/// A problem in words. It is displayed in one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// What is wrong, and why, as far as that is known.
    pub what: String,
    /// The line that shows it, with its place, if `what` does not quote it.
    pub line: Option<String>,
    /// What to do.
    pub advice: Option<String>,
    locale: Locale,
}

impl Explanation {
    /// Returns an explanation that is nothing but a sentence.
    #[must_use]
    pub fn from_text(what: String, locale: Locale) -> Explanation {
        Explanation { what, line: None, advice: None, locale }
    }

    /// Returns its parts, a line each.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        iter::once(self.what.as_str()).chain(self.line.as_deref()).chain(self.advice.as_deref())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [open, close, then] = if self.locale == Locale::Chinese { ["（", "）", "。"] } else { [" (", ")", "; "] };
        f.write_str(&self.what)?;
        self.line.iter().try_for_each(|line| write!(f, "{open}{line}{close}"))?;
        self.advice.iter().try_for_each(|advice| write!(f, "{then}{advice}"))
    }
}

impl Problem {
    /// Returns what is wrong, what shows it and what to do; `None` if there are no words for its code.
    ///
    /// ```
    /// use pacman2_botzone::problem::Problem;
    /// use pacman2_botzone::words::Locale;
    ///
    /// let problem = Problem::new("wall").with("action", 0);
    /// assert_eq!(problem.explanation(Locale::English).unwrap().what, "it cannot go up: a wall is there");
    /// assert_eq!(problem.explanation(Locale::Chinese).unwrap().what, "不能向上走：那里是墙");
    /// ```
    #[must_use]
    pub fn explanation(&self, locale: Locale) -> Option<Explanation> {
        let mut what = self.words(locale)?;
        let cause = self.params.get("cause").and_then(from_json);
        let because = cause.as_ref().and_then(|cause| cause.words(locale));
        if let Some(because) = &because {
            let colon = if locale == Locale::Chinese { "：" } else { ": " };
            what = sentence(&format!("{}-because", self.code), locale).map_or(what, str::to_owned) + colon + because;
        }
        let seen = cause.as_ref().unwrap_or(self);
        let line = seen.params.get("line").and_then(Value::as_str).filter(|line| !what.contains(line));
        let line = line.map(|line| line.to_owned() + &rendered("place", seen.params.get("place"), locale));
        let advice = because.and(cause).unwrap_or_else(|| self.clone()).advice(locale);
        Some(Explanation { what, line, advice, locale })
    }

    /// Returns what is wrong as a clause; `None` if there are no words for its code.
    #[must_use]
    pub fn words(&self, locale: Locale) -> Option<String> {
        Some(filled(sentence(&self.code, locale)?, &self.params, locale))
    }

    fn advice(&self, locale: Locale) -> Option<String> {
        Some(filled(sentence(&format!("{}-advice", self.code), locale)?, &self.params, locale))
    }
}

/// Returns the catalogue of a language: sentences by their codes.
#[must_use]
pub fn catalogue(locale: Locale) -> &'static BTreeMap<String, String> {
    static CATALOGUES: LazyLock<Bilingual<BTreeMap<String, String>>> = LazyLock::new(|| {
        let read = |text| serde_json::from_str(text).expect("a test reads both catalogues");
        Bilingual { zh: read(include_str!("../words/zh.json")), en: read(include_str!("../words/en.json")) }
    });
    match locale {
        Locale::Chinese => &CATALOGUES.zh,
        Locale::English => &CATALOGUES.en,
    }
}

/// Returns the names of the placeholders in a sentence, in their order.
pub fn placeholders(sentence: &str) -> impl Iterator<Item = &str> {
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
    sentence.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name)).filter(is_name)
}

fn sentence(code: &str, locale: Locale) -> Option<&'static str> {
    catalogue(locale).get(code).map(String::as_str)
}

fn filled(sentence: &str, params: &Map<String, Value>, locale: Locale) -> String {
    let mut text = String::new();
    let mut rest = sentence;
    for name in placeholders(sentence) {
        let placeholder = format!("{{{name}}}");
        let (before, after) = rest.split_once(&placeholder).expect("it is in the sentence");
        text += before;
        // Reasons are English sentences; their codes say the same in Chinese.
        let causes = params.get("causes").filter(|_| name == "reason" && locale == Locale::Chinese);
        let worded = causes.map(|causes| rendered(name, Some(causes), locale)).filter(|text| !text.is_empty());
        text += &worded.unwrap_or_else(|| rendered(name, params.get(name), locale));
        rest = after;
    }
    text + rest
}

/// Returns a parameter as text: a problem in words; a value that the catalogue names, such as `action-0`, by its name.
fn rendered(name: &str, value: Option<&Value>, locale: Locale) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Array(problems)) => {
            let words: Vec<String> = problems.iter().filter_map(from_json).filter_map(|problem| problem.words(locale)).collect();
            words.join(if locale == Locale::Chinese { "；" } else { "; " })
        }
        Some(problem @ Value::Object(_)) => from_json(problem).and_then(|problem| problem.words(locale)).unwrap_or_default(),
        Some(value) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            sentence(&format!("{name}-{text}"), locale).map_or(text, str::to_owned)
        }
    }
}

fn from_json(value: &Value) -> Option<Problem> {
    serde_json::from_value(value.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_catalogues_have_the_same_codes_and_placeholders() {
        let [english, chinese] = [Locale::English, Locale::Chinese].map(catalogue);
        assert!(english.keys().eq(chinese.keys()));
        for (code, sentence) in english {
            let [mut names, mut others] = [sentence, &chinese[code]].map(|sentence| placeholders(sentence).collect::<Vec<_>>());
            names.sort_unstable();
            others.sort_unstable();
            assert_eq!(names, others, "{code}");
        }
    }

    #[test]
    fn a_cause_is_explained_with_its_line_and_what_to_do() {
        let place = Problem::new("place").with("file", "bot.py").with("number", 7).to_json();
        let cause = Problem::new("cause-recursion").with("line", "RecursionError").with("place", place).to_json();
        let problem = Problem::new("exit-code").with("exit_code", 1).with("cause", cause);
        let explained = |locale| problem.explanation(locale).unwrap().to_string();
        assert_eq!(
            explained(Locale::English),
            "it exited with code 1: its recursion is too deep (RecursionError (bot.py, line 7)); look for a call that never ends, or use a loop"
        );
        assert_eq!(
            explained(Locale::Chinese),
            "退出码为 1：递归太深（RecursionError（bot.py 第 7 行））。请检查递归是否会结束，或者改用循环"
        );
    }

    #[test]
    fn reasons_are_worded_by_their_codes_in_chinese() {
        let problem = Problem::new("not-json").with("reason", "not JSON: no answer").because(&[Problem::new("answer-empty")]);
        assert_eq!(problem.words(Locale::English).unwrap(), "not JSON: no answer");
        assert_eq!(problem.words(Locale::Chinese).unwrap(), "输出无法解析：没有输出");
        let unknown = Problem::new("not-started").with("reason", "why {reason}").because(&[Problem::new("no-words")]);
        assert_eq!(unknown.words(Locale::Chinese).unwrap(), "why {reason}");
    }

    #[test]
    fn a_problem_without_words_has_no_explanation() {
        assert_eq!(Problem::new("no-such-code").explanation(Locale::English), None);
    }
}
