//! Bodies of requests: JSON of a certain form. What is wrong with one has a code, which `serde_json`'s own errors lack.

use std::fmt;
use std::marker::PhantomData;

use pacman2_botzone::problem::Problem;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::error::ApiError;

/// The most values of a body, which bounds the memory of their tree. A replay of ten thousand turns has fewer.
const MAX_VALUES: u64 = 1_000_000;

/// Reads a body.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let invalid = |reason, cause| ApiError::InvalidRequest { reason, causes: vec![cause] };
    let text = String::from_utf8_lossy(bytes);
    let json =
        pacman2_botzone::limited_tree(&text, MAX_VALUES).map_err(|error| invalid(error.to_string(), Problem::from(&error)))?;
    serde_path_to_error::deserialize(Json::<FormError>(json, PhantomData)).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        let FormError { reason, problem } = error.into_inner();
        let reason = if path.is_empty() { reason } else { format!("{path}: {reason}") };
        invalid(reason, problem.with("path", path))
    })
}

/// What differs from the expected form.
#[derive(Debug)]
struct FormError {
    reason: String,
    problem: Problem,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for FormError {}

impl Error for FormError {
    fn custom<T: fmt::Display>(message: T) -> FormError {
        FormError { reason: message.to_string(), problem: Problem::new("request-form") }
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> FormError {
        let reason = format!("invalid type: {unexpected}, expected {expected}");
        FormError { reason, problem: from_value(unexpected, expected) }
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> FormError {
        let reason = format!("invalid value: {unexpected}, expected {expected}");
        FormError { reason, problem: from_value(unexpected, expected) }
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> FormError {
        let reason = format!("invalid length {length}, expected {expected}");
        let problem = Problem::new("request-length").with("got", length);
        // "an array of length 4"
        let number = expected.to_string().rsplit(' ').next().and_then(|number| number.parse::<u64>().ok());
        FormError { reason, problem: number.into_iter().fold(problem, |problem, number| problem.with("expected", number)) }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> FormError {
        let expected = expected.join(", ");
        let problem = Problem::new("request-unknown-key").with("key", field).with("expected", expected.as_str());
        FormError { reason: format!("unknown field `{field}`, expected one of {expected}"), problem }
    }

    fn missing_field(field: &'static str) -> FormError {
        FormError { reason: format!("missing field `{field}`"), problem: Problem::new("request-missing-key").with("key", field) }
    }
}

/// Returns the problem with a value. The texts of `Expected` are those of `serde` for the types in our bodies.
fn from_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Problem {
    let got = match unexpected {
        Unexpected::Bool(got) => got.to_string(),
        Unexpected::Unsigned(got) => got.to_string(),
        Unexpected::Signed(got) => got.to_string(),
        Unexpected::Float(got) => got.to_string(),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "list".to_owned(),
        Unexpected::Map => "object".to_owned(),
        _ => "string".to_owned(),
    };
    let expected = expected.to_string();
    let range: Option<(i64, i64)> = match expected.as_str() {
        "u8" => Some((0, u8::MAX.into())),
        "u32" => Some((0, u32::MAX.into())),
        "i32" => Some((i32::MIN.into(), i32::MAX.into())),
        // Only seeds are so large.
        "i64" => Some(pacman2_maps::SEEDS.into_inner()),
        // JavaScript knows no larger whole numbers.
        "u64" | "usize" => Some((0, 1 << 53)),
        _ => None,
    };
    if let Some((min, max)) = range {
        return Problem::new("request-number").with("min", min).with("max", max).with("got", got);
    }
    let kind = match expected.as_str() {
        "a boolean" => "boolean",
        "a string" => "string",
        text if text.contains("array") || text.contains("sequence") => "list",
        _ => "object",
    };
    Problem::new("request-value").with("expected", kind).with("got", got)
}

/// JSON that is read with errors of another type.
struct Json<E>(Value, PhantomData<E>);

impl<'de, E: Error> IntoDeserializer<'de, E> for Json<E> {
    type Deserializer = Json<E>;

    fn into_deserializer(self) -> Json<E> {
        self
    }
}

impl<'de, E: Error> Deserializer<'de> for Json<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter().map(|item| Json(item, PhantomData)));
                let value = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(value)
            }
            Value::Object(entries) => {
                visitor.visit_map(MapDeserializer::new(entries.into_iter().map(|(key, value)| (key, Json(value, PhantomData)))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    struct Body {
        name: String,
        numbers: Option<Vec<u8>>,
        inner: Option<Inner>,
    }

    #[derive(Deserialize, Debug)]
    struct Inner {
        #[serde(flatten)]
        choice: Choice,
        at: i32,
    }

    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Choice {
        One(String),
        Other(Value),
    }

    #[track_caller]
    fn check(body: &str, sentence: &str, problem: Value) {
        let error = read::<Body>(body.as_bytes()).unwrap_err().to_json();
        assert_eq!(error["error"], format!("invalid request: {sentence}"));
        assert_eq!(error["params"]["causes"], json!([problem]));
    }

    #[test]
    fn a_body_of_the_right_form() {
        let text = r#"{ "name": "a", "numbers": [0, 255], "inner": { "other": { "b": null }, "at": -1, "more": 1.5 } }"#;
        let Body { name, numbers, inner } = read(text.as_bytes()).unwrap();
        let Inner { choice, at } = inner.unwrap();
        assert_eq!((name.as_str(), numbers, at), ("a", Some(vec![0, 255]), -1));
        assert_eq!(choice, Choice::Other(json!({ "b": null })));
        let Body { numbers, inner, .. } = read(br#"{ "name": "", "numbers": null, "inner": { "one": "x", "at": 1 } }"#).unwrap();
        assert_eq!((numbers, inner.unwrap().choice), (None, Choice::One("x".to_owned())));
    }

    #[test]
    fn what_is_wrong_has_a_code_and_a_path() {
        let form = |code: &str, params: Value| json!({ "code": code, "params": params });
        check("{", "EOF while parsing an object at line 1 column 1", form("json-cut-off", json!({ "line": 1, "column": 1 })));
        check("{}", "missing field `name`", form("request-missing-key", json!({ "key": "name", "path": "" })));
        check(
            r#"{"name": "a", "numbers": [1, 256]}"#,
            "numbers[1]: invalid value: integer `256`, expected u8",
            form("request-number", json!({ "min": 0, "max": 255, "got": "256", "path": "numbers[1]" })),
        );
        check(
            r#"{"name": []}"#,
            "name: invalid type: sequence, expected a string",
            form("request-value", json!({ "expected": "string", "got": "list", "path": "name" })),
        );
        check(
            r#"{"name": "a", "inner": {"at": 1, "two": 2}}"#,
            "inner: no variant of enum Choice found in flattened data",
            form("request-form", json!({ "path": "inner" })),
        );
        let deep = format!(r#"{{"name": "a", "inner": {}}}"#, "[".repeat(100_000));
        assert!(read::<Body>(deep.as_bytes()).unwrap_err().to_string().contains("recursion limit"));
    }
}
