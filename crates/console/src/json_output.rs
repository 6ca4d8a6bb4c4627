//! What the JSON outputs of all commands have in common; docs/JSON.md describes them.

use serde_json::Value;

/// The version of the outputs. It rises when a key goes or gets another meaning, not when one is added.
const VERSION: u32 = 1;

/// Adds the keys `format` and `version` to an object. The schema of the output `name` is a file in docs/schema.
#[must_use]
pub fn labelled(name: &str, mut object: Value) -> Value {
    object["format"] = format!("pacman2 {name}").into();
    object["version"] = VERSION.into();
    object
}
