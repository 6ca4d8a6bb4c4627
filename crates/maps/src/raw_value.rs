//! Values from outside, before validation.

use std::fmt;

/// A value that has not been validated. Displays as errors quote it.
///
/// ```
/// use pacman2_maps::RawValue;
///
/// assert_eq!(RawValue::Integer(12).to_string(), "12");
/// assert_eq!(RawValue::List(vec![RawValue::Integer(12)]).to_string(), "a list");
/// assert_eq!(RawValue::Other("a string".to_owned()).to_string(), "a string");
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
    /// Something else, described in a few words: "a string", "1.5".
    Other(String),
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawValue::Missing => f.write_str("nothing"),
            RawValue::Integer(number) => number.fmt(f),
            RawValue::List(_) => f.write_str("a list"),
            RawValue::Other(words) => words.fmt(f),
        }
    }
}
