//! The viewer in a real browser, and the types of its scripts. The checks are in `crates/web/browser`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use pacman2_web::page::{self, Host};

use super::machine::*;
use crate::common::*;

#[test]
fn the_types_of_the_scripts() {
    let untested = "the page's types are right";
    if !is_required() {
        return leaves_out(untested, "run by PACMAN2_BROWSER=must, as in .ci/run");
    }
    let Some(node) = node(untested) else { return };
    if !modules_are_there(untested) {
        return;
    }
    let result = Command::new(node).args(["node_modules/typescript/bin/tsc", "-p", "."]).current_dir(web()).output().unwrap();
    assert!(result.status.success(), "{}", output_of(&result));
}

#[test]
fn the_committed_bundle_is_what_the_sources_make() {
    let untested = "the bundle of the page's scripts";
    let Some(node) = node(untested) else { return };
    if !modules_are_there(untested) {
        return;
    }
    let dir = TestDir::new();
    let result = Command::new(node).arg("build.js").arg(dir.path("bundle")).current_dir(web()).output().unwrap();
    assert!(result.status.success(), "{}", output_of(&result));
    let files = |folder: PathBuf| -> BTreeMap<PathBuf, Vec<u8>> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.file_name().unwrap().into(), fs::read(path).unwrap())).collect()
    };
    let (committed, made) = (files(web().join("bundle")), files(dir.path("bundle")));
    assert!(committed == made, "the bundle is out of date: run `npm run build` in crates/web");
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
    let site = site();
    let files = tests(site.is_some());
    // For all tests two processes, each with its own browser. Files alternate, so that both take about as long.
    let processes = if is_required() { 2 } else { 1 };
    let run = &|first: usize| {
        let mut command = script(&dir, &[node, "--test-reporter=spec"], "all.js");
        command.args(files.iter().skip(first).step_by(processes));
        leave_out_details(&mut command, "details of the page in a browser");
        command.envs(site.as_ref().map(|folder| ("SITE", folder))).env("CHROMIUM", &browser).output().unwrap()
    };
    let results = thread::scope(|scope| {
        let running: Vec<_> = (0..processes).map(|first| scope.spawn(move || run(first))).collect();
        running.into_iter().map(|part| part.join().unwrap()).collect::<Vec<_>>()
    });
    for result in &results {
        println!("{}", output_of(result));
    }
    assert!(results.iter().all(|result| result.status.success()), "the page fails in a browser: the expected output is above");
    let left: Vec<_> = fs::read_dir(dir.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "the tests leave {left:?}");
    dir.wait_until_deserted();
}

/// What most visitors do, in a Firefox. Its driver does not tell what a page sends, which the tests of the analysis read.
#[test]
fn page_in_firefox() {
    let untested = "the page in Firefox";
    if !is_required() {
        return leaves_out(untested, "run by PACMAN2_BROWSER=must, as in .ci/run");
    }
    let Some(node) = node(untested) else { return };
    let Some(firefox) = program(&["firefox-esr", "firefox"]) else {
        return lacks(untested, "Firefox; `apt-get install firefox-esr`");
    };
    if !modules_are_there(untested) {
        return;
    }
    let dir = TestDir::new();
    let site = site();
    let files = tests(site.is_some());
    let mut command = script(&dir, &[node, "--test-reporter=spec"], "all.js");
    command.args(files.iter().filter(|file| !file.ends_with("analysis.test.js")));
    command.env("TESTS", "main").env("FIREFOX", firefox).envs(site.map(|folder| ("SITE", folder)));
    let result = command.output().unwrap();
    println!("{}", output_of(&result));
    assert!(result.status.success(), "the page fails in Firefox: the expected output is above");
    dir.wait_until_deserted();
}

/// A page in a file, in a WebKit: it starts, and keys lead through its turns.
#[test]
fn page_in_webkit() {
    let untested = "the page in WebKit";
    if !is_required() {
        return leaves_out(untested, "run by PACMAN2_BROWSER=must, as in .ci/run");
    }
    let Some(node) = node(untested) else { return };
    if program(&["WebKitWebDriver"]).is_none() || program(&["xvfb-run"]).is_none() {
        return lacks(untested, "WebKit and its driver; `apt-get install webkit2gtk-driver xvfb`");
    }
    let dir = TestDir::new();
    dir.run("play greedy sample greedy random --seed 5 --turns 4 --replay game.json").succeeded();
    dir.run("replay convert game.json game.html").succeeded();
    let mut command = script(&dir, &["xvfb-run", "--auto-servernum", node], "webkit.js");
    let result = command.arg(dir.path("game.html")).output().unwrap();
    assert!(result.status.success(), "{}", output_of(&result));
    dir.wait_until_deserted();
}

/// Returns how a script of the tests is run, with all of its files in a folder.
fn script(dir: &TestDir, program: &[&str], name: &str) -> Command {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).arg(web().join("browser").join(name));
    dir.isolate(&mut command);
    for folder in ["home", "tmp"] {
        fs::create_dir_all(dir.path(folder)).unwrap();
    }
    command.env("HOME", dir.path("home")).env("XDG_CONFIG_HOME", dir.path("home")).env("TMPDIR", dir.path("tmp"));
    command.env("PACMAN2", PACMAN2).stdin(Stdio::null());
    command
}

/// Returns the static site if it was made from the page of this program.
fn site() -> Option<PathBuf> {
    let folder = web().join("../../target/site");
    let null = serde_json::Value::Null;
    let page = page::html(Host::Site { bots: &[], engine: b"", gallery: &null, docs: false }, None);
    // The policy contains digests of script and style.
    let is_current = fs::read_to_string(folder.join("index.html")).is_ok_and(|html| html.contains(&page.csp));
    if !is_current {
        lacks("the static site in a browser", "a current site in target/site; `cargo xtask site --no-docs`");
    }
    is_current.then_some(folder)
}

/// Returns the test files. Which files Node.js finds by default differs between its versions.
fn tests(with_site: bool) -> Vec<PathBuf> {
    let files = fs::read_dir(web().join("browser")).unwrap().map(|entry| entry.unwrap().path());
    let is_wanted = |name: &str| name.ends_with(".test.js") && (with_site || !name.ends_with("site.test.js"));
    let mut tests: Vec<PathBuf> = files.filter(|path| path.to_str().is_some_and(is_wanted)).collect();
    tests.sort();
    assert!(!tests.is_empty());
    tests
}
