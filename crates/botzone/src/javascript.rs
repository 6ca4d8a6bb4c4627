//! JSON as Botzone's platform reads it, which is JavaScript: there two things are JSON that `serde_json` refuses, and a bot
//! shall not die of them. A number too large for a double is infinite, and `null` when it is written on; half of a surrogate
//! pair, which is left when a program cuts an emoji in two, becomes the replacement character.

use serde_json::Value;

/// Reads JSON.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| serde_json::from_str(&written_on(text)).map_err(|_| error))
}

/// The text as the platform would write it on, as far as those two things go.
fn written_on(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let token = match first {
            '"' => string(rest),
            '-' | '0'..='9' => rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(token);
        match first {
            '"' => push_string(&mut written, token),
            '-' | '0'..='9' if is_too_large(token) => written.push_str("null"),
            _ => written.push_str(token),
        }
        rest = after;
    }
    written
}

/// Whether this is a number too large for a double. The reader of JSON says so in words alone; to ask the standard library
/// instead would link a second reader of floating-point numbers, with tables that are a tenth of the page's engine.
fn is_too_large(token: &str) -> bool {
    serde_json::from_str::<f64>(token).is_err_and(|error| error.to_string().starts_with("number out of range"))
}

/// The length of the string, quotation marks included, that the text begins with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn push_string(written: &mut String, mut token: &str) {
    while let Some(at) = token.find('\\') {
        written.push_str(&token[..at]);
        token = &token[at..];
        let length = match (surrogate(token), token.get(6..).and_then(surrogate)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(_), _) => {
                written.push_str("\\ufffd");
                token = &token[6..];
                continue;
            }
            (None, _) => 1 + token[1..].chars().next().map_or(0, char::len_utf8),
        };
        written.push_str(&token[..length]);
        token = &token[length..];
    }
    written.push_str(token);
}

/// The half of a surrogate pair that an escape at the beginning of the text stands for.
fn surrogate(text: &str) -> Option<u16> {
    let half = u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
    (0xd800..0xe000).contains(&half).then_some(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_javascript_reads_is_read() {
        for (text, meant) in [
            (r#"{"a":1e+9999,"b":[-1e400,2]}"#, r#"{"a":null,"b":[null,2]}"#),
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"x\udc00\ud83d\ude00\ud83dy"}"#, r#"{"a":"x\ufffd\ud83d\ude00\ufffdy"}"#),
            (r#"{"a":"1e999 \\ud83d \" 1e999","b":1e999}"#, r#"{"a":"1e999 \\ud83d \" 1e999","b":null}"#),
        ] {
            assert_eq!(parse(text).unwrap(), serde_json::from_str::<Value>(meant).unwrap(), "{text}");
        }
    }

    #[test]
    fn what_javascript_refuses_is_refused() {
        for text in ["", "1e999x", "\"\\", "\"\\ud83d", "{\"a\":\"\\u12\"}", "-", "nan", "\"\\é", "[1e999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
