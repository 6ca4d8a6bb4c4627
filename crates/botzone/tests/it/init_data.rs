//! Init data: maps in JSON, written and read.

use crate::support::{CLOCK, FIELD, map, random_map};
use pacman2_botzone::init_data::{self, InitDataWarning};
use pacman2_botzone::problem::{self, Problem};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{ForfeitRuling, Ruleset, Setting};
use serde_json::{Value, json};

#[test]
fn a_map_is_written_and_read() {
    for map in [map(FIELD), random_map(-5)] {
        assert_eq!(read(&init_data::write(&map)), map);
    }
}

#[test]
fn other_settings_are_written_and_read() {
    let settings = Ruleset {
        generator_interval: 3,
        large_fruit_duration: 0,
        large_fruit_enhancement: 7,
        skill_cost: 5,
        turn_limit: 9,
        ..Ruleset::default()
    };
    let map = Map::generate(1, MapSize::default(), settings).expect("these settings are possible");
    assert_eq!(read(&init_data::write(&map)), map);
}

#[test]
fn the_turn_limit_is_written_only_where_it_is_not_botzones() {
    assert_eq!(init_data::write(&random_map(1)).get("MAX_TURN"), None);
}

#[test]
fn the_ruling_is_not_part_of_init_data() {
    let value = init_data::write(&random_map(1));
    let (map, _) =
        init_data::read(&value, CLOCK, Ruleset::default().with_forfeit_ruling(ForfeitRuling::Prose)).expect("the map is sound");
    assert_eq!(map.maze.ruleset().forfeit_ruling, ForfeitRuling::Prose);
    assert_eq!(init_data::write(&map), value);
}

#[test]
fn a_seed_is_enough_and_even_it_may_be_missing() {
    assert_eq!(read(&json!({ "seed": 12 })), random_map(12));
    assert_eq!(read(&json!({})), random_map(CLOCK));
}

#[test]
fn whole_numbers_may_be_written_as_fractions() {
    assert_eq!(read(&json!({ "seed": 12.0 })), random_map(12));
}

#[test]
fn unknown_keys_are_ignored_with_a_warning() {
    let value = json!({ "seed": 12, "id": 3, "SKILL_COSTS": 5, "Width": 7 });
    let (map, warnings) = init_data::read(&value, CLOCK, Ruleset::default()).expect("the seed is sound");
    assert_eq!(map, random_map(12));
    assert_eq!(
        words(&warnings),
        ["init data has no key \"SKILL_COSTS\"; it is ignored", "init data has no key \"Width\"; it is ignored"]
    );
}

#[test]
fn odd_maps_are_read_with_warnings() {
    let mut value = init_data::write(&random_map(1));
    value["content"][0][0] = json!(48);
    let (_, warnings) = init_data::read(&value, CLOCK, Ruleset::default()).expect("fruit may lie anywhere");
    assert_eq!(
        words(&warnings),
        ["the map is not symmetric along both axes", "both kinds of fruit share a cell: row 0, column 0"]
    );
    let codes: Vec<_> = warnings.iter().map(|warning| Problem::from(warning).to_json()).collect();
    let both = json!({ "code": "both-fruits", "params": { "row": 0, "col": 0, "more": 0 } });
    assert_eq!(codes, [json!({ "code": "asymmetric", "params": {} }), both]);
}

fn words(warnings: &[InitDataWarning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn the_reasons_to_reject_a_map_have_codes() {
    let mut value = init_data::write(&random_map(1));
    value["static"][1][2] = json!("wall");
    value["content"].as_array_mut().unwrap().pop();
    value["seed"] = json!(1.5);
    let error = init_data::read(&value, CLOCK, Ruleset::default()).expect_err("three values are wrong");
    let height = value["height"].as_u64().unwrap();
    let codes: Vec<_> = problem::from_map(&error).iter().map(Problem::to_json).collect();
    let seed = json!({ "name": "seed", "min": i32::MIN, "max": u32::MAX, "got": "1.5" });
    let expected = [
        json!({ "code": "map-number", "params": seed }),
        json!({ "code": "map-cell", "params": { "matrix": "static", "row": 1, "col": 2, "max": 31, "got": "string" } }),
        json!({ "code": "map-row-count", "params": { "matrix": "content", "expected": height, "got": height - 1 } }),
    ];
    assert_eq!(codes, expected);
}

#[test]
fn anything_but_an_object_is_rejected() {
    for (value, name) in [(json!([]), "a list"), (json!("{}"), "a string"), (json!(null), "null"), (json!(1.5), "1.5")] {
        check_rejected(&value, &[&format!("init data must be a JSON object, got {name}")]);
    }
}

#[test]
fn every_value_that_is_not_a_number_is_named() {
    check_rejected(
        &json!({
            "seed": 1e300,
            "width": null,
            "height": true,
            "GENERATOR_INTERVAL": "5",
            "LARGE_FRUIT_DURATION": [5],
            "LARGE_FRUIT_ENHANCEMENT": {},
            "SKILL_COST": 1.5,
            "MAX_TURN": 18_446_744_073_709_551_615_u64,
        }),
        &[
            "seed must be a whole number between -2147483648 and 4294967295, got 1e+300",
            "GENERATOR_INTERVAL must be a whole number between 1 and 10000, got a string",
            "LARGE_FRUIT_DURATION must be a whole number between 0 and 10000, got a list",
            "LARGE_FRUIT_ENHANCEMENT must be a whole number between 0 and 10000, got an object",
            "SKILL_COST must be a whole number between 0 and 10000, got 1.5",
            "MAX_TURN must be a whole number between 1 and 10000, got 18446744073709551615",
            "width must be a whole number between 6 and 11, got null",
            "height must be a whole number between 6 and 11, got true",
        ],
    );
}

#[test]
fn the_protocol_page_lists_every_setting_with_its_default_and_least_value() {
    for page in [include_str!("../../../../docs/PROTOCOL.md"), include_str!("../../../../docs/PROTOCOL.zh.md")] {
        for setting in Setting::ALL {
            let (default, least) = (Ruleset::BOTZONE.get(setting), *setting.range().start());
            let begin = format!("| `{}` | {default} | {least} ", setting.json_key());
            assert!(page.contains(&begin), "expected {begin:?} in the table of init data");
        }
    }
}

#[track_caller]
fn read(value: &Value) -> Map {
    let (map, warnings) = init_data::read(value, CLOCK, Ruleset::default()).unwrap_or_else(|error| panic!("{error}"));
    // The field of the tests is not symmetric.
    assert!(warnings.len() <= 1, "{warnings:?}");
    map
}

#[track_caller]
fn check_rejected(value: &Value, reasons: &[&str]) {
    let error = init_data::read(value, CLOCK, Ruleset::default()).expect_err("the init data must be rejected");
    assert_eq!(error.reasons().iter().map(ToString::to_string).collect::<Vec<_>>(), reasons);
}
