//! `pacman2 play` between built-in bots: what is played, shown and written.

use crate::common::{FIELD, TestDir, built_in, has, init_data, json, public_part, turns, verdicts};
use serde_json::{Value, json};

#[test]
fn four_built_in_bots_play_a_match() {
    let dir = TestDir::new();
    let result = dir.run("match sample greedy greedy random --seed 3 --size 6x6 --replay match.json").succeeded();
    assert_eq!(verdicts(&dir.replay("match.json"), 1)[..3], ["OK"; 3]);
    for words in ["0  sample ", "1  greedy ", "2  greedy ", "3  random ", "seed 3, ", " turns, replay match.json"] {
        assert!(result.stdout.contains(words), "\"{words}\" is not in: {}", result.stdout);
    }
    let verified = dir.run("replay verify match.json").succeeded();
    assert!(verified.stdout.contains("all follow the rules"), "{verified:?}");
}

// The same match again.

const MATCH: &str = "match greedy random greedy random --seed 5 --size 8x7 --turns 30 --replay";

#[test]
fn the_same_seed_is_the_same_match_byte_for_byte() {
    let dir = TestDir::new();
    for name in ["one.json", "two.json"] {
        dir.run(&format!("{MATCH} {name}")).succeeded();
    }
    assert_eq!(public_part(&dir.read("one.json")), public_part(&dir.read("two.json")));
}

#[test]
fn another_seed_is_another_match() {
    let dir = TestDir::new();
    let one = dir.play("greedy random greedy random --seed 5 --size 8x7 --turns 5");
    let two = dir.play("greedy random greedy random --seed 6 --size 8x7 --turns 5");
    assert_ne!(one["public"]["turns"], two["public"]["turns"]);
}

/// Plays the match in another way and asserts that the turns are the same.
#[track_caller]
fn check_same_turns(bots: [&str; 4], options: &str) {
    let dir = TestDir::new();
    dir.run(&format!("{MATCH} within.json")).succeeded();
    let line = format!("{} --seed 5 --size 8x7 --turns 30 --time-limit 60000 {options}", bots.join(" "));
    assert_eq!(turns(&dir.play(&line)), turns(&dir.replay("within.json")));
}

#[test]
fn built_in_bots_play_the_same_as_processes() {
    check_same_turns(["greedy", "random", "greedy", "random"], "--as-process");
}

#[test]
fn built_in_bots_play_the_same_as_other_programs() {
    check_same_turns([&built_in("greedy"), &built_in("random"), "greedy", "random"], "");
}

#[test]
fn built_in_bots_play_the_same_when_they_keep_running() {
    let (greedy, random) = (built_in("greedy --keep-running"), built_in("random --keep-running"));
    check_same_turns([&greedy, &random, &greedy, &random], "");
}

#[test]
fn built_in_bots_play_the_same_one_by_one() {
    check_same_turns(["greedy", "random", "greedy", "random"], "--one-by-one");
    check_same_turns(["greedy", &built_in("random"), &built_in("greedy"), "random"], "--one-by-one");
}

#[test]
fn sample_plays_the_same_in_process_and_as_a_process() {
    let dir = TestDir::new();
    let within = dir.play("sample greedy sample random --seed 11 --turns 6");
    assert_eq!(turns(&within), turns(&dir.play("sample greedy sample random --seed 11 --turns 6")));
    let outside = dir.play("sample greedy sample random --seed 11 --turns 6 --as-process --time-limit 60000");
    assert_eq!(turns(&within), turns(&outside));
}

#[test]
fn a_random_seed_is_printed_and_gives_the_same_match() {
    let dir = TestDir::new();
    let summary = dir.run("match greedy greedy greedy random --turns 10 --json --replay drawn.json").succeeded().json();
    dir.run(&format!("match greedy greedy greedy random --turns 10 --seed {} --replay given.json", summary["seed"])).succeeded();
    assert_eq!(public_part(&dir.read("drawn.json")), public_part(&dir.read("given.json")));
}

// Options.

#[test]
fn a_seed_option_overrides_the_seed_of_a_map() {
    let dir = TestDir::new();
    dir.write("settings.json", r#"{"seed": 9}"#);
    let init = &dir.play("greedy greedy greedy greedy --map settings.json --seed 10 --turns 1")["public"]["init"];
    assert_eq!((&init["seed"], &init["static"]), (&json!(10), &dir.run("map --seed 10 --json").json()["static"]));
}

#[test]
fn turns_end_the_game() {
    let replay = TestDir::new().play("greedy greedy greedy greedy --seed 3 --turns 7");
    assert_eq!((turns(&replay).len(), &replay["public"]["init"]["MAX_TURN"]), (7, &json!(7)));
    assert!(replay["public"]["scores"].is_array());
}

#[test]
fn a_turns_option_overrides_the_limit_of_a_map() {
    let dir = TestDir::new();
    let mut map = init_data(FIELD);
    map["MAX_TURN"] = json!(50);
    dir.write("map.json", &map.to_string());
    assert_eq!(turns(&dir.play("greedy greedy greedy greedy --map map.json --turns 3")).len(), 3);
}

#[test]
fn a_size_is_columns_and_rows() {
    let replay = TestDir::new().play("greedy greedy greedy greedy --seed 3 --size 9x7 --turns 1");
    let init = &replay["public"]["init"];
    assert_eq!((&init["width"], &init["height"]), (&json!(9), &json!(7)));
    assert_eq!((init["static"].as_array().unwrap().len(), init["static"][0].as_array().unwrap().len()), (7, 9));
}

#[test]
fn a_map_is_read_from_a_file() {
    let dir = TestDir::new();
    dir.write("map.json", &init_data(FIELD).to_string());
    assert_eq!(
        dir.play("greedy greedy greedy greedy --map map.json --turns 2")["public"]["init"]["static"],
        init_data(FIELD)["static"]
    );
}

#[test]
fn a_map_is_read_from_a_bots_input() {
    let dir = TestDir::new();
    let mut request = init_data(FIELD);
    request["id"] = json!(2);
    let input = json!({ "requests": [request, { "0": { "action": -1 } }], "responses": [{ "action": 1 }], "data": "" });
    dir.write("input.json", &input.to_string());
    let result = dir.run("match greedy greedy greedy greedy --map input.json --turns 2 --replay played.json").succeeded();
    assert_eq!(dir.replay("played.json")["public"]["init"]["content"], init_data(FIELD)["content"]);
    assert!(!result.stderr.contains("\"id\""), "{result:?}");
}

#[test]
fn a_map_is_read_from_standard_input() {
    let dir = TestDir::new();
    // With a process among the bots, another process plays the match; it must read the input all the same.
    for bots in ["greedy greedy greedy greedy".to_owned(), format!("greedy greedy greedy {}", built_in("greedy"))] {
        let line = format!("match {bots} --map - --turns 1 --replay played.json --time-limit 60000");
        dir.run_with(&line, &init_data(FIELD).to_string()).succeeded();
        assert_eq!(dir.replay("played.json")["public"]["init"]["static"], init_data(FIELD)["static"]);
    }
}

#[test]
fn a_map_file_may_be_settings_and_a_seed() {
    let dir = TestDir::new();
    dir.write("settings.json", r#"{"seed": 9, "GENERATOR_INTERVAL": 2, "MAX_TURN": 4}"#);
    let init = &dir.play("greedy greedy greedy greedy --map settings.json")["public"]["init"];
    assert_eq!((&init["seed"], &init["GENERATOR_INTERVAL"]), (&json!(9), &json!(2)));
    assert_eq!(init["static"], dir.run("map --seed 9 --json").succeeded().json()["static"]);
}

#[test]
fn the_ruling_is_recorded() {
    let dir = TestDir::new();
    for ruling in ["sample", "judge", "prose"] {
        let replay = dir.play(&format!("greedy greedy greedy greedy --turns 1 --ruling {ruling}"));
        assert_eq!(replay["public"]["ruling"], ruling);
    }
    assert_eq!(dir.play("greedy greedy greedy greedy --turns 1")["public"]["ruling"], "sample");
}

#[test]
fn limits_are_recorded() {
    let dir = TestDir::new();
    let default = dir.play("greedy greedy greedy greedy --turns 1");
    assert_eq!(default["public"]["limits"], json!({ "time_ms": 1000, "memory_mb": 256, "output_bytes": 1_048_576 }));
    let chosen = dir.play("greedy greedy greedy greedy --turns 1 --time-limit 7 --memory-limit 8 --output-limit 9");
    assert_eq!(chosen["public"]["limits"], json!({ "time_ms": 7, "memory_mb": 8, "output_bytes": 9 }));
    let none = dir.play("greedy greedy greedy greedy --turns 1 --no-limits");
    assert_eq!(none["public"]["limits"], json!({ "time_ms": null, "memory_mb": null, "output_bytes": null }));
}

#[test]
#[cfg(unix)]
fn without_limits_a_bot_may_take_its_time() {
    let dir = TestDir::new();
    dir.write("slow.sh", r#"read -r question; sleep 1.3; echo '{"response":{"action":-1}}'"#);
    assert_eq!(verdicts(&dir.play("'sh slow.sh' greedy greedy greedy --turns 1 --no-limits"), 0), ["OK"]);
    assert_eq!(verdicts(&dir.play("'sh slow.sh' greedy greedy greedy --turns 1"), 0), ["TLE"]);
}

// What is written and shown.

#[test]
fn json_output() {
    let dir = TestDir::new();
    let result = dir.run("match random greedy sample greedy --seed 8 --turns 4 --json --replay r.json").succeeded();
    assert_eq!((result.stdout.lines().count(), result.stderr.as_str()), (1, ""));
    let summary = result.json();
    let replay = dir.replay("r.json");
    assert_eq!(
        (&summary["seed"], &summary["turns"], &summary["finished"], &summary["replay"]),
        (&json!(8), &json!(4), &json!(true), &json!("r.json"))
    );
    let names = ["random", "greedy", "sample", "greedy"];
    for (seat, name) in names.into_iter().enumerate() {
        let output = &summary["seats"][seat];
        assert_eq!((&output["name"], &output["last_verdict"], &output["fault"]), (&json!(name), &json!("OK"), &Value::Null));
        assert_eq!(output["program"], replay["public"]["seats"][seat]["program"]);
        assert_eq!(output["score"], replay["public"]["scores"][seat]);
        assert!(output["program"].as_str().unwrap().starts_with("built-in "));
        assert!((1..=4).contains(&output["place"].as_u64().unwrap()));
        assert!(output["slowest_ms"].is_u64() && output["sandbox"].is_null());
    }
}

#[test]
fn without_a_name_a_replay_goes_into_the_folder_replays() {
    let dir = TestDir::new();
    for played in 1..=2 {
        let result = dir.run("match greedy greedy greedy greedy --turns 2").succeeded();
        let (_, path) = result.stdout.trim_end().rsplit_once(", replay ").expect("the path of the replay");
        assert!(path.starts_with("replays") && path.ends_with(".json"), "{path}");
        assert_eq!(turns(&json(&dir.read(path))).len(), 2);
        assert_eq!(dir.read("replays/last.json"), dir.read(path));
        assert_eq!(std::fs::read_dir(dir.path("replays")).unwrap().count(), played + 1);
    }
    assert_eq!(dir.names(), ["replays"]);
}

#[test]
fn a_match_without_a_replay() {
    let dir = TestDir::new();
    let summary = dir.run("match greedy greedy greedy greedy --turns 2 --json --no-replay").succeeded().json();
    assert_eq!((&summary["replay"], dir.names()), (&Value::Null, vec![]));
}

#[test]
fn a_replay_replaces_the_one_before() {
    let dir = TestDir::new();
    dir.play("greedy greedy greedy greedy --turns 3");
    dir.play("greedy greedy greedy greedy --turns 2");
    assert_eq!((turns(&dir.replay("played.json")).len(), dir.names()), (2, vec!["played.json".to_owned()]));
}

/// Renaming a file to the name of a device would destroy the device.
#[test]
#[cfg(unix)]
fn a_replay_does_not_replace_a_device() {
    use std::os::unix::fs::FileTypeExt;
    TestDir::new().run("match greedy greedy greedy greedy --turns 2 --replay /dev/null").refused(&["/dev/null"]);
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
#[cfg(unix)]
fn a_replay_that_is_a_link_stays_one() {
    let dir = TestDir::new();
    dir.write("real.json", "");
    std::os::unix::fs::symlink("real.json", dir.path("played.json")).unwrap();
    dir.play("greedy greedy greedy greedy --turns 2");
    assert!(dir.path("played.json").is_symlink());
    assert_eq!(turns(&dir.replay("real.json")).len(), 2);
}

#[test]
fn without_a_terminal_there_are_plain_lines() {
    let dir = TestDir::new();
    let result = dir.run("match random random random random --seed 3").succeeded();
    assert!(!result.stdout.contains('\x1b') && !result.stdout.contains('\r'), "{}", result.stdout);
    // With these four bots, a player is always hit, eaten or dies.
    assert!(result.stdout.lines().any(|line| line.starts_with("turn ")), "{}", result.stdout);
}

#[test]
#[cfg(unix)]
fn on_a_terminal_the_board_is_redrawn() {
    let Some(screen) =
        crate::common::on_terminal(&TestDir::new(), 40, 120, "match greedy greedy greedy greedy --seed 3 --turns 4 --pace 0")
    else {
        return;
    };
    assert!(screen.contains("turn 4 of 4") && screen.contains("\x1b[13A"), "{screen}");
}

#[test]
#[cfg(unix)]
fn on_a_small_terminal_there_are_plain_lines() {
    let Some(screen) = crate::common::on_terminal(&TestDir::new(), 10, 40, "match random random random random --seed 3") else {
        return;
    };
    assert!(!screen.contains("\x1b[") && screen.contains("turn "), "{screen}");
}

/// A line that is wider than the window wraps, and then the next board is not drawn over this one.
#[test]
#[cfg(unix)]
fn the_text_beside_the_board_fits_the_window() {
    let dir = TestDir::new();
    // Chinese characters are two columns wide, also in names.
    let taunt = r#"{"response":{"action":-1,"tauntText":"今天天气真不错是不是"}}"#;
    dir.write("一个名字非常非常非常非常长的机器人.sh", &format!("read -r question; echo '{taunt}'"));
    let line = "match 'sh 一个名字非常非常非常非常长的机器人.sh' greedy greedy greedy --seed 3 --size 6x6 --turns 3 --pace 0 --time-limit 60000";
    let Some(screen) = crate::common::on_terminal(&dir, 40, 60, line) else { return };
    assert!(screen.contains("今天"), "{screen}");
    let drawn = screen.split("\x1b[13A").flat_map(|frame| frame.lines().take(13));
    // A message may precede the first board.
    for line in drawn.map(without_colours).filter(|line| !line.starts_with("pacman2: ")) {
        let columns: usize = line.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum();
        assert!(columns <= 60, "{columns} columns: {line}");
    }
}

#[cfg(unix)]
fn without_colours(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let mut text = parts.next().unwrap().to_owned();
    parts
        .for_each(|part| text.push_str(part.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..).unwrap_or_default()));
    text
}

/// A match of the wiki's sample program, which is not part of this repository.
#[test]
#[cfg(unix)]
fn the_wikis_sample_program_plays_four_seats_to_the_end() {
    let what = "the wiki's sample program plays a match";
    let Some(source) = std::env::var_os("PACMAN2_SAMPLE") else {
        return crate::common::report_skipped(what, "source named by PACMAN2_SAMPLE");
    };
    if !has("g++", what) || !crate::common::has_jsoncpp(what) {
        return;
    }
    let dir = TestDir::new();
    std::fs::copy(source, dir.path("sample.cpp")).expect("PACMAN2_SAMPLE names a file");
    let replay = dir.play("sample.cpp sample.cpp sample.cpp sample.cpp --seed 1 --size 6x6 --time-limit 60000");
    assert!(replay["public"]["scores"].is_array());
    for seat in 0..4 {
        let verdicts = verdicts(&replay, seat);
        assert!(!verdicts.is_empty() && verdicts.iter().all(|&verdict| verdict == "OK"), "{verdicts:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_terminal_shows_long_lines_broken_to_its_width() {
    let dir = TestDir::new();
    dir.run("arena init").succeeded();
    dir.run("arena add greedy hunter random").succeeded();
    dir.run("arena add greedy --name 李雷的程序").succeeded();
    dir.run("arena run --maps 1").succeeded();
    let whole = dir.run("arena games").succeeded().stdout;
    let Some(shown) = crate::common::on_terminal(&dir, 50, 60, "arena games") else { return };
    let lines = shown.lines().map(|line| line.chars().count());
    assert!(whole.lines().count() == 4 && shown.lines().count() > 4 && lines.max().unwrap() <= 60, "{shown}");
}
