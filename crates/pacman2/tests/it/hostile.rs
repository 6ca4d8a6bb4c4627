//! The hostile suite (`pacman2 doctor --hostile`) in every variant of the sandbox that this machine has: as the current user
//! and, if that is root, as an unprivileged user too; with control groups and without. And without a sandbox, which proves
//! that the attacks are real. Variants that are not available are printed as "not run".
//!
//! In the best variant, every sixth of the hostile bots plays, apart from those that take longest. In each other one play those that show
//! soonest whether it differs. With `PACMAN2_HOSTILE=all`, all play in the best variant, and in the others all for which it could matter.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::common::{RunResult, copy_program, json, start};
use serde_json::Value;
use tempfile::TempDir;

/// The user ID of an unprivileged user.
const NOBODY: u32 = 65534;

/// The bots for which it matters most how processes are paused, counted and killed. They suffice where a variant differs
/// from a fully tested one in that only.
const ABOUT_PROCESSES: [&str; 21] = [
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
    "loses_its_first_thread",
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

/// Those of them that show soonest that a variant pauses, counts or kills processes differently. `fork_bomb_that_flees` would, too,
/// but is one of those that take longest.
const FEW_ABOUT_PROCESSES: [&str; 6] = [
    "hides_the_time_of_children",
    "kill_everybody",
    "leaves_a_daemon_by_double_fork",
    "malloc",
    "setsid_child_computes",
    "works_after_answering",
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

/// Those of them that show soonest that a variant lets a bot reach what is not its own. All of them escape without a sandbox.
const FEW_ABOUT_ACCESS: [&str; 7] = [
    "abstract_socket",
    "enters_others_folders",
    "reads_others_memory",
    "reads_secrets",
    "signals_others",
    "tcp",
    "writes_to_others_files",
];

/// How long one suite may take. Many of its matches use up their time limit.
const SUITE_PATIENCE: Duration = Duration::from_secs(15 * 60);

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

/// Checks that hostile bots got the result that their headers expect: a few, or with `PACMAN2_HOSTILE=all` more, where none means all.
#[track_caller]
fn check(what: &str, user: User, options: &[&str], few: &[&str], more: &[&str]) {
    if user == User::Nobody && !is_root() {
        return eprintln!("not run: {what} (only root can become another user)");
    }
    if !options.contains(&"--in-the-open") {
        let probe = doctor(user, &[], options);
        if probe.code != Some(0) {
            return eprintln!("not run: {what} (not available on this machine: {})", json(&probe.stdout)["tried"]);
        }
    }
    let only = if env::var("PACMAN2_HOSTILE").as_deref() == Ok("all") { more } else { few };
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

/// Returns the names of both lists.
fn both(some: &[&'static str], others: &[&'static str]) -> Vec<&'static str> {
    let mut names = [some, others].concat();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the names of all hostile bots, in alphabetical order.
fn all_names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../doctor/hostile");
    let scripts = fs::read_to_string(folder.join("shell.txt")).unwrap();
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter_map(|file| file.strip_suffix(".py").map(str::to_owned)).collect();
    names.extend(scripts.lines().filter_map(|line| line.strip_prefix("=== ")).map(str::to_owned));
    // The bots' library.
    names.retain(|name| name != "bot");
    names.sort_unstable();
    assert!(names.len() > 150, "{}", names.len());
    names
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// They take more than four seconds of processor time each: they play whole matches, or start as many processes as they can.
const SLOW: [&str; 7] = [
    "fork_bomb_between_turns",
    "fork_bomb_that_flees",
    "piles_up_data",
    "piles_up_debug",
    "piles_up_everything",
    "piles_up_responses",
    "starves_others",
];

#[test]
fn tier_a_with_control_groups() {
    let mut names = all_names();
    names.retain(|name| !SLOW.contains(&name.as_str()));
    let few: Vec<&str> = names.iter().map(String::as_str).step_by(6).collect();
    check("tier A with control groups", User::Current, &["--tier", "A"], &few, &[]);
}

#[test]
fn tier_a_without_control_groups() {
    check(
        "tier A without control groups",
        User::Current,
        &["--tier", "A", "--without-control-groups"],
        &FEW_ABOUT_PROCESSES,
        &ABOUT_PROCESSES,
    );
}

#[test]
fn tier_a_as_an_unprivileged_user() {
    check(
        "tier A as an unprivileged user",
        User::Nobody,
        &["--tier", "A", "--without-control-groups"],
        &both(&FEW_ABOUT_PROCESSES, &FEW_ABOUT_ACCESS),
        &[],
    );
}

#[test]
fn tier_a_minus() {
    check("tier A-", User::Current, &["--tier", "A-", "--without-control-groups"], &FEW_ABOUT_ACCESS, &ABOUT_ACCESS);
}

#[test]
fn tier_a_minus_as_an_unprivileged_user() {
    check(
        "tier A- as an unprivileged user",
        User::Nobody,
        &["--tier", "A-", "--without-control-groups"],
        &FEW_ABOUT_ACCESS,
        &ABOUT_ACCESS,
    );
}

#[test]
fn tier_b_with_control_groups() {
    check("tier B with control groups", User::Current, &["--tier", "B"], &FEW_ABOUT_PROCESSES, &ABOUT_PROCESSES);
}

#[test]
fn tier_b_without_control_groups() {
    check(
        "tier B without control groups",
        User::Current,
        &["--tier", "B", "--without-control-groups"],
        &both(&FEW_ABOUT_PROCESSES, &FEW_ABOUT_ACCESS),
        &[],
    );
}

#[test]
fn tier_b_as_an_unprivileged_user() {
    check(
        "tier B as an unprivileged user",
        User::Nobody,
        &["--tier", "B", "--without-control-groups"],
        &FEW_ABOUT_PROCESSES,
        &ABOUT_PROCESSES,
    );
}

/// An attack that fails without a sandbox too would prove nothing.
#[test]
fn without_a_sandbox_the_attacks_succeed() {
    check("attacks without a sandbox", User::Current, &["--in-the-open"], &FEW_ABOUT_ACCESS, &[]);
}

#[test]
fn without_a_sandbox_the_attacks_of_an_unprivileged_user_succeed() {
    check("attacks without a sandbox as an unprivileged user", User::Nobody, &["--in-the-open"], &FEW_ABOUT_ACCESS, &[]);
}
