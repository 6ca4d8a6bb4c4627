//! The hostile suite (`pacman2 doctor --hostile`) in every variant of the sandbox that this machine has: as the current user
//! and, if that is root, as an unprivileged user too; with control groups and without. And without a sandbox, which proves
//! that the attacks are real. Variants that are not available are printed as "not run".
//!
//! This is a binary of its own, and at most two suites run at a time, because the deadlines of all matches are checked while
//! fork bombs and memory hogs run. Other tests would disturb them, and they would disturb other tests.

#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::{RunResult, copy_program, json, start};
use serde_json::Value;
use tempfile::TempDir;

/// The user ID of an unprivileged user.
const NOBODY: u32 = 65534;

/// The bots for which it matters most how processes are paused, counted and killed. They suffice where a variant differs
/// from a fully tested one in that only.
const ABOUT_PROCESSES: [&str; 20] = [
    "children_wake_each_other",
    "copies_its_mappings",
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
    "starves_others",
    "vfork_bomb",
    "works_after_answering",
    "zombies",
];

/// The bots that Landlock stops first where there is Landlock.
const ABOUT_ACCESS: [&str; 17] = [
    "abstract_socket",
    "changes_others_modes",
    "empties_files",
    "enters_others_folders",
    "lists_folders",
    "mounts",
    "opens_devices",
    "reads_others_memory",
    "reads_secrets",
    "remembers_in_files",
    "rewrites_the_system",
    "signals_others",
    "takes_others_files",
    "tcp",
    "unix_socket",
    "writes_to_others_files",
    "writes_to_proc",
];

/// How long one suite may take. Most of its two hundred matches use up their time limit.
const SUITE_PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How many suites may run at a time. Deadlines are checked, but most matches wait for a time limit.
const SUITES_AT_A_TIME: usize = 2;
/// The number of suites that run.
static RUNNING: Mutex<usize> = Mutex::new(0);
/// Signalled at the end of each suite.
static FINISHED: Condvar = Condvar::new();

/// The turn of a suite: it may run until this is dropped.
struct SuiteTurn;

impl SuiteTurn {
    /// Waits until fewer suites run than may.
    fn wait() -> SuiteTurn {
        let mut running = FINISHED.wait_while(RUNNING.lock().unwrap(), |running| *running == SUITES_AT_A_TIME).unwrap();
        *running += 1;
        SuiteTurn
    }
}

impl Drop for SuiteTurn {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap() -= 1;
        FINISHED.notify_one();
    }
}

#[derive(Clone, Copy, PartialEq)]
enum User {
    Current,
    Nobody,
}

/// Runs `pacman2 doctor` in a folder that everyone may read.
fn doctor(user: User, what: &[&str], options: &[&str]) -> RunResult {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = folder.path().join("pacman2");
    copy_program(&program);
    let mut command = Command::new(&program);
    command.args(["doctor", "--json"]).args(what).args(options);
    command.current_dir(folder.path());
    if user == User::Nobody {
        // A Python in the home folder of root cannot be used.
        command.uid(NOBODY).gid(NOBODY).env("HOME", "/nonexistent").env("PATH", "/usr/bin:/bin");
    }
    let mut running = start(command, "");
    let begin = Instant::now();
    while running.child.try_wait().unwrap().is_none() && begin.elapsed() < SUITE_PATIENCE {
        thread::sleep(Duration::from_millis(10));
    }
    running.wait()
}

/// Checks that all hostile bots got the result that their headers expect.
#[track_caller]
fn check(what: &str, user: User, options: &[&str], only: &[&str]) {
    let _turn = SuiteTurn::wait();
    if user == User::Nobody && !is_root() {
        return eprintln!("not run: {what} (only root can become another user)");
    }
    if !options.contains(&"--in-the-open") {
        let probe = doctor(user, &[], options);
        if probe.code != Some(0) {
            return eprintln!("not run: {what} (not available on this machine: {})", json(&probe.stdout)["tried"]);
        }
    }
    let only: Vec<&str> = only.iter().flat_map(|name| ["--only", name]).collect();
    let result = doctor(user, &["--hostile"], &[options, &only].concat());
    assert!(result.stdout.starts_with('{'), "{what}: {result:?}");
    let report = json(&result.stdout);
    let programs = report["programs"].as_array().unwrap();
    let broken: Vec<&Value> = programs.iter().filter(|program| program["held"] != true).collect();
    assert!(broken.is_empty(), "{what}: {broken:#?}");
    assert_eq!(result.code, Some(0), "{what}: {result:?}");
    let expected = if only.is_empty() { 40 } else { only.len() / 2 };
    assert!(programs.len() >= expected, "{what}: only {} were tried: {report}", programs.len());
    for again in programs.iter().filter(|program| program["tried_again"] != 0) {
        eprintln!("played again: {what}: {}: {}", again["name"], again["wrong_before"]);
    }
    for not_run in report["not_run"].as_array().unwrap() {
        eprintln!("not run: {what}: {}: {}", not_run["name"], not_run["reason"]);
    }
}

fn about_both() -> Vec<&'static str> {
    let mut names = [&ABOUT_PROCESSES[..], &ABOUT_ACCESS].concat();
    names.sort_unstable();
    names.dedup();
    names
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn tier_a_with_control_groups() {
    check("tier A with control groups", User::Current, &["--tier", "A"], &[]);
}

#[test]
fn tier_a_without_control_groups() {
    check("tier A without control groups", User::Current, &["--tier", "A", "--without-control-groups"], &ABOUT_PROCESSES);
}

#[test]
fn tier_a_as_an_unprivileged_user() {
    check("tier A as an unprivileged user", User::Nobody, &["--tier", "A", "--without-control-groups"], &about_both());
}

#[test]
#[ignore = "takes minutes; .ci/run does not leave it out"]
fn tier_a_as_an_unprivileged_user_with_all_bots() {
    check("tier A as an unprivileged user", User::Nobody, &["--tier", "A", "--without-control-groups"], &[]);
}

#[test]
fn tier_a_minus() {
    check("tier A-", User::Current, &["--tier", "A-", "--without-control-groups"], &ABOUT_ACCESS);
}

#[test]
fn tier_a_minus_as_an_unprivileged_user() {
    check("tier A- as an unprivileged user", User::Nobody, &["--tier", "A-", "--without-control-groups"], &ABOUT_ACCESS);
}

#[test]
fn tier_b_with_control_groups() {
    check("tier B with control groups", User::Current, &["--tier", "B"], &ABOUT_PROCESSES);
}

#[test]
fn tier_b_without_control_groups() {
    check("tier B without control groups", User::Current, &["--tier", "B", "--without-control-groups"], &about_both());
}

#[test]
#[ignore = "takes minutes; .ci/run does not leave it out"]
fn tier_b_without_control_groups_with_all_bots() {
    check("tier B without control groups", User::Current, &["--tier", "B", "--without-control-groups"], &[]);
}

#[test]
fn tier_b_as_an_unprivileged_user() {
    check("tier B as an unprivileged user", User::Nobody, &["--tier", "B", "--without-control-groups"], &ABOUT_PROCESSES);
}

/// An attack that fails without a sandbox too would prove nothing.
#[test]
fn without_a_sandbox_the_attacks_succeed() {
    check("attacks without a sandbox", User::Current, &["--in-the-open"], &[]);
}

#[test]
fn without_a_sandbox_the_attacks_of_an_unprivileged_user_succeed() {
    check("attacks without a sandbox as an unprivileged user", User::Nobody, &["--in-the-open"], &[]);
}
