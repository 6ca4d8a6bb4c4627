//! `pacman2 map`: prints maps in three forms, and checks custom maps.

use crate::common::{FIELD, TestDir, init_data, json};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Ruleset, picture};
use serde_json::json;

fn generate(seed: i32, size: MapSize) -> Map {
    Map::generate(seed, size, Ruleset::default()).unwrap()
}

#[test]
fn json_reads_back_as_the_map() {
    let dir = TestDir::new();
    for seed in [0, 1, 42, i32::MAX] {
        let result = dir.run(&format!("map --seed {seed} --json")).succeeded();
        assert_eq!((result.stdout.lines().count(), result.stderr.as_str()), (1, ""));
        let (map, warnings) = pacman2_botzone::init_data::read(&result.json(), 7, Ruleset::default()).unwrap();
        assert_eq!((map, warnings), (generate(seed, MapSize::default()), vec![]));
    }
}

/// As a bot that keeps running reads it, and as authors keep it.
#[test]
fn a_bots_input_may_have_further_lines() {
    let dir = TestDir::new();
    let input = json!({ "requests": [{ "id": 2, "seed": 42 }], "responses": [] });
    let shown = dir.run("map --seed 42 --json").succeeded().stdout;
    for more in ["", "\r\n\n", "\n{\"0\": {\"action\": -1}}\n", "\n{\"response\": {\"action\": 1}}\n"] {
        dir.write("input.txt", &format!("\n{input}{more}"));
        assert_eq!(dir.run("map --map input.txt --json").succeeded().stdout, shown, "{more}");
    }
}

#[test]
fn a_size_can_be_chosen() {
    let map = TestDir::new().run("map --seed 42 --size 8x9 --json").succeeded().json();
    assert_eq!(map, pacman2_botzone::init_data::write(&generate(42, MapSize { width: Some(8), height: Some(9) })));
}

#[test]
fn a_picture_reads_back_as_the_map() {
    let text = TestDir::new().run("map --seed 42").succeeded().stdout;
    let map = generate(42, MapSize::default());
    assert_eq!(picture::read(&text).unwrap(), (map.maze, map.start));
}

#[test]
fn the_text_of_the_sample_program_is_printed_if_asked() {
    let text = TestDir::new().run("map --seed 42 --sample").succeeded().stdout;
    let map = generate(42, MapSize::default());
    assert_eq!(text, picture::debug_print(&map.maze, &map.start));
    assert!(text.starts_with("回合号【0】存活人数【4】| 图例 产生器[G]"), "{text}");
}

#[test]
fn a_custom_map_is_shown() {
    let dir = TestDir::new();
    let mut map = init_data(FIELD);
    map["SKILL_COST"] = json!(7);
    dir.write("map.json", &map.to_string());
    let text = dir.run("map --map map.json").succeeded().stdout;
    assert!(text.starts_with("turn 0/100, fruit in 20/20, light 7, "), "{text}");
    assert_eq!(dir.run("map --map map.json --json").succeeded().json(), map);
    assert_eq!(dir.run_with("map --map - --json", &map.to_string()).succeeded().json(), map);
}

#[test]
fn a_map_is_taken_from_a_bots_input() {
    let dir = TestDir::new();
    let mut request = init_data(FIELD);
    request["id"] = json!(3);
    dir.write("input.json", &json!({ "requests": [request] }).to_string());
    assert_eq!(dir.run("map --map input.json --json").succeeded().json(), init_data(FIELD));
}

#[test]
fn a_seed_option_overrides_the_seed_of_a_map() {
    let dir = TestDir::new();
    dir.write("settings.json", r#"{"seed": 5, "SKILL_COST": 2}"#);
    let map = dir.run("map --map settings.json --seed 6 --json").succeeded().json();
    assert_eq!((&map["seed"], &map["SKILL_COST"]), (&json!(6), &json!(2)));
    assert_eq!(map["static"], dir.run("map --seed 6 --json").succeeded().json()["static"]);
}

/// All errors are reported at once, so that they can be fixed together.
#[test]
fn all_errors_of_a_map_are_reported_at_once() {
    let dir = TestDir::new();
    let mut map = init_data(FIELD);
    map["width"] = json!(12);
    map["SKILL_COST"] = json!(-1);
    map["GENERATOR_INTERVAL"] = json!("often");
    map["content"][0][0] = json!(64);
    map["static"][2] = json!([0, 0]);
    dir.write("map.json", &map.to_string());
    let reasons = [
        "map.json: ",
        "width must be a whole number between 6 and 11, got 12",
        "SKILL_COST must be a whole number between 0 and 10000, got -1",
        "GENERATOR_INTERVAL must be a whole number between 1 and 10000, got a string",
        "content at row 0, column 0 must be a whole number between 0 and 63, got 64",
    ];
    dir.run("map --map map.json --json").refused(&reasons);
    dir.run("match greedy greedy greedy greedy --map map.json").refused(&reasons);
    dir.run("bench --map map.json").refused(&reasons);

    let mut map = init_data(FIELD);
    map["static"][2] = json!([0, 0]);
    map["content"][0][0] = json!(0);
    map["content"][1][1] = json!(8);
    dir.write("map.json", &map.to_string());
    dir.run("map --map map.json").refused(&[
        "static row 2 must have 6 numbers, as the width says, got 2",
        "player 0 (1) on exactly one cell, got 0",
        "player 3 (8) on exactly one cell, got 2",
    ]);
}

#[test]
fn odd_values_are_warnings() {
    let dir = TestDir::new();
    let mut map = init_data(FIELD);
    map["static"][1][1] = json!(2);
    map["static"][3][3] = json!(16);
    map["colour"] = json!("red");
    dir.write("map.json", &map.to_string());
    let result = dir.run("map --map map.json --json").succeeded();
    assert_eq!(json(&result.stdout)["static"], map["static"]);
    for words in [
        "the map is not symmetric along both axes",
        "a wall stops only one direction: row 1, column 2",
        "a generator is not walled in: row 3, column 3",
        "init data has no key \"colour\"; it is ignored",
    ] {
        assert!(
            result.stderr.contains(&format!("pacman2: warning: map.json: {words}\n")),
            "\"{words}\" is not in: {}",
            result.stderr
        );
    }
    assert_eq!(result.stderr.lines().count(), 4, "{}", result.stderr);
}

#[test]
fn warnings_with_escape_sequences_are_harmless() {
    let dir = TestDir::new();
    dir.write("map.json", "{\"seed\": 1, \"\\u001b]0;owned\\u0007\": 1}");
    let result = dir.run("map --map map.json --json").succeeded();
    assert!(result.stderr.contains("owned") && !result.stderr.contains('\x1b') && !result.stderr.contains('\x07'), "{result:?}");
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    dir.run("map").misused(&["--seed", "--map"]);
    dir.run("map --seed x").misused(&["'x'", "--seed"]);
    for seed in ["-2147483649", "4294967296"] {
        dir.run(&format!("map --seed {seed}")).misused(&[seed, "--seed", "4294967295"]);
    }
    for size in ["5x6", "12x6", "6", "6x", "axb"] {
        dir.run(&format!("map --seed 1 --size {size}")).misused(&[size, "expected columns x rows, 6 to 11 each, such as 9x8"]);
    }
    dir.run("map --seed 1 --json --sample").misused(&["--json", "--sample"]);
    dir.run("map --map nowhere.json").refused(&["nowhere.json: "]);
    dir.write("map.json", "no JSON");
    dir.run("map --map map.json").refused(&["map.json: not JSON: "]);
    dir.write("map.json", "[]");
    dir.run("map --map map.json").refused(&["map.json: init data must be a JSON object, got a list"]);
}
