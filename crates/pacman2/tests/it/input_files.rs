//! Input files of the wrong kind, and files as Windows editors save them.

use crate::common::{FIELD, TestDir, init_data};
use serde_json::json;

const BOTS: &str = "random random random random --turns 3 --seed 1";

/// Returns a folder with a replay and a match log.
fn folder() -> TestDir {
    let dir = TestDir::new();
    dir.play(BOTS);
    dir.run("replay convert played.json log.json").succeeded();
    dir
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let dir = folder();
    for (from, to) in [("played.json", "replay.json"), ("log.json", "botzone.json")] {
        dir.write(to, &format!("\u{feff}{}", dir.read(from)));
    }
    let map = format!("\u{feff}{}", init_data(FIELD));
    dir.write("map.json", &map);
    for line in [
        "replay verify replay.json",
        "replay show replay.json",
        "replay convert replay.json -",
        "replay convert botzone.json -",
        "analyse replay.json --simulations 1 --turn 1",
        "map --map map.json",
        &format!("match {BOTS} --no-replay --map map.json"),
    ] {
        dir.run(line).succeeded();
    }
    dir.run_with("map --map -", &map).succeeded();
    let answers = dir.run_with("simulate", "\u{feff}{\"seed\": 1}\n").succeeded().stdout;
    assert!(!answers.contains("error"), "{answers}");
    dir.run_with("judge", "\u{feff}{\"log\": [], \"initdata\": {\"seed\": 42}}\n").succeeded();
    let mut request = init_data(FIELD);
    request["id"] = json!(0);
    dir.run_with("bot greedy", &format!("\u{feff}{}\n", json!({ "requests": [request] }))).succeeded();
}

#[test]
fn a_replay_is_no_map() {
    let dir = folder();
    for (file, kind, key) in
        [("played.json", "got a replay", "public.init"), ("log.json", "got a Botzone match log", "public.init")]
    {
        for line in [
            format!("match {BOTS} --no-replay --map {file}"),
            format!("match random random random random --games 4 --map {file}"),
            format!("map --map {file}"),
            format!("bench --map {file} --seconds 0.01"),
        ] {
            dir.run(&line).refused(&[&format!("{file}: "), kind, "expected a map", key]);
        }
    }
}

#[test]
fn a_match_log_is_shown_like_a_replay() {
    let dir = folder();
    for options in ["", " --turn 0", " --turn 2 --picture"] {
        let shown = dir.run(&format!("replay show played.json{options}")).succeeded().stdout;
        assert_eq!(dir.run(&format!("replay show log.json{options}")).succeeded().stdout, shown);
    }
    dir.run("replay verify log.json").refused(&[
        "log.json: ",
        "a Botzone match log",
        "pacman2 replay convert log.json replay.json",
    ]);
}

#[test]
fn counts_that_are_out_of_range() {
    let dir = TestDir::new();
    let bots = "random random random random";
    for (line, words) in [
        (format!("match {bots} --games -1"), "expected a whole number from 1 to 1000000000"),
        (format!("match {bots} --games 0"), "expected a whole number from 1 to 1000000000"),
        (format!("match {bots} --games many"), "expected a whole number from 1 to 1000000000"),
        (format!("match {bots} --games 2 --threads -1"), "expected a whole number from 1 to 1024"),
        (format!("match {bots} --turns -1"), "expected a whole number from 1 to 10000"),
        (format!("match {bots} --time-limit -1"), "expected a whole number of at least 1"),
        (format!("match {bots} --output-limit -1"), "expected a whole number of at least 1"),
        (format!("match {bots} --memory-limit -1"), "expected a whole number from 1 to 1000000"),
        (format!("match {bots} --pace -1"), "expected a whole number from 0 to 60000"),
        (format!("match {bots} --seed -1"), "expected a whole number from 0 to 2147483647"),
        ("replay show x --turn -1".to_owned(), "expected a whole number of at least 0"),
        ("analyse x --seat -1".to_owned(), "expected a whole number from 0 to 3"),
        ("analyse x --turn -1".to_owned(), "expected a whole number of at least 0"),
        ("analyse x --simulations -1".to_owned(), "expected a whole number of at least 1"),
        ("check x --time-limit -1".to_owned(), "expected a whole number of at least 1"),
        ("bench --seconds -1".to_owned(), "expected a number from 0.01 to 3600"),
        ("serve --port -1".to_owned(), "expected a whole number from 0 to 65535"),
        ("train --out x --games -1".to_owned(), "expected a whole number from 10 to 100000"),
        ("arena init --turns -1".to_owned(), "expected a whole number from 1 to 10000"),
        ("arena run --maps -1".to_owned(), "expected a whole number from 1 to 1000000"),
        ("arena run --games-at-once -1".to_owned(), "expected a whole number from 1 to 1024"),
        ("arena games --limit -1".to_owned(), "expected a whole number of at least 0"),
        ("arena compare a b --most-blocks -1".to_owned(), "expected a whole number from 1 to 1000000"),
    ] {
        dir.run(&line).misused(&[words]);
    }
}
