//! The page: its types, and what it says in a real browser. The tests of the page itself are in `crates/web/browser`.

#![cfg(unix)]

mod common;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use common::*;
use serde_json::Value;

/// Names under which a Chromium may be found.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The oldest Node.js whose test runner can do what is asked of it.
const NODE: u32 = 20;

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
    let Some(browser) = browser() else {
        return lacks(untested, "Chromium; `apt-get install chromium`, or set CHROMIUM to where one is");
    };
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

/// The crate of the page.
fn web() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")).unwrap()
}

/// The files with tests. Which of them a runner finds by itself differs from one version to the next.
fn tests() -> Vec<PathBuf> {
    let files = fs::read_dir(web().join("browser")).unwrap().map(|entry| entry.unwrap().path());
    let mut tests: Vec<PathBuf> = files.filter(|path| path.to_str().is_some_and(|path| path.ends_with(".test.js"))).collect();
    tests.sort();
    assert!(!tests.is_empty());
    tests
}

/// Says that something was not tested and what to do about it, past the test runner, which would keep it to itself. Where
/// nothing may be lacking, that is a failure.
#[track_caller]
fn lacks(untested: &str, what: &str) {
    assert!(env::var("PACMAN2_BROWSER").as_deref() != Ok("must"), "{untested}: this machine lacks {what}");
    let _ = writeln!(io::stderr(), "not run: {untested} (this machine lacks {what})");
}

#[track_caller]
fn node(untested: &str) -> Option<&'static str> {
    let version = Command::new("node").arg("--version").output().map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned());
    let major = version.unwrap_or_default().trim().strip_prefix('v').and_then(|text| text.split('.').next()?.parse().ok());
    if major.is_some_and(|major: u32| major >= NODE) {
        return Some("node");
    }
    lacks(untested, "Node.js 20 or newer; `apt-get install nodejs npm`");
    None
}

fn browser() -> Option<PathBuf> {
    if let Some(given) = env::var_os("CHROMIUM") {
        return Some(given.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).flat_map(|folder| BROWSERS.map(|name| folder.join(name))).find(|file| file.is_file())
}

/// Whether the packages that the tests want are there, after an attempt to install them.
#[track_caller]
fn modules_are_there(untested: &str) -> bool {
    static TROUBLE: OnceLock<Option<String>> = OnceLock::new();
    match TROUBLE.get_or_init(install) {
        None => true,
        Some(trouble) => {
            lacks(untested, trouble);
            false
        }
    }
}

/// Installs what `package-lock.json` names, unless it is there already. What is there is left alone.
fn install() -> Option<String> {
    let lock = json(&fs::read_to_string(web().join("package-lock.json")).unwrap());
    let packages = lock["packages"].as_object().expect("a lock names packages");
    let is_there = |(path, package): (&String, &Value)| {
        let installed = fs::read_to_string(web().join(path).join("package.json")).unwrap_or_default();
        path.is_empty()
            || package["optional"] == true
            || serde_json::from_str::<Value>(&installed).is_ok_and(|installed| installed["version"] == package["version"])
    };
    if packages.iter().all(is_there) {
        return None;
    }
    let by_hand = "run `npm ci` in crates/web, with a network";
    match Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(web()).stdin(Stdio::null()).output() {
        Ok(ran) if ran.status.success() => None,
        Ok(ran) => {
            let told = told(&ran);
            let why = told.lines().find(|line| line.contains("error")).unwrap_or("npm ci fails");
            Some(format!("packages of crates/web; {by_hand}; {why}"))
        }
        Err(_) => Some(format!("npm; `apt-get install npm`, then {by_hand}")),
    }
}

fn told(ran: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}
