//! The page: its types, and what it says in a real browser. The tests of the page itself are in `crates/web/browser`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::*;
use crate::machine::*;

#[test]
fn types() {
    let untested = "the page's types are right";
    let Some(node) = node(untested) else { return };
    if !modules_are_there(untested) {
        return;
    }
    let result = Command::new(node).args(["node_modules/typescript/bin/tsc", "-p", "."]).current_dir(web()).output().unwrap();
    assert!(result.status.success(), "{}", output_of(&result));
}

#[test]
fn page_in_a_browser() {
    let untested = "the page in a browser";
    let Some(node) = node(untested) else { return };
    let Some(browser) = browser(untested) else { return };
    if !modules_are_there(untested) {
        return;
    }
    let dir = TestDir::new();
    for folder in ["home", "tmp"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    let mut command = Command::new(node);
    command.args(["--test", "--test-concurrency=2", "--test-reporter=spec"]).args(tests());
    dir.isolate(&mut command);
    // Whatever the browser leaves behind is left here.
    command.env("HOME", dir.path("home")).env("XDG_CONFIG_HOME", dir.path("home")).env("TMPDIR", dir.path("tmp"));
    let result = command.env("PACMAN2", PACMAN2).env("CHROMIUM", browser).stdin(Stdio::null()).output().unwrap();
    println!("{}", output_of(&result));
    assert!(result.status.success(), "the page fails in a browser: what it should have said is above");
    let left: Vec<_> = fs::read_dir(dir.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "the tests leave {left:?}");
    dir.wait_until_deserted();
}

/// The files with tests. Which of them a runner finds by itself differs from one version to the next.
fn tests() -> Vec<PathBuf> {
    let files = fs::read_dir(web().join("browser")).unwrap().map(|entry| entry.unwrap().path());
    let mut tests: Vec<PathBuf> = files.filter(|path| path.to_str().is_some_and(|path| path.ends_with(".test.js"))).collect();
    tests.sort();
    assert!(!tests.is_empty());
    tests
}
