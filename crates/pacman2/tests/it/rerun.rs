//! `pacman2 rerun`: the questions of a recorded match, asked again.

use pacman2_replay::Replay;
use serde_json::{Value, json};

use crate::common::{TestDir, has, has_sandbox};
use crate::server::serve_in;

/// A bot that gives the last of its own responses again, and an illegal one before there is any.
const REPEATS: &str = r#"#include <iostream>
#include <string>
int main() {
    std::string line;
    std::getline(std::cin, line);
    line.erase(0, line.find("\"responses\""));
    const size_t at = line.rfind("\"action\":");
    const int action = at == std::string::npos ? 99 : std::stoi(line.substr(at + 9));
    std::cout << "{\"response\":{\"action\":" << action << "}}" << std::endl;
}
"#;

/// Plays the match that is asked about: eight turns, all of them with seat 0.
fn played(dir: &TestDir) -> Value {
    dir.play("greedy hunter random greedy --seed 3 --turns 8")
}

fn answers(rerun: &Value) -> Vec<&Value> {
    rerun["turns"].as_array().unwrap().iter().filter(|answer| !answer.is_null()).collect()
}

#[test]
fn the_same_bot_answers_the_same() {
    let dir = TestDir::new();
    played(&dir);
    let result = dir.run("rerun played.json --seat 0 greedy").succeeded();
    assert!(result.stdout.contains("greedy on seat 0 of played.json, where greedy played"), "{result:?}");
    assert!(result.stdout.contains("8 of 8 questions asked: 8 as recorded, 0 otherwise\n"), "{result:?}");
    let rerun = dir.run("rerun played.json --seat 0 greedy --json").succeeded().json();
    assert_eq!((&rerun["asked"], &rerun["different"], &rerun["seat"]), (&json!(8), &json!(0), &json!(0)));
    assert!(answers(&rerun).iter().all(|answer| answer["action"] == answer["recorded"] && answer.get("worth").is_none()));
}

#[test]
fn another_bot_differs_and_each_difference_has_its_worth() {
    let dir = TestDir::new();
    played(&dir);
    let line = "rerun played.json --seat 0 random --simulations 400";
    let rerun = dir.run(&format!("{line} --json --replay again.json --html again.html")).succeeded().json();
    let different: Vec<&Value> = answers(&rerun).into_iter().filter(|answer| answer["action"] != answer["recorded"]).collect();
    assert!(!different.is_empty() && rerun["different"] == different.len(), "{rerun}");
    for answer in &different {
        let worth = &answer["worth"];
        assert!(worth["error"].as_f64().is_some_and(|error| error > 0.0) && worth["significant"].is_boolean(), "{answer}");
        let [recorded, answered, points] = ["recorded", "answered", "points"].map(|key| worth[key].as_f64().unwrap());
        assert!((answered - recorded - points).abs() < 0.011, "{answer}");
    }
    // The text has a line for each of them, and says the same.
    let text = dir.run(line).succeeded().stdout;
    assert!(text.contains(&format!("{} as recorded, {} otherwise (", 8 - different.len(), different.len())), "{text}");
    let rows = text.lines().filter(|line| line.contains(" ± ")).count();
    assert_eq!(rows, different.len(), "{text}");
    // The replay is that of the match, with the answers beside it.
    dir.run("replay verify again.json").succeeded();
    let with = dir.replay("again.json");
    let but_times =
        |rerun: &Value| json!(answers(rerun).iter().map(|answer| (&answer["action"], &answer["worth"])).collect::<Vec<_>>());
    assert_eq!(but_times(&with["rerun"]), but_times(&rerun));
    assert_eq!(with["public"], dir.replay("played.json")["public"]);
    assert!(dir.read("again.html").contains("\"rerun\":{"));
    // It survives a conversion to a page, and the next rerun takes its place.
    dir.run("replay convert again.json other.html").succeeded();
    assert!(dir.read("other.html").contains("\"rerun\":{"));
    dir.run("rerun again.json --seat 0 greedy --replay again.json").succeeded();
    assert_eq!(Replay::read(&dir.read("again.json")).unwrap().rerun.unwrap().to_value()["different"], 0);
}

#[test]
fn match_logs_links_and_standard_input() {
    let dir = TestDir::new();
    played(&dir);
    dir.run("replay convert played.json log.json").succeeded();
    let link = dir.run("replay convert played.json --link").succeeded().stdout;
    let line = "--seat 1 greedy --simulations 100 --json";
    let actions =
        |rerun: &Value| json!(answers(rerun).iter().map(|answer| (&answer["action"], &answer["worth"])).collect::<Vec<_>>());
    let of_replay = actions(&dir.run(&format!("rerun played.json {line}")).succeeded().json());
    for file in ["log.json".to_owned(), format!("'{}'", link.trim())] {
        assert_eq!(actions(&dir.run(&format!("rerun {file} {line}")).succeeded().json()), of_replay, "{file}");
    }
    let of_input = dir.run_with(&format!("rerun - {line}"), &dir.read("played.json")).succeeded().json();
    assert_eq!(actions(&of_input), of_replay);
}

#[cfg(unix)]
#[test]
fn a_bot_that_crashes_is_asked_every_question_all_the_same() {
    let dir = TestDir::new();
    played(&dir);
    dir.write_executable("crashes", "#!/bin/sh\nread -r question; echo 'out of ideas' >&2; exit 3\n");
    let result = dir.run("rerun played.json --seat 0 ./crashes --simulations 100").succeeded();
    assert!(result.stdout.contains("8 of 8 questions asked: 0 as recorded, 8 otherwise ("), "{result:?}");
    for words in ["RE", "it exited with code 3", "stderr: out of ideas"] {
        assert_eq!(result.stdout.matches(words).count(), 8, "{words}: {result:?}");
    }
    let rerun = dir.run("rerun played.json --seat 0 ./crashes --simulations 100 --json").succeeded().json();
    let first = answers(&rerun)[0];
    assert_eq!(
        (&first["action"], &first["verdict"], &first["problem"]["code"]),
        (&json!(-10), &json!("RE"), &json!("exit-code"))
    );
    assert_eq!(first["stderr"], "out of ideas\n");
    assert!(first["worth"]["points"].as_f64().unwrap() < 0.0, "a forfeit costs points: {first}");
}

#[cfg(unix)]
#[test]
fn a_bot_that_hangs_is_given_up() {
    let dir = TestDir::new();
    played(&dir);
    dir.write_executable("hangs", "#!/bin/sh\nsleep MARK\n");
    let result = dir.run("rerun played.json --seat 0 ./hangs --time-limit 100 --simulations 100");
    assert_eq!(result.code, Some(1), "{result:?}");
    assert!(result.stdout.contains("3 of 8 questions asked: 0 as recorded, 3 otherwise ("), "{result:?}");
    assert!(result.stdout.ends_with("It was too slow 3 times in a row, so it was not asked the other 5.\n"), "{result:?}");
    dir.wait_until_deserted();
}

#[cfg(unix)]
#[test]
fn a_bot_that_floods_exceeds_its_output() {
    let dir = TestDir::new();
    played(&dir);
    dir.write_executable("floods", "#!/bin/sh\nread -r question; yes \"$question\"\n");
    let rerun = dir.run("rerun played.json --seat 0 ./floods --simulations 100 --json --time-limit 60000").succeeded().json();
    assert!(answers(&rerun).iter().all(|answer| answer["verdict"] == "OLE"), "{rerun}");
    assert!(rerun.to_string().len() < 1_000_000, "little of the output is kept");
    dir.wait_until_deserted();
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_what_was_found() {
    let dir = TestDir::new();
    played(&dir);
    // It answers three questions, and then hangs without a limit.
    dir.write_executable(
        "slow",
        r#"#!/bin/sh
read -r question
case "$question" in
*'"responses":[{'*'},{'*'},{'*) sleep MARK ;;
esac
echo '{"response":{"action":-1}}'
"#,
    );
    let running = crate::common::start(dir.command("rerun played.json --seat 0 ./slow --no-limits"), "");
    crate::common::wait_until("the bot to hang", || {
        dir.survivors().iter().any(|process| process.contains(&format!("sleep {}", dir.mark)))
    });
    let result = running.interrupt();
    assert_eq!(result.code, Some(130), "{result:?}");
    assert!(result.stdout.contains("\n3 of 8 questions asked: ") && result.stdout.ends_with("Interrupted.\n"), "{result:?}");
    dir.wait_until_deserted();
}

#[test]
fn a_compiled_bot_gets_the_recorded_history() {
    if !has("g++", "a rerun of a C++ bot") {
        return;
    }
    let dir = TestDir::new();
    played(&dir);
    dir.write("repeats.cpp", REPEATS);
    let line = "rerun played.json --seat 0 repeats.cpp --simulations 100 --json --time-limit 60000";
    let rerun = dir.run(line).succeeded().json();
    let turns = answers(&rerun);
    assert_eq!((&turns[0]["action"], &turns[0]["verdict"]), (&json!(99), &json!("ILLEGAL")));
    for pair in turns.windows(2) {
        assert_eq!(pair[1]["action"], pair[0]["recorded"]);
    }
}

#[test]
fn a_compiled_bot_that_plays_on_knows_the_match_so_far() {
    if !has("g++", "a C++ bot that plays on from a turn") {
        return;
    }
    let dir = TestDir::new();
    let replay = played(&dir);
    dir.write("repeats.cpp", REPEATS);
    let server = serve_in(dir, if has_sandbox() { "" } else { "--trust all" });
    let seats = ["repeats.cpp", "greedy", "greedy", "greedy"];
    let id = server.start(json!({ "seats": seats, "from": { "film": replay, "turn": 3 }, "time_limit_ms": 60_000 }));
    let mut stream = server.listen(&format!("/api/matches/{id}/events"));
    let mut turns = stream.next_of("film")["public"]["turns"].as_array().unwrap().clone();
    while turns.len() < 4 {
        turns.push(stream.next_of("turn")["turn"].clone());
    }
    assert_eq!(turns[3]["actions"][0], replay["public"]["turns"][2]["actions"][0]);
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    let mut replay = played(&dir);
    dir.write("text.json", "turn 1");
    dir.write("list.json", "[1, 2]");
    dir.write("page.html", "mine");
    replay["public"]["turns"][3]["position"] = json!("0123456789abcdef");
    dir.write("tampered.json", &replay.to_string());
    dir.play("random random random random --seed 1 --turns 1");
    let mut empty = dir.replay("played.json");
    empty["public"]["turns"] = json!([]);
    empty["public"]["scores"] = Value::Null;
    dir.write("empty.json", &empty.to_string());
    for (line, words) in [
        ("nowhere.json --seat 0 greedy", "nowhere.json: "),
        ("played.json greedy", "--seat: expected the seat whose questions are asked, 0 to 3"),
        ("text.json --seat 0 greedy", "text.json: not JSON: "),
        ("list.json --seat 0 greedy", "list.json: expected a replay, "),
        ("tampered.json --seat 0 greedy", "tampered.json: turn 4 differs: "),
        ("empty.json --seat 0 greedy", "empty.json: expected a match with at least one turn, got none"),
        ("played.json --seat 0 nobody.py", "nobody.py: no such file"),
        ("played.json --seat 0 greedy --html page.html", "--html page.html: the file exists and is no page of this program"),
        ("played.json --seat 0 greedy --html new.html --replay new.html", "the replay goes to this file"),
        (
            "played.json --seat 0 greedy --as-process --trust other",
            "--trust other: not a bot of this match; expected one of greedy",
        ),
    ] {
        dir.run(&format!("rerun {line}")).refused(&[words]);
    }
    for (line, words) in [
        ("played.json --seat 4 greedy", "a whole number from 0 to 3"),
        ("played.json --seat 1", "<BOT>"),
        ("played.json --seat 1 greedy --simulations 0", "'--simulations <N>'"),
        ("played.json --seat 1 greedy --no-limits --time-limit 5", "cannot be used with"),
    ] {
        dir.run(&format!("rerun {line}")).misused(&[words]);
    }
    assert_eq!(dir.read("page.html"), "mine");
}

/// The matches of `play --lost`, which have the seat in their names, and of any other folder with `--seat`.
#[test]
fn all_matches_of_a_folder() {
    let dir = TestDir::new();
    dir.run("match random greedy greedy greedy --games 4 --rotate --turns 10 --seed 9 --lost lost").succeeded();
    let mut files: Vec<String> =
        std::fs::read_dir(dir.path("lost")).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert!(files.len() > 1, "{files:?}");
    let report = dir.run("rerun lost random --simulations 100 --json").succeeded().json();
    let matches = report["matches"].as_array().unwrap();
    assert_eq!((&report["bot"], matches.len()), (&json!("random"), files.len()));
    for (rerun, file) in matches.iter().zip(&files) {
        assert_eq!((&rerun["file"], rerun["different"].as_u64()), (&json!(format!("lost/{file}")), Some(0)));
        assert!(file.ends_with(&format!("-seat{}.json", rerun["seat"])), "{file}: {rerun}");
    }

    let text = dir.run("rerun lost greedy --simulations 100").succeeded().stdout;
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((rows.len(), rows[1][0]), (files.len() + 3, files[0].as_str()), "{text}");
    let sum =
        |column: usize| rows[1..=files.len()].iter().map(|row| row[column].parse::<u64>().unwrap()).sum::<u64>().to_string();
    assert_eq!(
        rows[files.len() + 1],
        ["all".to_owned(), "matches".to_owned(), sum(2), sum(3), sum(4), sum(5), sum(6), sum(7)],
        "{text}"
    );
    assert!(text.ends_with(&format!("greedy in {0} of {0} games\n", files.len())), "{text}");

    dir.run("rerun lost greedy --open").refused(&["--open: lost is a folder"]);
    std::fs::create_dir(dir.path("other")).unwrap();
    dir.run("rerun other greedy").refused(&["other: expected a folder with replays, got none"]);
    std::fs::copy(dir.path("lost").join(&files[0]), dir.path("other/match.json")).unwrap();
    dir.run("rerun other greedy").refused(&["other/match.json: --seat: expected the seat"]);
    dir.run("rerun other greedy --seat 1 --simulations 100").succeeded();
}
