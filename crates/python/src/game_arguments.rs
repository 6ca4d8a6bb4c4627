//! The arguments from which a game is made: seed, size, init data and rules.

use pacman2_botzone::init_data;
use pacman2_maps::Map;
use pacman2_rules::Ruleset;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::Value;

use crate::convert::{self, random_seed, refuse, seed, shown, sides, wrong_type, wrong_value};
use crate::rules::RuleKeywords;

/// The arguments of a game as Python gives them.
pub(crate) struct GameArguments<'a, 'py> {
    /// Botzone's seed.
    pub(crate) seed: Option<&'a Bound<'py, PyAny>>,
    /// A side, or width and height.
    pub(crate) size: Option<&'a Bound<'py, PyAny>>,
    /// Botzone's init data.
    pub(crate) init_data: Option<&'a Bound<'py, PyAny>>,
    /// The rules that keywords give.
    pub(crate) rules: RuleKeywords,
}

impl GameArguments<'_, '_> {
    /// Returns the map. Oddities in init data become Python warnings.
    pub(crate) fn map(&self, py: Python<'_>) -> PyResult<Map> {
        let mut value = match self.init_data {
            Some(data) => init_data_of(data)?,
            None => Value::Object(Default::default()),
        };
        if let (Some(_), Some(_)) = (self.init_data, self.size) {
            return Err(refuse("expected size or init_data, which has a size of its own, got both"));
        }
        if let Value::Object(object) = &mut value {
            for &(setting, number) in &self.rules.settings {
                object.insert(setting.json_key().to_owned(), number.into());
            }
            let sides = self.size.map(sides).transpose()?.unwrap_or_default();
            for (key, side) in [("width", sides.width), ("height", sides.height)] {
                side.map(|side| object.insert(key.to_owned(), side.into()));
            }
            let seed = self.seed.map(|given| seed("seed", given)).transpose()?;
            seed.map(|seed| object.insert("seed".to_owned(), (seed as i32).into()));
        }
        let base = Ruleset::default().with_forfeit_ruling(self.rules.forfeit_ruling);
        let otherwise = if self.seed.is_some() { 0 } else { random_seed()? as i32 };
        let (map, warnings) = init_data::read(&value, otherwise, base)
            .map_err(|error| wrong_value("init_data", "a map that can be played", format!("one with errors: {error}")))?;
        for warning in warnings {
            let text = std::ffi::CString::new(warning.to_string().replace('\0', " ")).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
        }
        Ok(map)
    }
}

/// Init data as `pacman2 play --map` takes it: the map alone, or the whole input of a bot's first turn.
fn init_data_of(data: &Bound<'_, PyAny>) -> PyResult<Value> {
    let no_json = |error: &dyn std::fmt::Display| {
        wrong_value("init_data", "a dict or a str of JSON", format!("{}, which is not JSON: {error}", shown(data)))
    };
    let text = if data.is_instance_of::<PyString>() {
        convert::text("init_data", data)?
    } else if data.is_instance_of::<PyDict>() {
        let dumps = data.py().import("json")?.getattr("dumps")?;
        dumps.call1((data,)).and_then(|text| text.extract()).map_err(|error| no_json(&error))?
    } else {
        return Err(wrong_type("init_data", "a dict or a str of JSON", data));
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| no_json(&error))?;
    let map = match value.get("requests") {
        Some(requests) => requests.get(0).unwrap_or(&Value::Null),
        None => &value,
    };
    // An empty object would be a random map, which is hardly what a caller with init data means.
    if map.as_object().is_none_or(|keys| keys.is_empty()) {
        let expected = "an object with \"static\" and \"content\", or with a seed or settings";
        return Err(wrong_value("init_data", expected, shown(data)));
    }
    Ok(map.clone())
}
