//! The schemas in docs/schema, and values checked by them.
//!
//! Validators of all of JSON Schema bring 40 crates; these schemas use few keywords, and others are rejected.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::common::json;

pub(super) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");

/// All schemas, by the names of their files.
pub(super) struct Schemas(pub(super) BTreeMap<String, Value>);

impl Schemas {
    pub(super) fn read() -> Schemas {
        let file = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, json(&fs::read_to_string(entry.path()).unwrap()))
        };
        Schemas(fs::read_dir(FOLDER).unwrap().map(|entry| file(entry.unwrap())).collect())
    }

    /// Returns what is wrong with a value, by the schema in this file.
    pub(super) fn problems(&self, file: &str, value: &Value) -> Vec<String> {
        self.check(file, &self.0[file], value, "$")
    }

    fn check(&self, file: &str, schema: &Value, value: &Value, path: &str) -> Vec<String> {
        let mut problems = Vec::new();
        for (keyword, expected) in schema.as_object().expect("a schema is an object") {
            let list = || expected.as_array().expect("a list");
            let length = value.as_array().map(|values| values.len() as u64);
            let is_right = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "additionalProperties" => true,
                "$ref" => {
                    let (file, schema) = self.referred(file, expected.as_str().unwrap());
                    problems.extend(self.check(file, schema, value, path));
                    true
                }
                "type" => std::slice::from_ref(expected)
                    .iter()
                    .chain(expected.as_array().into_iter().flatten())
                    .any(|name| is_a(name, value)),
                "const" => value == expected,
                "enum" => list().contains(value),
                "minimum" => value.as_f64().is_none_or(|number| number >= expected.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= expected.as_f64().unwrap()),
                "minItems" => length.is_none_or(|length| length >= expected.as_u64().unwrap()),
                "maxItems" => length.is_none_or(|length| length <= expected.as_u64().unwrap()),
                "items" => {
                    let items = value.as_array().into_iter().flatten().enumerate();
                    problems
                        .extend(items.flat_map(|(index, item)| self.check(file, expected, item, &format!("{path}[{index}]"))));
                    true
                }
                "required" => {
                    value.as_object().is_none_or(|object| list().iter().all(|key| object.contains_key(key.as_str().unwrap())))
                }
                "properties" => {
                    for (key, value) in value.as_object().into_iter().flatten() {
                        match expected.get(key) {
                            Some(schema) => problems.extend(self.check(file, schema, value, &format!("{path}.{key}"))),
                            None => problems.push(format!("{path}.{key}: not in the schema")),
                        }
                    }
                    true
                }
                "anyOf" | "oneOf" => {
                    let all: Vec<Vec<String>> = list().iter().map(|schema| self.check(file, schema, value, path)).collect();
                    let is_right = all.iter().any(Vec::is_empty);
                    // Of several events, that with the fewest problems was meant.
                    problems.extend(all.into_iter().filter(|_| !is_right).min_by_key(Vec::len).into_iter().flatten());
                    is_right
                }
                _ => panic!("{file}: the keyword {keyword} is not known here"),
            };
            if !is_right {
                problems.push(format!("{path}: expected {keyword} {expected}, got {value}"));
            }
        }
        problems
    }

    /// Returns the schema that a reference names, and its file.
    fn referred<'a>(&'a self, file: &'a str, reference: &'a str) -> (&'a str, &'a Value) {
        let (other, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let file = if other.is_empty() { file } else { other };
        let schema = self.0.get(file).and_then(|schema| schema.pointer(pointer));
        (file, schema.unwrap_or_else(|| panic!("{file}: no schema {reference}")))
    }
}

fn is_a(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}
