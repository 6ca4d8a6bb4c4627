//! The hostile suite, in every way in which this machine can shut bots in: as whoever runs the tests and, if that is root, as
//! an ordinary user too; with control groups and without. And in the open, to see that the attacks are real.
//!
//! What cannot be had here is named as not run.

#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use common::{PACMAN2, RunResult, json, start};
use serde_json::Value;
use tempfile::TempDir;

/// Somebody who owns nothing.
const NOBODY: u32 = 65534;

/// Those for whom it matters most how processes are stopped, counted and ended; enough where all the rest is as in a way in
/// which all are tried.
const ABOUT_PROCESSES: [&str; 17] = [
    "children_wake_each_other",
    "fork_and_touch",
    "fork_bomb",
    "fork_bomb_between_turns",
    "fork_bomb_that_flees",
    "hides_the_time_of_children",
    "ignores_signals",
    "kill_everybody",
    "leaves_a_daemon_by_double_fork",
    "malloc",
    "many_threads",
    "memfd",
    "reads_secrets",
    "setsid_child_computes",
    "signals_others",
    "works_after_answering",
    "zombies",
];

/// How long one suite may take. Most of its two hundred matches use up their time, whatever else the machine has to do.
const SUITE_PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Deadlines are looked at, so only one suite runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[derive(Clone, Copy, PartialEq)]
enum Who {
    Ourselves,
    Nobody,
}

/// Runs `pacman2 doctor` in a folder that everybody may see.
fn doctor(who: Who, what: &[&str], options: &[&str]) -> RunResult {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = folder.path().join("pacman2");
    fs::copy(PACMAN2, &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["doctor", "--json"]).args(what).args(options);
    command.current_dir(folder.path());
    if who == Who::Nobody {
        // Whose Python is root's own cannot be used.
        command.uid(NOBODY).gid(NOBODY).env("HOME", "/nonexistent").env("PATH", "/usr/bin:/bin");
    }
    let mut running = start(command, "");
    let begin = Instant::now();
    while running.child.try_wait().unwrap().is_none() && begin.elapsed() < SUITE_PATIENCE {
        thread::sleep(Duration::from_millis(10));
    }
    running.wait()
}

/// All hostile bots that were tried did what their programs say is to come of it.
#[track_caller]
fn check(what: &str, who: Who, options: &[&str], only: &[&str]) {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if who == Who::Nobody && !is_root() {
        return eprintln!("not run: {what} (only root can become another user)");
    }
    if !options.contains(&"--in-the-open") {
        let asked = doctor(who, &[], options);
        if asked.code != Some(0) {
            return eprintln!("not run: {what} (it cannot be had here: {})", json(&asked.stdout)["tried"]);
        }
    }
    let only: Vec<&str> = only.iter().flat_map(|name| ["--only", name]).collect();
    let result = doctor(who, &["--hostile"], &[options, &only].concat());
    let report = json(&result.stdout);
    let programs = report["programs"].as_array().unwrap();
    let broken: Vec<&Value> = programs.iter().filter(|program| program["held"] != true).collect();
    assert!(broken.is_empty(), "{what}: {broken:#?}");
    assert_eq!(result.code, Some(0), "{what}: {result:?}");
    let expected = if only.is_empty() { 40 } else { only.len() / 2 };
    assert!(programs.len() >= expected, "{what}: only {} were tried: {report}", programs.len());
    for again in programs.iter().filter(|program| program["tried_again"] != 0) {
        eprintln!("tried again: {what}: {}: {}", again["name"], again["wrong_before"]);
    }
    for not_run in report["not_run"].as_array().unwrap() {
        eprintln!("not run: {what}: {}: {}", not_run["name"], not_run["reason"]);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn tier_a_with_control_groups() {
    check("tier A with control groups", Who::Ourselves, &["--tier", "A"], &[]);
}

#[test]
fn tier_a_without_control_groups() {
    // Root's bots differ in little from an ordinary user's, for whom all are tried.
    let only: &[&str] = if is_root() { &ABOUT_PROCESSES } else { &[] };
    check("tier A without control groups", Who::Ourselves, &["--tier", "A", "--without-control-groups"], only);
}

#[test]
fn tier_a_as_an_ordinary_user() {
    check("tier A as an ordinary user", Who::Nobody, &["--tier", "A", "--without-control-groups"], &[]);
}

#[test]
fn tier_b_with_control_groups() {
    check("tier B with control groups", Who::Ourselves, &["--tier", "B"], &ABOUT_PROCESSES);
}

#[test]
fn tier_b_without_control_groups() {
    check("tier B without control groups", Who::Ourselves, &["--tier", "B", "--without-control-groups"], &[]);
}

#[test]
fn tier_b_as_an_ordinary_user() {
    check("tier B as an ordinary user", Who::Nobody, &["--tier", "B", "--without-control-groups"], &ABOUT_PROCESSES);
}

/// An attack that fails in the open as well would prove nothing.
#[test]
fn in_the_open_the_attacks_succeed() {
    check("attacks in the open", Who::Ourselves, &["--in-the-open"], &[]);
}

#[test]
fn in_the_open_the_attacks_succeed_for_an_ordinary_user() {
    check("attacks in the open as an ordinary user", Who::Nobody, &["--in-the-open"], &[]);
}
