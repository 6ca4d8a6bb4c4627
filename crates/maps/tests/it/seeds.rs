//! Generation of Botzone's maps through the public interface. The unit tests of `generate.rs` compare the maps with Botzone's.

use pacman2_maps::{Map, MapSize, SIDES};
use pacman2_rules::{Ruleset, picture};

#[test]
fn a_seed_is_a_map() {
    check_map(
        3,
        "
        +---+---+---+   +---+---+---+
        | G | . |           | . | G |
        +---+   +   +   +   +   +---+
        | 0 |   | o |   | o |   | 1 |
        +   +   +---+   +---+   +   +

        +---+   +   +---+   +   +---+

        +   +   +---+   +---+   +   +
        | 2 |   | o |   | o |   | 3 |
        +---+   +   +   +   +   +---+
        | G | . |           | . | G |
        +---+---+---+   +---+---+---+
        ",
    );
}

#[test]
fn seeds_0_and_1_are_the_same_map() {
    // As with glibc's srand. Only the number that bots receive differs.
    let (zero, one) = (generate(0), generate(1));
    assert_eq!((zero.seed, one.seed), (0, 1));
    assert_eq!((zero.maze, zero.start), (one.maze, one.start));
}

#[test]
fn each_seed_of_32_bits_is_a_map() {
    for seed in [i32::MAX, -1, i32::MIN] {
        let map = generate(seed);
        assert_eq!((map.seed, map.maze.generators().len()), (seed, 4));
    }
}

#[test]
fn the_same_seed_is_the_same_map() {
    assert_eq!(generate(2016), generate(2016));
    assert_ne!(generate(2016), generate(2017));
}

#[test]
fn sides_can_be_chosen() {
    for width in SIDES {
        for height in SIDES {
            let size = MapSize { width: Some(width), height: Some(height) };
            let map = Map::generate(2016, size, Ruleset::default()).expect("all sides are valid");
            assert_eq!((map.maze.width(), map.maze.height()), (width, height));
        }
    }
}

#[test]
fn one_side_can_be_chosen_and_the_other_is_drawn() {
    let drawn = generate(3);
    assert_eq!((drawn.maze.width(), drawn.maze.height()), (7, 6));
    let chosen = Map::generate(3, MapSize { width: Some(9), height: None }, Ruleset::default()).expect("9 is valid");
    assert_eq!((chosen.maze.width(), chosen.maze.height()), (9, 6));
}

#[test]
fn choosing_the_drawn_sides_changes_nothing() {
    let size = MapSize { width: Some(7), height: Some(6) };
    assert_eq!(Map::generate(3, size, Ruleset::default()), Ok(generate(3)));
}

#[test]
fn both_invalid_sides_are_reported() {
    check_rejected(
        MapSize { width: Some(5), height: Some(12) },
        Ruleset::default(),
        &["width must be a whole number between 6 and 11, got 5", "height must be a whole number between 6 and 11, got 12"],
    );
}

#[test]
fn settings_are_kept() {
    let settings = Ruleset { generator_interval: 7, skill_cost: 3, ..Ruleset::default() };
    let map = Map::generate(1, MapSize::default(), settings).expect("the settings are valid");
    assert_eq!(*map.maze.ruleset(), settings);
    assert_eq!(map.start.generator_turns_left, 7);
}

#[test]
fn invalid_settings_are_rejected() {
    check_rejected(
        MapSize::default(),
        Ruleset { generator_interval: 0, skill_cost: -1, ..Ruleset::default() },
        &["generator_interval must be between 1 and 10000, got 0", "skill_cost must be between 0 and 10000, got -1"],
    );
}

fn generate(seed: i32) -> Map {
    Map::generate(seed, MapSize::default(), Ruleset::default()).expect("every seed is valid")
}

#[track_caller]
fn check_map(seed: i32, drawn: &str) {
    let map = generate(seed);
    let (maze, start) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}"));
    let got = picture::write(&map.maze, &map.start);
    assert!(map.maze == maze && map.start == start, "\nwanted:\n{}\ngot:\n{got}", picture::write(&maze, &start));
}

#[track_caller]
fn check_rejected(size: MapSize, settings: Ruleset, reasons: &[&str]) {
    let error = Map::generate(1, size, settings).expect_err("size or settings are invalid");
    assert_eq!(error.reasons().iter().map(ToString::to_string).collect::<Vec<_>>(), reasons);
}
