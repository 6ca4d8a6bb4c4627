//! `pacman2 doctor`: its report agrees with this machine.

#[cfg(unix)]
use crate::common::on_terminal;
use crate::common::{PACMAN2, RunResult, STAYS, TestDir, report_skipped, start};
use serde_json::{Value, json};

const ALL: [(&str, bool); 6] = [("A", true), ("A", false), ("A-", true), ("A-", false), ("B", true), ("B", false)];

/// Returns the variants that were tried.
fn tried(report: &Value) -> Vec<(&str, bool)> {
    let tried = report["tried"].as_array().unwrap().iter();
    tried.map(|one| (one["tier"].as_str().unwrap(), one["control_groups"].as_bool().unwrap())).collect()
}

/// Returns the first variant that holds.
fn best(report: &Value) -> Option<&Value> {
    report["tried"].as_array().unwrap().iter().find(|one| one["holds"] == true)
}

/// Runs the program in a user namespace that allows no further ones. `None` if this machine cannot create it.
fn without_namespaces(dir: &TestDir, line: &str, untested: &str) -> Option<RunResult> {
    let run = |script: &str| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", script]);
        dir.isolate(&mut command);
        command
    };
    const FORBID: &str = "echo 0 2> /dev/null > /proc/sys/user/max_user_namespaces";
    if !run(FORBID).output().is_ok_and(|output| output.status.success()) {
        report_skipped(untested, "user namespace with root inside");
        return None;
    }
    Some(start(run(&format!("{FORBID} && exec '{PACMAN2}' {line}")), "").wait())
}

#[test]
fn json_output() {
    let result = TestDir::new().run("doctor --json").succeeded();
    assert_eq!((result.stdout.lines().count(), result.stderr.as_str()), (1, ""));
    let report = result.json();
    assert_eq!(tried(&report), ALL);
    assert_eq!(report["tier"], best(&report).map_or("C", |best| best["tier"].as_str().unwrap()));
    let has_groups = best(&report).is_some_and(|best| best["control_groups"] == true);
    assert_eq!(report["control_groups"].is_array(), has_groups, "{report}");
    for one in report["tried"].as_array().unwrap() {
        assert!(one["holds"] == one["reason"].is_null(), "either it holds or there is a reason: {one}");
    }
    assert!(report["steps"].is_array());
}

#[cfg(target_os = "linux")]
#[test]
fn the_kernel_is_named_and_landlock_agrees_with_what_holds() {
    let report = TestDir::new().run("doctor --json").succeeded().json();
    assert_eq!(report["kernel"], std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap().trim());
    let version = report["landlock"].as_u64();
    assert!(version != Some(0), "versions start at 1");
    let needs_it = best(&report).is_some_and(|best| best["tier"] != "A-");
    assert!(!needs_it || version.is_some(), "{report}");
}

#[test]
fn text_output() {
    let dir = TestDir::new();
    let report = dir.run("doctor --json").succeeded().json();
    let result = dir.run("doctor").succeeded();
    assert!(result.stdout.starts_with(&format!("Tier {}: ", report["tier"].as_str().unwrap())), "{result:#?}");
    assert!(!result.stdout.contains('\u{1b}'), "colours without a terminal: {result:#?}");
    for one in report["tried"].as_array().unwrap() {
        let mark = if one["holds"] == true { "✓" } else { "✗" };
        let groups = if one["control_groups"] == true { "with" } else { "without" };
        let line = format!("  {mark} tier {} {groups} control groups", one["tier"].as_str().unwrap());
        assert!(result.stdout.contains(&line), "\"{line}\" is not in {result:#?}");
    }
    for step in report["steps"].as_array().unwrap() {
        for command in step.as_str().unwrap().lines().skip(1) {
            assert!(result.stdout.contains(&format!("     {}\n", command.trim_start())), "\"{command}\" is not in {result:#?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn colours_on_a_terminal() {
    let dir = TestDir::new();
    let Some(shown) = on_terminal(&dir, 40, 120, "doctor") else { return };
    assert!(shown.contains("\u{1b}[92m✓\u{1b}[0m") || shown.contains("\u{1b}[91m✗\u{1b}[0m"), "{shown:?}");
}

#[test]
fn matches_have_the_reported_tier() {
    let dir = TestDir::new();
    let report = dir.run("doctor --json").succeeded().json();
    let replay = dir.play("greedy greedy greedy greedy --as-process --turns 1");
    let tier = &report["tier"];
    assert_eq!(replay["private"]["sandbox"], json!([tier, tier, tier, tier]));
}

#[test]
fn the_variants_can_be_restricted() {
    let dir = TestDir::new();
    let report = |line: &str| dir.run(line).json();
    assert_eq!(tried(&report("doctor --json --without-control-groups")), [ALL[1], ALL[3], ALL[5]]);
    assert_eq!(tried(&report("doctor --json --tier B")), [ALL[4], ALL[5]]);
    assert_eq!(tried(&report("doctor --json --tier a --without-control-groups")), [ALL[1]]);
}

#[test]
fn a_requested_tier_decides_the_exit_code() {
    let dir = TestDir::new();
    for tier in ["A", "A-", "B"] {
        let result = dir.run(&format!("doctor --json --tier {tier}"));
        let report = result.json();
        let expected = if best(&report).is_some() { (Some(0), json!(tier)) } else { (Some(1), json!(null)) };
        assert_eq!((result.code, report["tier"].clone()), expected, "{result:#?}");
    }
}

#[test]
fn without_namespaces_it_reports_why_and_the_steps() {
    let dir = TestDir::new();
    let Some(result) = without_namespaces(&dir, "doctor --json", "a machine without namespaces") else { return };
    let report = result.succeeded().json();
    assert_ne!(report["tier"], "A");
    for one in report["tried"].as_array().unwrap().iter().filter(|one| one["tier"] == "A" && one["control_groups"] == false) {
        let reason = one["reason"].as_str().unwrap();
        assert!(reason.starts_with("user namespace: "), "{reason}");
    }
    let steps = report["steps"].to_string();
    assert!(steps.contains("user.max_user_namespaces = "), "{steps}");

    let asked = without_namespaces(&dir, "doctor --tier A", "a tier that cannot be had").unwrap();
    assert_eq!((asked.code, asked.stderr.as_str()), (Some(1), ""));
    assert!(asked.stdout.starts_with("Tier A is not available on this machine.\n"), "{asked:#?}");
}

#[test]
fn without_namespaces_a_match_that_requires_them_is_rejected() {
    let dir = TestDir::new();
    dir.write("bot.sh", STAYS);
    let line = "match \"sh bot.sh\" greedy greedy greedy --turns 1 --require-tier A";
    let Some(result) = without_namespaces(&dir, line, "a match on a machine without namespaces") else { return };
    result.refused(&["--require-tier A", "pacman2 doctor"]);
}

#[test]
fn unknown_tiers_are_rejected() {
    let dir = TestDir::new();
    dir.run("doctor --tier C").misused(&["--tier", "C"]);
    dir.run("doctor --only fork_bomb").misused(&["--hostile"]);
}
