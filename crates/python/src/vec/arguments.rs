//! Validates the arguments of a [`VecEngine`](super::VecEngine).

use std::sync::Arc;

use numpy::prelude::*;
use numpy::{PyArray1, PyArrayDyn, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArray};
use pacman2_batch::{InstructionSet, StartPosition};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyString};

use super::buffers::shape_text;
use super::maps::{MapChoice, MapPool, MapSource};
use super::rows::Rows;
use super::state::Seeds;
use crate::convert::{self, refuse, shown, wrong_type, wrong_value};
use crate::game_arguments::GameArguments;
use crate::rules::RuleKeywords;

/// Converts the name of an instruction set of this CPU; `None` is the fastest.
pub(super) fn instruction_set(given: Option<&Bound<'_, PyAny>>) -> PyResult<InstructionSet> {
    let Some(given) = given else { return Ok(InstructionSet::best()) };
    let name = convert::text("instruction_set", given)?;
    let mut available = InstructionSet::available();
    available.find(|set| set.name() == name).ok_or_else(|| {
        let names = InstructionSet::available().map(InstructionSet::name).collect::<Vec<_>>().join(", ");
        wrong_value("instruction_set", format!("one that this CPU has: {names}"), shown(given))
    })
}

/// Converts a seed, a list of seeds, or `None`.
pub(super) fn seeds(given: Option<&Bound<'_, PyAny>>, games: usize) -> PyResult<Seeds> {
    let Some(given) = given else { return Ok(Seeds::None) };
    if given.call_method0("__index__").is_ok() {
        return Ok(Seeds::One(convert::seed("seed", given)?.into()));
    }
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyDict>() || given.len().is_err() {
        return Err(wrong_type("seed", "a whole number, a list of whole numbers or None", given));
    }
    let each: Vec<Bound<'_, PyAny>> = given.try_iter()?.collect::<PyResult<_>>()?;
    if each.len() != games {
        return Err(wrong_value("seed", format!("{games} seeds, one for each game"), each.len()));
    }
    let each = each.iter().enumerate().map(|(game, given)| {
        let seed = || convert::seed(&format!("seed[{game}]"), given);
        if given.is_none() { Ok(None) } else { Ok(Some(seed()?.into())) }
    });
    Ok(Seeds::Each(each.collect::<PyResult<_>>()?))
}

/// Converts a mask with a bool for each game or for each row into one for each game.
pub(super) fn mask(given: &Bound<'_, PyAny>, rows: Rows) -> PyResult<Vec<bool>> {
    let Ok(array) = given.cast::<PyArrayDyn<bool>>() else {
        return Err(no_array("reset_mask", "bool", given));
    };
    let flat: Vec<bool> = array.try_readonly()?.as_array().iter().copied().collect();
    if *array.shape() == [rows.games] {
        return Ok(flat);
    }
    if !rows.fit(array.shape(), &[]) {
        let expected = format!("the shape {}, or ({},)", rows.expected(&[]), rows.games);
        return Err(wrong_value("reset_mask", expected, shape_text(array.shape())));
    }
    whole_games(&flat, rows.seats)
}

fn whole_games(flat: &[bool], seats: usize) -> PyResult<Vec<bool>> {
    match flat.chunks(seats).position(|seats| seats.contains(&true) && seats.contains(&false)) {
        Some(game) => Err(wrong_value("reset_mask", "all rows of a game or none", format!("some of game {game}"))),
        None => Ok(flat.chunks(seats).map(|seats| seats[0]).collect()),
    }
}

/// Validates logits, nine for each row.
pub(super) fn logits<'py>(given: &Bound<'py, PyAny>, rows: Rows) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let array = floats("logits", given)?;
    if !rows.fit(array.shape(), &[9]) {
        return Err(wrong_value("logits", format!("the shape {}", rows.expected(&[9])), shape_text(array.shape())));
    }
    array.try_readonly().map_err(|error| wrong_value("logits", "an array that can be read", format!("one with {error}")))
}

/// Validates an output array with one log-probability for each row, or makes one if none is given. Returns it twice.
pub(super) fn log_prob<'py>(
    py: Python<'py>,
    given: Option<Bound<'py, PyAny>>,
    rows: Rows,
) -> PyResult<(Bound<'py, PyAny>, PyReadwriteArrayDyn<'py, f32>)> {
    let given = given.unwrap_or_else(|| PyArray1::<f32>::zeros(py, rows.count(), false).into_any());
    let array = floats("log_prob", &given)?;
    if !rows.fit(array.shape(), &[]) {
        return Err(wrong_value("log_prob", format!("the shape {}", rows.expected(&[])), shape_text(array.shape())));
    }
    let view = array.try_readwrite().map_err(|error| {
        wrong_value("log_prob", "a writable array that shares no memory with logits", format!("this error: {error}"))
    })?;
    Ok((given, view))
}

fn floats<'a, 'py>(name: &str, given: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyArrayDyn<f32>>> {
    let Ok(array) = given.cast::<PyArrayDyn<f32>>() else { return Err(no_array(name, "float32", given)) };
    if array.is_c_contiguous() && array.is_aligned() {
        return Ok(array);
    }
    Err(wrong_value(name, "a C-contiguous and aligned array", "another one; convert it with numpy.ascontiguousarray"))
}

/// Returns the exception for a value that is no array of this dtype.
fn no_array(name: &str, dtype: &str, given: &Bound<'_, PyAny>) -> PyErr {
    let expected = format!("a numpy.ndarray of {dtype}");
    match given.cast::<PyUntypedArray>() {
        Ok(array) => PyTypeError::new_err(format!("{name}: expected {expected}, got one of {}", array.dtype())),
        Err(_) => wrong_type(name, expected, given),
    }
}

/// Converts the index of a game; a negative index counts from the end.
pub(super) fn game(given: &Bound<'_, PyAny>, games: usize) -> PyResult<usize> {
    let expected = format!("a whole number from {} to {}", -(games as i64), games - 1);
    let number = given.call_method0("__index__").map_err(|_| wrong_type("index", &expected, given))?;
    let refused = || PyIndexError::new_err(format!("index: expected {expected}, got {number}"));
    let number = number.extract::<isize>().map_err(|_| refused())?;
    let from_start = if number < 0 { number.checked_add_unsigned(games) } else { Some(number) };
    let place = from_start.and_then(|place| usize::try_from(place).ok()).filter(|&place| place < games);
    place.ok_or_else(refused)
}

/// Converts the arguments that choose the maps.
pub(super) fn maps(
    py: Python<'_>,
    given: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
    rules: &RuleKeywords,
    seed: u64,
) -> PyResult<MapSource> {
    let sides = size.map(convert::sides).transpose()?.unwrap_or_default();
    // Size and settings that are valid for one map are valid for all maps.
    let first = PyInt::new(py, 0);
    let settings = *game_arguments(Some(&first), size, None, rules).map(py)?.maze.ruleset();
    let choice = match given {
        None => MapChoice::MapPool(MapPool::new(seed, MapSource::POOL)),
        Some(given) if given.is_instance_of::<PyString>() => match convert::text("maps", given)?.as_str() {
            "fresh" => MapChoice::Fresh,
            _ => return Err(wrong_value("maps", EXPECTED_MAPS, shown(given))),
        },
        Some(given) if given.call_method0("__index__").is_ok() => {
            let count = convert::whole_number("maps", given, 1..=MapSource::MOST)?;
            MapChoice::MapPool(MapPool::new(seed, count as usize))
        }
        Some(given) => MapChoice::List(list(given, size, rules)?),
    };
    Ok(MapSource { size: sides, settings, choice })
}

const EXPECTED_MAPS: &str = "a number of maps, \"fresh\", or a list of seeds and init data";

/// Returns the arguments for Botzone's map of a seed, or for a map from init data.
fn game_arguments<'a, 'py>(
    seed: Option<&'a Bound<'py, PyAny>>,
    size: Option<&'a Bound<'py, PyAny>>,
    init_data: Option<&'a Bound<'py, PyAny>>,
    rules: &RuleKeywords,
) -> GameArguments<'a, 'py> {
    GameArguments { seed, size, init_data, rules: rules.clone() }
}

fn list(given: &Bound<'_, PyAny>, size: Option<&Bound<'_, PyAny>>, rules: &RuleKeywords) -> PyResult<Vec<Arc<StartPosition>>> {
    let py = given.py();
    // A dict is one map, and the numbers of bytes would be taken for seeds.
    let is_list = !given.is_instance_of::<PyDict>() && !given.is_instance_of::<PyBytes>();
    let Some(each) = given.try_iter().ok().filter(|_| is_list) else {
        return Err(wrong_type("maps", EXPECTED_MAPS, given));
    };
    let start = |(place, given): (usize, PyResult<Bound<'_, PyAny>>)| {
        let given = given?;
        let is_init_data = given.is_instance_of::<PyDict>() || given.is_instance_of::<PyString>();
        let arguments = if is_init_data {
            game_arguments(None, None, Some(&given), rules)
        } else {
            game_arguments(Some(&given), size, None, rules)
        };
        let map = arguments.map(py).map_err(|error| at_place(py, place, error))?;
        Ok(Arc::new(StartPosition::new(map.maze, map.start)))
    };
    let starts = each.enumerate().map(start).collect::<PyResult<Vec<_>>>()?;
    if starts.is_empty() {
        return Err(wrong_value("maps", EXPECTED_MAPS, "an empty one"));
    }
    Ok(starts)
}

/// Adds the index in the list of maps to an error.
fn at_place(py: Python<'_>, place: usize, error: PyErr) -> PyErr {
    let text = format!("maps[{place}], {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) { PyTypeError::new_err(text) } else { refuse(text) }
}
