//! Typed access to a TOML file that a person wrote, with error messages that name the line.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use pacman2_console::error::bad_input;
use pacman2_console::text::sanitize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A TOML file.
pub(super) struct Document<'d> {
    file: File<'d>,
    table: Spanned<DeTable<'d>>,
}

/// A table that has known keys only.
pub(super) struct Section<'t> {
    file: File<'t>,
    name: String,
    table: &'t DeTable<'t>,
    span: Range<usize>,
}

/// A value and its key.
#[derive(Clone)]
pub(super) struct Field<'t> {
    file: File<'t>,
    name: String,
    value: &'t Spanned<DeValue<'t>>,
}

#[derive(Clone, Copy)]
struct File<'d> {
    path: &'d Path,
    text: &'d str,
}

impl<'d> Document<'d> {
    /// Parses the text of a file.
    pub(super) fn read(path: &'d Path, text: &'d str) -> anyhow::Result<Document<'d>> {
        let file = File { path, text };
        let table = DeTable::parse(text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            file.error_at(&error.span().unwrap_or(0..0), &format!("invalid TOML: {message}"))
        })?;
        Ok(Document { file, table })
    }

    /// Returns the top-level table.
    pub(super) fn root(&self, known: &[&str]) -> anyhow::Result<Section<'_>> {
        Section::open(self.file, "", self.table.get_ref(), 0..0, known)
    }
}

impl<'t> Section<'t> {
    fn open(
        file: File<'t>,
        name: &str,
        table: &'t DeTable<'t>,
        span: Range<usize>,
        known: &[&str],
    ) -> anyhow::Result<Section<'t>> {
        let section = Section { file, name: name.to_owned(), table, span };
        match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
            Some(key) => {
                let message = format!("unknown key {}{}", section.full(key.get_ref()), hint(key.get_ref(), known));
                Err(file.error_at(&key.span(), &message))
            }
            None => Ok(section),
        }
    }

    /// Returns the value of a key, if the table has it.
    pub(super) fn get(&self, key: &str) -> Option<Field<'t>> {
        let value = self.table.get(key)?;
        Some(Field { file: self.file, name: self.full(key), value })
    }

    /// Returns the value of a key that must be there.
    pub(super) fn require(&self, key: &str, expected: &str) -> anyhow::Result<Field<'t>> {
        self.get(key).ok_or_else(|| {
            let message = format!("missing key {}; expected {expected}", self.full(key));
            if self.name.is_empty() { self.file.error(&message) } else { self.file.error_at(&self.span, &message) }
        })
    }

    fn full(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}

impl<'t> Field<'t> {
    /// Returns the error that something else was expected.
    pub(super) fn expected(&self, what: &str) -> anyhow::Error {
        self.error(&format!("expected {what}, got {}", shown(self.value.get_ref())))
    }

    /// Returns an error with the line and the key of this value.
    pub(super) fn error(&self, message: &str) -> anyhow::Error {
        self.file.error_at(&self.value.span(), &format!("{}: {message}", self.name))
    }

    /// Reads a string that is not blank.
    pub(super) fn text(&self, what: &str) -> anyhow::Result<&'t str> {
        self.value.get_ref().as_str().filter(|text| !text.trim().is_empty()).ok_or_else(|| self.expected(what))
    }

    /// Reads one of these words, and returns its value.
    pub(super) fn one_of<T: Copy>(&self, words: &[(&str, T)]) -> anyhow::Result<T> {
        let typed = self.value.get_ref().as_str();
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let found = words.iter().find(|(word, _)| typed == Some(word));
        found.map(|(_, meaning)| *meaning).ok_or_else(|| self.expected(&format!("one of \"{}\"", known.join("\", \""))))
    }

    /// Reads an integer in a range.
    pub(super) fn whole(&self, range: RangeInclusive<i64>) -> anyhow::Result<i64> {
        let number = match self.value.get_ref() {
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok(),
            _ => None,
        };
        let what = format!("a whole number from {} to {}", range.start(), range.end());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.expected(&what))
    }

    /// Reads a number in a range.
    pub(super) fn number(&self, range: RangeInclusive<f64>) -> anyhow::Result<f64> {
        let number = match self.value.get_ref() {
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(|whole| whole as f64),
            DeValue::Float(digits) => digits.as_str().parse().ok(),
            _ => None,
        };
        let what = format!("a number from {} to {}", range.start(), range.end());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.expected(&what))
    }

    /// Reads a list.
    pub(super) fn items(&self, what: &str) -> anyhow::Result<Vec<Field<'t>>> {
        let items = self.value.get_ref().as_array().ok_or_else(|| self.expected(what))?;
        let item = |(at, value)| Field { file: self.file, name: format!("{}[{at}]", self.name), value };
        Ok((1..).zip(items.iter()).map(item).collect())
    }

    /// Returns whether the value is a list.
    pub(super) fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// Reads a table that has these keys only.
    pub(super) fn section(&self, what: &str, known: &[&str]) -> anyhow::Result<Section<'t>> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.expected(what))?;
        Section::open(self.file, &self.name, table, self.value.span(), known)
    }
}

impl File<'_> {
    fn error(&self, message: &str) -> anyhow::Error {
        bad_input(format!("{}: {message}", self.path.display()))
    }

    fn error_at(&self, span: &Range<usize>, message: &str) -> anyhow::Error {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        bad_input(format!("{}, line {line}: {}", self.path.display(), sanitize(message)))
    }
}

/// Returns the end of a message: the known name that is most similar, and all known names.
pub(super) fn hint(typed: &str, known: &[&str]) -> String {
    const SIMILAR: f64 = 0.75;
    let similarity = |name: &&&str| strsim::jaro_winkler(name, typed);
    let similar = known.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b))).filter(|name| similarity(name) > SIMILAR);
    let guess = similar.map_or_else(String::new, |name| format!("; did you mean {name}?"));
    format!("{guess} (known: {})", known.join(", "))
}

/// Formats a value for an error message.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{}\"", text.chars().take(60).collect::<String>()),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(is_so) => is_so.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(items) if items.is_empty() => "an empty list".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
