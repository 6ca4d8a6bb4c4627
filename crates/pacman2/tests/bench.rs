//! `pacman2 bench`: what it prints. How fast it is, no test says.

mod common;

use common::{FIELD, Place, has_sandbox_for, init_data};
use serde_json::json;

/// It changes when a random game ends in another way: with the rules, or with how chance is drawn in playouts.
const CHECKSUM: &str = "2eec6dc9c64bfcdb";

#[test]
fn for_machines_there_is_one_json_object() {
    let place = Place::new();
    for _ in 0..2 {
        let ran = place.run("bench --json --seconds 0.05").succeeded();
        assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""));
        let told = ran.json();
        assert_eq!(told["checksum"], CHECKSUM);
        let speed = |key: &str| told["scalar"][key].as_f64().unwrap();
        if has_sandbox_for("what the sandbox adds to a start") {
            let sandbox = &told["sandbox"];
            assert_eq!(sandbox["tier"], place.run("doctor --json").json()["tier"]);
            assert!(sandbox["start_ms"].as_f64() > Some(0.0) && sandbox["added_ms"].is_f64(), "{sandbox}");
        }
        assert!(0.0 < speed("playouts_per_second") && speed("playouts_per_second") < speed("turns_per_second"));
    }
}

#[test]
fn for_people_it_says_the_same() {
    let ran = Place::new().run("bench --seconds 0.05").succeeded();
    assert!(ran.stdout.contains(" games a second on one thread\n"), "{ran:?}");
    assert!(ran.stdout.ends_with(&format!("checksum of 1000 games: {CHECKSUM}\n")), "{ran:?}");
}

#[test]
fn another_map_has_another_checksum() {
    let place = Place::new();
    place.write("map.json", &init_data(FIELD).to_string());
    place.write("one.json", r#"{"seed": 1}"#);
    let checksum =
        |map: &str| place.run(&format!("bench --json --seconds 0.01 --map {map}")).succeeded().json()["checksum"].clone();
    assert_eq!(checksum("one.json"), json!(CHECKSUM));
    assert_ne!(checksum("map.json"), json!(CHECKSUM));
}

#[test]
fn other_input_is_refused() {
    let place = Place::new();
    for seconds in ["0", "-1", "x", "inf", "NaN", "3601"] {
        place.run(&format!("bench --seconds={seconds}")).misused(&[seconds, "a number from 0.01 to 3600 is wanted"]);
    }
    place.run("bench --map nowhere.json").refused(&["nowhere.json: "]);
}
