//! The door for a TOML file that a person wrote: its values with their places, so that a complaint can name the line.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::bad_input;
use crate::text::harmless;

/// A file that is TOML.
pub(super) struct Document<'d> {
    file: File<'d>,
    table: Spanned<DeTable<'d>>,
}

/// A table in it, of which all names are known.
pub(super) struct Section<'t> {
    file: File<'t>,
    name: String,
    table: &'t DeTable<'t>,
    span: Range<usize>,
}

/// A value in it.
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
    /// Reads the text of that file.
    pub(super) fn read(path: &'d Path, text: &'d str) -> anyhow::Result<Document<'d>> {
        let file = File { path, text };
        let table = DeTable::parse(text).map_err(|error| {
            let why = error.message().lines().collect::<Vec<_>>().join(", ");
            file.refuse(&error.span().unwrap_or(0..0), &format!("this is not TOML: {why}"))
        })?;
        Ok(Document { file, table })
    }

    /// The table that the whole file is.
    pub(super) fn section(&self, known: &[&str]) -> anyhow::Result<Section<'_>> {
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
                let why = format!("{} is no known name{}", section.full(key.get_ref()), hint(key.get_ref(), known));
                Err(file.refuse(&key.span(), &why))
            }
            None => Ok(section),
        }
    }

    /// What stands under that name, if anything does.
    pub(super) fn get(&self, key: &str) -> Option<Field<'t>> {
        let value = self.table.get(key)?;
        Some(Field { file: self.file, name: self.full(key), value })
    }

    /// What must stand there.
    pub(super) fn require(&self, key: &str, what: &str) -> anyhow::Result<Field<'t>> {
        self.get(key).ok_or_else(|| {
            let why = format!("{} is missing: {what}", self.full(key));
            if self.name.is_empty() { self.file.lacks(&why) } else { self.file.refuse(&self.span, &why) }
        })
    }

    fn full(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}

impl<'t> Field<'t> {
    /// The complaint about this value: what is wanted in its place.
    pub(super) fn wanted(&self, what: &str) -> anyhow::Error {
        self.refuse(&format!("{what} is wanted, not {}", shown(self.value.get_ref())))
    }

    /// Any other complaint about this value.
    pub(super) fn refuse(&self, why: &str) -> anyhow::Error {
        self.file.refuse(&self.value.span(), &format!("{}: {why}", self.name))
    }

    /// A text that is not empty.
    pub(super) fn text(&self, what: &str) -> anyhow::Result<&'t str> {
        self.value.get_ref().as_str().filter(|text| !text.trim().is_empty()).ok_or_else(|| self.wanted(what))
    }

    /// One of these words, or what it stands for.
    pub(super) fn one_of<T: Copy>(&self, words: &[(&str, T)]) -> anyhow::Result<T> {
        let typed = self.value.get_ref().as_str();
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let found = words.iter().find(|(word, _)| typed == Some(word));
        found.map(|(_, meaning)| *meaning).ok_or_else(|| self.wanted(&format!("one of \"{}\"", known.join("\", \""))))
    }

    /// A whole number of these.
    pub(super) fn whole(&self, range: RangeInclusive<i64>) -> anyhow::Result<i64> {
        let number = match self.value.get_ref() {
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok(),
            _ => None,
        };
        let what = format!("a whole number from {} to {}", range.start(), range.end());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.wanted(&what))
    }

    /// A number of these, whole or not.
    pub(super) fn number(&self, range: RangeInclusive<f64>) -> anyhow::Result<f64> {
        let number = match self.value.get_ref() {
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(|whole| whole as f64),
            DeValue::Float(digits) => digits.as_str().parse().ok(),
            _ => None,
        };
        let what = format!("a number from {} to {}", range.start(), range.end());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.wanted(&what))
    }

    /// The values of a list.
    pub(super) fn items(&self, what: &str) -> anyhow::Result<Vec<Field<'t>>> {
        let items = self.value.get_ref().as_array().ok_or_else(|| self.wanted(what))?;
        let item = |(at, value)| Field { file: self.file, name: format!("{}[{at}]", self.name), value };
        Ok((1..).zip(items.iter()).map(item).collect())
    }

    /// Whether it is a list.
    pub(super) fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// The table that it is.
    pub(super) fn section(&self, what: &str, known: &[&str]) -> anyhow::Result<Section<'t>> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.wanted(what))?;
        Section::open(self.file, &self.name, table, self.value.span(), known)
    }
}

impl File<'_> {
    fn lacks(&self, why: &str) -> anyhow::Error {
        bad_input(format!("{}: {why}", self.path.display()))
    }

    fn refuse(&self, span: &Range<usize>, why: &str) -> anyhow::Error {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        bad_input(format!("{}, line {line}: {}", self.path.display(), harmless(why)))
    }
}

/// What may have been meant, and what could be.
pub(super) fn hint(typed: &str, known: &[&str]) -> String {
    const SIMILAR: f64 = 0.75;
    let similarity = |name: &&&str| strsim::jaro_winkler(name, typed);
    let similar = known.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b))).filter(|name| similarity(name) > SIMILAR);
    let guess = similar.map_or_else(String::new, |name| format!("; did you mean {name}?"));
    format!("{guess} (known are {})", known.join(", "))
}

/// A value as a person would know it again.
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
