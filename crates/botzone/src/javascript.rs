//! JSON as Botzone's platform reads it, which is written in JavaScript.
//!
//! JavaScript accepts two things that `serde_json` rejects, and no bot should die of them. A number too large for a double
//! is infinite, and becomes `null` when it is written again. Half of a surrogate pair, which remains when a program cuts an
//! emoji in two, becomes the replacement character.

use std::borrow::Cow;

use crate::json::{HeldJson, Json};

/// Parses JSON with `parse`, which rejects what `serde_json` rejects.
pub(crate) fn parse_with<T>(text: &str, parse: impl Fn(&str) -> serde_json::Result<T>) -> serde_json::Result<T> {
    parse(text).or_else(|error| parse(&rewrite(text)).map_err(|_| error))
}

/// Checks JSON that was copied from a page or written by a program in JavaScript. Returns it, and whether strings had raw line breaks or
/// other control characters in them, which are taken as they are.
///
/// # Errors
/// Fails if the text is not JSON even so.
///
/// ```
/// let (held, has_line_breaks) = pacman2_botzone::checked_pasted("{\"data\": \"one\ntwo\"}").unwrap();
/// assert_eq!((held.json().at("data").string().unwrap(), has_line_breaks), ("one\ntwo".into(), true));
/// ```
pub fn checked_pasted(text: &str) -> serde_json::Result<(HeldJson<'_>, bool)> {
    checked(text).map(|text| (HeldJson::from_checked(text), false)).or_else(|error| {
        let Some(escaped) = escape_controls(text) else { return Err(error) };
        let rewritten = match checked(&escaped) {
            Ok(Cow::Owned(rewritten)) => Some(rewritten),
            Ok(Cow::Borrowed(_)) => None,
            Err(_) => return Err(error),
        };
        Ok((HeldJson::from_checked(Cow::Owned(rewritten.unwrap_or(escaped))), true))
    })
}

/// Checks that a text is JSON that JavaScript accepts, and returns it as `serde_json` accepts it.
pub(crate) fn checked(text: &str) -> serde_json::Result<Cow<'_, str>> {
    let Err(error) = Json::parse(text) else { return Ok(Cow::Borrowed(text)) };
    let rewritten = rewrite(text);
    if Json::parse(&rewritten).is_ok() { Ok(Cow::Owned(rewritten)) } else { Err(error) }
}

/// Escapes control characters in strings; `None` if there are none.
fn escape_controls(text: &str) -> Option<String> {
    let mut escaped = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let (before, string) = rest.split_at(start);
        let (string, after) = string.split_at(string_length(string));
        escaped.push_str(before);
        for c in string.chars() {
            match c {
                '\n' => escaped.push_str("\\n"),
                '\r' => escaped.push_str("\\r"),
                '\t' => escaped.push_str("\\t"),
                '\0'..' ' => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
                _ => escaped.push(c),
            }
            // Text of nothing but other control characters would become six times as long.
            if escaped.len() > 2 * text.len() {
                return None;
            }
        }
        rest = after;
    }
    escaped.push_str(rest);
    (escaped.len() != text.len()).then_some(escaped)
}

/// Rewrites those two things as the platform would write them.
fn rewrite(text: &str) -> String {
    let mut rewritten = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let token = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(token);
        match first {
            '"' => push_string(&mut rewritten, token),
            '-' | '0'..='9' if is_too_large(token) => rewritten.push_str("null"),
            _ => rewritten.push_str(token),
        }
        rest = after;
    }
    rewritten
}

/// Returns whether this is a number too large for a double.
///
/// `serde_json` says so only in the text of its error. The standard library's parser would say it properly, but its tables
/// are a tenth of the page's engine.
fn is_too_large(token: &str) -> bool {
    serde_json::from_str::<f64>(token).is_err_and(|error| error.to_string().starts_with("number out of range"))
}

/// Returns the length of the string at the start of the text, with its quotation marks.
pub(crate) fn string_length(text: &str) -> usize {
    let mut at = 1;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn push_string(rewritten: &mut String, mut token: &str) {
    while let Some(at) = token.find('\\') {
        rewritten.push_str(&token[..at]);
        token = &token[at..];
        let length = match (surrogate(token), token.get(6..).and_then(surrogate)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(_), _) => {
                rewritten.push_str("\\ufffd");
                token = &token[6..];
                continue;
            }
            (None, _) => 1 + token[1..].chars().next().map_or(0, char::len_utf8),
        };
        rewritten.push_str(&token[..length]);
        token = &token[length..];
    }
    rewritten.push_str(token);
}

/// Returns the half of a surrogate pair that the escape at the start of the text stands for.
fn surrogate(text: &str) -> Option<u16> {
    let half = u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
    (0xd800..0xe000).contains(&half).then_some(half)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn parse(text: &str) -> serde_json::Result<Value> {
        parse_with(text, |text| serde_json::from_str(text))
    }

    #[test]
    fn json_that_javascript_accepts() {
        for (text, expected) in [
            (r#"{"a":1e+9999,"b":[-1e400,2]}"#, r#"{"a":null,"b":[null,2]}"#),
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"x\udc00\ud83d\ude00\ud83dy"}"#, r#"{"a":"x\ufffd\ud83d\ude00\ufffdy"}"#),
            (r#"{"a":"1e999 \\ud83d \" 1e999","b":1e999}"#, r#"{"a":"1e999 \\ud83d \" 1e999","b":null}"#),
        ] {
            assert_eq!(parse(text).unwrap(), serde_json::from_str::<Value>(expected).unwrap(), "{text}");
        }
    }

    #[test]
    fn json_that_javascript_rejects() {
        for text in ["", "1e999x", "\"\\", "\"\\ud83d", "{\"a\":\"\\u12\"}", "-", "nan", "\"\\é", "[1e999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
