//! Which crate may depend on which.

use std::process::Command;

use serde_json::Value;

/// The crates of the workspace. Each depends only on crates of lines above it, or to the left of it in its line.
const LAYERS: [&[&str]; 9] = [
    &["pacman2-rules", "pacman2-maps", "pacman2-batch"],
    &["pacman2-bots", "pacman2-training"],
    &["pacman2-runner"],
    &["pacman2-botzone", "pacman2-replay", "pacman2-timeline", "pacman2-analysis"],
    &["pacman2-match", "pacman2-console", "pacman2-bot-source"],
    &["pacman2-tournament", "pacman2-jobs", "pacman2-templates", "pacman2-local-ai", "pacman2-training-runs", "pacman2-doctor"],
    &["pacman2-web", "pacman2-arena", "pacman2-course"],
    &["pacman2"],
    &["pacman2-python", "xtask", "lab"],
];

#[test]
fn crates_depend_only_on_crates_of_lower_layers() {
    let mut command = Command::new(env!("CARGO"));
    let output = command.args(["metadata", "--no-deps", "--format-version", "1"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let order: Vec<&str> = LAYERS.concat();
    let place = |name: &Value| order.iter().position(|other| name == other);
    for package in metadata["packages"].as_array().unwrap() {
        let name = &package["name"];
        let own = place(name).unwrap_or_else(|| panic!("{name} has no place in LAYERS"));
        for dependency in package["dependencies"].as_array().unwrap() {
            // Tests may use any crate.
            let is_linked = dependency["kind"] != "dev" && !dependency["path"].is_null();
            let to = &dependency["name"];
            assert!(!is_linked || place(to).is_some_and(|place| place < own), "{name} depends on {to}, which is not below it");
        }
    }
}
