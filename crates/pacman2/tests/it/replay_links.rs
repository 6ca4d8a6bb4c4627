//! Games in links: `replay convert --link`, and links in place of files.

use crate::common::*;

use serde_json::{Value, json};

/// Plays a game with a death and a forfeit, and returns its replay and its link.
#[track_caller]
fn played(dir: &TestDir) -> (Value, String) {
    let replay = dir.play("random random greedy random --seed 3 --size 6x6 --turns 40");
    let link = dir.run("replay convert played.json --link").succeeded().stdout;
    let link = link.strip_suffix('\n').unwrap().to_owned();
    (replay, link)
}

#[test]
fn a_replay_becomes_a_link_and_a_replay_again() {
    let dir = TestDir::new();
    let (replay, link) = played(&dir);
    assert!(link.starts_with("#g=2") && link.len() < 300 && !link.contains(char::is_whitespace), "{link}");
    dir.run(&format!("replay convert '{link}' back.json")).succeeded();
    let back = dir.replay("back.json");
    for key in ["init", "ruling", "turns", "scores"] {
        assert_eq!(back["public"][key], replay["public"][key], "{key}");
    }
    assert_eq!(back["public"]["seats"][2], json!({ "name": "greedy", "program": null }));
    assert_eq!(dir.run("replay convert back.json --link").succeeded().stdout.trim_end(), link);
    // A match log has one, too, from a pipe as well.
    let log = dir.run("replay convert played.json -").succeeded().stdout;
    assert_eq!(dir.run_with("replay convert - --link", &log).succeeded().stdout.trim_end(), link);
}

#[test]
fn a_link_begins_with_the_address_that_is_given() {
    let dir = TestDir::new();
    let (_, link) = played(&dir);
    let printed = |options: &str| dir.run(&format!("replay convert played.json {options}")).succeeded().stdout;
    assert_eq!(printed("--link=https://example.org/pacman2/ --turn 17"), format!("https://example.org/pacman2/{link}&turn=17\n"));
    assert_eq!(printed("--link= --turn 0"), format!("{link}&turn=0\n"));
    dir.run("replay convert played.json --link --turn 41").refused(&["--turn 41: the replay has turns 0 to 40"]);
    dir.run("replay convert played.json --link=https://example.org/#x")
        .misused(&["without # and spaces", "https://example.org/#x"]);
    dir.run("replay convert played.json out.json --link").misused(&["cannot be used with"]);
    dir.run("replay convert played.json out.json --turn 3").misused(&["cannot be used with"]);
    dir.run("replay convert played.json --turn 3").misused(&["--link"]);
    dir.run("replay convert played.json").misused(&["<TO>"]);
    assert_eq!(dir.names(), ["played.json"]);
}

#[test]
fn a_link_is_verified_and_shown_like_a_file() {
    let dir = TestDir::new();
    let (replay, link) = played(&dir);
    let turns = turns(&replay).len();
    for link in [
        &link,
        &link[1..],
        &format!("https://example.org/a/?b=c{link}&turn=5"),
        &format!("http://[::1]:8770/#turn=5&{}", &link[1..]),
    ] {
        let result = dir.run(&format!("replay verify '{link}'")).succeeded();
        assert_eq!(result.stdout, format!("the link: {turns} turns, all follow the rules\n"));
    }
    let result = dir.run(&format!("replay verify --json '{link}'")).succeeded().json();
    assert_eq!((&result["turns"], &result["scores"]), (&json!(turns), &replay["public"]["scores"]));
    let shown = |arguments: &str| dir.run(&format!("replay show {arguments}")).succeeded().stdout;
    assert_eq!(shown(&format!("'{link}'")), shown("played.json"));
    assert_eq!(shown(&format!("'{link}&turn=7'")), shown("played.json --turn 7"));
    assert_eq!(shown(&format!("'{link}&turn=7' --turn 9")), shown("played.json --turn 9"));
    assert_eq!(shown(&format!("'{link}&turn=700'")), shown("played.json"));
    // A file of that name comes first.
    dir.write("g=1", &dir.read("played.json"));
    assert_eq!(dir.run("replay verify g=1").succeeded().stdout, format!("g=1: {turns} turns, all follow the rules\n"));
}

#[test]
fn a_damaged_link_is_rejected_in_a_sentence() {
    let dir = TestDir::new();
    let (_, link) = played(&dir);
    let (start, end) = link.split_at(60);
    let swapped = if end.starts_with('x') { "y" } else { "x" };
    for (link, words) in [
        ("#g=", "expected a link with #g= and a game after it"),
        ("#g=7AAAA", "expected a link of version 2, got version 7"),
        (start, "the link is cut off: expected "),
        (&format!("{start}{swapped}{}", &end[1..]), "the link is damaged: its checksum is "),
        (&format!("{start}%{}", &end[1..]), "got \"%\" as character 58 after g=; copy the whole link again"),
        (&format!("{link}abcd"), "the link is damaged: expected "),
        (&format!("#g={}", "2".repeat(130_000)), "the link is "),
    ] {
        for (verb, to) in [("replay verify", ""), ("replay show", ""), ("open", ""), ("replay convert", "out.json")] {
            dir.run(&format!("{verb} '{link}' {to}")).refused(&[words]);
        }
    }
    assert_eq!(dir.names(), ["played.json"]);
}

#[test]
fn a_replay_that_differs_from_the_rules_has_no_link() {
    let dir = TestDir::new();
    let (mut replay, _) = played(&dir);
    replay["public"]["turns"][3]["position"] = json!("0123456789abcdef");
    dir.write("tampered.json", &replay.to_string());
    dir.run("replay convert tampered.json --link").refused(&["tampered.json: turn 4 differs: "]);
}
