//! `pacman2 bench`: its output. No test depends on the speed.

use crate::common::{FIELD, TestDir, has, has_sandbox_for, init_data};
use pacman2_batch::InstructionSet;
use serde_json::{Value, json};

/// The checksum of the random games. It changes with the rules and with the random numbers of playouts.
const CHECKSUM: &str = "1805eaeda7fa703e";

/// The signature of the games in lanes. It changes with the rules and with the random numbers of lanes.
const SIGNATURE: &str = "77c8b720678e2965";

/// The figures of turns.
const FIGURES: [&str; 3] = ["/scalar", "/batch/given_actions", "/batch/random_actions"];

#[track_caller]
fn number(report: &Value, pointer: &str) -> f64 {
    report.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} of {report}"))
}

#[test]
fn json_output() {
    let dir = TestDir::new();
    let result = dir.run("bench --json --seconds 0.05").succeeded();
    assert_eq!((result.stdout.lines().count(), result.stderr.as_str()), (1, ""));
    let report = result.json();
    assert_eq!(report["checksum"], CHECKSUM);
    assert_eq!(report["batch"]["instruction_set"], InstructionSet::best().name());
    assert_eq!(report["baseline"], Value::Null);
    if has_sandbox_for("what the sandbox adds to a start") {
        let sandbox = &report["sandbox"];
        assert_eq!(sandbox["tier"], dir.run("doctor --json").json()["tier"]);
        assert!(sandbox["start_ms"].as_f64() > Some(0.0) && sandbox["added_ms"].is_f64(), "{sandbox}");
        assert!(sandbox["added_cpu_ms"].is_f64(), "{sandbox}");
    }
    assert!(number(&report, "/version_ms") > 0.0);
    for figures in FIGURES {
        assert!(number(&report, &format!("{figures}/turns_per_second")) > 0.0);
        assert_eq!(report.pointer(&format!("{figures}/ratio")), Some(&Value::Null));
    }
    assert!(number(&report, "/sage/simulations_per_second") > 0.0 && number(&report, "/map_ms") > 0.0);
    let given = &report["batch"]["given_actions"];
    assert_eq!((&given["games"], &given["maps"]), (&json!(1024), &json!(256)));
}

#[test]
fn other_instruction_sets_play_the_same_games() {
    let dir = TestDir::new();
    // That each of them has this signature is tested in the crate; the best is used where none is named.
    let report = &dir.run("bench --json --seconds 0.01 --instruction-set portable").succeeded().json()["batch"];
    assert_eq!((&report["instruction_set"], &report["signature"]), (&json!("portable"), &json!(SIGNATURE)));
}

#[test]
fn an_instruction_set_that_this_machine_lacks_is_rejected() {
    let dir = TestDir::new();
    for set in InstructionSet::ALL.into_iter().filter(|set| !set.is_available()) {
        dir.run(&format!("bench --instruction-set {set}"))
            .refused(&[set.name(), "not available on this machine; expected one of portable"]);
    }
    dir.run("bench --instruction-set avx512").misused(&["avx512", "portable, neon, avx2"]);
    assert!(dir.run("bench --instruction-set avx512").stderr.contains("similar value exists: 'avx2'"));
}

#[test]
fn text_output() {
    let result = TestDir::new().run("bench --seconds 0.05").succeeded();
    let set = InstructionSet::best();
    let lines: Vec<&str> = result.stdout.lines().collect();
    let rows = [
        format!("a turn, actions given, {set} "),
        format!("a turn, actions drawn, {set} "),
        "a turn, one game after another ".to_owned(),
        "a simulation of sage ".to_owned(),
        "a map ".to_owned(),
        "pacman2 --version ".to_owned(),
    ];
    for row in rows {
        let [line] = lines.iter().filter(|line| line.starts_with(&row)).collect::<Vec<_>>()[..] else {
            panic!("{row}: {result:?}")
        };
        let [number, unit, ..] = line[row.len()..].split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(number.parse::<f64>().is_ok_and(|number| number > 0.0) && ["ns", "µs", "ms"].contains(&unit), "{line}");
    }
    assert!(!result.stdout.contains("baseline"), "{result:?}");
    assert!(result.stdout.contains(&format!("\nsignature of games in lanes: {SIGNATURE}\n")), "{result:?}");
    assert!(result.stdout.ends_with(&format!("\nchecksum of 1000 games: {CHECKSUM}\n")), "{result:?}");
}

#[test]
fn another_map_has_another_checksum_and_the_same_signature() {
    let dir = TestDir::new();
    dir.write("map.json", &init_data(FIELD).to_string());
    let report = |options: &str| dir.run(&format!("bench --json --seconds 0.01 {options}")).succeeded().json();
    let numbers = |report: &Value| [report["checksum"].clone(), report["batch"]["signature"].clone()];
    for (other, maps) in [("--map map.json", 1), ("--size 11x11", 256)] {
        let report = report(other);
        let [checksum, signature] = numbers(&report);
        assert!(checksum != CHECKSUM, "{other}");
        assert_eq!(signature, SIGNATURE, "{other}: its games are always the same");
        assert_eq!(report["batch"]["given_actions"]["maps"], maps, "{other}");
    }
}

/// A baseline that expects the map of seed 1 as a bot gets it, and reports a million turns per second.
#[cfg(unix)]
const ENGINE: &str = r#"#!/usr/bin/env python3
import json, sys
line = sys.stdin.readline()
asked = json.loads(line)
[map] = asked["requests"]
assert (asked["responses"], sys.stdin.read()) == ([], "")
assert (map["id"], map["seed"], len(map["static"]), len(map["content"][0])) == (0, 1, map["height"], map["width"])
print("warming up\n60000 games 1500000 turns", sys.argv[1], "s  198601.8 playouts/s avg len 25.0")
"#;

#[cfg(unix)]
#[test]
fn a_baseline_is_compared_with() {
    if !has("python3", "a baseline") {
        return;
    }
    let dir = TestDir::new();
    dir.write_executable("engine.py", ENGINE);
    let report = dir.run("bench --json --seconds 0.05 --baseline './engine.py 1.5'").succeeded().json();
    assert_eq!(report["baseline"], json!({ "turns_per_second": 1e6 }));
    for figures in FIGURES {
        let [ratio, speed] = ["ratio", "turns_per_second"].map(|key| number(&report, &format!("{figures}/{key}")));
        assert!((ratio - speed / 1e6).abs() < 0.01, "{figures}: {ratio} for {speed}");
    }

    let result = dir.run("bench --seconds 0.05 --baseline './engine.py 3'").succeeded();
    let line = result.stdout.lines().find(|line| line.starts_with("baseline: ")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["baseline:", "a", "turn", "2.00", "µs", "1.0"]);
}

#[cfg(unix)]
#[test]
fn a_baseline_without_a_result_is_rejected() {
    let dir = TestDir::new();
    let script = |text: &str| {
        dir.write_executable("engine", &format!("#!/bin/sh\n{text}\n"));
        dir.run("bench --seconds 0.05 --baseline ./engine")
    };
    script("echo 1000 turns; echo done").refused(&[
        "\"./engine\"",
        "expected a line",
        "or with \"X Mturn/s\"",
        "printed \"1000 turns / done\"",
    ]);
    script("true").refused(&["expected a line", "it printed nothing"]);
    script("echo 1000 turns 1 s; echo no memory >&2; exit 3").refused(&["exit code 3", "it printed \"1000 turns 1 s\""]);
    script("echo no memory >&2; exit 3").refused(&["exit code 3", "it printed \"no memory\""]);
    script("kill -9 $$").refused(&["signal 9 ended it", "it printed nothing"]);
    script("head -c 2000000 /dev/zero").refused(&["more than 1 MB"]);
}

#[test]
fn a_baseline_that_cannot_be_run_is_rejected() {
    let dir = TestDir::new();
    for (command, report) in
        [("", "not a command line"), ("it's", "not a command line"), ("nowhere", "no program \"nowhere\" found")]
    {
        let quoted = shlex::try_quote(command).unwrap();
        dir.run(&format!("bench --baseline {quoted}")).refused(&["--baseline ", report]);
    }
    dir.run("bench --baseline './nowhere 3'").refused(&["no program \"./nowhere\" found"]);
    // A program in the current folder is not in PATH.
    dir.write_executable("engine", "#!/bin/sh\necho 1 Mturn/s\n");
    dir.run("bench --baseline engine").refused(&["no program \"engine\" found"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_the_baseline_too() {
    let dir = TestDir::new();
    dir.write_executable("engine", "#!/bin/sh\nsleep MARK & touch begun; sleep MARK");
    let running = crate::common::start(dir.command("bench --baseline ./engine"), "");
    crate::common::wait_until("the baseline to begin", || crate::common::exists(&dir.path("begun")));
    let result = running.interrupt();
    assert_eq!((result.code, result.stdout.as_str()), (Some(130), ""), "{result:?}");
    dir.wait_until_deserted();
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_without_a_baseline() {
    let dir = TestDir::new();
    let running = crate::common::start(dir.command("bench --seconds 3600"), "");
    let pid = running.child.id();
    // Bit 1 of the caught signals is SIGINT.
    crate::common::wait_until("the program to catch signals", || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.is_some_and(|caught| u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0)
    });
    let result = running.interrupt();
    assert_eq!((result.code, result.stdout.as_str()), (Some(130), ""), "{result:?}");
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    for seconds in ["0", "-1", "x", "inf", "NaN", "3601"] {
        dir.run(&format!("bench --seconds={seconds}")).misused(&[seconds, "expected a number from 0.01 to 3600"]);
    }
    dir.run("bench --size 5x5").misused(&["6 to 11 each"]);
    dir.run("bench --size 6x6 --map map.json").misused(&["--size", "--map"]);
    dir.run("bench --map nowhere.json").refused(&["nowhere.json: "]);
}
