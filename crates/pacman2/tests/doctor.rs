//! `pacman2 doctor`: what it tells of this machine has to be so.

mod common;

#[cfg(unix)]
use common::on_terminal;
use common::{PACMAN2, Place, Ran, STAYS, not_run, start};
use serde_json::{Value, json};

const ALL: [(&str, bool); 4] = [("A", true), ("A", false), ("B", true), ("B", false)];

/// What was tried, as it was asked for.
fn tried(told: &Value) -> Vec<(&str, bool)> {
    let tried = told["tried"].as_array().unwrap().iter();
    tried.map(|one| (one["tier"].as_str().unwrap(), one["control_groups"].as_bool().unwrap())).collect()
}

/// The first of what was tried that holds.
fn best(told: &Value) -> Option<&Value> {
    told["tried"].as_array().unwrap().iter().find(|one| one["holds"] == true)
}

/// The doctor in a user namespace in which there can be no others, if one can be had.
fn without_namespaces(place: &Place, line: &str, untested: &str) -> Option<Ran> {
    let run = |script: &str| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", script]);
        place.at_home(&mut command);
        command
    };
    const FORBID: &str = "echo 0 2> /dev/null > /proc/sys/user/max_user_namespaces";
    if !run(FORBID).output().is_ok_and(|output| output.status.success()) {
        not_run(untested, "user namespace of which we are root");
        return None;
    }
    Some(start(run(&format!("{FORBID} && exec '{PACMAN2}' {line}")), "").wait())
}

#[test]
fn for_machines_there_is_one_json_object() {
    let ran = Place::new().run("doctor --json").succeeded();
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""));
    let told = ran.json();
    assert_eq!(tried(&told), ALL);
    assert_eq!(told["tier"], best(&told).map_or("C", |best| best["tier"].as_str().unwrap()));
    let has_groups = best(&told).is_some_and(|best| best["control_groups"] == true);
    assert_eq!(told["control_groups"].is_array(), has_groups, "{told}");
    for one in told["tried"].as_array().unwrap() {
        assert!(one["holds"] == one["reason"].is_null(), "what does not hold has a reason: {one}");
    }
    assert!(told["steps"].is_array());
}

#[cfg(target_os = "linux")]
#[test]
fn the_kernel_is_named_and_landlock_agrees_with_what_holds() {
    let told = Place::new().run("doctor --json").succeeded().json();
    assert_eq!(told["kernel"], std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap().trim());
    let version = told["landlock"].as_u64();
    assert!(version != Some(0), "versions count from 1");
    // Both tiers want it.
    assert!(best(&told).is_none() || version.is_some(), "{told}");
}

#[test]
fn for_people_the_tier_comes_first() {
    let place = Place::new();
    let told = place.run("doctor --json").succeeded().json();
    let ran = place.run("doctor").succeeded();
    assert!(ran.stdout.starts_with(&format!("Tier {}: ", told["tier"].as_str().unwrap())), "{ran:#?}");
    assert!(!ran.stdout.contains('\u{1b}'), "nobody asked for colours: {ran:#?}");
    for one in told["tried"].as_array().unwrap() {
        let mark = if one["holds"] == true { "✓" } else { "✗" };
        let groups = if one["control_groups"] == true { "with" } else { "without" };
        let line = format!("  {mark} tier {} {groups} control groups", one["tier"].as_str().unwrap());
        assert!(ran.stdout.contains(&line), "\"{line}\" is not in {ran:#?}");
    }
    for step in told["steps"].as_array().unwrap() {
        for command in step.as_str().unwrap().lines().skip(1) {
            assert!(ran.stdout.contains(&format!("     {}\n", command.trim_start())), "\"{command}\" is not in {ran:#?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn on_a_terminal_there_are_colours() {
    let place = Place::new();
    let Some(shown) = on_terminal(&place, 40, 120, "doctor") else { return };
    assert!(shown.contains("\u{1b}[92m✓\u{1b}[0m") || shown.contains("\u{1b}[91m✗\u{1b}[0m"), "{shown:?}");
}

#[test]
fn matches_have_the_tier_that_it_tells() {
    let place = Place::new();
    let told = place.run("doctor --json").succeeded().json();
    let replay = place.play("greedy greedy greedy greedy --as-process --turns 1");
    let tier = &told["tier"];
    assert_eq!(replay["private"]["sandbox"], json!([tier, tier, tier, tier]));
}

#[test]
fn what_is_tried_can_be_restricted() {
    let place = Place::new();
    let told = |line: &str| place.run(line).json();
    assert_eq!(tried(&told("doctor --json --without-control-groups")), [ALL[1], ALL[3]]);
    assert_eq!(tried(&told("doctor --json --tier B")), [ALL[2], ALL[3]]);
    assert_eq!(tried(&told("doctor --json --tier a --without-control-groups")), [ALL[1]]);
}

#[test]
fn a_tier_that_is_asked_for_decides_the_exit_code() {
    let place = Place::new();
    for tier in ["A", "B"] {
        let ran = place.run(&format!("doctor --json --tier {tier}"));
        let told = ran.json();
        let expected = if best(&told).is_some() { (Some(0), json!(tier)) } else { (Some(1), json!(null)) };
        assert_eq!((ran.code, told["tier"].clone()), expected, "{ran:#?}");
    }
}

#[test]
fn where_there_are_no_namespaces_it_says_why_and_what_to_do() {
    let place = Place::new();
    let Some(ran) = without_namespaces(&place, "doctor --json", "a machine without namespaces") else { return };
    let told = ran.succeeded().json();
    assert_ne!(told["tier"], "A");
    for one in told["tried"].as_array().unwrap().iter().filter(|one| one["tier"] == "A" && one["control_groups"] == false) {
        let reason = one["reason"].as_str().unwrap();
        assert!(reason.starts_with("user namespace: "), "{reason}");
    }
    let steps = told["steps"].to_string();
    assert!(steps.contains("user.max_user_namespaces = "), "{steps}");

    let asked = without_namespaces(&place, "doctor --tier A", "a tier that cannot be had").unwrap();
    assert_eq!((asked.code, asked.stderr.as_str()), (Some(1), ""));
    assert!(asked.stdout.starts_with("Tier A cannot be had here.\n"), "{asked:#?}");
}

#[test]
fn where_there_are_no_namespaces_a_match_that_requires_them_is_refused() {
    let place = Place::new();
    place.write("bot.sh", STAYS);
    let line = "match \"sh bot.sh\" greedy greedy greedy --turns 1 --require-tier A";
    let Some(ran) = without_namespaces(&place, line, "a match on a machine without namespaces") else { return };
    ran.refused(&["--require-tier A", "pacman2 doctor"]);
}

#[test]
fn tiers_that_there_are_not_are_refused() {
    let place = Place::new();
    place.run("doctor --tier C").misused(&["--tier", "C"]);
    place.run("doctor --only fork_bomb").misused(&["--hostile"]);
}
