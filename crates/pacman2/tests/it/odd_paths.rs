//! Paths that are not UTF-8, and outputs that are closed: no verb panics, whatever it is given.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::{FIELD, PACMAN2, RunResult, TestDir, init_data, start};

/// Every verb that takes a path. A word that begins with `@` is a path that is not UTF-8.
const LINES: [&str; 41] = [
    "match random random random random --turns 3 --seed 1 --replay @new.json",
    "match random random random random --turns 3 --seed 1 --replay @replay.json",
    "match random random random random --turns 3 --seed 1 --replay @nowhere/@new.json",
    "match random random random random --turns 3 --seed 1 --no-replay --html @new.html",
    "match random random random random --turns 3 --seed 1 --no-replay --html @folder",
    "match random random random random --turns 3 --seed 1 --no-replay --map @map.json",
    "match random random random random --turns 3 --seed 1 --no-replay --map @nowhere",
    "match random random random random --turns 3 --seed 1 --no-replay --map @replay.json",
    "match random random random random --turns 3 --seed 1 --no-replay --globaldata @data",
    "match random random random random --turns 3 --games 4 --map @map.json",
    "match @bot.py random random random --turns 3 --no-replay",
    "replay verify @replay.json",
    "replay verify @log.json",
    "replay verify @nowhere",
    "replay show @replay.json",
    "replay show @log.json --turn 1",
    "replay show @nowhere",
    "open @nowhere",
    "open @map.json",
    "replay convert @replay.json @out.json",
    "replay convert @replay.json @out.html",
    "replay convert @replay.json -",
    "replay convert @replay.json @replay.json",
    "replay convert @nowhere @out.json",
    "map --map @map.json",
    "map --map @map.json",
    "map --map @nowhere",
    "analyse @replay.json --simulations 1",
    "analyse @map.json --simulations 1",
    "analyse @nowhere",
    "simulate",
    "judge",
    "check @bot.py",
    "check @nowhere",
    "new @name --lang python",
    "serve --folder @nowhere",
    "serve --arena @nowhere",
    "serve --help",
    "bench --map @nowhere --seconds 0.01",
    "bot sage --net @nowhere",
    "train --out @map.json",
];

/// Verbs of an arena whose path is not UTF-8, in an order in which they find what they need.
const ARENA_LINES: [&str; 13] = [
    "arena table --arena @arena",
    "arena init --arena @arena --turns 3",
    "arena init --arena @arena",
    "arena add random greedy sample hunter --arena @arena",
    "arena add @bot.py --arena @arena",
    "arena run --maps 1 --arena @arena",
    "arena table --arena @arena",
    "arena games --arena @arena",
    "arena show @id --arena @arena",
    "arena export @export --arena @arena",
    "arena export --html @report.html --arena @arena",
    "arena export --html @nowhere/@report.html --arena @arena",
    "arena tournament @class.toml",
];

/// A folder with a file of each kind that the lines name.
fn folder() -> TestDir {
    let dir = TestDir::new();
    dir.play("random random random random --turns 3 --seed 1");
    dir.run("replay convert played.json log.json").succeeded();
    for (from, to) in [("played.json", "@replay.json"), ("log.json", "@log.json")] {
        fs::rename(dir.path(from), path(&dir, to)).unwrap();
    }
    fs::write(path(&dir, "@map.json"), init_data(FIELD).to_string()).unwrap();
    fs::write(path(&dir, "@bot.py"), "").unwrap();
    fs::create_dir(path(&dir, "@folder")).unwrap();
    fs::create_dir(dir.path("submissions")).unwrap();
    fs::write(dir.path("submissions").join("one.py"), "").unwrap();
    let class = "name = \"Class\"\nlanguage = \"en\"\nsubmissions = \"submissions\"\noutput = \"results\"\nreferences = [\"random\"]\n\
        [games]\nschedule = \"gauntlet\"\nseeds = { first = 1, count = 1 }\n[limits]\ntime_ms = 1000\nmemory_mb = 256\nsandbox = \"B\"\n\
        [grades]\nmeasure = \"estimate\"\notherwise = 40\nthresholds = [{ bot = \"random\", at_least = 0, grade = 60 }]\n";
    fs::write(path(&dir, "@class.toml"), class).unwrap();
    dir
}

/// Returns a word of a line with a byte that is not UTF-8 in place of each `@`.
fn odd(word: &str) -> OsString {
    OsString::from_vec(word.bytes().map(|byte| if byte == b'@' { 0xff } else { byte }).collect())
}

fn path(dir: &TestDir, word: &str) -> PathBuf {
    dir.path("").join(odd(word))
}

fn command(dir: &TestDir, line: &str, json: bool) -> Command {
    let mut command = Command::new(PACMAN2);
    command.args(line.split(' ').map(odd)).args(json.then_some("--json"));
    dir.isolate(&mut command);
    command
}

#[track_caller]
fn check_ends_orderly(line: &str, result: &RunResult) {
    let is_orderly = result.code.is_some_and(|code| code != 101) && !result.stderr.contains("panicked");
    assert!(is_orderly, "{line}: {result:#?}");
}

fn check_lines(lines: &[&str]) {
    for json in [false, true] {
        let dir = folder();
        for line in lines {
            check_ends_orderly(line, &start(command(&dir, line, json), "").wait());
        }
    }
}

#[test]
fn paths_that_are_not_utf8() {
    check_lines(&LINES);
}

#[test]
fn an_arena_whose_path_is_not_utf8() {
    check_lines(&ARENA_LINES);
}

/// The places of files are printed with a replacement character.
#[test]
fn a_replay_whose_path_is_not_utf8_is_written() {
    let dir = TestDir::new();
    let line = "match random random random random --turns 3 --seed 1 --replay @replay.json --html @page.html";
    let result = start(command(&dir, line, true), "").wait().succeeded().json();
    assert_eq!((&result["replay"], &result["page"]), (&"\u{fffd}replay.json".into(), &"\u{fffd}page.html".into()));
    assert!(path(&dir, "@replay.json").is_file() && path(&dir, "@page.html").is_file());
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    Stdio::from(writer)
}

/// What a match leaves does not depend on a reader of its output.
#[test]
fn a_match_without_a_reader_keeps_everything() {
    for json in [false, true] {
        let dir = TestDir::new();
        let line = "match random random random random --turns 3 --replay r.json --html r.html --globaldata data";
        let status = command(&dir, line, json).stdout(closed()).stderr(closed()).status().unwrap();
        assert!(status.success(), "{status}");
        assert_eq!(dir.names(), ["data", "r.html", "r.json"]);
        assert!(dir.path("data/random.json").is_file());
    }
}

/// Both outputs are pipes that nobody reads.
#[test]
fn closed_outputs() {
    for json in [false, true] {
        let dir = folder();
        for line in LINES.iter().chain(&ARENA_LINES) {
            let mut command = command(&dir, line, json);
            let status = command.stdin(Stdio::null()).stdout(closed()).stderr(closed()).status().unwrap();
            assert!(status.code().is_some_and(|code| code != 101), "{line}: {status}");
        }
    }
}
