//! The page: its types, and what it says in a real browser. The tests of the page itself are in `crates/web/browser`.

#![cfg(unix)]

mod common;
mod page;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::*;
use page::*;

#[test]
fn types() {
    let untested = "the page's types are right";
    let Some(node) = node(untested) else { return };
    if !modules_are_there(untested) {
        return;
    }
    let ran = Command::new(node).args(["node_modules/typescript/bin/tsc", "-p", "."]).current_dir(web()).output().unwrap();
    assert!(ran.status.success(), "{}", told(&ran));
}

#[test]
fn page_in_a_browser() {
    let untested = "the page in a browser";
    let Some(node) = node(untested) else { return };
    let Some(browser) = browser(untested) else { return };
    if !modules_are_there(untested) {
        return;
    }
    let place = Place::new();
    for folder in ["home", "tmp"] {
        fs::create_dir(place.path(folder)).unwrap();
    }
    let mut command = Command::new(node);
    command.args(["--test", "--test-concurrency=2", "--test-reporter=spec"]).args(tests());
    place.at_home(&mut command);
    // Whatever the browser leaves behind is left here.
    command.env("HOME", place.path("home")).env("XDG_CONFIG_HOME", place.path("home")).env("TMPDIR", place.path("tmp"));
    let ran = command.env("PACMAN2", PACMAN2).env("CHROMIUM", browser).stdin(Stdio::null()).output().unwrap();
    println!("{}", told(&ran));
    assert!(ran.status.success(), "the page fails in a browser: what it should have said is above");
    let left: Vec<_> = fs::read_dir(place.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "the tests leave {left:?}");
    place.is_soon_deserted();
}

/// The files with tests. Which of them a runner finds by itself differs from one version to the next.
fn tests() -> Vec<PathBuf> {
    let files = fs::read_dir(web().join("browser")).unwrap().map(|entry| entry.unwrap().path());
    let mut tests: Vec<PathBuf> = files.filter(|path| path.to_str().is_some_and(|path| path.ends_with(".test.js"))).collect();
    tests.sort();
    assert!(!tests.is_empty());
    tests
}
