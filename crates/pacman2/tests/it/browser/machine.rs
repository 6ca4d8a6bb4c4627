//! What the tests of the pages need on this machine: Node.js, a browser and npm packages.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use crate::common::json;

/// Names under which a Chromium may be found. The one without windows takes less than half of the time.
const BROWSERS: [&str; 5] = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The oldest major version of Node.js whose test runner has the options that the tests use.
const NODE: u32 = 20;

/// Returns the folder of the crate `web`.
pub(crate) fn web() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")).unwrap()
}

/// Prints that a test is skipped and what to install, past the test runner, which captures the output of tests that pass.
///
/// # Panics
///
/// If `PACMAN2_BROWSER=must` is set.
#[track_caller]
pub(crate) fn lacks(untested: &str, what: &str) {
    assert!(!is_required(), "{untested}: this machine lacks {what}");
    leaves_out(untested, &format!("this machine lacks {what}"));
}

/// Prints that something is skipped and why, past the test runner.
pub(super) fn leaves_out(untested: &str, why: &str) {
    let _ = writeln!(io::stderr(), "not run: {untested} ({why})");
}

/// Restricts the scripts of tests to what most visitors do, unless all tests have to run. All would take three minutes of CPU time.
pub(crate) fn leave_out_details(command: &mut Command, details: &str) {
    if !is_required() {
        command.env("TESTS", "main");
        leaves_out(details, "run by PACMAN2_BROWSER=must, as in .ci/run");
    }
}

/// Whether all tests in a browser have to run.
pub(crate) fn is_required() -> bool {
    env::var("PACMAN2_BROWSER").as_deref() == Ok("must")
}

#[track_caller]
pub(crate) fn node(untested: &str) -> Option<&'static str> {
    let version =
        Command::new("node").arg("--version").output().map(|result| String::from_utf8_lossy(&result.stdout).into_owned());
    let major = version.unwrap_or_default().trim().strip_prefix('v').and_then(|text| text.split('.').next()?.parse().ok());
    if major.is_some_and(|major: u32| major >= NODE) {
        return Some("node");
    }
    lacks(untested, "Node.js 20 or newer; `apt-get install nodejs npm`");
    None
}

#[track_caller]
pub(crate) fn browser(untested: &str) -> Option<PathBuf> {
    let found = env::var_os("CHROMIUM").map(PathBuf::from).or_else(|| program(&BROWSERS));
    if found.is_none() {
        lacks(untested, "Chromium; `apt-get install chromium-headless-shell`, or set CHROMIUM to where one is");
    }
    found
}

/// Returns where the first of these programs is.
pub(crate) fn program(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|file| file.is_file())
}

/// Returns whether the npm packages of the tests are installed, after one attempt to install them.
#[track_caller]
pub(crate) fn modules_are_there(untested: &str) -> bool {
    static TROUBLE: OnceLock<Option<String>> = OnceLock::new();
    match TROUBLE.get_or_init(install) {
        None => true,
        Some(trouble) => {
            lacks(untested, trouble);
            false
        }
    }
}

/// Installs the packages of `package-lock.json` unless they are there already. Returns what went wrong.
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
        Ok(result) if result.status.success() => None,
        Ok(result) => {
            let output = output_of(&result);
            let why = output.lines().find(|line| line.contains("error")).unwrap_or("npm ci fails");
            Some(format!("packages of crates/web; {by_hand}; {why}"))
        }
        Err(_) => Some(format!("npm; `apt-get install npm`, then {by_hand}")),
    }
}

/// What a program wrote to both its outputs.
pub(crate) fn output_of(result: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr))
}
