//! What Python gives, let in or refused.

use std::sync::Arc;

use numpy::prelude::*;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArray};
use pacman2_batch::StartPosition;
use pacman2_rules::Setting;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};

use super::buffers::shape_text;
use super::maps::{MapChoice, MapPool, MapSource};
use crate::convert::{self, GameArguments, refuse, shown};
use crate::rules::RuleKeywords;

/// Seeds for a reset.
pub(super) enum Seeds {
    /// Each place goes on to its next game.
    None,
    /// Of all games.
    One(u64),
    /// For each game its own, or its next one.
    Each(Vec<Option<u64>>),
}

/// A seed, which has 64 bits.
pub(super) fn seed(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let number = index(given, "seed")?;
    let refused = || refuse(format!("seed is {number}; a whole number from 0 to {} is possible", u64::MAX));
    number.extract::<u64>().map_err(|_| refused())
}

/// A seed, a list of seeds, or none.
pub(super) fn seeds(given: Option<&Bound<'_, PyAny>>, games: usize) -> PyResult<Seeds> {
    let Some(given) = given else { return Ok(Seeds::None) };
    if given.call_method0("__index__").is_ok() {
        return Ok(Seeds::One(seed(given)?));
    }
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyDict>() || given.len().is_err() {
        let wanted = "a whole number, a list of them or None is wanted";
        return Err(PyTypeError::new_err(format!("seed is {}; {wanted}", shown(given))));
    }
    let each: Vec<Bound<'_, PyAny>> = given.try_iter()?.collect::<PyResult<_>>()?;
    if each.len() != games {
        let wanted = format!("one for each game is wanted, which is {games}");
        return Err(refuse(format!("seed has {} seeds; {wanted}", each.len())));
    }
    let each = each.iter().map(|given| if given.is_none() { Ok(None) } else { seed(given).map(Some) });
    Ok(Seeds::Each(each.collect::<PyResult<_>>()?))
}

/// Which games are meant, by a bool for each game or for each row.
pub(super) fn mask(given: &Bound<'_, PyAny>, games: usize) -> PyResult<Vec<bool>> {
    let Ok(array) = given.cast::<PyArrayDyn<bool>>() else {
        let kind = match given.cast::<PyUntypedArray>() {
            Ok(array) => format!("has dtype {}", array.dtype()),
            Err(_) => format!("is of type {}", given.get_type().name()?),
        };
        return Err(PyTypeError::new_err(format!("reset_mask {kind}; a numpy.ndarray of bool is wanted")));
    };
    let flat: Vec<bool> = array.try_readonly()?.as_array().iter().copied().collect();
    match *array.shape() {
        [given] if given == games => Ok(flat),
        [given] if given == 4 * games => whole_games(&flat),
        [given, 4] if given == games => whole_games(&flat),
        _ => {
            let wanted = format!("({},), ({games}, 4) or ({games},)", 4 * games);
            let shape = shape_text(array.shape());
            Err(refuse(format!("reset_mask has shape {shape}; {wanted} is wanted")))
        }
    }
}

fn whole_games(rows: &[bool]) -> PyResult<Vec<bool>> {
    let (games, _) = rows.as_chunks::<4>();
    match games.iter().position(|seats| seats.contains(&true) && seats.contains(&false)) {
        Some(game) => Err(refuse(format!(
            "reset_mask has some of the seats of game {game} and not the others; a game is reset for all four"
        ))),
        None => Ok(games.iter().map(|seats| seats[0]).collect()),
    }
}

/// Logits: nine for each row.
pub(super) fn logits<'py>(given: &Bound<'py, PyAny>, games: usize) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let array = floats("logits", given)?;
    if *array.shape() != [4 * games, 9] && *array.shape() != [games, 4, 9] {
        let wanted = format!("({}, 9) or ({games}, 4, 9)", 4 * games);
        return Err(refuse(format!("logits has shape {}; {wanted} is wanted", shape_text(array.shape()))));
    }
    array.try_readonly().map_err(|error| refuse(format!("logits cannot be read: {error}")))
}

/// Room for a logarithm for each row.
pub(super) fn log_prob<'py>(given: &Bound<'py, PyAny>, games: usize) -> PyResult<PyReadwriteArrayDyn<'py, f32>> {
    let array = floats("log_prob", given)?;
    if *array.shape() != [4 * games] && *array.shape() != [games, 4] {
        let wanted = format!("({},) or ({games}, 4)", 4 * games);
        return Err(refuse(format!("log_prob has shape {}; {wanted} is wanted", shape_text(array.shape()))));
    }
    array.try_readwrite().map_err(|error| refuse(format!("log_prob cannot be written to: {error}")))
}

fn floats<'a, 'py>(name: &str, given: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyArrayDyn<f32>>> {
    let Ok(array) = given.cast::<PyArrayDyn<f32>>() else {
        let kind = match given.cast::<PyUntypedArray>() {
            Ok(array) => format!("has dtype {}", array.dtype()),
            Err(_) => format!("is of type {}", given.get_type().name()?),
        };
        return Err(PyTypeError::new_err(format!("{name} {kind}; a numpy.ndarray of float32 is wanted")));
    };
    if array.is_c_contiguous() && array.is_aligned() {
        return Ok(array);
    }
    Err(refuse(format!("{name} is not C-contiguous and aligned; numpy.ascontiguousarray makes it so")))
}

/// The number of a game, from the end if it is negative.
pub(super) fn game(given: &Bound<'_, PyAny>, games: usize) -> PyResult<usize> {
    let number = index(given, "game")?;
    let refused = || PyIndexError::new_err(format!("there is no game {number}; there are games 0 to {}", games - 1));
    let number = number.extract::<isize>().map_err(|_| refused())?;
    let from_start = if number < 0 { number.checked_add_unsigned(games) } else { Some(number) };
    let place = from_start.and_then(|place| usize::try_from(place).ok()).filter(|&place| place < games);
    place.ok_or_else(refused)
}

/// What maps there are to be.
pub(super) fn maps(
    py: Python<'_>,
    given: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
    turns: Option<&Bound<'_, PyAny>>,
    seed: u64,
) -> PyResult<MapSource> {
    let sides = size.map(convert::sides).transpose()?.unwrap_or_default();
    // Size and settings that are good for one map are good for all.
    let first = PyInt::new(py, 0);
    let settings = *wish(Some(&first), size, None, turns)?.map(py)?.maze.ruleset();
    let choice = match given {
        None => MapChoice::MapPool(MapPool::new(seed, MapSource::POOL)),
        Some(given) if given.is_instance_of::<PyString>() => match given.extract::<String>()?.as_str() {
            "fresh" => MapChoice::Fresh,
            _ => return Err(refuse(format!("maps is {}; {MAPS_WANTED}", shown(given)))),
        },
        Some(given) if given.call_method0("__index__").is_ok() => {
            let count = convert::whole_number("maps, as a number of maps,", given, 1..=MapSource::MOST)?;
            MapChoice::MapPool(MapPool::new(seed, count as usize))
        }
        Some(given) => MapChoice::List(list(given, size, turns)?),
    };
    Ok(MapSource { size: sides, settings, choice })
}

const MAPS_WANTED: &str = "a number of maps, \"fresh\", or a list of seeds and init data is wanted";

/// Botzone's map of a seed, or the one that init data says.
fn wish<'a, 'py>(
    seed: Option<&'a Bound<'py, PyAny>>,
    size: Option<&'a Bound<'py, PyAny>>,
    init_data: Option<&'a Bound<'py, PyAny>>,
    turns: Option<&'a Bound<'py, PyAny>>,
) -> PyResult<GameArguments<'a, 'py>> {
    let mut rules = RuleKeywords::default();
    turns.map(|turns| rules.setting(Setting::TurnLimit, turns)).transpose()?;
    Ok(GameArguments { seed, size, init_data, rules })
}

fn list(
    given: &Bound<'_, PyAny>,
    size: Option<&Bound<'_, PyAny>>,
    turns: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Arc<StartPosition>>> {
    let py = given.py();
    let is_one_map = given.is_instance_of::<PyDict>();
    let Some(each) = given.try_iter().ok().filter(|_| !is_one_map) else {
        return Err(PyTypeError::new_err(format!("maps is {}; {MAPS_WANTED}", shown(given))));
    };
    let start = |(place, given): (usize, PyResult<Bound<'_, PyAny>>)| {
        let given = given?;
        let is_init_data = given.is_instance_of::<PyDict>() || given.is_instance_of::<PyString>();
        let wish = if is_init_data { wish(None, None, Some(&given), turns) } else { wish(Some(&given), size, None, turns) }?;
        let map = wish.map(py).map_err(|error| at_place(py, place, error))?;
        Ok(Arc::new(StartPosition::new(map.maze, map.start)))
    };
    let starts = each.enumerate().map(start).collect::<PyResult<Vec<_>>>()?;
    if starts.is_empty() {
        return Err(refuse(format!("maps is empty; {MAPS_WANTED}")));
    }
    Ok(starts)
}

/// The same error, which says in which map of the list it was.
fn at_place(py: Python<'_>, place: usize, error: PyErr) -> PyErr {
    let text = format!("maps[{place}]: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) { PyTypeError::new_err(text) } else { refuse(text) }
}

/// The number that an object of Python stands for as an index.
fn index<'py>(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let refused = |_| PyTypeError::new_err(format!("{name} is {}; a whole number is wanted", shown(given)));
    given.call_method0("__index__").map_err(refused)
}
