//! JSON as text.

use std::fmt;

use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::Json;
use crate::output_fields::{deserialized, written};

/// A JSON value as its text, in one line and with sorted keys, as [`Value`] is displayed.
///
/// ```
/// use pacman2_botzone::JsonText;
/// use serde_json::json;
///
/// let text = JsonText::from(&json!({ "b": [1, 2], "a": null }));
/// assert_eq!(text.as_str(), r#"{"a":null,"b":[1,2]}"#);
/// assert_eq!(text, json!({ "b": [1, 2], "a": null }));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonText(Box<str>);

impl JsonText {
    /// Takes over a text of this form.
    pub(crate) fn from_text(text: &str) -> JsonText {
        JsonText(text.into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns what a bot has stored, as a request has it: the empty string if there is nothing.
    pub(crate) fn stored(value: &Value) -> JsonText {
        if value.is_null() { JsonText::default() } else { JsonText::from(value) }
    }

    /// Returns the text as JSON to walk over.
    #[must_use]
    pub fn json(&self) -> Json<'_> {
        Json::from_checked(&self.0)
    }

    /// Returns whether the value is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        &*self.0 == "null"
    }

    /// Returns the string that the value is, or else its text.
    #[must_use]
    pub fn into_text(self) -> String {
        match self.to_value() {
            Value::String(text) => text,
            _ => self.0.into(),
        }
    }

    /// Returns whether the value is the empty string.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        &*self.0 == r#""""#
    }

    /// Returns the value as a tree.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

/// The empty string, which Botzone sends as `data` and `globaldata` if nothing is stored.
impl Default for JsonText {
    fn default() -> JsonText {
        JsonText(r#""""#.into())
    }
}

impl From<&Value> for JsonText {
    fn from(value: &Value) -> JsonText {
        JsonText(value.to_string().into())
    }
}

/// No tree is made. Of what is longer than 16 MB, a string with its start stays.
impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonText, D::Error> {
        deserialized(deserializer)
    }
}

/// No tree is made. Of what is longer than 16 MB, a string with its start stays.
impl From<Json<'_>> for JsonText {
    fn from(json: Json<'_>) -> JsonText {
        written(json.as_str())
    }
}

impl From<Value> for JsonText {
    fn from(value: Value) -> JsonText {
        JsonText::from(&value)
    }
}

impl PartialEq<Value> for JsonText {
    fn eq(&self, other: &Value) -> bool {
        let other = other.to_string();
        *self.0 == *other
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// No tree is made by a serializer of `serde_json`, the only ones that this is for.
impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}
