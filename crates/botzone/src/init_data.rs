//! Init data: a map in JSON, as bots and judges receive it.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use pacman2_maps::{CustomMap, Map, MapError, MapErrorReason, MapWarning, RawValue, content_bits, static_bits};
use pacman2_rules::{Ruleset, Setting};
use serde_json::{Value, json};

use crate::json::Json;
use crate::json_text::JsonText;
use crate::output_fields::start_of;

/// The keys of init data besides the settings.
const KEYS: [&str; 5] = ["seed", "width", "height", "static", "content"];

/// The most bytes of a list: each of its values may take a hundred times as much memory. A matrix of a map has a few hundred.
const MAX_LIST_BYTES: usize = 64 << 10;
/// How many unknown keys a warning names, and how much of each.
const MAX_UNKNOWN_KEYS: usize = 20;
const MAX_KEY_BYTES: usize = 100;

/// What looks odd about init data, although it can be played. Displays as a sentence.
///
/// ```
/// use pacman2_botzone::init_data::InitDataWarning;
///
/// let warning = InitDataWarning::UnknownKey("colour".to_owned());
/// assert_eq!(warning.to_string(), "init data has no key \"colour\"; it is ignored");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InitDataWarning {
    /// Its map is odd.
    Map(MapWarning),
    /// It has a key that means nothing.
    UnknownKey(String),
}

impl fmt::Display for InitDataWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitDataWarning::Map(warning) => warning.fmt(f),
            InitDataWarning::UnknownKey(key) => write!(f, "init data has no key \"{key}\"; it is ignored"),
        }
    }
}

/// Reads and [validates](CustomMap::validate) init data. Returns the map with a warning for each thing that looks odd.
///
/// `seed` and `base` stand in for a seed and settings that are missing. The forfeit ruling is that of `base`.
///
/// # Errors
/// Returns an error with every reason why the map cannot be played.
///
/// ```
/// use pacman2_botzone::init_data::{self, InitDataWarning};
/// use pacman2_rules::Ruleset;
/// use serde_json::json;
///
/// let (map, warnings) = init_data::read(&json!({ "seed": 42, "colour": "red" }), 0, Ruleset::default()).unwrap();
/// assert_eq!(map.seed, 42);
/// assert_eq!(warnings, [InitDataWarning::UnknownKey("colour".to_owned())]);
///
/// let error = init_data::read(&json!({ "width": 99 }), 0, Ruleset::default()).unwrap_err();
/// assert_eq!(error.to_string(), "width must be a whole number between 6 and 11, got 99");
/// ```
pub fn read(value: &Value, seed: i32, base: Ruleset) -> Result<(Map, Vec<InitDataWarning>), MapError> {
    read_json(JsonText::from(value).json(), seed, base)
}

/// Reads and validates init data of a file, as [`read`] does.
///
/// # Errors
/// As [`read`].
pub fn read_json(json: Json<'_>, seed: i32, base: Ruleset) -> Result<(Map, Vec<InitDataWarning>), MapError> {
    if !json.is_object() {
        return Err(MapErrorReason::NotAnObject { got: raw(json) }.into());
    }
    let (map, odd) = custom_map(json).validate(seed, base)?;
    let unknown = unknown_keys(json).into_iter().map(InitDataWarning::UnknownKey);
    Ok((map, odd.into_iter().map(InitDataWarning::Map).chain(unknown).collect()))
}

/// Returns the first unknown keys in alphabetical order, each up to a length.
fn unknown_keys(json: Json<'_>) -> BTreeSet<String> {
    let mut unknown = BTreeSet::new();
    for (key, _) in json.members() {
        // A bot's first request is init data with its seat's number.
        if !is_known(&key) && key != "id" {
            unknown.insert(start_of(&key, MAX_KEY_BYTES));
        }
        if unknown.len() > MAX_UNKNOWN_KEYS {
            unknown.pop_last();
        }
    }
    unknown
}

/// Returns whether this JSON looks like init data.
///
/// ```
/// use pacman2_botzone::{Json, init_data};
///
/// assert!(init_data::recognises(Json::parse(r#"{"seed": 42}"#).unwrap()));
/// assert!(!init_data::recognises(Json::parse(r#"{"log": []}"#).unwrap()));
/// ```
#[must_use]
pub fn recognises(json: Json<'_>) -> bool {
    json.get_all(["seed", "static", "width"]).iter().any(Option::is_some)
}

/// Returns a map as init data. Settings that Botzone does not know are left out if they have their default value.
///
/// ```
/// use pacman2_botzone::init_data;
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_rules::Ruleset;
///
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// let written = init_data::write(&map);
/// assert_eq!(written["SKILL_COST"], 4);
/// assert_eq!(init_data::read(&written, 0, Ruleset::default()).unwrap().0, map);
/// ```
#[must_use]
pub fn write(map: &Map) -> Value {
    let Map { seed, maze, start } = map;
    let matrix = |bits: &dyn Fn(pacman2_rules::Cell) -> u8| -> Vec<Vec<u8>> {
        let cells: Vec<u8> = maze.cells().map(bits).collect();
        cells.chunks(maze.width().into()).map(<[u8]>::to_vec).collect()
    };
    let mut value = json!({
        "seed": seed,
        "width": maze.width(),
        "height": maze.height(),
        "static": matrix(&|cell| static_bits(maze, cell)),
        "content": matrix(&|cell| content_bits(start, cell)),
    });
    for (setting, number) in maze.ruleset().iter() {
        if !setting.is_extension() || number != Ruleset::default().get(setting) {
            value[setting.json_key()] = number.into();
        }
    }
    value
}

/// Reads init data as Botzone's judge does: a value that it does not accept counts as missing.
pub(crate) fn read_as_judge(json: Json<'_>, default_seed: i32, base: Ruleset) -> Result<Map, MapError> {
    let mut custom = custom_map(json);
    let keep = |raw: &mut RawValue, possible: Range<i64>| {
        if !matches!(raw, RawValue::Integer(number) if possible.contains(number)) {
            *raw = RawValue::Missing;
        }
    };
    keep(&mut custom.seed, i32::MIN.into()..i64::from(i32::MAX) + 1);
    keep(&mut custom.width, 6..12);
    keep(&mut custom.height, 6..12);
    for setting in Setting::ALL {
        let possible = if setting.is_extension() { 0..0 } else { i64::MIN..i64::MAX };
        keep(&mut custom.settings[setting.index()], possible);
    }
    if !matches!((&custom.walls, &custom.content), (RawValue::List(_), RawValue::List(_))) {
        (custom.walls, custom.content) = (RawValue::Missing, RawValue::Missing);
    }
    Ok(custom.validate(default_seed, base)?.0)
}

fn is_known(key: &str) -> bool {
    KEYS.contains(&key) || Setting::ALL.iter().any(|setting| setting.json_key() == key)
}

fn custom_map(json: Json<'_>) -> CustomMap {
    let of_value = |value: Option<Json<'_>>| value.map_or(RawValue::Missing, raw);
    let [seed, width, height, walls, content] = json.get_all(KEYS).map(of_value);
    CustomMap { seed, width, height, settings: json.get_all(Setting::ALL.map(Setting::json_key)).map(of_value), walls, content }
}

fn raw(json: Json<'_>) -> RawValue {
    match json.as_str().as_bytes()[0] {
        b'[' if json.as_str().len() > MAX_LIST_BYTES => RawValue::LongList,
        b'[' => RawValue::List(json.items().map(raw).collect()),
        b'{' => RawValue::Object,
        b'"' => RawValue::Text,
        _ => scalar(&json.scalar()),
    }
}

fn scalar(value: &Value) -> RawValue {
    match value {
        Value::Bool(value) => RawValue::Bool(*value),
        Value::Number(number) => match crate::action::integer(value) {
            Some(integer) => RawValue::Integer(integer.into()),
            None => number.as_i64().map_or_else(|| RawValue::Number(number.to_string()), RawValue::Integer),
        },
        _ => RawValue::Null,
    }
}
