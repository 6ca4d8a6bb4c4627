//! Init data: a map in JSON.

use maps::{Custom, Map, Raw, Refusal, content_bits, static_bits};
use rules::{LightOnTheForfeited, Settings};
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

/// Reads init data that a person wrote and lets it in by [`Custom::check`], with a warning for each thing that looks odd.
///
/// `seed` is taken where the init data has none.
pub fn read(value: &Value, seed: i32, light_on_the_forfeited: LightOnTheForfeited) -> Result<(Map, Vec<String>), Refusal> {
    let Value::Object(object) = value else {
        return Err(Refusal { reasons: vec![format!("init data is {}; a JSON object is wanted", raw(value))] });
    };
    let (map, mut warnings) = custom(value).check(seed, light_on_the_forfeited)?;
    // A bot's first request is init data with its seat's number.
    let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str()) && *key != "id");
    warnings.extend(unknown.map(|key| format!("init data has no key \"{key}\"; it is ignored")));
    Ok((map, warnings))
}

/// Reads init data as Botzone's judge does: what it would not take counts as missing.
pub(crate) fn read_as_judge(value: &Value, clock: i32, light_on_the_forfeited: LightOnTheForfeited) -> Result<Map, Refusal> {
    let mut custom = custom(value);
    let fits = |raw: &Raw, possible: std::ops::Range<i64>| matches!(raw, Raw::Integer(number) if possible.contains(number));
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
            *raw = Raw::Missing;
        }
    }
    if !matches!((&custom.walls, &custom.content), (Raw::List(_), Raw::List(_))) {
        (custom.walls, custom.content) = (Raw::Missing, Raw::Missing);
    }
    Ok(custom.check(clock, light_on_the_forfeited)?.0)
}

fn custom(value: &Value) -> Custom {
    let [seed, width, height, interval, duration, enhancement, cost, max_turn, walls, content] =
        KEYS.map(|key| value.get(key).map_or(Raw::Missing, raw));
    Custom {
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

fn raw(value: &Value) -> Raw {
    match value {
        Value::Array(values) => Raw::List(values.iter().map(raw).collect()),
        Value::Null => Raw::Other("null".to_owned()),
        Value::Bool(value) => Raw::Other(value.to_string()),
        Value::String(_) => Raw::Other("a string".to_owned()),
        Value::Object(_) => Raw::Other("an object".to_owned()),
        Value::Number(number) => match crate::action::integer(value) {
            Some(integer) => Raw::Integer(integer.into()),
            None => number.as_i64().map_or_else(|| Raw::Other(number.to_string()), Raw::Integer),
        },
    }
}

/// A map as init data.
pub fn write(map: &Map) -> Value {
    let Map { seed, arena, start } = map;
    let settings = arena.settings();
    let matrix = |bits: &dyn Fn(rules::Cell) -> u8| -> Vec<Vec<u8>> {
        let cells: Vec<u8> = arena.cells().map(bits).collect();
        cells.chunks(arena.width().into()).map(<[u8]>::to_vec).collect()
    };
    let mut value = json!({
        "seed": seed,
        "width": arena.width(),
        "height": arena.height(),
        "GENERATOR_INTERVAL": settings.generator_interval,
        "LARGE_FRUIT_DURATION": settings.large_fruit_duration,
        "LARGE_FRUIT_ENHANCEMENT": settings.large_fruit_enhancement,
        "SKILL_COST": settings.skill_cost,
        "static": matrix(&|cell| static_bits(arena, cell)),
        "content": matrix(&|cell| content_bits(start, cell)),
    });
    if settings.turn_limit != Settings::default().turn_limit {
        value["MAX_TURN"] = settings.turn_limit.into();
    }
    value
}
