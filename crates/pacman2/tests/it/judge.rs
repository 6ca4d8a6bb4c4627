//! `pacman2 judge` in place of Botzone's judge: a real process, started for every turn. Its answers are tested in the crate
//! `botzone`; here is its input and output, and a whole match as Botzone plays it.

use std::io::Write;

use crate::common::{FIELD, TestDir, init_data, start_with_open_input, turns};
use serde_json::{Value, json};

#[test]
fn the_first_turn() {
    let dir = TestDir::new();
    let map = init_data(FIELD);
    let result = dir.run_with("judge", &json!({ "log": [], "initdata": map }).to_string()).succeeded();
    assert_eq!((result.stdout.lines().count(), result.stderr.as_str()), (1, ""));
    let output = result.json();
    assert_eq!((&output["command"], &output["display"], &output["initdata"]), (&json!("request"), &map, &map));
    for seat in 0..4 {
        let mut request = map.clone();
        request["id"] = json!(seat);
        assert_eq!(output["content"][seat.to_string()], request);
    }
}

/// Returns a log of one turn with these actions.
fn log_of(actions: [i32; 4]) -> Value {
    let answers: serde_json::Map<_, _> =
        (0..4).map(|seat| (seat.to_string(), json!({ "verdict": "OK", "response": { "action": actions[seat] } }))).collect();
    let first = json!({ "verdict": "OK", "output": { "command": "request", "initdata": init_data(FIELD), "display": {} } });
    json!({ "log": [first, answers], "initdata": "{\"seed\": 1}" })
}

#[test]
fn a_later_turn() {
    let result = TestDir::new().run_with("judge", &log_of([1, 2, -1, 9]).to_string()).succeeded();
    let output = json!({ "0": { "action": 1 }, "1": { "action": 2 }, "2": { "action": -1 }, "3": { "action": 9 } });
    let mut display = output.clone();
    // Small fruit is where 0 leaves and where 3 dies, so no player eats.
    display["trace"] = json!({ "actions": [1, 2, -1, 9], "change": [0, 0, 0, 16], "strengthDelta": [0, 0, 0, -1] });
    assert_eq!(
        result.json(),
        json!({ "command": "request", "content": { "0": output, "1": output, "2": output }, "display": display })
    );
}

#[test]
fn players_that_died_earlier_are_not_displayed() {
    let mut log = log_of([-1, -1, -1, 9]);
    let answers = json!({ "0": { "response": { "action": -1 } }, "1": { "response": { "action": 9 } }, "2": { "response": { "action": -1 } } });
    for answers in [answers, log["log"][1].clone()] {
        let items = log["log"].as_array_mut().unwrap();
        items.extend([json!({ "verdict": "OK", "output": {} }), answers]);
    }
    let output = TestDir::new().run_with("judge", &log.to_string()).succeeded().json();
    let stay = json!({ "action": -1 });
    let request = json!({ "0": stay, "1": null, "2": stay, "3": null });
    assert_eq!(output["content"], json!({ "0": request, "2": request }));
    let trace = json!({ "actions": [-1, 9, -1, 9], "change": [0, 0, 0, 0], "strengthDelta": [0, 0, 0, 0] });
    assert_eq!(output["display"], json!({ "0": stay, "2": stay, "trace": trace }));
}

#[test]
fn the_end() {
    let output = TestDir::new().run_with("judge", &log_of([-1, 9, 9, 9]).to_string()).succeeded().json();
    assert_eq!((&output["command"], &output["content"]["0"]), (&json!("finish"), &json!(140.0)));
}

/// Runs a judge whose input stays open until it exits, and returns its output.
#[track_caller]
fn ask_with_open_input(input: &str) -> Value {
    let dir = TestDir::new();
    let mut judge = start_with_open_input(dir.command("judge"));
    judge.child.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
    judge.wait().succeeded().json()
}

#[test]
fn an_empty_line_ends_its_input() {
    let input = json!({ "log": [], "initdata": init_data(FIELD) }).to_string();
    assert_eq!(ask_with_open_input(&format!("{input}\n\n"))["display"], init_data(FIELD));
    assert_eq!(ask_with_open_input(&format!("{input}\r\n\r\n"))["display"], init_data(FIELD));
}

#[test]
fn its_input_may_have_several_lines() {
    let input = serde_json::to_string_pretty(&log_of([-1; 4])).unwrap();
    assert_eq!(ask_with_open_input(&format!("{input}\n\nand more that is not read\n"))["content"]["3"]["0"]["action"], -1);
}

#[test]
fn the_end_of_its_input() {
    let dir = TestDir::new();
    let input = json!({ "log": [], "initdata": init_data(FIELD) }).to_string();
    for ending in ["", "\n", "\n\n"] {
        assert_eq!(dir.run_with("judge", &format!("{input}{ending}")).succeeded().json()["display"], init_data(FIELD));
    }
}

#[test]
fn without_a_seed_the_clock_chooses_one() {
    let dir = TestDir::new();
    let seed = dir.run_with("judge", "{}").succeeded().json()["initdata"]["seed"].clone();
    let map = dir.run(&format!("map --seed {seed} --json")).succeeded().json();
    assert!(map["static"].is_array());
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    for (input, words) in [
        ("", "the input is not JSON"),
        ("no JSON", "expected one object with log and initdata"),
        (r#"{"log": 5}"#, "log: expected a list"),
        (r#"{"initdata": {"GENERATOR_INTERVAL": 0}}"#, "GENERATOR_INTERVAL must be a whole number between 1 and 10000, got 0"),
    ] {
        dir.run_with("judge", input).refused(&[words]);
    }
    dir.run("judge --ruling mercy").misused(&["'mercy'", "sample, judge, prose"]);
}

/// A match as Botzone plays it, with a new process for every step: the judge, the bots, the judge with the log so far, and so
/// on. It is the match that `pacman2 play` plays.
#[test]
fn a_whole_match_as_on_botzone() {
    let dir = TestDir::new();
    let bots = ["greedy", "random", "random", "greedy"];
    let replay = dir.play(&format!("{} --seed 3 --size 6x6 --ruling judge", bots.join(" ")));
    let asked = 12.min(turns(&replay).len());
    let initdata = json!({ "seed": 3, "width": 6, "height": 6 }).to_string();
    let mut log: Vec<Value> = Vec::new();
    let mut requests = [const { Vec::new() }; 4];
    for turn in &turns(&replay)[..asked] {
        let output = dir.run_with("judge", &json!({ "log": log, "initdata": initdata }).to_string()).succeeded().json();
        let mut answers = json!({});
        for (seat, name) in bots.into_iter().enumerate() {
            let key = seat.to_string();
            let action = turn["actions"][seat].clone();
            // Only living players are asked.
            let Some(request) = output["content"].get(&key) else {
                assert!(action.is_null(), "{turn}");
                continue;
            };
            requests[seat].push(request.clone());
            let question = json!({ "requests": requests[seat], "responses": [], "data": "", "globaldata": "" });
            let answer = dir.run_with(&format!("bot {name} --ruling judge"), &format!("{question}\n")).succeeded().json();
            assert_eq!(answer["response"]["action"], action, "turn {turn}");
            answers[key] = json!({ "verdict": "OK", "response": answer["response"], "time": 1, "memory": 1 });
        }
        log.push(json!({ "verdict": "OK", "output": output }));
        log.push(answers);
    }
    // The log is a match log.
    dir.write("log.json", &json!({ "initdata": initdata, "log": log }).to_string());
    dir.run("replay convert log.json back.json --ruling judge").succeeded();
    assert_eq!(turns(&dir.replay("back.json")), &turns(&replay)[..asked]);
}
