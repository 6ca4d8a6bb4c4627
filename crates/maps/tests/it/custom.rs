//! Validation of custom maps: each reason to reject one.
//!
//! A test changes something in a valid map and compares the reasons with sentences.

use pacman2_maps::{CustomMap, Map, MapError, MapSize, MapWarning, RawValue, SIDES, content_bits, static_bits};
use pacman2_rules::{Cell, ForfeitRuling, Maze, Ruleset, Setting, State, picture};
use proptest::array::{uniform4, uniform6, uniform8};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A valid map without warnings.
pub(crate) const VALID: &str = "
    +---+---+---+---+---+---+
    | 0   .           .   1 |
    +   +---+   +   +---+   +
    |   | G | o   o | G |   |
    +   +---+   +   +---+   +
    |                       |
    +   +   +   +   +   +   +
    |                       |
    +   +---+   +   +---+   +
    |   | G | o   o | G |   |
    +   +---+   +   +---+   +
    | 2   .           .   3 |
    +---+---+---+---+---+---+
";

#[test]
fn a_valid_map_has_no_warnings() {
    check_valid(VALID, &[]);
}

// Numbers.

#[test]
fn sides_are_6_to_11() {
    check_rejected(
        CustomMap { width: RawValue::Integer(5), height: RawValue::Integer(12), ..CustomMap::default() },
        &["width must be a whole number between 6 and 11, got 5", "height must be a whole number between 6 and 11, got 12"],
    );
}

#[test]
fn a_seed_has_32_bits() {
    let seed = |seed| CustomMap { seed: RawValue::Integer(seed), ..CustomMap::default() };
    for possible in [i64::from(i32::MIN), i64::from(i32::MAX)] {
        let (map, _) = validate(&seed(possible)).expect("the seed is valid");
        assert_eq!(i64::from(map.seed), possible);
    }
    check_rejected(seed(1 << 32), &["seed must be a whole number between -2147483648 and 4294967295, got 4294967296"]);
}

#[test]
fn each_setting_has_its_range() {
    check_rejected(
        CustomMap { settings: [0, -1, 10_001, i64::MIN, 0].map(RawValue::Integer), ..valid() },
        &[
            "GENERATOR_INTERVAL must be a whole number between 1 and 10000, got 0",
            "LARGE_FRUIT_DURATION must be a whole number between 0 and 10000, got -1",
            "LARGE_FRUIT_ENHANCEMENT must be a whole number between 0 and 10000, got 10001",
            "SKILL_COST must be a whole number between 0 and 10000, got -9223372036854775808",
            "MAX_TURN must be a whole number between 1 and 10000, got 0",
        ],
    );
}

#[test]
fn the_ends_of_each_range_are_possible() {
    for (least, most) in [(0, 1), (10_000, 10_000)] {
        let custom = CustomMap { settings: [most, least, least, least, most].map(RawValue::Integer), ..valid() };
        let (map, _) = validate(&custom).expect("the settings are valid");
        let want = Ruleset {
            generator_interval: most as u32,
            large_fruit_duration: least as u32,
            large_fruit_enhancement: least as i32,
            skill_cost: least as i32,
            turn_limit: most as u32,
            ..Ruleset::default()
        };
        assert_eq!(*map.maze.ruleset(), want);
    }
}

#[test]
fn settings_are_whole_numbers() {
    check_rejected(
        CustomMap {
            settings: [RawValue::Missing, RawValue::List(Vec::new()), RawValue::Missing, decimal("1.5"), RawValue::Text],
            ..valid()
        },
        &[
            "LARGE_FRUIT_DURATION must be a whole number between 0 and 10000, got a list",
            "SKILL_COST must be a whole number between 0 and 10000, got 1.5",
            "MAX_TURN must be a whole number between 1 and 10000, got a string",
        ],
    );
}

#[test]
fn missing_values_have_botzones_defaults() {
    let (map, _) = CustomMap::default()
        .validate(SEED, Ruleset::default().with_forfeit_ruling(ForfeitRuling::Prose))
        .expect("an empty object is valid");
    let settings = Ruleset { forfeit_ruling: ForfeitRuling::Prose, ..Ruleset::default() };
    assert_eq!(Map::generate(SEED, MapSize::default(), settings), Ok(map));
}

#[test]
fn without_matrices_sides_can_be_chosen() {
    let (map, _) = validate(&CustomMap { width: RawValue::Integer(11), ..CustomMap::default() }).expect("11 is valid");
    let size = MapSize { width: Some(11), height: None };
    assert_eq!(Map::generate(SEED, size, Ruleset::default()), Ok(map));
}

// Matrices.

#[test]
fn matrices_need_both_sides() {
    check_rejected(
        CustomMap { width: RawValue::Missing, height: RawValue::Missing, ..valid() },
        &[
            "width is missing; expected a whole number between 6 and 11 beside static and content",
            "height is missing; expected a whole number between 6 and 11 beside static and content",
        ],
    );
}

#[test]
fn static_and_content_need_each_other() {
    check_rejected(CustomMap { content: RawValue::Missing, ..valid() }, &["content must be a list of rows, got nothing"]);
    check_rejected(CustomMap { walls: RawValue::Missing, ..valid() }, &["static must be a list of rows, got nothing"]);
}

#[test]
fn matrices_are_lists_of_lists() {
    let mut content = valid().content;
    list(&mut content)[2] = RawValue::Integer(0);
    check_rejected(
        CustomMap { walls: RawValue::Text, content, ..valid() },
        &["static must be a list of rows, got a string", "content row 2 must be a list of numbers, got 0"],
    );
}

#[test]
fn the_number_of_rows_is_the_height() {
    let mut custom = valid();
    list(&mut custom.walls).pop();
    list(&mut custom.content).push(RawValue::List(Vec::new()));
    check_rejected(
        custom,
        &[
            "static must have 6 rows, as the height says, got 5",
            "content must have 6 rows, as the height says, got 7",
            "content row 6 must have 6 numbers, as the width says, got 0",
        ],
    );
}

#[test]
fn the_length_of_rows_is_the_width() {
    let mut custom = valid();
    row(&mut custom.walls, 0).pop();
    row(&mut custom.content, 5).push(RawValue::Integer(0));
    row(&mut custom.content, 4).clear();
    check_rejected(
        custom,
        &[
            "static row 0 must have 6 numbers, as the width says, got 5",
            "content row 4 must have 6 numbers, as the width says, got 0",
            "content row 5 must have 6 numbers, as the width says, got 7",
        ],
    );
}

#[test]
fn a_matrix_of_other_sides_is_rejected() {
    // The same number of cells, in longer rows.
    let mut custom = valid();
    let numbers = vec![RawValue::Integer(0); 36];
    custom.walls = RawValue::List(numbers.chunks(9).map(|row| RawValue::List(row.to_vec())).collect());
    check_rejected(
        custom,
        &[
            "static must have 6 rows, as the height says, got 4",
            "static row 0 must have 6 numbers, as the width says, got 9",
            "static row 1 must have 6 numbers, as the width says, got 9",
            "static row 2 must have 6 numbers, as the width says, got 9",
            "static row 3 must have 6 numbers, as the width says, got 9",
        ],
    );
}

#[test]
fn cells_are_numbers() {
    let mut custom = valid();
    *cell(&mut custom.walls, (1, 2)) = RawValue::Null;
    *cell(&mut custom.content, (3, 4)) = decimal("0.5");
    *cell(&mut custom.content, (3, 5)) = RawValue::List(Vec::new());
    check_rejected(
        custom,
        &[
            "static at row 1, column 2 must be a whole number between 0 and 31, got null",
            "content at row 3, column 4 must be a whole number between 0 and 63, got 0.5",
            "content at row 3, column 5 must be a whole number between 0 and 63, got a list",
        ],
    );
}

#[test]
fn cells_have_no_unknown_bits() {
    let mut custom = valid();
    *cell(&mut custom.walls, (0, 0)) = RawValue::Integer(32);
    *cell(&mut custom.walls, (0, 1)) = RawValue::Integer(-1);
    *cell(&mut custom.content, (5, 5)) = RawValue::Integer(64 + 8);
    check_rejected(
        custom,
        &[
            "static at row 0, column 0 must be a whole number between 0 and 31, got 32",
            "static at row 0, column 1 must be a whole number between 0 and 31, got -1",
            "content at row 5, column 5 must be a whole number between 0 and 63, got 72",
        ],
    );
}

#[test]
fn each_player_is_on_one_cell() {
    let mut custom = valid();
    *cell(&mut custom.content, (0, 0)) = RawValue::Integer(0);
    *cell(&mut custom.content, (2, 2)) = RawValue::Integer(8 + 2);
    check_rejected(
        custom,
        &[
            "content must have player 0 (1) on exactly one cell, got 0",
            "content must have player 1 (2) on exactly one cell, got 2",
            "content must have player 3 (8) on exactly one cell, got 2",
        ],
    );
}

#[test]
fn there_are_at_most_four_generators() {
    let mut custom = valid();
    *cell(&mut custom.walls, (2, 2)) = RawValue::Integer(16);
    check_rejected(custom, &["static must have at most 4 generators (16), got 5"]);
}

#[test]
fn a_map_needs_no_generators() {
    check_valid(
        "
        +---+---+---+---+---+---+
        | 0                   1 |
        +   +   +   +   +   +   +
        |                       |
        +   +   +   +   +   +   +
        |                       |
        +   +   +   +   +   +   +
        |                       |
        +   +   +   +   +   +   +
        |                       |
        +   +   +   +   +   +   +
        | 2                   3 |
        +---+---+---+---+---+---+
        ",
        &[],
    );
}

// Several at once.

#[test]
fn all_reasons_are_reported_at_once() {
    let mut custom = CustomMap { seed: RawValue::Text, width: RawValue::Integer(5), ..valid() };
    custom.settings[Setting::SkillCost.index()] = RawValue::Integer(-1);
    list(&mut custom.walls).pop();
    *cell(&mut custom.content, (0, 0)) = RawValue::Integer(64);
    check_rejected(
        custom,
        &[
            "seed must be a whole number between -2147483648 and 4294967295, got a string",
            "SKILL_COST must be a whole number between 0 and 10000, got -1",
            "width must be a whole number between 6 and 11, got 5",
            "static must have 6 rows, as the height says, got 5",
            "content at row 0, column 0 must be a whole number between 0 and 63, got 64",
        ],
    );
}

#[test]
fn the_list_of_reasons_is_limited() {
    let mut custom = valid();
    custom.walls = matrix([[99; 6]; 6]);
    let error = validate(&custom).expect_err("no cell is valid");
    let reasons = reasons(&custom);
    assert_eq!((reasons.len(), error.omitted()), (20, 16));
    assert_eq!(reasons[19], "static at row 3, column 1 must be a whole number between 0 and 31, got 99");
    assert!(error.to_string().ends_with("got 99; and 16 more"), "{error}");
}

#[test]
fn consequences_of_a_wrong_cell_are_not_reported() {
    // Player 0 is nowhere because its cell is invalid, which is no reason of its own.
    let mut custom = valid();
    custom.walls = matrix([[99; 6]; 6]);
    *cell(&mut custom.content, (0, 0)) = RawValue::Integer(64);
    assert_eq!(validate(&custom).expect_err("no cell is valid").omitted(), 17);
    // Player 0 on two cells is one.
    custom.content = valid().content;
    *cell(&mut custom.content, (2, 2)) = RawValue::Integer(1);
    assert_eq!(validate(&custom).expect_err("no cell is valid").omitted(), 17);
}

#[test]
fn an_error_joins_its_reasons() {
    let custom = CustomMap { width: RawValue::Integer(5), height: RawValue::Integer(12), ..CustomMap::default() };
    let error = validate(&custom).expect_err("no side is valid");
    assert_eq!(error.to_string(), reasons(&custom).join("; "));
}

// Bits.

#[test]
fn bits_are_botzones() {
    let custom = custom(
        "
        +----+----+----+----+----+----+
        | 0    1       |           3  |
        +    +    +    +    +    +    +
        | .    o    .o                |
        +    +    +----+    +    +    +
                  > G  |
        +    +    +----+    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        | 2.                          |
        +----+----+----+----+----+----+
        ",
    );
    assert_eq!(
        custom.walls,
        matrix([
            [9, 1, 3, 9, 1, 3],
            [8, 0, 4, 0, 0, 2],
            [0, 0, 31, 8, 0, 0],
            [8, 0, 1, 0, 0, 2],
            [8, 0, 0, 0, 0, 2],
            [12, 4, 4, 4, 4, 6],
        ]),
    );
    assert_eq!(
        custom.content,
        matrix([
            [1, 2, 0, 0, 0, 8],
            [16, 32, 48, 0, 0, 0],
            [0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0],
            [4 + 16, 0, 0, 0, 0, 0],
        ]),
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_161_012),
        ..ProptestConfig::default()
    })]

    /// A generated map, written and validated as a custom map, is the same map without warnings.
    #[test]
    fn generated_maps_survive_a_round_trip(seed: i32, width in of(SIDES), height in of(SIDES)) {
        let map = Map::generate(seed, MapSize { width, height }, Ruleset::default()).expect("each seed and size is valid");
        let custom = CustomMap { seed: RawValue::Integer(seed.into()), ..write(&map.maze, &map.start) };
        prop_assert_eq!(validate(&custom), Ok((map, Vec::new())));
    }

    /// Any walls and fruit, with players and generators anywhere, are valid and survive a round trip.
    #[test]
    fn custom_maps_survive_a_round_trip(
        walls in uniform6(uniform6(0..16_i64)),
        fruits in uniform6(uniform6(0..4_i64)),
        generators in uniform4((0..6_usize, 0..6_usize)),
        players in uniform4((0..6_usize, 0..6_usize)),
    ) {
        let mut walls = walls;
        let mut content = fruits.map(|row| row.map(|fruit| fruit * 16));
        for (row, col) in generators {
            walls[row][col] |= 16;
        }
        for (seat, (row, col)) in players.into_iter().enumerate() {
            content[row][col] |= 1 << seat;
        }
        let custom = CustomMap { walls: matrix(walls), content: matrix(content), ..valid() };
        let (map, _) = validate(&custom).expect("all bits are known");
        prop_assert_eq!(write(&map.maze, &map.start), custom);
    }

    /// Validation returns for any values.
    #[test]
    fn validation_never_panics(numbers in uniform8(raws()), walls in raws(), content in raws()) {
        let [seed, width, height, settings @ ..] = numbers;
        let custom = CustomMap { seed, width, height, settings, walls, content };
        if let Err(error) = validate(&custom) {
            prop_assert!((1..=20).contains(&error.reasons().len()));
        }
    }
}

fn raws() -> impl Strategy<Value = RawValue> {
    let leaf = prop_oneof![
        Just(RawValue::Missing),
        (-1..70_i64).prop_map(RawValue::Integer),
        any::<i64>().prop_map(RawValue::Integer),
        Just(RawValue::Text),
    ];
    leaf.prop_recursive(2, 60, 11, |inner| vec(inner, 0..=11).prop_map(RawValue::List))
}

/// The seed of maps whose init data has none.
const SEED: i32 = 3;

fn validate(custom: &CustomMap) -> Result<(Map, Vec<MapWarning>), MapError> {
    custom.validate(SEED, Ruleset::default())
}

/// Checks the warnings of a map, and the map against its picture.
#[track_caller]
pub(crate) fn check_valid(drawn: &str, warnings: &[&str]) {
    let (map, got) = validate(&custom(drawn)).unwrap_or_else(|error| panic!("rejected: {error}"));
    assert_eq!(got.iter().map(ToString::to_string).collect::<Vec<_>>(), warnings);
    let (maze, start) = read(drawn);
    assert_eq!(map, Map { seed: SEED, maze, start });
}

#[track_caller]
fn check_rejected(custom: CustomMap, want: &[&str]) {
    assert_eq!(reasons(&custom), want);
}

#[track_caller]
fn reasons(custom: &CustomMap) -> Vec<String> {
    let error = validate(custom).expect_err("the map is invalid");
    error.reasons().iter().map(ToString::to_string).collect()
}

fn valid() -> CustomMap {
    custom(VALID)
}

#[track_caller]
fn custom(drawn: &str) -> CustomMap {
    let (maze, start) = read(drawn);
    write(&maze, &start)
}

#[track_caller]
fn read(drawn: &str) -> (Maze, State) {
    picture::read(drawn).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a map as init data without seed and settings.
fn write(maze: &Maze, start: &State) -> CustomMap {
    let matrix = |bits: &dyn Fn(Cell) -> u8| {
        let numbers: Vec<RawValue> = maze.cells().map(|cell| RawValue::Integer(bits(cell).into())).collect();
        RawValue::List(numbers.chunks(maze.width().into()).map(|row| RawValue::List(row.to_vec())).collect())
    };
    CustomMap {
        width: RawValue::Integer(maze.width().into()),
        height: RawValue::Integer(maze.height().into()),
        walls: matrix(&|cell| static_bits(maze, cell)),
        content: matrix(&|cell| content_bits(start, cell)),
        ..CustomMap::default()
    }
}

fn matrix(rows: [[i64; 6]; 6]) -> RawValue {
    RawValue::List(rows.map(|row| RawValue::List(row.map(RawValue::Integer).to_vec())).to_vec())
}

fn decimal(digits: &str) -> RawValue {
    RawValue::Number(digits.to_owned())
}

#[track_caller]
fn list(raw: &mut RawValue) -> &mut Vec<RawValue> {
    let RawValue::List(values) = raw else { panic!("{raw} is no list") };
    values
}

#[track_caller]
fn row(matrix: &mut RawValue, row: usize) -> &mut Vec<RawValue> {
    list(&mut list(matrix)[row])
}

#[track_caller]
fn cell(matrix: &mut RawValue, at: (usize, usize)) -> &mut RawValue {
    &mut row(matrix, at.0)[at.1]
}

#[test]
fn missing_settings_are_those_of_the_base() {
    let base = Ruleset { skill_cost: 6, turn_limit: 7, ..Ruleset::default() };
    let mut custom = CustomMap::default();
    custom.settings[Setting::SkillCost.index()] = RawValue::Integer(2);
    let (map, _) = custom.validate(SEED, base).expect("the settings are valid");
    assert_eq!(*map.maze.ruleset(), Ruleset { skill_cost: 2, ..base });
}
