//! Init data: a map in JSON, as bots and judges receive it.

use pacman2_maps::{CustomMap, Map, MapError, RawValue, content_bits, static_bits};
use pacman2_rules::{ForfeitRuling, Ruleset};
use serde_json::{Value, json};

/// The keys of init data. All but `MAX_TURN` are Botzone's; that one is ours, for games that do not end after 100 turns.
const KEYS: [&str; 10] = [
    "seed",
    "width",
    "height",
    "GENERATOR_INTERVAL",
    "LARGE_FRUIT_DURATION",
    "LARGE_FRUIT_ENHANCEMENT",
    "SKILL_COST",
    "MAX_TURN",
    "static",
    "content",
];

/// Why init data cannot be played.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitDataError {
    /// The init data is not an object.
    #[error("init data: expected a JSON object, got {0}")]
    NotAnObject(RawValue),
    /// The map or its settings cannot be played.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// Reads init data that a person wrote. Returns the map, with a warning for each thing that looks odd.
///
/// `seed` is the seed of init data that has none. Without `static` and `content` the map is the one that Botzone makes
/// from the seed.
///
/// # Errors
/// Fails if the value is not an object, or with everything that is wrong with the map ([`CustomMap::validate`]).
///
/// ```
/// use pacman2_botzone::init_data;
/// use pacman2_rules::ForfeitRuling;
/// use serde_json::json;
///
/// let (map, warnings) = init_data::read(&json!({ "seed": 42, "colour": "red" }), 0, ForfeitRuling::default()).unwrap();
/// assert_eq!(map.seed, 42);
/// assert_eq!(warnings, ["init data has no key \"colour\"; it is ignored"]);
///
/// assert!(init_data::read(&json!({ "width": 99 }), 0, ForfeitRuling::default()).is_err());
/// ```
pub fn read(value: &Value, seed: i32, forfeit_ruling: ForfeitRuling) -> Result<(Map, Vec<String>), InitDataError> {
    let Value::Object(object) = value else { return Err(InitDataError::NotAnObject(raw(value))) };
    let (map, mut warnings) = custom_map(value).validate(seed, forfeit_ruling)?;
    // A bot's first request is init data with its seat's number.
    let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str()) && *key != "id");
    warnings.extend(unknown.map(|key| format!("init data has no key \"{key}\"; it is ignored")));
    Ok((map, warnings))
}

/// Writes a map as init data.
///
/// ```
/// use pacman2_botzone::init_data;
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_rules::{ForfeitRuling, Ruleset};
///
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// let written = init_data::write(&map);
/// assert_eq!(written["SKILL_COST"], 4);
/// assert_eq!(init_data::read(&written, 0, ForfeitRuling::default()).unwrap().0, map);
/// ```
#[must_use]
pub fn write(map: &Map) -> Value {
    let Map { seed, maze, start } = map;
    let ruleset = maze.ruleset();
    let matrix = |bits: &dyn Fn(pacman2_rules::Cell) -> u8| -> Vec<Vec<u8>> {
        let cells: Vec<u8> = maze.cells().map(bits).collect();
        cells.chunks(maze.width().into()).map(<[u8]>::to_vec).collect()
    };
    let mut value = json!({
        "seed": seed,
        "width": maze.width(),
        "height": maze.height(),
        "GENERATOR_INTERVAL": ruleset.generator_interval,
        "LARGE_FRUIT_DURATION": ruleset.large_fruit_duration,
        "LARGE_FRUIT_ENHANCEMENT": ruleset.large_fruit_enhancement,
        "SKILL_COST": ruleset.skill_cost,
        "static": matrix(&|cell| static_bits(maze, cell)),
        "content": matrix(&|cell| content_bits(start, cell)),
    });
    if ruleset.turn_limit != Ruleset::default().turn_limit {
        value["MAX_TURN"] = ruleset.turn_limit.into();
    }
    value
}

/// Reads init data as Botzone's judge does: a value that it does not accept counts as missing.
pub(crate) fn read_as_judge(value: &Value, default_seed: i32, forfeit_ruling: ForfeitRuling) -> Result<Map, InitDataError> {
    let mut custom = custom_map(value);
    let fits =
        |raw: &RawValue, possible: std::ops::Range<i64>| matches!(raw, RawValue::Integer(number) if possible.contains(number));
    for (raw, possible) in [
        (&mut custom.seed, i32::MIN.into()..i64::from(i32::MAX) + 1),
        (&mut custom.width, 6..12),
        (&mut custom.height, 6..12),
        (&mut custom.generator_interval, i64::MIN..i64::MAX),
        (&mut custom.large_fruit_duration, i64::MIN..i64::MAX),
        (&mut custom.large_fruit_enhancement, i64::MIN..i64::MAX),
        (&mut custom.skill_cost, i64::MIN..i64::MAX),
        (&mut custom.max_turn, 0..0),
    ] {
        if !fits(raw, possible) {
            *raw = RawValue::Missing;
        }
    }
    if !matches!((&custom.walls, &custom.content), (RawValue::List(_), RawValue::List(_))) {
        (custom.walls, custom.content) = (RawValue::Missing, RawValue::Missing);
    }
    Ok(custom.validate(default_seed, forfeit_ruling)?.0)
}

fn custom_map(value: &Value) -> CustomMap {
    let [seed, width, height, interval, duration, enhancement, cost, max_turn, walls, content] =
        KEYS.map(|key| value.get(key).map_or(RawValue::Missing, raw));
    CustomMap {
        seed,
        width,
        height,
        generator_interval: interval,
        large_fruit_duration: duration,
        large_fruit_enhancement: enhancement,
        skill_cost: cost,
        max_turn,
        walls,
        content,
    }
}

fn raw(value: &Value) -> RawValue {
    match value {
        Value::Array(values) => RawValue::List(values.iter().map(raw).collect()),
        Value::Null => RawValue::Other("null".to_owned()),
        Value::Bool(value) => RawValue::Other(value.to_string()),
        Value::String(_) => RawValue::Other("a string".to_owned()),
        Value::Object(_) => RawValue::Other("an object".to_owned()),
        Value::Number(number) => match crate::action::integer(value) {
            Some(integer) => RawValue::Integer(integer.into()),
            None => number.as_i64().map_or_else(|| RawValue::Other(number.to_string()), RawValue::Integer),
        },
    }
}
