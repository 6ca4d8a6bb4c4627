//! Matches as people keep them: lists, pages, packs, zips and saved inputs, for every verb that takes a replay.

use crate::common::{TestDir, exists};
use serde_json::{Value, json};

/// Writes a pack of three matches with ids, and a broken line after the first. Returns the matches.
fn pack(dir: &TestDir) -> Vec<Value> {
    let matches: Vec<Value> = (1..=3)
        .map(|seed| {
            dir.play(&format!("greedy hunter random random --seed {seed} --size 6x6 --turns 6"));
            dir.run("replay convert played.json log.json --force").succeeded();
            let mut log = dir.replay("log.json");
            log["_id"] = format!("match{seed}").into();
            log
        })
        .collect();
    let lines: Vec<String> = matches.iter().map(Value::to_string).collect();
    dir.write("pack.matches", &format!("{}\r\n{{\"log\": [{{}}]}}\r\n{}\r\n{}\r\n", lines[0], lines[1], lines[2]));
    matches
}

#[test]
fn a_list_a_page_and_text_in_utf16_are_read_as_the_match() {
    let dir = TestDir::new();
    let list = pack(&dir)[0]["log"].clone();
    let in_script = serde_json::to_string(&list.to_string()).unwrap();
    dir.write("list.json", &list.to_string());
    dir.write("page.html", &format!("<!DOCTYPE html>\n<script>var shown = {in_script};</script>\n"));
    let utf16: Vec<u8> = list.to_string().encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(dir.path("utf16.json"), utf16).unwrap();
    dir.run("replay convert list.json own.html").succeeded();
    let shown = dir.run("replay show list.json --json").succeeded().stdout;
    assert_eq!(shown.lines().count(), 7);
    for file in ["page.html", "utf16.json", "own.html"] {
        assert_eq!(dir.run(&format!("replay show {file} --json")).succeeded().stdout, shown, "{file}");
        let verified = dir.run(&format!("replay verify {file}")).succeeded().stdout;
        assert_eq!(verified, format!("{file}: 6 turns, all follow the rules\n"));
        dir.run(&format!("replay convert {file} out.json --force")).succeeded();
        dir.run(&format!("analyse {file} --turn 2 --simulations 1")).succeeded();
        dir.run(&format!("rerun {file} --seat 0 greedy --simulations 1")).succeeded();
    }
}

#[test]
fn a_match_is_shown_as_simulate_does() {
    let dir = TestDir::new();
    let replay = dir.play("greedy random random random --seed 1 --size 6x6 --turns 3");
    let mut lines = replay["public"]["init"].to_string() + "\n";
    for turn in replay["public"]["turns"].as_array().unwrap() {
        lines += &format!("{}\n", json!({ "actions": turn["actions"] }));
    }
    let simulated = dir.run_with("simulate", &lines).succeeded().stdout;
    assert_eq!(dir.run("replay show played.json --json").succeeded().stdout, simulated);
    let second = dir.run("replay show played.json --json --turn 2").succeeded().stdout;
    assert_eq!(Some(second.trim_end()), simulated.lines().nth(2));
}

#[test]
fn all_matches_of_a_pack_are_verified() {
    let dir = TestDir::new();
    let mut matches = pack(&dir);
    let result = dir.run("replay verify pack.matches");
    assert_eq!((result.code, result.stdout.lines().count()), (Some(1), 3), "{result:#?}");
    assert!(result.stdout.starts_with("pack.matches: line 1, match1: 6 turns, all follow the rules\n"), "{result:#?}");
    assert!(result.stderr.contains("pack.matches: line 2: ") && result.stderr.ends_with("; it is skipped\n"), "{result:#?}");
    matches[0]["log"][2]["output"]["display"]["trace"]["strengthDelta"] = json!([9, 9, 9, 9]);
    dir.write("lies.matches", &format!("{}\n{}\n", matches[0], matches[1]));
    let result = dir.run("replay verify lies.matches --json");
    let lines: Vec<Value> = result.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((result.code, &lines[0]["verified"]), (Some(1), &json!(false)), "{result:#?}");
    assert_eq!((&lines[1]["verified"], &lines[1]["match"]), (&json!(true), &json!("match2")));
}

/// Answers that are not those that the judge showed, and scores that are not those of the rules.
#[test]
fn differences_within_a_log_are_named_by_match_and_player() {
    let dir = TestDir::new();
    let mut matches = pack(&dir);
    for game in &mut matches {
        game["log"][12]["output"]["command"] = "finish".into();
    }
    let shown = matches[0]["log"][4]["output"]["display"]["1"]["action"].to_string();
    matches[0]["log"][3]["1"]["response"] = Value::Null;
    matches[1]["scores"] = json!([0.5, 0.5, 0.5, 0.5]);
    matches[2]["log"][12]["output"]["content"] = json!({ "0": null });
    dir.write("odd.matches", &matches.iter().map(|game| format!("{game}\n")).collect::<String>());
    let result = dir.run("replay verify odd.matches");
    let lines: Vec<&str> = result.stdout.lines().collect();
    let answer = format!("turn 2, player 1: expected an answer with the action {shown} that the judge shows, got null");
    assert_eq!((result.code, lines[0]), (Some(1), format!("odd.matches: line 1, match1: {answer}").as_str()), "{result:#?}");
    for (line, key, got) in [(lines[1], "scores", "0.5"), (lines[2], "content", "null")] {
        assert!(line.contains(": turn 6, player 0: expected the score "), "{line}");
        assert!(line.ends_with(&format!(" by the rules, got {got} in \"{key}\" of the log")), "{line}");
    }
    let shown = dir.run("replay show odd.matches#1").succeeded();
    assert!(shown.stderr.contains(&answer), "{shown:#?}");
}

#[test]
fn a_pack_becomes_a_folder_of_replays() {
    let dir = TestDir::new();
    let matches = pack(&dir);
    let result = dir.run("replay convert pack.matches all").succeeded();
    assert_eq!(result.stdout, "all: 3 replays written, 1 matches skipped\n");
    assert!(result.stderr.contains("line 2: expected a match log with the map of the match"), "{result:#?}");
    for id in ["match1", "match2", "match3"] {
        dir.run(&format!("replay verify all/{id}.json")).succeeded();
    }
    let scores = dir.replay("all/match2.json")["public"]["scores"].clone();
    let best = scores.as_array().unwrap().iter().filter_map(Value::as_f64).fold(0.0, f64::max);
    dir.run("replay convert pack.matches#2 log.json --force").refused(&["line 2: "]);
    let kept = dir.run("replay convert pack.matches few --filter bot=greedy,bot=hunter,score=0..100").succeeded().stdout;
    assert_eq!(kept, "few: 3 replays written, 1 matches skipped\n");
    let kept = dir.run("replay convert pack.matches#match2 one --filter score=1").succeeded().stdout;
    assert_eq!(kept, "one: 1 replays written\n");
    let kept = dir.run(&format!("replay convert pack.matches#match2 none --filter score={}", best + 0.01)).succeeded().stdout;
    assert_eq!(kept, "none: 0 replays written\n");
    let kept = dir.run("replay convert pack.matches nobody --filter bot=nobody").succeeded().stdout;
    assert_eq!(kept, "nobody: 0 replays written, 1 matches skipped\n");
    dir.run("replay convert pack.matches out.json").refused(&["pack.matches has several matches; name a folder"]);
    for (range, kept) in [("..100", 3), ("0..", 3), ("..-1", 0), ("100.01..", 0)] {
        let converted = dir.run(&format!("replay convert pack.matches all --force --filter score={range}")).succeeded().stdout;
        assert_eq!(converted, format!("all: {kept} replays written, 1 matches skipped\n"), "{range}");
    }
    for (range, words) in [
        ("high", "a range such as 20..60, 20.. or ..60, got \"high\""),
        ("..", "a range such as 20..60, 20.. or ..60, got \"..\""),
        ("60..20", "expected the lower score first, got 60..20"),
    ] {
        dir.run(&format!("replay convert pack.matches all --filter score={range}")).misused(&[words]);
    }
    assert!(!exists(&dir.path("out.json")));
    // A pack of one match is a pack, even so.
    dir.write("one.matches", &matches[0].to_string());
    assert_eq!(dir.run("replay convert one.matches single").succeeded().stdout, "single: 1 replays written\n");
    dir.run("replay convert one.matches single.json").succeeded();
}

#[test]
fn other_verbs_take_one_match_of_a_pack() {
    let dir = TestDir::new();
    pack(&dir);
    let first = dir.run("replay show pack.matches").succeeded();
    let named =
        "pack.matches has several matches; this is line 1, match1. Name another by its id or number, such as \"pack.matches#3\"";
    assert!(first.stderr.contains(named), "{first:#?}");
    assert_eq!(dir.run("replay show pack.matches#match1").succeeded().stdout, first.stdout);
    let last = dir.run("replay show pack.matches#match3").succeeded();
    assert_eq!((dir.run("replay show pack.matches#4").succeeded().stdout, last.stderr.as_str()), (last.stdout, ""));
    dir.run("replay show pack.matches#5").refused(&["expected the id of a match in pack.matches, or a number from 1 to 4"]);
    dir.run("analyse pack.matches#match3 --turn 1 --simulations 1").succeeded();
    dir.run("rerun pack.matches#match3 --seat 0 greedy --simulations 1").succeeded();
    dir.write("one.matches", &format!("{}\nhello\n", dir.read("pack.matches").lines().next().unwrap()));
    assert_eq!(dir.run("replay show one.matches").succeeded().stderr, "");
}

#[test]
fn a_saved_input_is_a_match_up_to_the_last_turn_that_is_known() {
    let dir = TestDir::new();
    let replay = dir.play("greedy hunter random random --seed 1 --size 6x6 --turns 6");
    let mut first = replay["public"]["init"].clone();
    first["id"] = json!(1);
    let mut requests = vec![first];
    let mut responses = Vec::new();
    for turn in replay["public"]["turns"].as_array().unwrap().iter().take(4) {
        let action = |seat: usize| json!({ "action": turn["actions"][seat] });
        requests.push(json!({ "0": action(0), "1": action(1), "2": action(2), "3": action(3) }));
        responses.push(action(1));
    }
    let input = json!({ "requests": requests, "responses": responses, "data": "one@two", "globaldata": "" }).to_string();
    dir.write("input.txt", &input.replace('@', "\n"));
    let remark =
        "pacman2: warning: input.txt: a string has raw line breaks, which JSON does not allow; they are taken as they are\n";
    let shown = dir.run("replay show input.txt").succeeded();
    assert_eq!(shown.stdout, dir.run("replay show played.json --turn 4").succeeded().stdout);
    assert_eq!(shown.stderr, remark);
    let rerun = dir.run("rerun input.txt hunter --simulations 1").succeeded();
    assert!(rerun.stdout.contains("5 of 5 questions asked: 4 as recorded, 0 otherwise, 1 not recorded"), "{rerun:#?}");
    assert!(rerun.stdout.contains("   5  not recorded    "), "{rerun:#?}");
    let first = json!({ "requests": requests[..1], "responses": [] });
    dir.write("first.json", &first.to_string());
    let next = dir.run("rerun first.json hunter --simulations 1 --json").succeeded().json();
    assert_eq!((&next["turns"], &next["next"]["verdict"]), (&json!([]), &json!("OK")));
    let later: Vec<String> = requests[1..].iter().map(Value::to_string).collect();
    dir.write("running.txt", &format!("{first}\n{}\n", later.join("\n")));
    assert_eq!(dir.run("replay show running.txt").succeeded().stdout, shown.stdout);
    dir.run("analyse input.txt --turn 5 --seat 1 --simulations 1").succeeded();
    let map = dir.run("map --map input.txt --json").succeeded();
    assert_eq!((map.json()["seed"].clone(), map.stderr.as_str()), (json!(1), remark));
    dir.write("in-texts.json", &json!({ "requests": json!(requests).to_string(), "responses": "[]" }).to_string());
    assert_eq!(dir.run("map --map in-texts.json --json").succeeded().json()["seed"], json!(1));
}

#[test]
fn a_seed_is_written_with_a_sign_or_without() {
    let dir = TestDir::new();
    let signed = dir.run("map --seed -5 --json").succeeded().stdout;
    assert_eq!(dir.run("map --seed 4294967291 --json").succeeded().stdout, signed);
    dir.write("map.json", "{\"seed\": 4294967291}");
    assert_eq!(dir.run("map --map map.json --json").succeeded().stdout, signed);
    let seed =
        |options: &str| dir.play(&format!("random random random random --turns 1 {options}"))["public"]["init"]["seed"].clone();
    assert_eq!([seed("--seed -5"), seed("--seed 4294967291")], [json!(-5), json!(-5)]);
}
