//! Input files of the wrong kind, and files as Windows editors save them.

use std::fs::{self, File};
use std::process::Command;

use crate::common::{FIELD, TestDir, init_data, start};
use serde_json::json;

const BOTS: &str = "random random random random --turns 3 --seed 1";

/// Returns a folder with a replay and a match log.
fn folder() -> TestDir {
    let dir = TestDir::new();
    dir.play(BOTS);
    dir.run("replay convert played.json log.json").succeeded();
    dir
}

/// Creates a file of this size that takes no room on the disk.
fn write_sparse(dir: &TestDir, name: &str, megabytes: u64) {
    File::create(dir.path(name)).unwrap().set_len(megabytes << 20).unwrap();
}

#[test]
fn files_above_their_size_limit_are_refused_unread() {
    let dir = TestDir::new();
    fs::create_dir_all(dir.path("bots/alice")).unwrap();
    for name in ["bot.py", "bots/alice/main.py", "bot.cpp", "large.json", "large.net", "large.toml"] {
        write_sparse(&dir, name, 3072);
    }
    dir.write("includes.cpp", "#include \"large.h\"\nint main() {}\n");
    write_sparse(&dir, "large.h", 2048);
    dir.run("arena init").succeeded();
    for (line, words) in [
        ("match bot.py greedy greedy greedy", "bot.py: expected at most 256 MB, got 3072 MB"),
        ("match bots/alice greedy greedy greedy", "main.py: expected at most 256 MB, got 3072 MB"),
        ("match 'sh bot.py' greedy greedy greedy", "bot.py: expected at most 256 MB, got 3072 MB"),
        ("match bot.cpp greedy greedy greedy", "bot.cpp: expected at most 256 MB, got 3072 MB"),
        ("match includes.cpp greedy greedy greedy", "includes.cpp: expected at most 32 MB with the headers that it includes"),
        ("check bot.py", "bot.py: expected at most 256 MB"),
        ("arena add bot.py", "bot.py: expected at most 256 MB"),
        ("match random random random random --map large.json", "large.json: expected at most 64 MB, got 3072 MB"),
        ("match 'sage --net large.net' random random random", "large.net: expected at most 1 MB, got 3072 MB"),
        ("map --map large.json", "large.json: expected at most 64 MB"),
        ("replay verify large.json", "large.json: expected at most 64 MB"),
        ("replay show large.json", "large.json: expected at most 64 MB"),
        ("replay convert large.json out.json", "large.json: expected at most 64 MB"),
        ("analyse large.json --simulations 1", "large.json: expected at most 64 MB"),
        ("arena tournament large.toml", "large.toml: expected at most 524288 bytes, got 3072 MB"),
    ] {
        dir.run(line).refused(&[words]);
    }
}

#[test]
#[cfg(unix)]
fn pipes_and_devices_are_not_read() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("bots")).unwrap();
    for name in ["pipe", "bots/main.py", "pipe.h"] {
        assert!(Command::new("mkfifo").arg(dir.path(name)).status().unwrap().success());
    }
    dir.write("bot.cpp", "#include \"pipe.h\"\nint main() { return nothing; }\n");
    for line in [
        "match pipe greedy greedy greedy",
        "match bots greedy greedy greedy",
        "match bots/main.py greedy greedy greedy",
        "match random random random random --map pipe",
        "match 'sage --net pipe' random random random",
        "map --map pipe",
        "map --map /dev/zero",
        "replay verify pipe",
        "replay convert /dev/zero out.json",
        "analyse pipe --simulations 1",
        "check pipe",
    ] {
        dir.run(line).refused(&["expected a regular file, got a pipe, socket or device"]);
    }
    // It is no header.
    let result = dir.run("match bot.cpp greedy greedy greedy");
    assert_eq!(result.code, Some(2), "{result:?}");
}

#[test]
fn standard_input_has_a_size_limit() {
    let dir = TestDir::new();
    write_sparse(&dir, "zeros", 65);
    for line in ["map --map -", "judge", "simulate"] {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec '{}' {line} <zeros", crate::common::PACMAN2)]);
        dir.isolate(&mut command);
        start(command, "").wait().refused(&["expected at most 64 MB, got 65 MB"]);
    }
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
    for options in ["", " --turn 0", " --turn 2"] {
        let shown = dir.run(&format!("replay show played.json{options}")).succeeded().stdout;
        assert_eq!(dir.run(&format!("replay show log.json{options}")).succeeded().stdout, shown);
    }
    let verified = dir.run("replay verify log.json").succeeded().stdout;
    assert!(verified.starts_with("log.json: ") && verified.ends_with(" turns, all follow the rules\n"), "{verified}");
}

#[test]
fn counts_that_are_out_of_range() {
    let dir = TestDir::new();
    let bots = "random random random random";
    for (line, words) in [
        (format!("match {bots} --games -1"), "expected a whole number from 1 to 1000000000"),
        (format!("match {bots} --games 0"), "expected a whole number from 1 to 1000000000"),
        (format!("match {bots} --games many"), "expected a whole number from 1 to 1000000000"),
        (format!("match {bots} --games 2 --parallel -1"), "expected a whole number from 1 to 1024"),
        (format!("match {bots} --turns -1"), "expected a whole number from 1 to 10000"),
        (format!("match {bots} --time-limit -1"), "expected a whole number of at least 1"),
        (format!("match {bots} --output-limit -1"), "expected a whole number of at least 1"),
        (format!("match {bots} --memory-limit -1"), "expected a whole number from 1 to 1000000"),
        (format!("match {bots} --pace -1"), "expected a whole number from 0 to 60000"),
        (format!("match {bots} --seed 1.5"), "expected a whole number from -2147483648 to 4294967295"),
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
        ("arena run --parallel -1".to_owned(), "expected a whole number from 1 to 1024"),
        ("arena games --limit -1".to_owned(), "expected a whole number of at least 0"),
        ("arena compare a b --most-blocks -1".to_owned(), "expected a whole number from 1 to 1000000"),
    ] {
        dir.run(&line).misused(&[words]);
    }
}
