//! JSON that stays text.
//!
//! A tree of [`Value`]s can take a hundred times the memory of its text, and the text is a stranger's. What reads files therefore
//! walks over the text and takes the values that it knows. The others are skipped, and nothing of them is kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error;
use serde_json::Value;

use crate::javascript::string_length;
use crate::output_fields::{check, start_of};

/// Where a small value is expected, a longer text is not made a tree of.
const MAX_TREE_BYTES: usize = 64 * 1024;
/// As how many values an object counts: its tree has room for eleven from the start.
const VALUES_OF_OBJECT: u64 = 10;
/// The most bytes of a text that an error quotes.
const MAX_QUOTED_BYTES: usize = 4096;
const BLANKS: [char; 4] = [' ', '\n', '\r', '\t'];

/// A text that is known to be JSON, or a part of one.
///
/// ```
/// use pacman2_botzone::Json;
///
/// let json = Json::parse(r#"{"unknown": [1, 2], "names": ["a", "b"]}"#).unwrap();
/// let names: Vec<_> = json.get("names").unwrap().items().filter_map(|name| name.string()).collect();
/// assert_eq!(names, ["a", "b"]);
/// assert!(Json::parse("{").is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    /// A null.
    pub const NULL: Json<'static> = Json("null");

    /// Checks that a text is JSON.
    ///
    /// # Errors
    /// Fails where reading a [`Value`] fails.
    pub fn parse(text: &'a str) -> serde_json::Result<Json<'a>> {
        check(text)?;
        Ok(Json(text.trim_matches(BLANKS)))
    }

    /// Takes over a text that is JSON.
    pub(crate) fn from_checked(text: &'a str) -> Json<'a> {
        Json(text)
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// Returns whether it is null.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// Returns whether it is a list.
    #[must_use]
    pub fn is_list(self) -> bool {
        self.0.starts_with('[')
    }

    /// Returns whether it is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// Returns the items of a list; none of anything else.
    #[must_use]
    pub fn items(self) -> Items<'a> {
        Items { rest: self.0.strip_prefix('[').unwrap_or_default() }
    }

    /// Returns the members of an object in their order; none of anything else.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> {
        let mut inside = Items { rest: self.0.strip_prefix('{').unwrap_or_default() };
        std::iter::from_fn(move || Some((inside.next()?.string()?, inside.next()?)))
    }

    /// Returns the value of a key of an object. Of several the last counts.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Json<'a>> {
        let [value] = self.get_all([key]);
        value
    }

    /// Returns the values of some keys of an object.
    #[must_use]
    pub fn get_all<const N: usize>(self, keys: [&str; N]) -> [Option<Json<'a>>; N] {
        let mut values = [None; N];
        self.find(&keys, &mut values);
        values
    }

    /// Not generic, so that the page's engine has it once.
    fn find(self, keys: &[&str], values: &mut [Option<Json<'a>>]) {
        for (key, value) in self.members() {
            if let Some(place) = keys.iter().position(|wanted| *wanted == key) {
                values[place] = Some(value);
            }
        }
    }

    /// Returns the value of a key of an object; null if there is none.
    #[must_use]
    pub fn at(self, key: &str) -> Json<'a> {
        self.get(key).unwrap_or(Json::NULL)
    }

    /// Returns what a string stands for.
    #[must_use]
    pub fn string(self) -> Option<Cow<'a, str>> {
        let inside = self.0.strip_prefix('"')?.strip_suffix('"')?;
        if inside.contains('\\') { serde_json::from_str(self.0).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inside)) }
    }

    /// Returns a number, truth value or null; null for anything else.
    #[must_use]
    pub fn scalar(self) -> Value {
        if self.0.starts_with(['{', '[', '"']) { Value::Null } else { serde_json::from_str(self.0).unwrap_or_default() }
    }

    /// Returns a small value as a tree; `None` if its text is longer than 64 KB.
    #[must_use]
    pub fn small_tree(self) -> Option<Value> {
        if self.0.len() > MAX_TREE_BYTES { None } else { serde_json::from_str(self.0).ok() }
    }

    /// Returns the value for an error to quote: a string with its start if it is long.
    #[must_use]
    pub fn quoted(self) -> Value {
        let whole = Some(self).filter(|json| json.0.len() <= MAX_QUOTED_BYTES).and_then(Json::small_tree);
        whole.unwrap_or_else(|| format!("{}…", start_of(self.0, MAX_QUOTED_BYTES)).into())
    }

    /// Returns how many values it has, with an object as ten and an empty list as two.
    fn count(self) -> u64 {
        let (mut count, mut at) = (1, 0);
        while let Some(&byte) = self.0.as_bytes().get(at) {
            match byte {
                b'"' => at += string_length(&self.0[at..]) - 1,
                b'{' => count += VALUES_OF_OBJECT,
                b'[' | b',' => count += 1,
                _ => {}
            }
            at += 1;
        }
        count
    }

    /// Returns the JSON that a string holds, or else the value itself.
    pub(crate) fn decoded(self) -> HeldJson<'a> {
        match self.string().filter(|text| check(text).is_ok()) {
            Some(held) => HeldJson(held),
            None => HeldJson::from(self),
        }
    }
}

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// JSON that may be in a text of its own: decoded from a string, or rewritten.
#[derive(Clone, Debug)]
pub struct HeldJson<'a>(Cow<'a, str>);

impl<'a> From<Json<'a>> for HeldJson<'a> {
    fn from(json: Json<'a>) -> HeldJson<'a> {
        HeldJson(Cow::Borrowed(json.0))
    }
}

impl HeldJson<'static> {
    /// Takes over a text and checks that it is JSON.
    ///
    /// # Errors
    /// As [`Json::parse`].
    pub fn parse(text: String) -> serde_json::Result<HeldJson<'static>> {
        Json::parse(&text)?;
        Ok(HeldJson(Cow::Owned(text)))
    }
}

impl HeldJson<'_> {
    /// Returns the JSON.
    #[must_use]
    pub fn json(&self) -> Json<'_> {
        Json(self.0.trim_matches(BLANKS))
    }

    /// Takes over a text that is JSON.
    pub(crate) fn from_checked(text: Cow<'_, str>) -> HeldJson<'_> {
        HeldJson(text)
    }
}

/// The items of a list.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    /// What follows the last item.
    rest: &'a str,
}

impl<'a> Iterator for Items<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        // The text is JSON, so there is nothing but separators between values.
        let begin = self.rest.bytes().position(|byte| !is_separator(byte))?;
        let text = &self.rest[begin..];
        let (value, rest) = text.split_at(value_length(text));
        self.rest = rest;
        (!value.is_empty()).then_some(Json(value))
    }
}

/// Returns the length of the value at the start of the text, which is JSON; 0 if a list or an object ends there.
fn value_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at += string_length(&text[at..]) - 1,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth <= 1 => return at + depth,
            b']' | b'}' => depth -= 1,
            _ if depth == 0 && is_separator(byte) => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':')
}

/// Reads JSON of at most `limit` values as a tree. Each value may take 64 bytes; an object counts as ten values.
///
/// # Errors
/// Fails if the text is not JSON, or has more values.
///
/// ```
/// assert!(pacman2_botzone::limited_tree("[1, 2]", 3).is_ok());
/// let error = pacman2_botzone::limited_tree("[1, 2, 3]", 3).unwrap_err();
/// assert_eq!(error.to_string(), "expected at most 3 values, got more");
/// ```
pub fn limited_tree(text: &str, limit: u64) -> serde_json::Result<Value> {
    if Json::parse(text)?.count() > limit {
        return Err(Error::custom(format_args!("expected at most {limit} values, got more")));
    }
    serde_json::from_str(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_what_a_tree_has() {
        let text = " {\"a\" : [1 ,-2.5e3,\"x,]\\\"\", [ ] ,{}] ,\"\\u0062\":null,\"a\":[ true,{\"c\":[[[]]]}]}\n";
        let (json, tree) = (Json::parse(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        let items: Vec<Value> = json.at("a").items().map(|item| item.small_tree().unwrap()).collect();
        assert_eq!(Value::from(items), tree["a"]);
        assert_eq!(json.members().map(|(key, _)| key.into_owned()).collect::<Vec<_>>(), ["a", "b", "a"]);
        assert_eq!(json.get("b"), Some(Json::NULL));
        assert_eq!(json.get("c"), None);
        assert_eq!(Json::parse("7").unwrap().items().next(), None);
    }

    #[test]
    fn what_is_no_json_is_rejected_as_by_a_tree() {
        for text in ["", "[1,]", "{\"a\" 1}", "{1:2}", "[1e999]", "\"\\ud800\"", "[1] 2", "nul", "\"a\nb\"", &"[".repeat(200)] {
            let expected = serde_json::from_str::<Value>(text).unwrap_err().to_string();
            assert_eq!(Json::parse(text).unwrap_err().to_string(), expected);
        }
    }
}
