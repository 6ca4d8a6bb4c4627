//! `pacman2 check`: finds and explains the faults of a bot. What is said of each fault is in `diagnosis/bots.txt`.

use crate::common::{RunResult, TestDir, has, has_sandbox};
use serde_json::Value;

/// Enough time for a shell on the busiest machine, and short enough for a test that waits for it.
const LIMITS: &str = "--time-limit 5000 --memory-limit 1024";

const MARKER: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Returns a folder with a shell bot.
fn bot(text: &str) -> TestDir {
    let dir = TestDir::new();
    dir.write_executable("bot", &format!("#!/bin/sh\n{}\n", text.replace("KEEP", MARKER)));
    dir
}

fn check(dir: &TestDir, options: &str) -> RunResult {
    dir.run(&format!("check ./bot {options}"))
}

/// Checks that the first fault contains these words, and returns the report.
#[track_caller]
fn finds(text: &str, options: &str, words: &[&str]) -> Value {
    let result = check(&bot(text), &format!("--json {options}"));
    assert_eq!(result.code, Some(1), "{result:#?}");
    let report = result.json();
    let fault = &report["faults"][0];
    let message = format!("{}\n{}", fault["what"].as_str().unwrap(), fault["hint"].as_str().unwrap_or_default());
    for words in words {
        assert!(message.contains(words), "\"{words}\" is not in: {message}");
    }
    assert_eq!(report["fine"], false);
    report
}

#[test]
fn a_bot_that_stays_is_fine() {
    let result = check(&bot(crate::common::STAYS), LIMITS).succeeded();
    for words in ["opening on 11 columns", "opening on 6 columns", "walled in", "boosted", "the last turn", "20 of 20"] {
        assert!(result.stdout.contains(words), "{words} is not in: {}", result.stdout);
    }
    assert!(result.stdout.ends_with("./bot: no faults found. It does not ask to keep running.\n"), "{}", result.stdout);
    assert!(!result.stdout.contains("WRONG") && !result.stdout.contains("Note"), "{}", result.stdout);
}

#[test]
fn built_in_bots_can_be_checked_too() {
    let dir = TestDir::new();
    let report = dir.run(&format!("check greedy --json {LIMITS}")).succeeded().json();
    assert_eq!(report["fine"], true);
    let tried = report["tried"].as_array().unwrap();
    assert_eq!(tried.iter().filter(|tried| tried["position"] != "a game").count(), 11, "{report}");
}

#[test]
fn output_that_is_not_json() {
    finds("read -r q; echo 'action: 1'", LIMITS, &["not JSON", "one JSON object", "{\"response\": {\"action\": 0}}"]);
}

#[test]
fn answers_before_they_are_asked_for() {
    // In one write, before the bot can be paused.
    let text = r#"read -r q; printf '{"response":{"action":-1}}\nKEEP\n{"response":{"action":-1}}\n'; read -r q"#;
    finds(text, LIMITS, &["more than one answer", "Write one answer per turn"]);
}

#[test]
fn a_response_without_an_action() {
    finds(r#"read -r q; echo '{"response":{}}'"#, LIMITS, &["its \"response\" has no \"action\"", "Write {\"response\""]);
}

#[test]
fn illegal_actions_and_why() {
    let report = finds(r#"read -r q; echo '{"response":{"action":0}}'"#, LIMITS, &["it cannot go up: a wall is there", "static"]);
    assert!(report["faults"][0]["times"].as_u64().unwrap() > 0);
}

#[test]
fn a_bot_that_waits_for_more_input() {
    let report = finds(
        "read -r q; read -r more; sleep 600",
        "--time-limit 700",
        &["it wrote nothing", "do not wait for more, and do not sleep"],
    );
    assert!(report["notes"].to_string().contains("too slow 2 times"), "{report}");
    assert_eq!(report["tried"].as_array().unwrap().len(), 2);
}

#[test]
fn a_bot_that_keeps_running_and_does_not_flush() {
    // The second answer never comes, as with a buffer that is not flushed.
    let text =
        r#"read -r q; echo '{"response":{"action":-1}}'; echo 'KEEP'; read -r q; sleep 600; echo '{"response":{"action":-1}}'"#;
    let report = finds(text, "--time-limit 2000", &["it wrote nothing", "keep running", "flush the output"]);
    assert!(report["faults"][0]["where"].as_str().unwrap().contains("turn 2 of a game, kept running"), "{report}");
}

#[test]
fn a_slow_bot() {
    // The load of the machine decides which clock ends the bot, and with which fault.
    let report = finds("read -r q; while :; do :; done", "--time-limit 700", &["700 ms"]);
    assert!(report["notes"].to_string().contains("5 times its time was not enough"), "{report}");
}

#[test]
fn a_crash_with_its_standard_error() {
    let dir = bot("read -r q; echo 'index out of range' >&2; exit 3");
    let result = check(&dir, LIMITS);
    assert_eq!(result.code, Some(1));
    for words in ["WRONG: it exited with code 3", "and 11 more like it", "stderr: index out of range", "./bot: faults found."] {
        assert!(result.stdout.contains(words), "{words} is not in: {}", result.stdout);
    }
}

#[test]
fn too_much_memory() {
    if has("python3", "a bot that takes too much memory is checked") && has_sandbox() {
        let dir = TestDir::new();
        dir.write("bot.py", "input()\nx = bytearray(80_000_000)\nimport time\ntime.sleep(60)");
        let result = dir.run("check bot.py --json --memory-limit 40 --time-limit 5000");
        assert_eq!(result.code, Some(1), "{result:#?}");
        assert!(result.json()["faults"][0]["what"].as_str().unwrap().contains("more than 40 MB"), "{}", result.stdout);
    }
}

#[test]
fn a_bot_that_forgets_when_it_keeps_running() {
    let text = r#"
        read -r q; echo '{"response":{"action":-1}}'; echo 'KEEP'
        while read -r q; do echo '{"response":{"action":0}}'; echo 'KEEP'; done"#;
    let report = check(&bot(text), &format!("--json {LIMITS}")).json();
    let message = report["notes"].to_string();
    assert!(message.contains("answers differently than a new process with the same history: up and stay in turn 2"), "{report}");
}

#[test]
fn a_bot_that_plays_randomly() {
    if !has("python3", "a bot that throws dice is checked") {
        return;
    }
    let dir = TestDir::new();
    let text = "import random\ninput()\nprint('{\"response\": {\"action\": %d}}' % random.randrange(10 ** 9))";
    dir.write("bot.py", text);
    let report = dir.run(&format!("check bot.py --json {LIMITS}")).json();
    assert!(report["notes"].to_string().contains("is not deterministic"), "{report}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_is_restarted_because_it_does_not_flush() {
    if has("python3", "a bot that does not flush is checked") {
        let dir = TestDir::new();
        let text = "import sys\nfor line in sys.stdin:\n    print('{\"response\":{\"action\":-1}}')\n";
        dir.write("waits.py", text);
        dir.write("bot.py", &format!("{text}    print('{MARKER}')\n"));
        let report = dir.run(&format!("check waits.py --json {LIMITS}")).succeeded().json();
        assert!(report["notes"].to_string().contains("waited until its input had ended"), "{report}");
        let report = dir.run(&format!("check bot.py --json {LIMITS}")).succeeded().json();
        assert!(report["notes"].to_string().contains("asked to keep running, but only after its input had ended"), "{report}");
    }
}

#[test]
fn data_of_an_earlier_turn() {
    let text = r#"read -r q; echo '{"response":{"action":-1},"data":"x"}'"#;
    let report = check(&bot(text), &format!("--json {LIMITS}")).succeeded().json();
    let message = report["notes"].to_string();
    assert!(message.contains("keeps data from turn to turn") && message.contains("8 positions were skipped"), "{report}");
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    dir.run("check nobody.py").refused(&["nobody.py", "nobody.py: no such file"]);
    dir.run("check").misused(&["BOT"]);
    dir.run("check greedy --trust other").refused(&["--trust other", "greedy"]);
}
