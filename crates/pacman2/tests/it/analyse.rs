//! `pacman2 analyse`: the values of all actions of a turn, and the turns in which points were lost.

#[cfg(target_os = "linux")]
use crate::common::interrupt;
use crate::common::{FIELD, TestDir, init_data, turns};
use serde_json::{Value, json};

/// Plays a short match in which a player dies early, and returns its replay.
#[track_caller]
fn played(dir: &TestDir) -> Value {
    dir.play("random random greedy random --seed 3 --size 6x6 --turns 40")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// Returns the first turn in which a seat is dead already, and the seat.
fn first_dead(replay: &Value) -> (usize, usize) {
    let dead = |turn: &Value| (0..4).find(|&seat| turn["actions"][seat].is_null());
    (1..).zip(turns(replay)).find_map(|(number, turn)| Some((number, dead(turn)?))).expect("a player dies")
}

// One turn.

#[test]
fn all_legal_actions_of_a_turn_best_first() {
    let dir = TestDir::new();
    dir.write("map.json", &init_data(FIELD).to_string());
    let output = dir.run("analyse map.json --simulations 500 --json").succeeded().json();
    assert_eq!((&output["turn"], &output["simulations"]), (&json!(1), &json!(500)));
    assert_eq!(list(&output["points"]).len(), 4);
    for (seat, legal) in [[-1, 1, 2], [-1, 2, 3], [-1, 0, 1], [-1, 0, 3]].into_iter().enumerate() {
        let options = list(&output["seats"][seat]);
        let mut actions: Vec<i64> = options.iter().map(|option| option["action"].as_i64().unwrap()).collect();
        actions.sort_unstable();
        assert_eq!(actions, legal, "seat {seat}");
        let bounds: Vec<f64> =
            options.iter().map(|option| option["points"].as_f64().unwrap() - option["error"].as_f64().unwrap()).collect();
        assert!(bounds.is_sorted_by(|better, worse| *better >= worse - 1e-9), "{bounds:?}");
        assert_eq!(options.iter().map(|option| option["visits"].as_u64().unwrap()).sum::<u64>(), 500);
        for option in options {
            assert!((0.0..=140.0).contains(&option["points"].as_f64().unwrap()), "{option}");
            assert!(option["error"].as_f64().unwrap() > 0.0, "{option}");
            let line = list(&option["line"]);
            assert!(line.iter().all(|actions| list(actions).len() == 4), "{option}");
            assert_eq!(line[0][seat], option["action"], "its continuation begins with it");
        }
    }
}

#[test]
fn dead_players_have_no_actions() {
    let dir = TestDir::new();
    let replay = played(&dir);
    let (turn, dead) = first_dead(&replay);
    let line = format!("analyse played.json --turn {turn} --simulations 200");
    let output = dir.run(&format!("{line} --json")).succeeded().json();
    for seat in 0..4 {
        let is_dead = turns(&replay)[turn - 1]["actions"][seat].is_null();
        assert_eq!(list(&output["seats"][seat]).is_empty(), is_dead, "seat {seat}: {output}");
    }
    let living = (0..4).find(|&seat| seat != dead && !list(&output["seats"][seat]).is_empty()).expect("a player lives");
    assert_eq!(output["seats"][living][0]["line"][0][dead], Value::Null);
    let words = dir.run(&line).succeeded().stdout;
    assert!(words.contains(&format!("seat {dead} (")) && words.contains(") is dead\n"), "{words}");
    dir.run(&format!("{line} --seat {dead}"))
        .refused(&[&format!("--seat {dead}: seat {dead} is dead before turn {turn}; alive are ")]);
}

#[test]
fn a_turn_as_text() {
    let dir = TestDir::new();
    let replay = played(&dir);
    let line = "analyse played.json --turn 2 --simulations 300 --seat 2";
    let result = dir.run(line).succeeded();
    assert_eq!(result.stderr, "");
    let lines: Vec<&str> = result.stdout.lines().collect();
    assert_eq!(lines[0], "turn 2, 300 simulations");
    let score = lines[2].strip_prefix("seat 2 (greedy): expected score ").and_then(|score| score.parse::<f64>().ok());
    assert!(score.is_some_and(|score| (0.0..=140.0).contains(&score)), "{result:?}");
    let output = dir.run(&format!("{line} --json")).succeeded().json();
    let given = &turns(&replay)[1]["actions"][2];
    for (row, option) in lines[4..].iter().zip(list(&output["seats"][2])) {
        assert_eq!(row.starts_with('*'), option["action"] == *given, "{row}: {option}");
        assert!(
            row.contains(" ± ") && row.split_whitespace().any(|word| word.parse().ok() == option["visits"].as_u64()),
            "{row}: {option}"
        );
    }
    assert!(!result.stdout.contains("seat 3 ("), "{result:?}");
    assert!([0, 1, 3].iter().all(|&seat| list(&output["seats"][seat]).is_empty()), "{output}");
}

#[test]
fn a_time_limit() {
    let dir = TestDir::new();
    played(&dir);
    let output = dir.run("analyse played.json --turn 5 --time 20 --json").succeeded().json();
    assert!(output["simulations"].as_u64() > Some(0), "{output}");
}

// A whole match.

#[test]
fn every_turn_of_a_match() {
    let dir = TestDir::new();
    let replay = played(&dir);
    let output = dir.run("analyse played.json --simulations 400 --json").succeeded().json();
    assert_eq!(output["seed"], replay["public"]["init"]["seed"]);
    let analysed = list(&output["turns"]);
    assert_eq!(analysed.len(), turns(&replay).len());
    let mut losses = Vec::new();
    for ((number, analysis), turn) in (1_i64..).zip(analysed).zip(turns(&replay)) {
        assert_eq!((&analysis["turn"], &analysis["given"]), (&json!(number), &turn["actions"]));
        for seat in 0..4 {
            let loss = &analysis["loss"][seat];
            assert_eq!(loss.is_null(), turn["actions"][seat].is_null(), "turn {number}: {analysis}");
            if loss.as_f64() > Some(0.0) {
                let better = &analysis["seats"][seat][0]["action"];
                assert_ne!(better, &turn["actions"][seat]);
                losses.push((number, seat, turn["actions"][seat].clone(), better.clone(), loss.clone()));
            }
        }
    }
    for seat in 0..4 {
        let each: Vec<f64> = analysed.iter().filter_map(|turn| turn["accuracy"][seat].as_f64()).collect();
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        assert!((output["accuracy"][seat].as_f64().unwrap() - mean).abs() < 0.006, "seat {seat}: {}", output["accuracy"]);
        assert!((0.0..100.0).contains(&mean), "seat {seat}: {mean}");
    }
    let mistakes = list(&output["mistakes"]);
    assert!(!mistakes.is_empty(), "three of them play by chance");
    assert!(mistakes.is_sorted_by(|worse, other| worse["loss"].as_f64() >= other["loss"].as_f64()), "{mistakes:?}");
    let mut named: Vec<_> = mistakes
        .iter()
        .map(|mistake| {
            assert!(mistake["loss"].as_f64() >= mistake["error"].as_f64().map(|error| 2.9 * error), "{mistake}");
            let number = |key: &str| mistake[key].as_i64().unwrap();
            let why = &analysed[number("turn") as usize - 1]["why"][number("seat") as usize];
            assert!(mistake["why"] == *why && why["kind"].is_string(), "{mistake}: {why}");
            let [given, better, loss] = ["given", "better", "loss"].map(|key| mistake[key].clone());
            (number("turn"), number("seat") as usize, given, better, loss)
        })
        .collect();
    named.sort_by_key(|&(turn, seat, ..)| (turn, seat));
    assert_eq!(named, losses);
}

#[test]
fn the_same_simulations_give_the_same_output() {
    let dir = TestDir::new();
    played(&dir);
    let line = "analyse played.json --simulations 100 --json";
    let output = dir.run(line).succeeded();
    assert_eq!(output.stdout, dir.run(line).succeeded().stdout);
    // The analysis of a turn does not depend on the turns analysed before.
    let of_match = &output.json()["turns"][8];
    let alone = dir.run(&format!("{line} --turn 9")).succeeded().json();
    for key in ["turn", "simulations", "points", "seats"] {
        assert_eq!(alone[key], of_match[key], "{key}");
    }
}

#[test]
fn without_options_the_output_is_always_the_same() {
    let dir = TestDir::new();
    dir.play("random random greedy random --seed 3 --size 6x6 --turns 4");
    for (line, simulations) in [("analyse played.json --json", 20_000), ("analyse played.json --turn 2 --json", 200_000)] {
        let output = dir.run(line).succeeded();
        let turn = output.json().get("turns").map_or_else(|| output.json(), |turns| turns[0].clone());
        assert_eq!(turn["simulations"], simulations, "{line}");
        assert_eq!(output.stdout, dir.run(line).succeeded().stdout, "{line}");
    }
}

/// The files of kept analyses beside the replay, by name.
fn kept(dir: &TestDir) -> Vec<(String, Vec<u8>)> {
    let Ok(folder) = std::fs::read_dir(dir.path(".pacman2-analyses")) else { return Vec::new() };
    let files = folder.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.map(|path| (path.display().to_string(), std::fs::read(&path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn analyses_are_kept_beside_the_file_if_the_user_wants_that() {
    let dir = TestDir::new();
    dir.play("random random greedy random --seed 3 --size 6x6 --turns 6");
    let line = "analyse played.json --simulations 300 --json";
    let new = dir.run(line).succeeded().stdout;
    assert_eq!(kept(&dir), [], "no files were requested");
    assert_eq!(dir.run(&format!("{line} --cache")).succeeded().stdout, new);
    let files = kept(&dir);
    assert_eq!(files.len(), 6);
    assert_eq!(dir.run(&format!("{line} --cache")).succeeded().stdout, new);
    assert_eq!(kept(&dir), files);
    for (path, text) in &files {
        std::fs::write(path, &text[..text.len() / 2]).unwrap();
    }
    assert_eq!(dir.run(&format!("{line} --cache")).succeeded().stdout, new, "damaged files are ignored");
    assert_eq!(kept(&dir), files, "and replaced");
    dir.run("analyse played.json --cache --time 5").misused(&["'--cache' cannot be used with '--time <MS>'"]);
    let refused = dir.run_with("analyse - --cache", &dir.read("played.json"));
    refused.refused(&["--cache: standard input is in no folder; name a file"]);
}

#[test]
fn the_worst_actions_as_text() {
    let dir = TestDir::new();
    played(&dir);
    let result = dir.run("analyse played.json --simulations 400").succeeded();
    assert_eq!(result.stderr, "", "no progress without a terminal");
    let output = dir.run("analyse played.json --simulations 400 --json").succeeded().json();
    let words = |action: &Value| match action.as_i64().unwrap() {
        -1 => "staying".to_owned(),
        walk @ 0..4 => format!("moving {}", ["up", "right", "down", "left"][walk as usize]),
        light => format!("shooting {}", ["up", "right", "down", "left"][light as usize - 4]),
    };
    let worst = &output["mistakes"][0];
    let [loss, error] = ["loss", "error"].map(|key| worst[key].as_f64().unwrap());
    let sentence =
        result.stdout.lines().find(|line| line.starts_with(&format!("turn {}, seat {}: ", worst["turn"], worst["seat"])));
    let sentence = sentence.unwrap_or_else(|| panic!("the worst is not in: {result:?}"));
    let (better, rest) = sentence.split_once(": ").unwrap().1.split_once(" was worth ").unwrap();
    let (number, rest) = rest.split_once(" ± ").unwrap();
    assert_eq!((better, (number.parse::<f64>().unwrap() - loss).abs() < 0.06), (words(&worst["better"]).as_str(), true));
    let (number, given) = rest.split_once(" points more than ").unwrap();
    assert_eq!((given, (number.parse::<f64>().unwrap() - error).abs() < 0.06), (words(&worst["given"]).as_str(), true));
    let why = worst["why"]["sentence"]["en"].as_str().unwrap();
    assert!(!why.is_empty() && result.stdout.contains(&format!("{sentence}\n  {why}\n")), "{worst}: {result:?}");
    assert!(result.stdout.ends_with("40 of 40 turns analysed, seed 3\n"), "{result:?}");
    for seat in 0..4 {
        let line = result.stdout.lines().find(|line| line.starts_with(&format!("seat {seat} (")));
        let accuracy = format!(", accuracy {:.1}", output["accuracy"][seat].as_f64().unwrap());
        assert!(line.is_some_and(|line| line.ends_with(&accuracy)), "{accuracy}: {line:?}");
    }
}

#[test]
fn one_seat_alone() {
    let dir = TestDir::new();
    played(&dir);
    let line = "analyse played.json --simulations 200";
    let all = dir.run(&format!("{line} --json")).succeeded().json();
    let output = dir.run(&format!("{line} --seat 2 --json")).succeeded().json();
    let of_seat: Vec<&Value> = list(&all["mistakes"]).iter().filter(|mistake| mistake["seat"] == 2).collect();
    assert_eq!(list(&output["mistakes"]).iter().collect::<Vec<_>>(), of_seat);
    let first = &output["turns"][0];
    assert_eq!(first["seats"][2], all["turns"][0]["seats"][2]);
    assert_eq!((&first["seats"][1], &first["loss"][1], &first["given"]), (&json!([]), &Value::Null, &all["turns"][0]["given"]));
    assert_eq!(output["accuracy"], json!([null, null, all["accuracy"][2], null]));
    let words = dir.run(&format!("{line} --seat 2")).succeeded().stdout;
    assert!(words.starts_with("seat 2 (greedy) ") && !words.contains("seat 0"), "{words}");
}

#[test]
fn match_logs_and_standard_input() {
    let dir = TestDir::new();
    played(&dir);
    dir.run("replay convert played.json log.json").succeeded();
    let line = "--simulations 50 --json";
    let of_replay = dir.run(&format!("analyse played.json {line}")).succeeded().stdout;
    assert_eq!(dir.run(&format!("analyse log.json {line}")).succeeded().stdout, of_replay);
    assert_eq!(dir.run_with(&format!("analyse - {line}"), &dir.read("played.json")).succeeded().stdout, of_replay);
}

// Interruption and progress.

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_analysis_reports_what_it_found() {
    let dir = TestDir::new();
    played(&dir);
    let result = interrupt(&dir, "analyse played.json --turn 3 --time 3600000 --json");
    assert_eq!(result.code, Some(130), "{result:?}");
    assert!(result.json()["simulations"].as_u64() > Some(0), "{result:?}");
    let result = interrupt(&dir, "analyse played.json --time 3600000");
    assert_eq!(result.code, Some(130), "{result:?}");
    assert!(result.stdout.ends_with("Interrupted: 0 of 40 turns analysed, seed 3\n"), "{result:?}");
}

#[cfg(unix)]
#[test]
fn progress_on_a_terminal() {
    let dir = TestDir::new();
    played(&dir);
    let Some(screen) = crate::common::on_terminal(&dir, 30, 100, "analyse played.json --simulations 50") else { return };
    assert!(screen.contains(" of 40 turns analysed\r\x1b[K"), "{screen:?}");
}

// Bad input.

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    let replay = played(&dir);
    let last = turns(&replay).len();
    dir.write("map.json", &dir.run("map --seed 42 --json").succeeded().stdout);
    dir.write("list.json", "[1, 2]");
    dir.write("object.json", "{}");
    dir.write("text.json", "turn 1");
    for (line, words) in [
        ("nowhere.json", "nowhere.json: "),
        ("text.json", "text.json: not JSON: "),
        ("list.json", "list.json: expected a replay, a match log of Botzone's, "),
        ("object.json", "object.json: expected a replay, "),
        ("map.json --turn 2", "--turn 2: the map only has turn 1"),
        ("played.json --turn 0", &format!("--turn 0: the replay has turns 1 to {last}")),
        ("played.json --turn 500 --json", &format!("--turn 500: the replay has turns 1 to {last}")),
    ] {
        dir.run(&format!("analyse {line}")).refused(&[words]);
    }
    for (options, words) in [
        ("", "REPLAY|INIT"),
        ("played.json --seat 4", "a whole number from 0 to 3"),
        ("played.json --turn -1", "'-1'"),
        ("played.json --turn x", "'x'"),
        ("played.json --time 0", "'--time <MS>'"),
        ("played.json --simulations 0", "'--simulations <N>'"),
        ("played.json --time 5 --simulations 5", "'--time <MS>' cannot be used with '--simulations <N>'"),
    ] {
        dir.run(&format!("analyse {options}")).misused(&[words]);
    }
}

#[test]
fn a_replay_that_differs_from_the_rules_is_rejected() {
    let dir = TestDir::new();
    let mut replay = played(&dir);
    replay["public"]["turns"][3]["position"] = json!("0123456789abcdef");
    dir.write("tampered.json", &replay.to_string());
    dir.run("analyse tampered.json").refused(&["tampered.json: turn 4 differs: the position is "]);
}

#[test]
fn a_match_of_one_turn_has_no_other() {
    let dir = TestDir::new();
    let mut map = init_data(FIELD);
    map["MAX_TURN"] = json!(1);
    dir.write("short.json", &map.to_string());
    dir.run("analyse short.json --simulations 20").succeeded();
    // The only turn was played, and no turn follows.
    dir.play("random random random random --map short.json");
    dir.run("analyse played.json --turn 2").refused(&["--turn 2: the replay only has turn 1"]);
}

#[test]
fn a_match_that_was_abandoned_has_a_turn_after_its_last() {
    let dir = TestDir::new();
    let mut replay = played(&dir);
    let public = &mut replay["public"];
    public["turns"].as_array_mut().unwrap().truncate(7);
    public["scores"] = Value::Null;
    replay["private"]["turns"].as_array_mut().unwrap().truncate(7);
    dir.write("abandoned.json", &replay.to_string());
    let output = dir.run("analyse abandoned.json --turn 8 --simulations 20 --json").succeeded().json();
    assert_eq!(output["turn"], 8);
    let whole = dir.run("analyse abandoned.json --simulations 20 --json").succeeded().json();
    assert_eq!(list(&whole["turns"]).len(), 7);
    dir.run("analyse abandoned.json --turn 9").refused(&["--turn 9: the replay has turns 1 to 8"]);
}
