//! Bad bots in a whole match. Each loses its own seat and nothing else: the others' answers are as they would be, the match
//! ends in time, and when it has ended, for whatever reason, no process is left. The latter every [`TestDir`] looks after.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Running, STAYS, TestDir, built_in, diagnostics, exists, init_data, start, turns, verdicts, wait_until};
use serde_json::{Value, json};

const TURNS: usize = 5;

/// A match of a bad bot with three that behave: a built-in one, one that is started for every turn, one that keeps running.
#[track_caller]
fn match_with(dir: &TestDir, bad: &str) -> Value {
    dir.write("bad.sh", bad);
    dir.write("stays.sh", STAYS);
    let kept = built_in("greedy --keep-running");
    let begin = Instant::now();
    let replay = dir.play(&format!("'sh bad.sh' greedy 'sh stays.sh' {kept} --seed 3 --turns {TURNS} --time-limit 2000"));
    // The bad bot has two seconds, once. All beyond is room for a busy machine.
    assert!(begin.elapsed() < Duration::from_secs(60), "it took {:?}", begin.elapsed());
    assert_eq!(dir.survivors(), [""; 0]);
    for seat in 1..4 {
        assert_eq!(verdicts(&replay, seat), ["OK"; TURNS], "seat {seat}");
    }
    replay
}

/// The bad bot forfeits in the first turn, and the others play on.
#[track_caller]
fn check_forfeits(bad: &str, verdict: &str) {
    assert_eq!(verdicts(&match_with(&TestDir::new(), bad), 0), [verdict]);
}

/// What it does is no crime.
#[track_caller]
fn check_tolerated(bad: &str) {
    assert_eq!(verdicts(&match_with(&TestDir::new(), bad), 0), ["OK"; TURNS]);
}

#[test]
fn an_endless_line() {
    check_forfeits("exec tr '\\0' a </dev/zero", "OLE");
}

#[test]
fn ten_million_short_lines() {
    check_forfeits("yes '{}' | head -n 10000000", "OLE");
}

#[test]
fn a_byte_every_10_ms() {
    check_forfeits("while :; do printf a; sleep 0.01; done", "TLE");
}

#[test]
fn a_full_standard_error() {
    check_tolerated("read -r q; head -c 1000000 /dev/zero >&2; echo '{\"response\":{\"action\":-1}}'");
}

#[test]
fn standard_error_without_end() {
    check_forfeits("exec cat /dev/zero >&2", "TLE");
}

#[test]
fn never_reads_and_never_answers() {
    check_forfeits("sleep MARK", "TLE");
}

#[test]
fn never_reads_and_yet_answers() {
    check_tolerated("echo '{\"response\":{\"action\":-1}}'");
}

#[test]
fn json_without_a_line_end() {
    check_tolerated("read -r q; printf '{\"response\":{\"action\":-1}}'");
}

#[test]
fn json_without_a_line_end_and_then_nothing() {
    check_forfeits("read -r q; printf '{\"response\":{\"action\":-1}}'; sleep MARK", "TLE");
}

#[test]
fn ignores_all_requests_to_end() {
    check_forfeits("trap '' HUP INT QUIT TERM; while :; do sleep MARK; done", "TLE");
}

#[test]
fn stops_itself() {
    check_forfeits("kill -STOP $$", "TLE");
}

#[test]
fn leaves_a_child_that_holds_its_output() {
    check_tolerated("read -r q; sleep MARK & echo '{\"response\":{\"action\":-1}}'");
}

#[test]
#[cfg(target_os = "linux")]
fn leaves_grandchildren_without_a_trace() {
    // Each is in a session of its own, has no parent and no environment, and is somewhere else.
    check_tolerated(
        "read -r q
        (cd /; setsid env -i sh -c 'sleep MARK; :' </dev/null >/dev/null 2>&1 &)
        sleep 0.1
        echo '{\"response\":{\"action\":-1}}'",
    );
}

#[test]
fn keeps_running_and_speaks_unasked() {
    let replay = match_with(
        &TestDir::new(),
        "read -r q
        echo '{\"response\":{\"action\":-1}}'
        printf '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n{\"response\":{\"action\":-1}}\n'
        sleep MARK",
    );
    // Whether it speaks before it is paused or when it goes on, nobody asked for its second answer.
    let verdicts = verdicts(&replay, 0);
    assert!(verdicts.len() < TURNS && verdicts.last() != Some(&"OK"), "{verdicts:?}");
}

#[test]
fn keeps_running_and_does_not_answer_again() {
    let replay = match_with(
        &TestDir::new(),
        "read -r q
        echo '{\"response\":{\"action\":-1}}'
        echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
        sleep MARK",
    );
    assert_eq!(verdicts(&replay, 0), ["OK", "TLE"]);
}

/// A bot that keeps running is stopped while the others think. This one has a child that adds to a file all the time, and
/// looks how long that is: when it is asked, and before and after it thinks itself.
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
    // It could not write this file in the sandbox, where the hostile suite looks at the same.
    let replay = dir.play("'sh ponders.sh' 'sh slow.sh' greedy greedy --seed 3 --turns 3 --time-limit 60000 --trust all");
    let output: Vec<[u64; 3]> = diagnostics(&replay, 0)
        .iter()
        .map(|said| serde_json::from_value(said["debug"].clone()).expect("three numbers"))
        .collect();
    let own = output.iter().map(|[_, asked, thought]| thought - asked).max().unwrap();
    // While the slow one thinks on, it would get three times as far as in its own time. One quiet gap is enough: a busy
    // machine may come a little late to stop it.
    let between = output[1..].iter().map(|[answered, asked, _]| asked - answered).min().unwrap();
    assert!(between < own, "{output:?}");
}

// The end of the match before its end.

/// A bot that will not end by itself, with a child, a grandchild, and one that has left everything behind.
const FAMILY: &str = "\
sh -c 'sleep MARK & sleep MARK' &
(cd /; setsid env -i sh -c 'sleep MARK; :' </dev/null >/dev/null 2>&1 &)
trap '' HUP INT TERM
while :; do sleep MARK; done
";

/// A bot with such a family that plays a turn, and is then asked no more, since the others do not answer.
const KEPT_FAMILY: &str = "\
sh -c 'sleep MARK & sleep MARK' &
read -r q
echo '{\"response\":{\"action\":-1}}'
echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'
read -r q
sleep MARK
";

/// How many sleepers two families are at least: who has left everything behind is swept away outside of the sandbox, and the
/// kept one may be paused before it has any.
const SLEEPERS: usize = 3 + 3;

/// In the sandbox, as far as this machine has one, and outside of it.
const EVERYWHERE: [&str; 2] = ["", "--trust all"];

/// Starts a match that would never end, as the leader of a process group, and waits until all its bots are there.
#[track_caller]
fn start_endless_match(dir: &TestDir, options: &str) -> Running {
    dir.write("family.sh", FAMILY);
    dir.write("kept.sh", KEPT_FAMILY);
    let bots = "'sh family.sh 0' greedy 'sh family.sh 2' 'sh kept.sh'";
    let mut command = dir.command(&format!("match {bots} --seed 3 --replay r.json --no-limits {options}"));
    command.process_group(0);
    let match_ = start(command, "");
    let sleeps = format!(": sleep {}", dir.mark);
    let asleep = || dir.survivors().iter().filter(|process| process.contains(&sleeps)).count();
    wait_until("the bots to be there", || asleep() >= SLEEPERS);
    match_
}

fn signal(name: &str, target: impl std::fmt::Display) {
    let kill = format!("kill -s {name} -- {target}");
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success(), "{kill}");
}

/// Nothing half-written lies about; if there is a replay, it is whole, and of a match that was abandoned.
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
        // A terminal sends it to all in the foreground.
        signal("INT", format!("-{}", match_.child.id()));
        let result = match_.wait();
        assert_eq!(result.code, Some(130), "{result:?}");
        assert!(result.stdout.contains("The match was abandoned after 0 turns."), "{result:?}");
        assert_eq!(dir.survivors(), [""; 0]);
        check_left_tidy(&dir);
        assert!(exists(&dir.path("r.json")));
    }
}

#[test]
fn sigint_or_sigterm_to_the_program_alone() {
    for (options, name) in EVERYWHERE.into_iter().flat_map(|options| [(options, "INT"), (options, "TERM")]) {
        let dir = TestDir::new();
        let match_ = start_endless_match(&dir, options);
        signal(name, match_.child.id());
        assert_eq!(match_.wait().code, Some(130));
        assert_eq!(dir.survivors(), [""; 0]);
        check_left_tidy(&dir);
    }
}

/// Not even this leaves anybody, though it cannot be prepared for.
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

/// The process that plays, a child of the one that was typed.
#[cfg(target_os = "linux")]
fn playing(match_: &Running) -> String {
    std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", match_.child.id())).unwrap().trim().to_owned()
}

/// The program that was typed has another one play, and clears up after it.
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

/// In the sandbox nobody survives the judge even if nobody is left to clear up: each warden notices by himself.
#[test]
#[cfg(target_os = "linux")]
fn sigkill_to_everybody_who_could_clear_up() {
    let dir = TestDir::new();
    if !crate::common::has_sandbox_for("nobody survives when judge and guardian are killed at once") {
        return;
    }
    let mut match_ = start_endless_match(&dir, "");
    signal("KILL", format!("{} {}", match_.child.id(), playing(&match_)));
    assert_eq!(match_.child.wait().unwrap().signal(), Some(9));
    dir.wait_until_deserted();
    check_left_tidy(&dir);
}

#[test]
fn ctrl_c_between_built_in_bots() {
    let dir = TestDir::new();
    // Nobody can die, so this takes minutes.
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
    assert!(rest.contains("The match was abandoned after "), "{rest}");
    let replay = dir.replay("r.json");
    assert!((1..500).contains(&turns(&replay).len()) && replay["public"]["scores"].is_null());
}

#[test]
fn a_reader_who_goes_away_does_not_stop_the_match() {
    let dir = TestDir::new();
    let mut match_ = dir.command("match greedy random greedy random --seed 3 --replay r.json");
    match_.stdout(Stdio::piped());
    let mut child = match_.spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(json!(turns(&dir.replay("r.json")).len()), dir.run("replay verify r.json --json").json()["turns"]);
}
