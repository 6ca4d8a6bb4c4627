//! Misbehaving bots in whole matches, and matches that are interrupted. A bad bot loses its own seat and nothing else: the others play as
//! they would without it, the match ends in time, and however it ends, no process is left, which [`TestDir`] asserts. More tricks are in
//! the tests of `runner` and in the hostile suite.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Running, STAYS, TestDir, built_in, diagnostics, exists, init_data, start, turns, verdicts, wait_until};
use serde_json::{Value, json};

const TURNS: usize = 5;

/// Plays a match of a bad bot with three good ones: a built-in bot, one that is started every turn, one that keeps running.
#[track_caller]
fn match_with(dir: &TestDir, bad: &str) -> Value {
    dir.write("bad.sh", bad);
    dir.write("stays.sh", STAYS);
    let kept = built_in("greedy --keep-running");
    let begin = Instant::now();
    let replay = dir.play(&format!("'sh bad.sh' greedy 'sh stays.sh' {kept} --seed 3 --turns {TURNS} --time-limit 2000"));
    // The bad bot takes two seconds at most. The rest is a margin for a busy machine.
    assert!(begin.elapsed() < Duration::from_secs(60), "it took {:?}", begin.elapsed());
    assert_eq!(dir.survivors(), [""; 0]);
    for seat in 1..4 {
        assert_eq!(verdicts(&replay, seat), ["OK"; TURNS], "seat {seat}");
    }
    replay
}

#[test]
fn an_endless_line() {
    let replay = match_with(&TestDir::new(), "exec tr '\\0' a </dev/zero");
    assert_eq!(verdicts(&replay, 0), ["OLE"]);
}

#[test]
#[cfg(target_os = "linux")]
fn leaves_daemons() {
    // Each has its own session, no parent, no environment, and another folder.
    let replay = match_with(
        &TestDir::new(),
        "read -r q
        (cd /; setsid env -i sh -c 'sleep MARK; :' </dev/null >/dev/null 2>&1 &)
        sleep 0.1
        echo '{\"response\":{\"action\":-1}}'",
    );
    assert_eq!(verdicts(&replay, 0), ["OK"; TURNS]);
}

/// A bot that keeps running is paused while the others think. This one has a child that always appends to a file, and reads the
/// length of the file when it is asked, and before and after it thinks itself.
#[test]
fn thinks_between_the_turns() {
    let dir = TestDir::new();
    dir.write(
        "ponders.sh",
        "sh -c 'while :; do echo >>ticks; done' MARK &
        until [ -s ticks ]; do :; done
        ticks() { wc -c <ticks | tr -d ' '; }
        answered=0
        while read -r q; do
            asked=$(ticks); sleep 0.3; thought=$(ticks)
            echo \"{\\\"response\\\":{\\\"action\\\":-1},\\\"debug\\\":[$answered,$asked,$thought]}\"
            answered=$(ticks)
            echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
        done",
    );
    dir.write("slow.sh", &STAYS.replace("echo", "sleep 1.2; echo"));
    // In the sandbox it could not write the file. There the hostile suite tests the same.
    let replay = dir.play("'sh ponders.sh' 'sh slow.sh' greedy greedy --seed 3 --turns 3 --time-limit 60000 --trust all");
    let output: Vec<[u64; 3]> = diagnostics(&replay, 0)
        .iter()
        .map(|entry| serde_json::from_value(entry["debug"].clone()).expect("three numbers"))
        .collect();
    let own = output.iter().map(|[_, asked, thought]| thought - asked).max().unwrap();
    // If it were not paused, it would write three times as much while the slow bot thinks as in its own time. One quiet gap is
    // enough, because a busy machine may pause it a little late.
    let between = output[1..].iter().map(|[answered, asked, _]| asked - answered).min().unwrap();
    assert!(between < own, "{output:?}");
}

// Interrupted matches.

/// A bot that never exits, with a child, a grandchild and a daemon.
const FAMILY: &str = "\
sh -c 'sleep MARK & sleep MARK' &
(cd /; setsid env -i sh -c 'sleep MARK; :' </dev/null >/dev/null 2>&1 &)
trap '' HUP INT TERM
while :; do sleep MARK; done
";

/// A bot with such processes that plays a turn and is not asked again, because the others do not answer.
const KEPT_FAMILY: &str = "\
sh -c 'sleep MARK & sleep MARK' &
read -r q
echo '{\"response\":{\"action\":-1}}'
echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
read -r q
sleep MARK
";

/// The minimal number of sleeping processes of two families: outside the sandbox daemons are killed, and the bot that keeps
/// running may be paused before it starts any.
const SLEEPERS: usize = 3 + 3;

/// Inside the sandbox, if this machine has one, and outside.
const EVERYWHERE: [&str; 2] = ["", "--trust all"];

/// Starts an endless match as the leader of a process group, and waits until all its bots run.
#[track_caller]
fn start_endless_match(dir: &TestDir, options: &str) -> Running {
    dir.write("family.sh", FAMILY);
    dir.write("kept.sh", KEPT_FAMILY);
    let bots = "'sh family.sh 0' greedy 'sh family.sh 2' 'sh kept.sh'";
    let mut command = dir.command(&format!("match {bots} --seed 3 --replay r.json --no-limits --at-once {options}"));
    command.process_group(0);
    let match_ = start(command, "");
    let sleeps = format!(": sleep {}", dir.mark);
    let asleep = || dir.survivors().iter().filter(|process| process.contains(&sleeps)).count();
    wait_until("the bots to run", || asleep() >= SLEEPERS);
    match_
}

fn signal(name: &str, target: impl std::fmt::Display) {
    let kill = format!("kill -s {name} -- {target}");
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success(), "{kill}");
}

/// Checks that no partial file is left, and that the replay, if there is one, is that of an abandoned match.
#[track_caller]
fn check_left_tidy(dir: &TestDir) {
    let left = dir.names();
    let expected = ["family.sh", "kept.sh", "r.json"];
    assert!(left.iter().all(|name| expected.contains(&name.as_str())), "{left:?}");
    if left.contains(&"r.json".to_owned()) {
        let replay = dir.replay("r.json");
        assert_eq!((turns(&replay).len(), &replay["public"]["scores"]), (0, &Value::Null));
        dir.run("replay verify r.json").succeeded();
    }
}

#[test]
fn ctrl_c() {
    for options in EVERYWHERE {
        let dir = TestDir::new();
        let match_ = start_endless_match(&dir, options);
        // A terminal sends the signal to the whole foreground group.
        signal("INT", format!("-{}", match_.child.id()));
        let result = match_.wait();
        assert_eq!(result.code, Some(130), "{result:?}");
        assert!(result.stdout.contains("The match was interrupted after 0 turns."), "{result:?}");
        assert_eq!(dir.survivors(), [""; 0]);
        check_left_tidy(&dir);
        assert!(exists(&dir.path("r.json")));
    }
}

#[test]
fn sigint_or_sigterm_to_one_process() {
    for (options, name) in EVERYWHERE.into_iter().flat_map(|options| [(options, "INT"), (options, "TERM")]) {
        let dir = TestDir::new();
        let match_ = start_endless_match(&dir, options);
        signal(name, match_.child.id());
        assert_eq!(match_.wait().code, Some(130));
        assert_eq!(dir.survivors(), [""; 0]);
        check_left_tidy(&dir);
    }
}

/// Not even SIGKILL, which cannot be caught, leaves a process.
#[test]
#[cfg(target_os = "linux")]
fn sigkill() {
    for options in EVERYWHERE {
        let dir = TestDir::new();
        let mut match_ = start_endless_match(&dir, options);
        match_.child.kill().unwrap();
        assert_eq!(match_.child.wait().unwrap().signal(), Some(9));
        dir.wait_until_deserted();
        check_left_tidy(&dir);
    }
}

/// Returns the ID of the process that plays, a child of the one that was started.
#[cfg(target_os = "linux")]
fn playing(match_: &Running) -> String {
    std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", match_.child.id())).unwrap().trim().to_owned()
}

/// The process that was started lets another one play, and cleans up after it.
#[test]
#[cfg(target_os = "linux")]
fn sigkill_to_the_process_that_plays() {
    for options in EVERYWHERE {
        let dir = TestDir::new();
        let match_ = start_endless_match(&dir, options);
        signal("KILL", playing(&match_));
        let result = match_.wait();
        assert_eq!(result.code, Some(128 + 9), "{result:?}");
        assert!(result.stderr.contains("signal 9 ended the match"), "{result:?}");
        assert_eq!(dir.survivors(), [""; 0]);
        check_left_tidy(&dir);
    }
}

/// No bot survives the judge even if the watchdog is killed with it: each supervisor notices, that of a trusted bot, too.
#[test]
#[cfg(target_os = "linux")]
fn sigkill_to_the_watchdog_too() {
    for options in EVERYWHERE {
        let dir = TestDir::new();
        let mut match_ = start_endless_match(&dir, options);
        signal("KILL", format!("{} {}", match_.child.id(), playing(&match_)));
        assert_eq!(match_.child.wait().unwrap().signal(), Some(9));
        dir.wait_until_deserted();
        check_left_tidy(&dir);
    }
}

#[test]
fn ctrl_c_between_built_in_bots() {
    let dir = TestDir::new();
    // No player can die, so the match takes minutes.
    let cells = "
        +---+---+---+---+---+---+
        | 0 |   |   |   |   | 1 |
        +---+---+---+---+---+---+
        | 2 |   |   |   |   | 3 |
        +---+---+---+---+---+---+
        |   |   |   |   |   |   |
        +---+---+---+---+---+---+
        |   |   |   |   |   |   |
        +---+---+---+---+---+---+
        |   |   |   |   |   |   |
        +---+---+---+---+---+---+
        |   |   |   |   |   |   |
        +---+---+---+---+---+---+
    ";
    dir.write("map.json", &init_data(cells).to_string());
    let mut command = dir.command("match sample sample sample sample --map map.json --turns 500 --replay r.json");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut screen = BufReader::new(child.stdout.take().unwrap());
    screen.read_line(&mut String::new()).unwrap();
    signal("INT", child.id());
    let mut rest = String::new();
    screen.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.contains("The match was interrupted after "), "{rest}");
    let replay = dir.replay("r.json");
    assert!((1..500).contains(&turns(&replay).len()) && replay["public"]["scores"].is_null());
}

#[test]
fn a_closed_output_does_not_stop_the_match() {
    let dir = TestDir::new();
    let mut match_ = dir.command("match greedy random greedy random --seed 3 --replay r.json");
    match_.stdout(Stdio::piped());
    let mut child = match_.spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(json!(turns(&dir.replay("r.json")).len()), dir.run("replay verify r.json --json").json()["turns"]);
}

/// Slower languages get more time. The first word of a command line determines the language.
#[test]
fn time_limits_are_multiplied() {
    let dir = TestDir::new();
    let slow = r#"#!/bin/sh
        read -r question
        sleep 2.3
        echo '{"response":{"action":-1}}'
    "#;
    for name in ["python3", "node", "java", "plain"] {
        dir.write_executable(name, slow);
    }
    let replay = dir.play("'./python3 x' './node x' './java x' './plain x' --turns 1 --time-limit 2000");
    assert_eq!(turns(&replay)[0]["verdicts"], json!(["OK", "OK", "OK", "TLE"]));
}
