//! What reading a file costs: at most four times its size and 64 MB, whatever is in it.

use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::TestDir;
use crate::server::serve;

/// The size of each file, whose tree may be a hundred times as large, and of one in TOML.
const BYTES: usize = 1 << 20;
const TOML_BYTES: usize = 500 << 10;
const EMPTY_KB: u64 = 64 << 10;
const MAX_KB: u64 = EMPTY_KB + 4 * (BYTES as u64 >> 10);

/// Runs the program, which may succeed or fail, and returns the most memory that it had, in kilobytes.
fn peak_kb(dir: &TestDir, line: &str, input: &str) -> u64 {
    let mut command = dir.command(line);
    command.stdin(File::open(dir.path(input)).unwrap()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut peak = 0;
    // What wait reports may be the memory of this process, from before the program was started.
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_so_far_kb(&child).unwrap_or(0));
        sleep(Duration::from_millis(1));
    }
    peak
}

/// Returns the most memory that a running process has had; `None` if it has ended.
pub(crate) fn peak_so_far_kb(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().trim_end_matches(" kB").parse().ok()
}

/// Returns text of this kind: `start`, then `part` as often as there is room, then `end`.
fn filled(start: &str, part: &str, end: &str) -> String {
    filled_to(BYTES, start, part, end)
}

fn filled_to(bytes: usize, start: &str, part: &str, end: &str) -> String {
    format!("{start}{}{end}", part.repeat((bytes - start.len() - end.len()) / part.len()))
}

/// Texts whose trees are large.
fn swelling() -> Vec<(&'static str, String)> {
    let replay =
        "{\"format\":\"pacman2 replay\",\"version\":1,\"public\":{\"init\":{\"seed\":1},\"ruling\":\"sample\",\"limits\":{}";
    let seats = "\"seats\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"d\"}]";
    vec![
        ("objects", filled("[", "{\"\":0},", "0]")),
        ("numbers", filled("[", "0,", "0]")),
        ("lists", filled("[", "[],", "0]")),
        ("nested", filled("[", &format!("{}{},", "[".repeat(100), "]".repeat(100)), "0]")),
        ("keys", filled("{", "\"\":0,", "\"seed\":1}")),
        ("escapes", filled("{\"seed\":1,\"x\":\"", "\\u0001", "\"}")),
        ("controls", filled("{\"seed\":1,\"x\":\"", "\u{1}", "\"}")),
        ("line-breaks", filled("{\"seed\":1,\"x\":\"", "\n", "\"}")),
        ("matrix", filled("{\"width\":6,\"height\":6,\"static\":[", "0,", "0],\"content\":[]}")),
        ("log", filled("{\"initdata\":{\"seed\":1},\"log\":[{\"output\":{}}", ",0", "]}")),
        ("log-debug", filled("{\"initdata\":{\"seed\":1},\"log\":[{\"output\":{}},{\"0\":{\"debug\":[", "{\"\":0},", "0]}}]}")),
        ("log-in-text", filled("{\"initdata\":{\"seed\":1},\"log\":\"[{\\\"output\\\":{}}", ",0", "]\"}")),
        ("saved-input", filled("{\"requests\":[{\"id\":0,\"seed\":1}],\"responses\":[", "{\"\":0},", "0]}")),
        ("list-of-games", filled("[{\"initdata\":{\"seed\":1},\"log\":[{\"output\":{}}]}", ",{\"seed\":1}", "]")),
        ("bad-games", filled("[{\"initdata\":{\"seed\":1},\"log\":[{\"output\":{}}]}", ",0", "]")),
        ("match-within", filled("{\"x\":{\"initdata\":{\"seed\":1},\"log\":[{\"output\":{}}]},\"y\":[", "{\"\":0},", "0]}")),
        ("turns", filled(&format!("{replay},{seats},\"scores\":null,\"turns\":["), "{\"\":0},", "0]}}")),
        (
            "debug",
            filled(
                &format!("{replay},{seats},\"scores\":null,\"turns\":[]}},\"private\":{{\"turns\":[[{{\"debug\":["),
                "{\"\":0},",
                "0]},null,null,null]]}}",
            ),
        ),
        (
            "private",
            filled(
                &format!("{replay},{seats},\"scores\":null,\"turns\":[]}},\"private\":{{\"turns\":["),
                "[null,null,null,null],",
                "0]}}",
            ),
        ),
        ("branches", filled(&format!("{replay},{seats},\"scores\":null,\"turns\":[]}},\"branches\":["), "{\"\":0},", "0]}")),
        ("seat", filled(&format!("{replay},\"seats\":["), "{\"\":0},", "0]}}")),
        ("page", filled("<html><script>var x = [", "{\"\":0},", "0]; var output = 1;</script>")),
        ("actions", filled("{\"actions\":[", "0,", "0]}")),
        ("undo", filled("{\"undo\":[", "{\"\":0},", "0]}")),
        ("header", filled("{\"pacman2\":\"arena results\",\"version\":1,\"node\":[", "{\"\":0},", "0]}")),
        ("result", filled("{\"pacman2\":\"arena jobs\",\"version\":1,\"x\":[", "{\"\":0},", "0]}")),
        ("pack", filled("", "{\"initdata\":{\"seed\":1},\"log\":[{\"output\":{}}]}\n", "{}")),
        ("rejections", filled("{\"format\":\"pacman2 rejections\",\"rejections\":{\"0\":[", "{\"\":0},", "0]}}")),
        ("toml-list", filled_to(TOML_BYTES, "a = [", "0,", "0]")),
        ("toml-tables", filled_to(TOML_BYTES, "", "[[a]]\n", "")),
        ("toml-keys", filled_to(TOML_BYTES, "", "a.", "a = 0")),
    ]
}

#[test]
fn reading_costs_at_most_four_times_the_size() {
    let dir = TestDir::new();
    dir.run("arena init").succeeded();
    let train = "train --out run --generations 1 --games 10 --simulations 1 --measure 1";
    dir.run(train).succeeded();
    dir.write("bot.py", "print('{\"response\":{\"action\":-1},\"globaldata\":1}')");
    let play = "match bot.py random random random --turns 1 --globaldata kept";
    dir.run(play).succeeded();
    let mut kept = fs::read_dir(dir.path("kept")).unwrap().map(|file| file.unwrap().path());
    let kept = kept.find(|file| file.extension().is_some_and(|extension| extension == "json")).unwrap();
    let verbs = [
        "replay verify FILE",
        "replay show FILE",
        "replay convert FILE out.json --force",
        "replay convert FILE --link",
        "map --map FILE",
        "match random random random random --turns 1 --map FILE",
        "rerun FILE random",
        "analyse FILE --simulations 1",
        "judge",
        "simulate",
        "jobs record FILE",
        "jobs play FILE",
        "arena tournament FILE",
        "jobs play --nets . FILE",
        train,
        play,
    ];
    let mut over = Vec::new();
    for (name, text) in swelling() {
        let max_kb = EMPTY_KB + 4 * (text.len() as u64 >> 10);
        dir.write("file.json", &text);
        fs::write(&kept, &text).unwrap();
        dir.write("run/generation-1/games-00000.json", &text);
        drop(text);
        for verb in verbs {
            let peak = peak_kb(&dir, &verb.replace("FILE", "file.json"), "file.json");
            let line = format!("{:4} MB  {verb} of {name}", peak >> 10);
            println!("{line}");
            over.extend((peak > max_kb).then_some(line));
        }
    }
    assert!(over.is_empty(), "expected at most 64 MB and four times the size: {over:#?}");
}

#[test]
fn listing_replays_costs_at_most_four_times_the_size() {
    let server = serve();
    for (name, text) in swelling() {
        server.dir.write(&format!("replays/{name}.json"), &text);
    }
    assert_eq!(server.replays().len(), swelling().len());
    let peak = peak_so_far_kb(&server.child).unwrap();
    assert!(peak <= MAX_KB, "{} MB of memory, expected at most {} MB", peak >> 10, MAX_KB >> 10);
}
