//! Causes that show in the output of a bot.

use pacman2_botzone::KEEP_RUNNING;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value};

use super::Cause;

/// How languages print what is no number.
const NO_NUMBERS: [&str; 7] = ["-Infinity", "Infinity", "NaN", "-nan", "nan", "-inf", "inf"];
/// How Python prints `true`, `false` and `null`.
const PYTHON_WORDS: [&str; 3] = ["True", "False", "None"];

/// Returns why an output is not JSON.
pub(super) fn of_text(output: &str, was_running: bool) -> Option<Cause> {
    let text = output.trim();
    if text.starts_with('\u{feff}') {
        return Some(Cause::new("cause-byte-order-mark"));
    }
    if output.contains('\0') {
        return Some(Cause::new("cause-nul"));
    }
    if text.starts_with(is_invisible) {
        return Some(Cause::new("cause-invisible"));
    }
    // Later answers are one line each, so that only the first line of this one was read.
    if was_running && matches!(text, "{" | "[") {
        return Some(Cause::new("cause-indented"));
    }
    if would_be_json(output, &NO_NUMBERS) {
        return Some(Cause::new("cause-not-a-number"));
    }
    if would_be_json(output, &PYTHON_WORDS) {
        return Some(Cause::new("cause-python-words"));
    }
    let (answers, other) = parts(output);
    match other {
        _ if answers > 1 => Some(Cause::new("cause-two-answers").with("count", answers)),
        Some(line) if is_like_marker(line) => Some(Cause::new("cause-marker").with_line(line)),
        Some(line) if line.contains("图例 产生器[G]") => Some(Cause::new("cause-wiki-board").with_line(line)),
        Some(line) if answers == 1 => Some(Cause::new("cause-besides").with_line(line)),
        Some(line) => of_other(line),
        None => None,
    }
}

/// Returns why an answer that is JSON has no action.
pub(super) fn of_answer(output: &str) -> Option<Cause> {
    let object = match serde_json::from_str(output).ok()? {
        Value::Object(object) => object,
        other => return Some(Cause::new("cause-simple-answer").with_line(&other.to_string())),
    };
    let given = ["response", "content"].iter().filter_map(|key| object.get(*key)).find(|value| !value.is_null());
    let Some(response) = given else {
        return match object.get("response") {
            _ if object.get("action").is_some_and(Value::is_i64) => Some(Cause::new("cause-bare-response")),
            Some(_) => Some(Cause::new("cause-null-response")),
            None if object.is_empty() => None,
            None => Some(Cause::new("cause-no-response-key").with("keys", keys(&object))),
        };
    };
    let parsed = response.as_str().and_then(|text| serde_json::from_str(text).ok());
    let Value::Object(inner) = parsed.as_ref().unwrap_or(response) else {
        return Some(Cause::new("cause-response-form").with_line(&response.to_string()));
    };
    let code = match inner.get("action") {
        None => "cause-no-action-key",
        Some(Value::String(_)) => "cause-action-text",
        Some(_) => "cause-action-form",
    };
    Some(Cause::new(code).with_line(&response.to_string()))
}

/// Returns whether the output contains an answer: an object.
pub(crate) fn has_answer(output: &str) -> bool {
    parts(output).0 > 0
}

/// Returns whether the output asks to keep running.
pub(super) fn asks_to_keep_running(output: &str) -> bool {
    output.lines().any(|line| line.trim() == KEEP_RUNNING)
}

/// Returns the number of objects in JSON, and the first other line that is not the marker on a line of its own.
fn parts(output: &str) -> (usize, Option<&str>) {
    let (mut answers, mut other) = (0, None);
    let (mut rest, mut is_line) = (output.trim_start(), true);
    while !rest.is_empty() {
        let mut values = Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        let length = match values.next() {
            Some(Ok(_)) if rest.starts_with('{') => {
                answers += 1;
                values.byte_offset()
            }
            _ => {
                let line = rest.lines().next().unwrap_or_default();
                if !is_line || line.trim() != KEEP_RUNNING {
                    other = other.or(Some(line));
                }
                line.len()
            }
        };
        let after = &rest[length..];
        rest = after.trim_start();
        is_line = after[..after.len() - rest.len()].contains('\n');
    }
    (answers, other)
}

/// Returns whether a line seems to be meant as the one that asks to keep running.
fn is_like_marker(line: &str) -> bool {
    let line = line.to_uppercase();
    ["BOTZONE", "KEEP_RUN", "KEEP RUN"].iter().any(|part| line.contains(part))
}

/// Returns what a line is instead of an answer.
fn of_other(line: &str) -> Option<Cause> {
    const ACTIONS: [&str; 6] = ["stay", "up", "right", "down", "left", "shoot"];
    let text = line.trim();
    let key = text.strip_prefix('{').map(|inside| inside.trim_start().split(':').next().unwrap_or_default().trim_end());
    let is_name = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut words = text.split_whitespace();
    let is_word = |word: &str| word.parse::<f64>().is_ok() || ACTIONS.contains(&word.to_lowercase().as_str());
    let code = match key {
        Some(key) if key.starts_with('\'') => "cause-quotes",
        Some(key) if is_name(key) => "cause-object",
        None if text == "[object Object]" => "cause-object",
        None if words.all(is_word) => "cause-simple-answer",
        _ => return None,
    };
    Some(Cause::new(code).with_line(text))
}

fn keys(object: &Map<String, Value>) -> String {
    const MAX_KEYS: usize = 5;
    let keys: Vec<String> = object.keys().take(MAX_KEYS).map(|key| format!("\"{key}\"")).collect();
    keys.join(", ")
}

/// Returns whether the output would be JSON if it had `null` in place of these words.
fn would_be_json(output: &str, words: &[&str]) -> bool {
    let outside = |(index, text): (usize, &str)| match index % 2 {
        0 => words.iter().fold(text.to_owned(), |text, word| text.replace(word, "null")),
        _ => text.to_owned(),
    };
    // An escaped quotation mark does not end a string.
    let masked = output.replace("\\\\", "").replace("\\\"", "");
    let replaced: Vec<String> = masked.split('"').enumerate().map(outside).collect();
    let replaced = replaced.join("\"");
    masked.trim_start().starts_with('{') && replaced != masked && serde_json::from_str::<IgnoredAny>(&replaced).is_ok()
}

/// Returns whether nothing shows in place of a character: control characters, zero-width spaces, and marks of directions.
fn is_invisible(c: char) -> bool {
    c.is_control() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cause: Option<Cause>, code: &str) {
        assert_eq!(cause.as_ref().map_or("", |cause| cause.problem().code.as_str()), code);
    }

    #[test]
    fn output_that_is_no_json_shows_why() {
        for (output, code) in [
            ("\u{feff}{\"response\":{\"action\":0}}\r\n", "cause-byte-order-mark"),
            ("{\"response\":{\"action\":0}}\n\0\0", "cause-nul"),
            (" \u{200b}{\"response\":{\"action\":0}}", "cause-invisible"),
            (r#"{"response": {"action": 0}, "debug": [NaN, -Infinity]}"#, "cause-not-a-number"),
            (r#"{"debug": -nan, "a \" b": "\\"}"#, "cause-not-a-number"),
            (r#"{"response": {"action": 0}, "debug": ["None", None, True]}"#, "cause-python-words"),
            ("{}\n>>>KEEP_RUNNING<<<\n", "cause-marker"),
            ("{ response: { action: 0 } }", "cause-object"),
            ("0 1\nno", "cause-simple-answer"),
            ("{\n  \"response\": {}\n}\nbye", "cause-besides"),
        ] {
            check(of_text(output, false), code);
        }
        check(of_text("{", true), "cause-indented");
        check(of_text("\u{1b}[0m{\"response\":{\"action\":0}}", true), "cause-invisible");
    }

    #[test]
    fn other_output_shows_nothing() {
        for output in ["", "{", "NaN is not a number", r#"{"response": "NaN} x"#, r#"{"debug": "Infinity", "response": oops}"#] {
            check(of_text(output, false), "");
        }
        check(of_text("{\"action\": 1", true), "");
    }

    #[test]
    fn an_answer_without_an_action_shows_why() {
        for (answer, code) in [
            (r#"{"action": -1}"#, "cause-bare-response"),
            (r#"{"response": null, "action": 3}"#, "cause-bare-response"),
            (r#"{"response": null, "debug": "x"}"#, "cause-null-response"),
            (r#"{"response": null, "content": {}}"#, "cause-no-action-key"),
            (r#"{"response": {}, "action": 3}"#, "cause-no-action-key"),
            (r#"{"response": "{\"action\": \"1\"}"}"#, "cause-action-text"),
            (r#"{"response": "up"}"#, "cause-response-form"),
            (r#"{"action": "up"}"#, "cause-no-response-key"),
            ("{}", ""),
            ("[3]", "cause-simple-answer"),
        ] {
            check(of_answer(answer), code);
        }
    }
}
