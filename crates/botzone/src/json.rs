//! JSON that stays text.
//!
//! A tree of [`Value`]s can take a hundred times the memory of its text, and the text is a stranger's. What reads files therefore
//! walks over the text and takes the values that it knows. The others are skipped, and nothing of them is kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::output_fields::start_of;

/// Where a small value is expected, a longer text is not made a tree of.
const MAX_TREE_BYTES: usize = 64 * 1024;
/// As how many values an object with members counts: its tree has room for eleven from the start.
const VALUES_OF_OBJECT: u64 = 10;
/// The most bytes of a text that an error quotes.
const MAX_QUOTED_BYTES: usize = 4096;
const BLANKS: [char; 4] = [' ', '\n', '\r', '\t'];
const SEPARATORS: [char; 6] = [' ', '\n', '\r', '\t', ',', ':'];

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
        check(text, u64::MAX)?;
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

    /// Returns the JSON that a string holds, or else the value itself.
    pub(crate) fn decoded(self) -> HeldJson<'a> {
        match self.string().filter(|text| check(text, u64::MAX).is_ok()) {
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

impl<'a> Items<'a> {
    /// Returns what has not been read yet.
    #[must_use]
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Goes on with what [`rest`](Self::rest) returned.
    #[must_use]
    pub fn resume(rest: &'a str) -> Items<'a> {
        Items { rest }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        // The text is JSON, so there is nothing but separators between values.
        let text = self.rest.trim_start_matches(SEPARATORS);
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let (value, rest) = text.split_at(values.byte_offset());
        self.rest = rest;
        Some(Json(value))
    }
}

/// Reads JSON of at most `limit` values as a tree. Each value may take 64 bytes; an object counts as ten values.
///
/// # Errors
/// Fails if the text is not JSON, or has more values.
///
/// ```
/// assert!(pacman2_botzone::limited_tree("[1, 2]", 3).is_ok());
/// let error = pacman2_botzone::limited_tree("[1, 2, 3]", 3).unwrap_err();
/// assert!(error.to_string().starts_with("expected at most 3 values, got more at line 1"));
/// ```
pub fn limited_tree(text: &str, limit: u64) -> serde_json::Result<Value> {
    check(text, limit)?;
    serde_json::from_str(text)
}

/// Checks that a text is JSON of at most `limit` values.
fn check(text: &str, limit: u64) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Check { limit, left: &mut limit.clone() }.deserialize(&mut deserializer)?;
    deserializer.end()
}

/// Reads a value as a tree is read, and keeps nothing. [`IgnoredAny`] accepts numbers and escapes that a tree does not.
struct Check<'a> {
    limit: u64,
    left: &'a mut u64,
}

impl Check<'_> {
    fn inner(&mut self) -> Check<'_> {
        Check { limit: self.limit, left: self.left }
    }

    fn count<E: Error>(&mut self, values: u64) -> Result<(), E> {
        let too_many = || E::custom(format_args!("expected at most {} values, got more", self.limit));
        *self.left = self.left.checked_sub(values).ok_or_else(too_many)?;
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Check<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        self.count(1)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.inner())?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut cost = VALUES_OF_OBJECT - 1;
        while members.next_key::<Key>()?.is_some() {
            self.count(std::mem::take(&mut cost))?;
            members.next_value_seed(self.inner())?;
        }
        Ok(())
    }
}

/// A key, of which nothing is kept.
struct Key;

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, _: &str) -> Result<Key, E> {
                Ok(Key)
            }
        }
        deserializer.deserialize_str(Any)
    }
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
