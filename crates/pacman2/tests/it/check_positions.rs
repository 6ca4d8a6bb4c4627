//! `pacman2 check --positions`: positions of matches as tests of a bot.

use crate::common::{PACMAN2, STAYS, TestDir, turns};
use serde_json::{Value, json};

/// A folder with a bot that stays, and a match of four `greedy` in `m/match.json`.
fn dir() -> (TestDir, Value) {
    let dir = TestDir::new();
    dir.write("stays.sh", STAYS);
    std::fs::create_dir(dir.path("m")).unwrap();
    dir.run("match greedy greedy greedy greedy --seed 5 --turns 20 --replay m/match.json").succeeded();
    let replay = dir.replay("m/match.json");
    (dir, replay)
}

fn position(more: Value) -> String {
    let mut line = json!({ "replay": "match.json", "turn": 7, "seat": 1 });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.to_string() + "\n"
}

#[test]
fn what_a_bot_must_do_and_must_not() {
    let (dir, replay) = dir();
    let lines = [
        position(json!({ "name": "no standing still", "not": ["stay", "shoot up"] })),
        position(json!({ "only": ["stay"], "turn": 1 })),
        position(json!({ "not": ["left"], "turn": 20 })),
    ];
    dir.write("m/positions.jsonl", &lines.join("\n"));
    let result = dir.run("check 'sh stays.sh' --positions m/positions.jsonl --json");
    assert_eq!(result.code, Some(1), "{result:#?}");
    let report = result.json();
    let right: Vec<&Value> = report["positions"].as_array().unwrap().iter().map(|position| &position["right"]).collect();
    assert_eq!((&report["fine"], right), (&json!(false), vec![&json!(false), &json!(true), &json!(true)]));
    let first = json!({
        "name": "no standing still", "turn": 7, "seat": 1, "action": -1, "verdict": "OK", "complaint": null,
        "expected": "not stay, shoot up", "right": false,
    });
    assert_eq!(report["positions"][0], first);
    assert_eq!(report["positions"][1]["name"], "match.json, turn 1");

    let text = dir.run("check 'sh stays.sh' --positions m/positions.jsonl").stdout;
    for words in [
        "no standing still",
        "stay              not stay, shoot up: WRONG\n",
        "only stay\n",
        "sh stays.sh: right in 2 of 3 positions\n",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }

    // A bot that sees the recorded history answers as it did in the match.
    for turn in [1, 7, 20] {
        let number = turns(&replay)[turn - 1]["actions"][1].clone();
        let name = ["stay", "up", "right", "down", "left"][number.as_i64().unwrap() as usize + 1];
        dir.write("m/as-played.jsonl", &position(json!({ "turn": turn, "only": [name] })));
        for bot in ["greedy".to_owned(), format!("'{PACMAN2} bot greedy'")] {
            dir.run(&format!("check {bot} --positions m/as-played.jsonl")).succeeded();
        }
    }
}

#[test]
fn a_fault_is_wrong() {
    let (dir, _) = dir();
    dir.write("bad.sh", "read -r q; echo no; echo why >&2");
    dir.write("m/positions.jsonl", &position(json!({ "not": ["left"] })));
    let result = dir.run("check 'sh bad.sh' --positions m/positions.jsonl");
    assert_eq!(result.code, Some(1), "{result:#?}");
    for words in ["NJ", ": WRONG\n  not JSON: ", "  stderr: why\n", "right in 0 of 1 position\n"] {
        assert!(result.stdout.contains(words), "{words}: {result:#?}");
    }
}

#[test]
fn bad_lines_are_rejected() {
    let (dir, _) = dir();
    for (line, words) in [
        ("{}\n".to_owned(), "expected a line such as {\"replay\": \"match.json\""),
        (position(json!({})), "expected either \"not\" or \"only\""),
        (position(json!({ "not": ["left"], "only": ["up"] })), "expected either \"not\" or \"only\""),
        (position(json!({ "not": ["west"] })), "unknown action \"west\"; expected one of stay, up, right, down, left, shoot up"),
        (position(json!({ "not": ["left"], "turn": 21 })), "expected a turn of m/match.json, 1 to 20, got 21"),
        (position(json!({ "not": ["left"], "seat": 4 })), "\"seat\": expected the seat of the bot, 0 to 3"),
        (position(json!({ "not": ["left"], "seat": null })), "\"seat\": expected the seat of the bot, 0 to 3"),
        (position(json!({ "not": ["left"], "replay": "other.json" })), "m/other.json"),
        (position(json!({ "not": ["left"], "colour": 1 })), "unknown field `colour`"),
    ] {
        dir.write("m/positions.jsonl", &format!("\n{line}"));
        dir.run("check greedy --positions m/positions.jsonl").refused(&["m/positions.jsonl, line 2: ", words]);
    }
    dir.write("m/positions.jsonl", "\n");
    dir.run("check greedy --positions m/positions.jsonl").refused(&["m/positions.jsonl: no positions; expected a line such as"]);
}
