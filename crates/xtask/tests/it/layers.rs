//! Which crate may depend on which.

use std::process::Command;

use serde_json::Value;

/// Each crate depends only on crates of lines above it in ARCHITECTURE.md, or to the left of it in its line.
#[test]
fn crates_depend_only_on_crates_of_lower_layers() {
    let mut command = Command::new(env!("CARGO"));
    let output = command.args(["metadata", "--no-deps", "--format-version", "1"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let order = order();
    let place = |name: &Value| {
        let name = name.as_str().unwrap();
        order.iter().position(|other| other == name.strip_prefix("pacman2-").unwrap_or(name))
    };
    for package in metadata["packages"].as_array().unwrap() {
        let name = &package["name"];
        let own = place(name).unwrap_or_else(|| panic!("{name} is not in the list of ARCHITECTURE.md"));
        for dependency in package["dependencies"].as_array().unwrap() {
            // Tests may use any crate.
            let is_linked = dependency["kind"] != "dev" && !dependency["path"].is_null();
            let to = &dependency["name"];
            assert!(!is_linked || place(to).is_some_and(|place| place < own), "{name} depends on {to}, which is not below it");
        }
    }
}

/// Returns the names in the list of ARCHITECTURE.md, in its order. They are between the group and the description of a line.
fn order() -> Vec<String> {
    let text = include_str!("../../../../ARCHITECTURE.md");
    let list = text.split("```text\n").nth(2).unwrap().split("```").next().unwrap();
    let names = list.lines().flat_map(|line| {
        let names: String = line.chars().skip(12).take(42).collect();
        names.split([' ', '─', '/']).filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    });
    names.collect()
}
