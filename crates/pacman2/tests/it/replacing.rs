//! Output files: a file that this program did not write is replaced with `--force` only.

use crate::common::{TestDir, exists, init_data, json, turns};

const BOTS: &str = "random random random random --turns 3 --seed 1";
const SOURCE: &str = "int main() { return 0; }\n";

/// Checks that a command line refuses to replace the file `mine`, before it does anything else, and replaces it with
/// `--force`.
#[track_caller]
fn check(dir: &TestDir, line: &str, mine: &str, words: &str) {
    dir.write(mine, SOURCE);
    let before = dir.names();
    dir.run(line).refused(&[words, "choose another name or add --force"]);
    assert_eq!((dir.read(mine).as_str(), dir.names()), (SOURCE, before), "{line}");
    dir.run(&format!("{line} --force")).succeeded();
    assert_ne!(dir.read(mine), SOURCE, "{line}");
    // What it wrote now, it replaces.
    dir.run(line).succeeded();
}

#[test]
fn a_match_replaces_only_what_the_program_wrote() {
    let dir = TestDir::new();
    let words = "--replay bot.cpp: the file exists and is no replay of this program";
    check(&dir, &format!("match {BOTS} --replay bot.cpp"), "bot.cpp", words);
    let words = "--html bot.html: the file exists and is no page of this program";
    check(&dir, &format!("match {BOTS} --no-replay --html bot.html"), "bot.html", words);
}

#[test]
fn a_page_does_not_replace_a_replay() {
    let dir = TestDir::new();
    dir.run(&format!("match {BOTS} --replay it --html page")).succeeded();
    dir.run(&format!("match {BOTS} --no-replay --html it")).refused(&["--html it: ", "is no page"]);
    dir.run(&format!("match {BOTS} --replay page")).refused(&["--replay page: ", "is no replay"]);
    dir.run(&format!("match {BOTS} --replay both --html both")).refused(&["--html both: the replay goes to this file"]);
    assert_eq!(dir.names(), ["it", "page"]);
}

#[test]
fn a_map_and_a_bot_are_not_replaced() {
    let dir = TestDir::new();
    let map = init_data(crate::common::FIELD).to_string();
    dir.write("map.json", &map);
    dir.run(&format!("match {BOTS} --map map.json --replay map.json")).refused(&["--replay map.json: "]);
    dir.run(&format!("match {BOTS} --map map.json --no-replay --html map.json")).refused(&["--html map.json: "]);
    assert_eq!(dir.read("map.json"), map);
}

#[test]
fn an_empty_file_is_replaced() {
    let dir = TestDir::new();
    dir.write("empty.json", "");
    dir.run(&format!("match {BOTS} --replay empty.json")).succeeded();
    assert_eq!(turns(&dir.replay("empty.json")).len(), 3);
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_is_not_replaced() {
    let dir = TestDir::new();
    std::os::unix::fs::symlink("nowhere", dir.path("link.json")).unwrap();
    dir.run(&format!("match {BOTS} --replay link.json")).refused(&["--replay link.json: the file exists"]);
    assert!(dir.path("link.json").is_symlink());
}

#[test]
fn a_conversion_replaces_only_what_the_program_wrote() {
    let dir = TestDir::new();
    dir.play(BOTS);
    check(&dir, "replay convert played.json bot.cpp", "bot.cpp", "bot.cpp: the file exists and is no match log of this program");
    check(&dir, "replay convert played.json bot.html", "bot.html", "bot.html: the file exists and is no page of this program");
    dir.run("replay convert played.json log.json").succeeded();
    check(&dir, "replay convert log.json bot.py", "bot.py", "bot.py: the file exists and is no replay of this program");
}

/// The folder of replays has a copy of the last one under a fixed name.
#[test]
fn the_last_replay_replaces_only_a_replay() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("replays")).unwrap();
    dir.write("replays/last.json", "{}");
    dir.run(&format!("match {BOTS}")).refused(&["replays/last.json: expected the last replay", "move it away"]);
    dir.run("serve").refused(&["replays/last.json: expected the last replay", "move it away"]);
    assert_eq!(dir.read("replays/last.json"), "{}");
}

/// A match log that was downloaded has an id, and Botzone may not keep it.
#[test]
fn a_match_log_from_botzone_is_not_replaced() {
    let dir = TestDir::new();
    dir.play(BOTS);
    dir.run("replay convert played.json log.json").succeeded();
    let mut log = dir.replay("log.json");
    log["_id"] = "5ef1".into();
    dir.write("botzone.json", &log.to_string());
    dir.run("replay convert played.json botzone.json").refused(&["botzone.json: the file exists"]);
    assert_eq!(json(&dir.read("botzone.json")), log);
}

#[test]
fn a_file_is_not_converted_onto_itself() {
    let dir = TestDir::new();
    let replay = dir.play(BOTS);
    for to in ["played.json", "./played.json"] {
        dir.run(&format!("replay convert played.json {to}")).refused(&["input and output are the same file"]);
    }
    assert_eq!(dir.replay("played.json"), replay);
    dir.run("replay convert played.json played.json --force").succeeded();
    assert!(dir.replay("played.json").get("log").is_some());
    dir.run("replay convert played.json played.json").refused(&["input and output are the same file"]);
}

#[test]
fn an_arena_replaces_only_what_the_program_wrote() {
    let dir = TestDir::new();
    dir.run("arena init --turns 3").succeeded();
    dir.run("arena add random greedy sample hunter").succeeded();
    dir.run("arena run --maps 1").succeeded();
    let game = dir.run("arena games --limit 1 --json").succeeded().json()["id"].as_str().unwrap().to_owned();
    check(&dir, "arena export --html bot.cpp", "bot.cpp", "--html bot.cpp: the file exists and is no page of this program");
    let words = "--replay bot.py: the file exists and is no replay of this program";
    check(&dir, &format!("arena show {game} --replay bot.py"), "bot.py", words);
    let words = "--html bot.js: the file exists and is no page of this program";
    check(&dir, &format!("arena show {game} --html bot.js"), "bot.js", words);
    for name in ["table.json", "games.jsonl"] {
        std::fs::create_dir(dir.path(name.split('.').next().unwrap())).unwrap();
        let folder = name.split('.').next().unwrap();
        let mine = format!("{folder}/{name}");
        check(&dir, &format!("arena export {folder}"), &mine, &format!("{mine}: the file exists and is no"));
    }
    assert!(exists(&dir.path("table/games.jsonl")));
}
