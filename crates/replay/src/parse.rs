//! Reads values from JSON, or returns which value is not of the expected form.
//!
//! Written by hand, because a derived reader does not know the path of a value, and would be a tenth of the page's engine.

use std::borrow::Cow;
use std::str::FromStr;

use pacman2_botzone::Json;

use crate::error::{Expectation, ReplayError, UnexpectedValue};

/// What reading a value results in.
pub(crate) type Parsed<T> = Result<T, ReplayError>;

/// Reads the value of a key, which must be there.
pub(crate) fn at<T>(value: Json<'_>, key: &str, read: impl FnOnce(Json<'_>) -> Parsed<T>) -> Parsed<T> {
    match value.get(key) {
        Some(inner) => read(inner).map_err(|error| within(key, error)),
        None => Err(ReplayError::Missing { path: key.to_owned() }),
    }
}

/// Reads the value of a key, which may be missing or null.
pub(crate) fn optional<T>(value: Json<'_>, key: &str, read: impl FnOnce(Json<'_>) -> Parsed<T>) -> Parsed<Option<T>> {
    or_null(value.at(key), read).map_err(|error| within(key, error))
}

/// Reads a value, or `None` from null.
pub(crate) fn or_null<T>(value: Json<'_>, read: impl FnOnce(Json<'_>) -> Parsed<T>) -> Parsed<Option<T>> {
    if value.is_null() { Ok(None) } else { read(value).map(Some) }
}

/// Reads the values of a list, at most this many: what is left out of a longer one could not be played.
pub(crate) fn list<T>(value: Json<'_>, most: usize, read: impl Fn(Json<'_>) -> Parsed<T>) -> Parsed<Vec<T>> {
    let mut items = Vec::new();
    for_each(value, most, &mut |item| {
        items.push(read(item)?);
        Ok(())
    })?;
    Ok(items)
}

/// Reads the items of a list. It is not generic, because a copy for each type would make the page's engine a fiftieth larger.
fn for_each(value: Json<'_>, most: usize, read: &mut dyn FnMut(Json<'_>) -> Parsed<()>) -> Parsed<()> {
    if !value.is_list() {
        return Err(unexpected(Expectation::List, value));
    }
    for (index, item) in value.items().take(most).enumerate() {
        read(item).map_err(|error| within(&format!("[{index}]"), error))?;
    }
    Ok(())
}

/// Reads each value of a list of four.
pub(crate) fn four<T>(value: Json<'_>, read: impl Fn(Json<'_>) -> Parsed<T>) -> Parsed<[T; 4]> {
    list(value, 5, read)?.try_into().map_err(|_| unexpected(Expectation::Four, value))
}

/// Reads a string.
pub(crate) fn text(value: Json<'_>) -> Parsed<String> {
    value.string().map(Cow::into_owned).ok_or_else(|| unexpected(Expectation::String, value))
}

/// Returns a reader of names.
pub(crate) fn named<T: FromStr>(expected: Expectation) -> impl Fn(Json<'_>) -> Parsed<T> {
    move |value| value.string().and_then(|name| name.parse().ok()).ok_or_else(|| unexpected(expected, value))
}

/// Reads a whole number of 0 or more.
pub(crate) fn number(value: Json<'_>) -> Parsed<u64> {
    value.scalar().as_u64().ok_or_else(|| unexpected(Expectation::Count, value))
}

/// Returns the error for a value that is not of the expected form.
pub(crate) fn unexpected(expected: Expectation, value: Json<'_>) -> ReplayError {
    let got = match value.string() {
        _ if value.is_list() => UnexpectedValue::List(value.items().count()),
        _ if value.is_object() => UnexpectedValue::Object,
        Some(text) if text.chars().count() > 40 => UnexpectedValue::LongText,
        _ => UnexpectedValue::Json(value.quoted().to_string()),
    };
    ReplayError::Value { path: String::new(), expected, got }
}

/// Adds the key or the index of the outer value to the path of an error.
fn within(outer: &str, error: ReplayError) -> ReplayError {
    let join = |path: String| match path.as_bytes().first() {
        None => outer.to_owned(),
        Some(b'[') => format!("{outer}{path}"),
        Some(_) => format!("{outer}.{path}"),
    };
    match error {
        ReplayError::Missing { path } => ReplayError::Missing { path: join(path) },
        ReplayError::Value { path, expected, got } => ReplayError::Value { path: join(path), expected, got },
        other => other,
    }
}
