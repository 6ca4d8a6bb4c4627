//! Answers whose trick is their text: what verdict a bot gets for them, and that a replay of them can be read.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use pacman2_botzone::JsonText;
use pacman2_botzone::KEEP_RUNNING;
use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::response::Verdict;
use pacman2_maps::Map;
use pacman2_match::player::{BotProgram, InProcess, Player};
use pacman2_match::record::{limits_info, record};
use pacman2_match::referee::{AskMode, Players, play};
use pacman2_replay::{Replay, SeatInfo};
use pacman2_rules::{BySeat, Seat, picture};
use pacman2_runner::{Limits, Program};
use serde_json::json;

/// Botzone's limit of output alone: nothing here depends on time.
const LIMITS: Limits = Limits { wall: None, cpu: None, memory_bytes: None, output_bytes: Some(1024 * 1024), tasks: None };
/// The most bytes that the replay of such a match may have.
const MAX_REPLAY_BYTES: usize = 4 * 1024 * 1024;

fn map() -> Map {
    let (maze, start) = picture::read(
        "
        turn 0/2
        +----+----+----+----+----+----+
        | 0                         1 |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        | 2                         3 |
        +----+----+----+----+----+----+
        ",
    )
    .unwrap_or_else(|error| panic!("{error}"));
    Map { seed: 7, maze, start }
}

/// Plays a match in which seat 0 gives this answer in every turn. Returns its last verdict: after a fault it is not asked again.
fn last_verdict(folder: &Path, answer: &[u8]) -> Verdict {
    let file = folder.join("answer");
    fs::write(&file, answer).unwrap();
    let program = BotProgram::new(Program::new(vec!["/bin/cat".into(), file.into()], LIMITS), JsonText::default());
    let stay = |_: &BotView<'_>| BotReply::default();
    let mut players: Players = BySeat::from_fn(|_| Box::new(InProcess::new(stay, String::new())) as Box<dyn Player>);
    players[Seat::S0] = Box::new(program);
    let map = map();
    let turns = play(map.clone(), &mut players, AskMode::OneByOne, &AtomicBool::new(false), |_, _| ()).unwrap();
    let seats = BySeat::from_fn(|seat| SeatInfo::named(seat.to_string()));
    let text = record(&map, seats, limits_info(LIMITS), BySeat::default(), &turns).write();
    assert!(text.len() < MAX_REPLAY_BYTES, "{}", text.len());
    let replay = Replay::read(&text).unwrap();
    replay.verify().unwrap();
    replay.public.turns.iter().filter_map(|turn| turn.verdicts[0]).next_back().unwrap()
}

#[track_caller]
fn check<Answer: AsRef<[u8]>>(expected: &str, answers: impl IntoIterator<Item = (&'static str, Answer)>) {
    let folder = tempfile::tempdir().unwrap();
    for (trick, answer) in answers {
        assert_eq!(last_verdict(folder.path(), answer.as_ref()).name(), expected, "{trick}");
    }
}

fn action(number: &str) -> String {
    format!("{{\"response\":{{\"action\":{number}}}}}\n")
}

/// An answer that stays, with a taunt and debug output.
fn saying(taunt: &str, debug: impl Into<serde_json::Value>) -> String {
    json!({ "response": { "action": -1, "tauntText": taunt }, "debug": debug.into() }).to_string()
}

#[test]
fn what_stays_is_fine() {
    check(
        "OK",
        [
            ("a fraction", action("-1.0")),
            ("a million decimals", action(&format!("-1.{}", "0".repeat(1_000_000)))),
            ("two actions", r#"{"response":{"action":9,"action":-1}}"#.to_owned()),
            (
                "halves of surrogates",
                r#"{"response":{"action":-1,"tauntText":"\ud83d"},"data":"\ude00\ud83d","debug":"\ud83d"}"#.to_owned(),
            ),
            (
                "NULs as JSON writes them",
                r#"{"response":{"action":-1,"tauntText":"\u0000ha"},"debug":"\u0000","data":"a\u0000b","globaldata":"\u0000"}"#
                    .to_owned(),
            ),
            ("many keys", {
                let keys: Vec<String> = (0..100_000).map(|key| format!("\"{key:x}\":0")).collect();
                format!("{{\"response\":{{\"action\":-1}},\"debug\":{{{}}}}}", keys.join(","))
            }),
            ("many small values", format!("{{\"response\":{{\"action\":-1}},\"debug\":[{}0]}}", "0,".repeat(520_000))),
            ("a taunt that asks to keep running", saying(KEEP_RUNNING, "")),
            ("marks that change the direction of text", {
                let marks = "\u{202e}\u{2066}\u{202d}live\u{2069}\u{200f}\u{61c}\u{feff}\u{200b}";
                saying(marks, marks)
            }),
            (
                "sequences that clear the screen",
                saying("\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}5m\u{8}\r", "\u{1b}[2J\u{9b}2J"),
            ),
            ("a script", saying("<img src=x onerror=alert(1)>", "]]>-->'\"><svg onload=alert(1)></script><script>//")),
            ("a tower of accents", saying(&("a".to_owned() + &"\u{301}".repeat(1000)), "\n".repeat(10_000))),
            ("a megabyte to remember", {
                let [data, debug, globaldata] = ["d", "e", "g"].map(|letter| letter.repeat(330_000));
                json!({ "response": { "action": -1 }, "data": data, "debug": debug, "globaldata": globaldata }).to_string()
            }),
            ("data that grow when they are written", {
                let [data, globaldata] = [("\u{1}", 100_000), ("\u{2}", 60_000)].map(|(letter, count)| letter.repeat(count));
                json!({ "response": { "action": -1 }, "data": data, "globaldata": globaldata }).to_string()
            }),
            ("drawings without end", {
                let cells = vec![json!([0, 0, "x"]); 40_000];
                saying(
                    "",
                    json!({ "cells": cells, "arrows": vec![json!([-1e300, 1e300, 0, 0]); 20_000], "text": "<b>".repeat(1000) }),
                )
            }),
        ],
    );
}

#[test]
fn bytes_that_are_no_text_are_fine_within_strings() {
    let broken = b"\xff\xfe\xc0\x80\xed\xa0\x80\xf5\x80";
    let answer = [
        &b"{\"response\":{\"action\":-1,\"tauntText\":\""[..],
        broken,
        b"\"},\"debug\":\"",
        broken,
        b"\",\"data\":\"",
        broken,
        b"\"}",
    ];
    check("OK", [("strings that are not UTF-8", answer.concat())]);
}

#[test]
fn what_is_not_a_legal_action_is_illegal() {
    check(
        "ILLEGAL",
        [
            ("2^31", action("2147483648")),
            ("2^32 - 1, which 32 bits hold as -1", action("4294967295")),
            ("2^64 - 1, which 64 bits hold as -1", action("18446744073709551615")),
            ("8", action("8")),
            ("-2", action("-2")),
            ("a half", action("0.5")),
            ("a string", action("\"1\"")),
            ("null", action("null")),
            ("true", action("true")),
            ("a huge exponent", action("1e1000000000")),
            ("a million digits", action(&"1".repeat(1_000_000))),
            ("a step into a wall", action("0")),
            ("a bare number", "-1\n".to_owned()),
            ("a second response", r#"{"response":{"action":-1},"response":{"action":9}}"#.to_owned()),
            ("depth in a string", {
                let deep = "[".repeat(100_000) + &"]".repeat(100_000);
                json!({ "response": format!("{{\"action\":{deep}}}") }).to_string()
            }),
            (
                "what a judge prints",
                json!({ "command": "finish", "content": { "0": 100, "1": 0, "2": 0, "3": 0 }, "verdict": "OK" }).to_string(),
            ),
        ],
    );
}

#[test]
fn what_is_not_json_is_no_answer() {
    let stay = action("-1");
    check(
        "NJ",
        [
            ("a byte order mark", "\u{feff}".to_owned() + &stay),
            ("NaN", action("NaN")),
            ("-Infinity", action("-Infinity")),
            ("single quotes", "{'response': {'action': -1}}\n".to_owned()),
            ("a comment and a comma", "{\"response\":{\"action\":-1,},} // I stay\n".to_owned()),
            ("a NUL before it", "\0".to_owned() + &stay),
            ("a NUL after it, as after a C string", "{\"response\":{\"action\":-1}}\0\n".to_owned()),
            ("nothing", String::new()),
            ("half an answer", "{\"response\":{\"action\":".to_owned()),
            ("two answers", stay.clone() + &stay),
            ("depth", {
                let deep = "[".repeat(100_000) + &"]".repeat(100_000);
                format!("{{\"response\":{{\"action\":-1}},\"debug\":{deep}}}\n")
            }),
        ],
    );
    let bytes: Vec<u8> = (1..100_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    check("NJ", [("bytes that are no text", bytes)]);
}
