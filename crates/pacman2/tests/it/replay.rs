//! `pacman2 replay`: verifies, shows and converts replays.

use crate::common::{FIELD, TestDir, diagnostics, exists, init_data, json, public_part, turns, verdicts};
use pacman2_rules::picture;
use serde_json::{Value, json};

/// Plays a short match with lights and a death, and returns its replay.
#[track_caller]
fn played(dir: &TestDir) -> Value {
    let replay = dir.play("random random greedy random --seed 3 --size 6x6 --turns 40");
    assert!(turns(&replay).iter().any(|turn| turn["actions"].as_array().unwrap().contains(&Value::Null)), "a player dies");
    replay
}

// Verify.

#[test]
fn a_replay_is_verified() {
    let dir = TestDir::new();
    let replay = played(&dir);
    let result = dir.run("replay verify played.json").succeeded();
    assert_eq!(result.stdout, format!("played.json: {} turns, all follow the rules\n", turns(&replay).len()));
    let output = dir.run("replay verify played.json --json").succeeded().json();
    assert_eq!((&output["verified"], &output["turns"]), (&json!(true), &json!(turns(&replay).len())));
    assert_eq!(output["scores"], replay["public"]["scores"]);
}

#[test]
fn a_replay_is_verified_from_standard_input() {
    let dir = TestDir::new();
    played(&dir);
    dir.run_with("replay verify -", &dir.read("played.json")).succeeded();
}

/// Tampers with a replay, and checks that the text and the JSON output report it in these words.
#[track_caller]
fn check_detected(tamper: impl FnOnce(&mut Value), words: &str) {
    let dir = TestDir::new();
    let mut replay = played(&dir);
    tamper(&mut replay);
    dir.write("tampered.json", &replay.to_string());
    let result = dir.run("replay verify tampered.json");
    assert_eq!((result.code, result.stdout.lines().count(), result.stderr.as_str()), (Some(1), 1, ""), "{result:#?}");
    assert!(result.stdout.starts_with(&format!("tampered.json: {words}")), "{result:#?}");
    let result = dir.run("replay verify tampered.json --json");
    assert_eq!((result.code, &result.json()["verified"]), (Some(1), &json!(false)), "{result:#?}");
    assert!(result.json()["difference"].as_str().is_some_and(|output| output.starts_with(words)), "{result:#?}");
    // A replay that differs from the rules is neither shown nor converted.
    dir.run("replay show tampered.json").refused(&["tampered.json: ", words]);
    dir.run("replay convert tampered.json log.json").refused(&["tampered.json: ", words]);
    assert!(!exists(&dir.path("log.json")));
}

fn turn(replay: &mut Value, number: usize) -> &mut Value {
    &mut replay["public"]["turns"][number - 1]
}

fn first_death(replay: &Value) -> (usize, usize) {
    let dead = |turn: &Value| (0..4).find(|&seat| turn["actions"][seat].is_null());
    (1..).zip(turns(replay)).find_map(|(number, turn)| Some((number, dead(turn)?))).expect("a player dies")
}

#[test]
fn a_changed_action() {
    check_detected(
        |replay| {
            let action = &mut turn(replay, 4)["actions"][2];
            assert!((0..4).contains(&action.as_i64().unwrap()), "it walks");
            *action = json!(-1);
        },
        "turn 4 differs: the position is ",
    );
}

#[test]
fn an_illegal_action() {
    check_detected(|replay| turn(replay, 2)["actions"][1] = json!(99), "turn 2 differs: the position is ");
}

#[test]
fn a_changed_hash() {
    check_detected(|replay| turn(replay, 7)["position"] = json!("0123456789abcdef"), "turn 7 differs: the position is ");
}

#[test]
fn a_changed_verdict() {
    check_detected(
        |replay| turn(replay, 3)["verdicts"][0] = json!("TLE"),
        "turn 3 differs: player 0's action and verdict contradict each other",
    );
    check_detected(
        |replay| turn(replay, 3)["verdicts"][0] = json!("ILLEGAL"),
        r#"turn 3 differs: the verdicts are ["OK","OK","OK","OK"] by the rules, ["ILLEGAL","OK","OK","OK"] in the replay"#,
    );
}

#[test]
fn changed_scores() {
    check_detected(|replay| replay["public"]["scores"][3] = json!(12.34), "the scores are [");
    check_detected(|replay| replay["public"]["scores"] = Value::Null, "the scores are [");
}

#[test]
fn an_action_of_a_dead_player() {
    let dir = TestDir::new();
    let (number, seat) = first_death(&played(&dir));
    check_detected(
        |replay| {
            turn(replay, number)["actions"][seat] = json!(-1);
            turn(replay, number)["verdicts"][seat] = json!("OK");
        },
        &format!("turn {number} differs: player {seat} is dead, but has an action in the replay"),
    );
}

#[test]
fn a_missing_action_of_a_living_player() {
    check_detected(
        |replay| {
            turn(replay, 1)["actions"][3] = Value::Null;
            turn(replay, 1)["verdicts"][3] = Value::Null;
        },
        "turn 1 differs: player 3 is alive, but has no action in the replay",
    );
}

#[test]
fn a_missing_turn() {
    let remove =
        |number: usize| move |replay: &mut Value| drop(replay["public"]["turns"].as_array_mut().unwrap().remove(number - 1));
    check_detected(remove(1), "turn 1 differs: ");
    check_detected(remove(9), "turn 9 differs: ");
    check_detected(
        |replay| drop(replay["public"]["turns"].as_array_mut().unwrap().pop()),
        "turn 40 is missing: the game is not over, but the replay has scores",
    );
}

#[test]
fn an_extra_turn() {
    check_detected(
        |replay| {
            let turns = replay["public"]["turns"].as_array_mut().unwrap();
            turns.push(turns.last().unwrap().clone());
        },
        "turn 41 differs: the game was over before",
    );
}

#[test]
fn a_changed_map() {
    check_detected(|replay| replay["public"]["init"]["LARGE_FRUIT_ENHANCEMENT"] = json!(9), "turn ");
}

#[test]
fn another_version_is_rejected() {
    let dir = TestDir::new();
    let mut replay = played(&dir);
    for (version, words) in
        [(json!(2), "expected a replay of version 1, got 2"), (json!(null), "expected a replay of version 1, got null")]
    {
        replay["version"] = version;
        dir.write("other.json", &replay.to_string());
        for line in ["replay verify other.json", "replay show other.json", "replay convert other.json log.json"] {
            dir.run(line).refused(&["other.json: ", words]);
        }
    }
    assert!(!exists(&dir.path("log.json")));
}

#[test]
fn other_files_are_rejected() {
    let dir = TestDir::new();
    let mut unplayable = played(&dir);
    unplayable["public"]["init"]["width"] = json!(99);
    let mut lame = played(&dir);
    lame["public"]["turns"][3]["actions"] = json!([1, 2, 3]);
    let mut prejudiced = played(&dir);
    prejudiced["public"]["ruling"] = json!("mercy");
    let mut boxed = played(&dir);
    boxed["private"]["sandbox"] = json!(["A", null, "Z", null]);
    let mut misjudged = played(&dir);
    turn(&mut misjudged, 3)["verdicts"][0] = json!("WA");
    let mut misplaced = played(&dir);
    turn(&mut misplaced, 3)["position"] = json!("62D746A0D0F5A33C");
    for (text, words) in [
        ("no JSON", "not JSON: expected "),
        ("", "expected a match, got an empty text"),
        ("{}", "expected a replay, a match log of Botzone's, "),
        (r#"{"format": 1}"#, "not a replay: expected the key format"),
        ("[]", "expected a replay, "),
        (r#"{"format":"pacman2 replay","version":1}"#, "public is missing"),
        (&unplayable.to_string(), "the replay's map cannot be played: width must be a whole number between 6 and 11, got 99"),
        (&lame.to_string(), "public.turns[3].actions: expected a list of four, got a list of 3"),
        (&prejudiced.to_string(), "public.ruling: expected \"sample\", \"judge\" or \"prose\", got \"mercy\""),
        (&boxed.to_string(), "private.sandbox[2]: expected \"A\", \"A-\", \"B\", \"C\" or null, got \"Z\""),
        (&misjudged.to_string(), "public.turns[2].verdicts[0]: expected OK, TLE, MLE, OLE, NJ, RE, ILLEGAL or null, got \"WA\""),
        (
            &misplaced.to_string(),
            "public.turns[2].position: expected 16 hexadecimal digits in lower case, got \"62D746A0D0F5A33C\"",
        ),
    ] {
        dir.write("it.json", text);
        dir.run("replay verify it.json").refused(&["it.json: ", words]);
        dir.run("replay show it.json").refused(&["it.json: ", words]);
    }
    std::fs::write(dir.path("it.json"), b"\xff\xff").unwrap();
    dir.run("replay verify it.json").refused(&["it.json: expected text in UTF-8"]);
    dir.run("replay verify nowhere.json").refused(&["nowhere.json: "]);
}

/// A replay may contain anything, but no escape sequence reaches the terminal.
#[test]
fn a_replay_with_escape_sequences_is_harmless() {
    let dir = TestDir::new();
    let mut replay = played(&dir);
    replay["public"]["turns"][0]["verdicts"][0] = json!("\u{1b}]0;owned\u{7}");
    replay["public"]["turns"][0]["actions"][0] = json!(-10);
    dir.write("evil.json", &replay.to_string());
    let result = dir.run("replay verify evil.json");
    assert!(result.code == Some(2) && result.stderr.contains("owned") && !result.stderr.contains('\x1b'), "{result:?}");
    let result = dir.run("replay show evil.json");
    assert!(result.code == Some(2) && result.stderr.contains("owned") && !result.stderr.contains('\x1b'), "{result:?}");
}

// Show.

#[test]
fn the_end_is_shown_by_default() {
    let dir = TestDir::new();
    played(&dir);
    let end = dir.run("replay show played.json").succeeded().stdout;
    assert!(end.starts_with("turn 40/40, "), "{end}");
    assert_eq!(end, dir.run("replay show played.json --turn 40").succeeded().stdout);
}

#[test]
fn the_start_is_the_map() {
    let dir = TestDir::new();
    played(&dir);
    let start = dir.run("replay show played.json --turn 0").succeeded().stdout;
    let map = dir.run("map --seed 3 --size 6x6").succeeded().stdout;
    // The match has fewer turns than the map says.
    assert_eq!(start.replace("turn 0/40", "turn 0/100"), map);
}

/// Each picture, read back, has the hash of the replay, and the next turn leads to the next picture.
#[test]
fn each_turns_picture_is_its_position() {
    let dir = TestDir::new();
    let replay = played(&dir);
    for number in [1, 2, 17, 40] {
        let text = dir.run(&format!("replay show played.json --turn {number}")).succeeded().stdout;
        let (maze, state) = picture::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!((state.turn, maze.ruleset().turn_limit), (number, 40));
        let position = &turns(&replay)[number as usize - 1]["position"];
        assert_eq!(position, &json!(format!("{:016x}", state.fingerprint())), "{text}");
    }
}

#[test]
fn a_turn_that_was_not_played_is_rejected() {
    let dir = TestDir::new();
    played(&dir);
    dir.run("replay show played.json --turn 41").refused(&["--turn 41: the replay has turns 0 to 40"]);
    dir.run("replay show played.json --turn -1").misused(&["-1"]);
    dir.run("replay show played.json --turn x").misused(&["'x'", "--turn"]);
}

// Convert.

#[test]
fn conversion_and_back() {
    let dir = TestDir::new();
    let replay = played(&dir);
    dir.run("replay convert played.json log.json").succeeded();
    let log = dir.replay("log.json");
    assert_eq!(log["log"].as_array().unwrap().len(), 2 * turns(&replay).len() + 1);
    assert_eq!(log["players"][2]["bot"], "greedy");
    assert_eq!(log["log"].as_array().unwrap().last().unwrap()["output"]["command"], "finish");
    dir.run("replay convert log.json back.json").succeeded();
    let back = dir.replay("back.json");
    for key in ["turns", "scores", "init", "ruling"] {
        assert_eq!(back["public"][key], replay["public"][key], "{key}");
    }
    dir.run("replay verify back.json").succeeded();
    assert_eq!(dir.names(), ["back.json", "log.json", "played.json"]);
}

#[test]
fn a_match_log_is_what_a_judge_would_take() {
    let dir = TestDir::new();
    // Botzone's judge always has a limit of 100 turns.
    let replay = dir.play("random random greedy greedy --seed 4");
    dir.run("replay convert played.json log.json").succeeded();
    let log = dir.replay("log.json");
    let answer = dir.run_with("judge --ruling sample", &json!({ "log": log["log"], "initdata": log["initdata"] }).to_string());
    // Without its last entry, the judge gives the same answer.
    assert_eq!(answer.succeeded().json(), log["log"].as_array().unwrap().last().unwrap()["output"]);
    let scores = log["log"].as_array().unwrap().last().unwrap()["output"]["display"]["result"].clone();
    assert_eq!(
        [0, 1, 2, 3].map(|seat: usize| scores[seat.to_string()].clone()),
        replay["public"]["scores"].as_array().unwrap()[..]
    );
}

#[test]
#[cfg(unix)]
fn every_kind_of_turn_survives_conversion() {
    let dir = TestDir::new();
    dir.write("map.json", &init_data(FIELD).to_string());
    // One bot prints nonsense, one crashes, one taunts and then moves into a wall, and one is left.
    dir.write("babbles.sh", "echo no");
    dir.write("crashes.sh", "exit 1");
    dir.write(
        "taunts.sh",
        r#"read -r q; case $q in
        *'"responses":[]'*) printf '%s\n' '{"response":{"action":1,"tauntText":"嘿 \"you\"\n"},"debug":{"a":[1,2.5,null]}}' ;;
        *) echo '{"response":{"action":0,"tauntText":"ouch"},"debug":"bye"}' ;;
        esac"#,
    );
    let replay =
        dir.play("'sh taunts.sh' 'sh babbles.sh' 'sh crashes.sh' greedy --map map.json --ruling prose --time-limit 60000");
    let kinds = [["OK", "ILLEGAL"].as_slice(), &["NJ"], &["RE"], &["OK", "OK"]];
    for (seat, kinds) in kinds.into_iter().enumerate() {
        assert_eq!(verdicts(&replay, seat), kinds);
    }
    dir.run("replay convert played.json log.json").succeeded();
    dir.run("replay convert log.json back.json --ruling prose").succeeded();
    let back = dir.replay("back.json");
    assert_eq!(turns(&back), turns(&replay));
    assert_eq!(back["public"]["scores"], replay["public"]["scores"]);
    assert_eq!(back["private"]["turns"][0][0]["debug"], json!({ "a": [1, 2.5, null] }));
    dir.run("replay verify back.json").succeeded();
}

#[test]
fn the_light_form_of_a_log_is_read() {
    let dir = TestDir::new();
    let replay = played(&dir);
    dir.run("replay convert played.json log.json").succeeded();
    let log = dir.replay("log.json");
    let light = |item: &Value| match item.get("output") {
        Some(output) => json!({ "output": { "display": output["display"] } }),
        None => item.clone(),
    };
    let items: Vec<Value> = log["log"].as_array().unwrap().iter().map(light).collect();
    dir.write("light.json", &json!({ "logs": items }).to_string());
    dir.run("replay convert light.json back.json").succeeded();
    assert_eq!(turns(&dir.replay("back.json")), turns(&replay));
}

#[test]
fn an_abandoned_match_is_converted() {
    let dir = TestDir::new();
    let mut replay = played(&dir);
    replay["public"]["turns"].as_array_mut().unwrap().truncate(5);
    replay["public"]["scores"] = Value::Null;
    dir.write("abandoned.json", &replay.to_string());
    dir.run("replay verify abandoned.json").succeeded();
    dir.run("replay convert abandoned.json log.json").succeeded();
    dir.run("replay convert log.json back.json").succeeded();
    let back = dir.replay("back.json");
    assert_eq!((turns(&back), &back["public"]["scores"]), (turns(&replay), &Value::Null));
}

#[test]
fn conversion_through_pipes() {
    let dir = TestDir::new();
    let replay = played(&dir);
    let log = dir.run_with("replay convert - -", &dir.read("played.json")).succeeded();
    let back = dir.run_with("replay convert - -", &log.stdout).succeeded();
    assert_eq!(turns(&json(&back.stdout)), turns(&replay));
    assert!(public_part(&back.stdout).contains("\"turns\":["));
}

#[test]
fn garbage_is_not_converted() {
    let dir = TestDir::new();
    let mut lies = {
        played(&dir);
        dir.run("replay convert played.json log.json").succeeded();
        dir.replay("log.json")
    };
    lies["log"][4]["output"]["display"]["trace"]["strengthDelta"] = json!([9, 9, 9, 9]);
    std::fs::remove_file(dir.path("log.json")).unwrap();
    for (text, words) in [
        ("no JSON", "not JSON: "),
        ("{}", "expected a replay, "),
        (r#"{"log": []}"#, "expected a replay, "),
        (r#"{"log": [{}]}"#, "expected a match log with the map of the match"),
        (&lies.to_string(), "turn 2: by the rules strengths change by ["),
    ] {
        dir.write("it.json", text);
        dir.run("replay convert it.json out.json").refused(&["it.json: ", words]);
    }
    // Both the change by the rules and that in the log are named.
    dir.run("replay convert it.json out.json").refused(&["in the log by [9,9,9,9]"]);
    assert_eq!(dir.names(), ["it.json", "played.json"]);
}

#[test]
fn an_invalid_output_path_is_rejected() {
    let dir = TestDir::new();
    played(&dir);
    dir.run("replay convert played.json no/such/place.json").refused(&["no/such/place.json: "]);
}

#[test]
#[cfg(unix)]
fn a_replay_contains_the_input_of_a_bot() {
    let dir = TestDir::new();
    // The bot repeats its input, answers with more than an action, and stores data.
    let script = r#"
        read -r line
        printf %s "$line" >&2
        data=$(printf %s "$line" | sed 's/.*"data":"\([^"]*\)".*/\1/')
        echo '{"response":{"action":-1,"plan":[1,2]},"data":"'"$data"'x"}'"#;
    dir.write("bot.sh", script);
    let replay = dir.play("'sh bot.sh' greedy greedy greedy --seed 5 --turns 4");
    let kept = &replay["private"]["turns"][2][0];
    assert_eq!((&kept["response"], &kept["data"]), (&json!({ "action": -1, "plan": [1, 2] }), &json!("xxx")));
    let film = pacman2_timeline::Timeline::open(&dir.read("played.json")).unwrap();
    for turn in 0..4 {
        let output = film.position_text(turn, pacman2_timeline::TextForm::Input, pacman2_rules::Seat::S0).unwrap();
        assert_eq!(json(&output), json(diagnostics(&replay, 0)[turn]["stderr"].as_str().unwrap()), "turn {turn}");
    }
}
