//! `pacman2 botzone` against a local stand-in for Botzone, with bots that are programs.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use pacman2_replay::Replay;
use serde_json::{Value, json};

use crate::common::{RunResult, Running, TestDir, has, json as parsed, start, turns, wait_until};
use crate::stand_in::{Fault, SECRET, ServedMatch, StandIn, USER};

/// Keeps running, and keeps count of its turns in its memory and in the output.
const KEEPS_RUNNING: &str = "\
import json, sys
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    turns = len(message['requests']) if 'requests' in message else turns + 1
    print(json.dumps({'response': {'action': -1, 'tauntText': '吃 %d' % turns}, 'debug': turns}))
    print('>>>BOTZONE_REQUEST_KEEP_RUNNING<<<', flush=True)
";

/// Is started afresh for each turn, and keeps count in `data`.
const STARTS_AFRESH: &str = "\
import json, os, sys
message = json.loads(sys.stdin.readline())
count = int(message['data'] or 0) + 1
assert count == len(message['requests']) == len(message['responses']) + 1, message
print(json.dumps({'response': {'action': -1}, 'data': str(count), 'debug': [count, dict(os.environ)]}))
";

/// Is compiled and started afresh for each turn, and counts the requests of its input.
const COUNTS_REQUESTS: &str = r#"
#include <iostream>
#include <string>
int main() {
    std::string line;
    std::getline(std::cin, line);
    int requests = 1;
    for (size_t at = 0; (at = line.find("{\"0\":", at)) != std::string::npos; at++) requests++;
    std::cout << "{\"response\":{\"action\":-1},\"debug\":" << requests << "}\n";
}
"#;

const PATIENT: &str = "--time-limit 60000 --memory-limit 1024";

pub(crate) fn dir_for(site: &StandIn) -> TestDir {
    let dir = TestDir::new();
    write_address(&dir, &site.url());
    dir
}

fn write_address(dir: &TestDir, address: &str) {
    dir.write("address.txt", &format!("{address}\n"));
    fs::set_permissions(dir.path("address.txt"), Permissions::from_mode(0o600)).unwrap();
}

pub(crate) fn play(dir: &TestDir, options: &str) -> Running {
    start(dir.command(&format!("botzone play {options} --secret-file address.txt --json {PATIENT}")), "")
}

/// The events of a run, which must not contain the secret.
#[track_caller]
fn events(result: &RunResult) -> Vec<Value> {
    assert!(!format!("{result:?}").contains(SECRET), "{result:#?}");
    result.stdout.lines().map(parsed).collect()
}

#[track_caller]
fn replay(dir: &TestDir, id: &str) -> Value {
    let text = dir.read(&format!("replays/botzone-{id}.json"));
    assert!(!text.contains(SECRET));
    Replay::read(&text).unwrap().verify().unwrap();
    parsed(&text)
}

/// Returns what the bot wrote for its author, turn by turn.
fn debug(replay: &Value, seat: usize) -> Vec<&Value> {
    replay["private"]["turns"].as_array().unwrap().iter().map(|turn| &turn[seat]["debug"]).collect()
}

#[test]
fn a_python_bot_that_keeps_running_plays_several_matches() {
    if !has("python3", "a Python bot plays on the stand-in for Botzone") {
        return;
    }
    let site = StandIn::new(vec![ServedMatch::new("a1", 0, 3, 5), ServedMatch::new("b2", 3, 4, 5)]);
    site.fail([Fault::RepeatRequests, Fault::LoseAnswers, Fault::RepeatRequests]);
    let dir = dir_for(&site);
    dir.write("bot.py", KEEPS_RUNNING);
    let result = play(&dir, "bot.py --matches 2").wait().succeeded();
    let ended: Vec<Value> = events(&result).into_iter().filter(|event| event["event"] == "ended").collect();
    assert_eq!(ended.len(), 2, "{result:#?}");
    for (id, seat) in [("a1", 0), ("b2", 3)] {
        let replay = replay(&dir, id);
        assert_eq!(turns(&replay).len(), 5);
        assert_eq!(turns(&replay)[4]["taunts"][seat], "吃 5");
        assert_eq!(debug(&replay, seat), [&json!(1), &json!(2), &json!(3), &json!(4), &json!(5)]);
        assert_eq!(replay["public"]["seats"][seat]["time_factor"], 3);
    }
}

#[test]
fn a_python_bot_continues_after_the_bridge_was_killed() {
    if has("python3", "a Python bot continues a match after a restart") {
        check_continues("bot.py", KEEPS_RUNNING, false);
        check_continues("bot.py", STARTS_AFRESH, false);
        check_continues("bot.py", KEEPS_RUNNING, true);
    }
}

#[test]
fn a_cpp_bot_continues_after_the_bridge_was_killed() {
    if has("g++", "a C++ bot continues a match after a restart") {
        check_continues("bot.cpp", COUNTS_REQUESTS, false);
    }
}

/// Kills the bridge after the third answer, which does not arrive, and plays on in another one. The bot counts its turns in `debug`.
#[track_caller]
fn check_continues(file: &str, bot: &str, in_envelopes: bool) {
    let site = StandIn::new(vec![ServedMatch::new("a1", 1, 3, 6)]);
    site.state().in_envelopes = in_envelopes;
    let dir = dir_for(&site);
    dir.write(file, bot);
    // The fourth poll carries the third answer, and hangs.
    site.fail([Fault::RepeatRequests, Fault::RepeatRequests, Fault::RepeatRequests, Fault::Hang]);
    let mut running = play(&dir, &format!("{file} --matches 1"));
    wait_until("the fourth poll", || site.polls().len() >= 4);
    running.child.kill().unwrap();
    running.wait();
    dir.wait_until_deserted();
    assert!(dir.path("replays/.pacman2-unfinished/a1.json").exists());

    site.fail([Fault::RepeatRequests]);
    let result = play(&dir, &format!("{file} --matches 1")).wait().succeeded();
    let begun = &events(&result)[0];
    assert_eq!((&begun["event"], &begun["turns"]), (&json!("begun"), &json!(2)), "{result:#?}");
    let replay = replay(&dir, "a1");
    assert_eq!(turns(&replay).len(), 6);
    let counts = debug(&replay, 1).into_iter().skip(2);
    let counts: Vec<&Value> = counts.map(|debug| if debug.is_array() { &debug[0] } else { debug }).collect();
    assert_eq!(counts, [&json!(3), &json!(4), &json!(5), &json!(6)]);
    assert!(!dir.path("replays/.pacman2-unfinished/a1.json").exists());
}

#[test]
fn bots_do_not_see_the_secret() {
    if !has("python3", "a Python bot looks for the secret") {
        return;
    }
    let site = StandIn::new(vec![ServedMatch::new("a1", 1, 3, 3)]);
    let dir = TestDir::new();
    dir.write("bot.py", STARTS_AFRESH);
    // A trusted bot has our environment, but for the address.
    let mut command = dir.command(&format!("botzone play bot.py --matches 1 --json --trust bot.py {PATIENT}"));
    command.env("PACMAN2_BOTZONE", site.url()).env("SOMETHING_ELSE", "visible");
    let result = start(command, "").wait().succeeded();
    events(&result);
    let replay = replay(&dir, "a1");
    assert!(replay.to_string().contains("SOMETHING_ELSE"), "{replay}");
    assert!(!replay.to_string().contains(USER), "{replay}");
}

#[test]
fn a_bot_that_fails_forfeits_and_the_match_goes_on_without_it() {
    let site = StandIn::new(vec![ServedMatch::new("a1", 1, 3, 4)]);
    let dir = dir_for(&site);
    dir.write_executable("bot", "#!/bin/sh\necho trouble >&2\nexit 3\n");
    let result = play(&dir, "./bot --matches 1").wait().succeeded();
    let answered = &events(&result)[1];
    assert_eq!(answered["response"], json!({}));
    assert_eq!(answered["fault"], "RE: it exited with code 3");
    let replay = replay(&dir, "a1");
    assert_eq!(turns(&replay)[0]["verdicts"][1], "ILLEGAL");
    assert_eq!(replay["private"]["turns"][0][1]["stderr"], "trouble\n");
    assert_eq!(turns(&replay).len(), 4);
}

#[test]
fn an_interrupt_ends_the_bridge_while_the_site_is_silent() {
    let site = StandIn::new(vec![]);
    site.fail([Fault::Hang]);
    let dir = dir_for(&site);
    let running = play(&dir, "greedy");
    wait_until("the first poll", || !site.polls().is_empty());
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", running.child.id())).unwrap_or_default();
    for process in [running.child.id().to_string().as_str()].into_iter().chain(children.split_whitespace()) {
        let shown = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        assert!(!shown.contains(SECRET), "{shown}");
    }
    let pid = running.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let result = running.wait();
    events(&result);
    assert_eq!(result.code, Some(130), "{result:#?}");
}

#[test]
fn addresses_that_cannot_be_used_are_rejected_without_being_shown() {
    let dir = TestDir::new();
    let no_account = dir.command("botzone play greedy");
    let mut no_account = no_account;
    no_account.env("XDG_CONFIG_HOME", dir.path("config"));
    start(no_account, "").wait().refused(&["no account", "--secret-file", "PACMAN2_BOTZONE"]);
    for address in [format!("http://example.org/api/{USER}/{SECRET}/localai"), format!("{USER}/{SECRET}"), String::new()] {
        write_address(&dir, &address);
        let result = dir.run("botzone play --abort a1 --secret-file address.txt");
        assert!(!result.stderr.contains(SECRET));
        result.refused(&["address.txt: expected the address of Local AI"]);
        let mut command = dir.command("botzone play --abort a1");
        command.env("PACMAN2_BOTZONE", &address);
        let result = start(command, "").wait();
        assert!(!result.stderr.contains(SECRET));
        result.refused(&["PACMAN2_BOTZONE: expected the address of Local AI"]);
    }
    fs::set_permissions(dir.path("address.txt"), Permissions::from_mode(0o644)).unwrap();
    dir.run("botzone play greedy --secret-file address.txt")
        .refused(&["other users can read this file", "chmod 600 address.txt"]);
    dir.run("botzone play greedy --secret-file nowhere.txt").refused(&["nowhere.txt: "]);
}

#[test]
fn a_wrong_secret_ends_the_bridge() {
    let site = StandIn::new(vec![]);
    let dir = TestDir::new();
    write_address(&dir, &site.url().replace(SECRET, "another-secret"));
    let result = dir.run("botzone play greedy --secret-file address.txt --json");
    assert!(!result.stderr.contains("another-secret"), "{result:#?}");
    result.refused(&["the secret is wrong", "status 401"]);
}

// Starting and aborting.

#[test]
fn a_match_is_started_and_aborted() {
    let site = StandIn::new(vec![ServedMatch::new("a1", 1, 3, 4)]);
    let dir = dir_for(&site);
    site.state().run_match = [(200, "\"a1\"\n".to_owned())].into();
    dir.write("map.json", r#"{"seed": 5, "width": 6, "height": 7}"#);
    let started = dir
        .run("botzone play --start 60b1,me,60b1,60b2 --map map.json --site-time-limit 9000ms --secret-file address.txt")
        .succeeded();
    assert_eq!(started.stdout, "a1\n");
    let asked = site.state().asked[0].clone();
    let init_data: Value = parsed(asked.header("X-Initdata").unwrap());
    assert_eq!((&init_data["seed"], &init_data["height"]), (&json!(5), &json!(7)));
    assert_eq!((asked.header("X-Player-1"), asked.header("X-Timelimit")), (Some("me"), Some("9")));

    dir.run("botzone play --abort a1 --secret-file address.txt").succeeded();
    assert!(site.state().matches[0].is_aborted);
    dir.run("botzone play --abort b2 --secret-file address.txt").refused(&["the site rejects the request (status 400)"]);
    dir.run("botzone play --start 60b1,60b1,60b1,60b2 --secret-file address.txt").refused(&["expected \"me\" exactly once"]);
    dir.run("botzone play --start ../x,me,60b1,60b2 --secret-file address.txt").misused(&["expected an id of 1 to 64"]);
    dir.run("botzone play greedy --start me,60b1 --secret-file address.txt").refused(&["expected four players, got 2"]);
    dir.run("botzone play --secret-file address.txt").misused(&["<BOT>"]);

    // The old names work for one release.
    site.state().run_match = [(200, "\"a1\"\n".to_owned())].into();
    let started = dir.run("botzone start me 60b1 60b1 60b2 --time-limit 7 --secret-file address.txt").succeeded();
    assert_eq!(started.stdout, "a1\n");
    assert!(started.stderr.contains("\"botzone start\" is now \"botzone play --start\""), "{started:#?}");
    let aborted = dir.run("botzone abort a1 --secret-file address.txt").succeeded();
    assert!(aborted.stderr.contains("\"botzone abort\" is now \"botzone play --abort\""), "{aborted:#?}");
}

// Logs.

#[test]
fn a_log_is_fetched_and_saved_as_a_replay() {
    let site = StandIn::new(vec![ServedMatch::new("a1", 1, 3, 4)]);
    let dir = dir_for(&site);
    play(&dir, "greedy --matches 1").wait().succeeded();
    let fetch = format!("botzone fetch http://botzone/match/a1 --site http://{}", site.address);
    // The bridge's replay is not replaced.
    assert_eq!(dir.run(&fetch).succeeded().stdout, "replays/botzone-a1-2.json\n");
    let fetched = parsed(&dir.read("replays/botzone-a1-2.json"));
    assert_eq!(fetched["public"]["turns"], replay(&dir, "a1")["public"]["turns"]);

    dir.run(&format!("{fetch} match.json --log")).succeeded();
    dir.run("replay convert match.json again.json").succeeded();
    assert_eq!(dir.read("again.json"), dir.read("replays/botzone-a1-2.json"));
    dir.run(&format!("{fetch} match.json")).refused(&["match.json: the file exists"]);
    dir.run(&format!("{fetch} --log")).refused(&["--log: expected a file"]);
    let missing = dir.run(&fetch.replace("a1", "b2"));
    missing.refused(&["match b2: the site rejects the request (status 404: no such match)"]);
    dir.run("botzone fetch a1 --site http://example.org").refused(&["expected the address of a site"]);
    dir.run("botzone fetch a1 --site http://127.0.0.1:1").code.filter(|&code| code == 1).expect("a failure that may pass");
}
