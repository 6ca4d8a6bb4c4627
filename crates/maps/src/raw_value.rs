//! Values from outside, before validation.

use std::fmt;

/// A value that has not been validated. Displays as errors quote it.
///
/// ```
/// use pacman2_maps::RawValue;
///
/// assert_eq!(RawValue::Integer(12).to_string(), "12");
/// assert_eq!(RawValue::List(vec![RawValue::Integer(12)]).to_string(), "a list");
/// assert_eq!(RawValue::Text.to_string(), "a string");
/// assert_eq!(RawValue::Missing.to_string(), "nothing");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum RawValue {
    /// The key is missing.
    #[default]
    Missing,
    /// A whole number.
    Integer(i64),
    /// A list.
    List(Vec<RawValue>),
    /// A list that is far too long for any part of a map.
    LongList,
    /// A number that is not whole, or too large, as it is written.
    Number(String),
    /// A string. Its content does not matter.
    Text,
    /// A truth value.
    Bool(bool),
    /// A null.
    Null,
    /// An object.
    Object,
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawValue::Missing => f.write_str("nothing"),
            RawValue::Integer(number) => number.fmt(f),
            RawValue::List(_) => f.write_str("a list"),
            RawValue::LongList => f.write_str("a list of more than 64 KB"),
            RawValue::Number(number) => number.fmt(f),
            RawValue::Text => f.write_str("a string"),
            RawValue::Bool(value) => value.fmt(f),
            RawValue::Null => f.write_str("null"),
            RawValue::Object => f.write_str("an object"),
        }
    }
}
