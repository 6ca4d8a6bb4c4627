//! Validates the arguments of a [`VecEngine`](super::VecEngine).

use std::sync::Arc;

use numpy::prelude::*;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArray};
use pacman2_batch::{InstructionSet, ParseInstructionSetError, StartPosition};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};

use super::buffers::shape_text;
use super::maps::{MapChoice, MapPool, MapSource};
use super::rows::Rows;
use super::state::Seeds;
use crate::convert::{self, refuse, shown};
use crate::game_arguments::GameArguments;
use crate::rules::RuleKeywords;

/// Converts the name of an instruction set of this CPU; `None` is the fastest.
pub(super) fn instruction_set(given: Option<&str>) -> PyResult<InstructionSet> {
    let Some(name) = given else { return Ok(InstructionSet::best()) };
    let set: InstructionSet = name.parse().map_err(|error: ParseInstructionSetError| refuse(error.to_string()))?;
    if set.is_available() {
        return Ok(set);
    }
    let available = InstructionSet::available().map(InstructionSet::name).collect::<Vec<_>>().join(", ");
    Err(refuse(format!("instruction_set is {name}, which this CPU does not have; expected {available}")))
}

/// Converts a 64-bit seed.
pub(super) fn seed(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    let number = index(given, "seed")?;
    let refused = || refuse(format!("seed is {number}; expected a whole number from 0 to {}", u64::MAX));
    number.extract::<u64>().map_err(|_| refused())
}

/// Converts a seed, a list of seeds, or `None`.
pub(super) fn seeds(given: Option<&Bound<'_, PyAny>>, games: usize) -> PyResult<Seeds> {
    let Some(given) = given else { return Ok(Seeds::None) };
    if given.call_method0("__index__").is_ok() {
        return Ok(Seeds::One(seed(given)?));
    }
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyDict>() || given.len().is_err() {
        let expected = "a whole number, a list of whole numbers or None";
        return Err(PyTypeError::new_err(format!("seed is {}; expected {expected}", shown(given))));
    }
    let each: Vec<Bound<'_, PyAny>> = given.try_iter()?.collect::<PyResult<_>>()?;
    if each.len() != games {
        return Err(refuse(format!("seed has {} seeds; expected {games}, one for each game", each.len())));
    }
    let each = each.iter().map(|given| if given.is_none() { Ok(None) } else { seed(given).map(Some) });
    Ok(Seeds::Each(each.collect::<PyResult<_>>()?))
}

/// Converts a mask with a bool for each game or for each row into one for each game.
pub(super) fn mask(given: &Bound<'_, PyAny>, rows: Rows) -> PyResult<Vec<bool>> {
    let Ok(array) = given.cast::<PyArrayDyn<bool>>() else {
        let kind = match given.cast::<PyUntypedArray>() {
            Ok(array) => format!("has dtype {}", array.dtype()),
            Err(_) => format!("is of type {}", given.get_type().name()?),
        };
        return Err(PyTypeError::new_err(format!("reset_mask {kind}; expected a numpy.ndarray of bool")));
    };
    let flat: Vec<bool> = array.try_readonly()?.as_array().iter().copied().collect();
    if *array.shape() == [rows.games] {
        return Ok(flat);
    }
    if !rows.fit(array.shape(), &[]) {
        let (shape, expected) = (shape_text(array.shape()), rows.expected(&[]));
        return Err(refuse(format!("reset_mask has shape {shape}; expected {expected}, or ({},)", rows.games)));
    }
    whole_games(&flat, rows.seats)
}

fn whole_games(flat: &[bool], seats: usize) -> PyResult<Vec<bool>> {
    match flat.chunks(seats).position(|seats| seats.contains(&true) && seats.contains(&false)) {
        Some(game) => Err(refuse(format!("reset_mask selects only some seats of game {game}; expected all of them or none"))),
        None => Ok(flat.chunks(seats).map(|seats| seats[0]).collect()),
    }
}

/// Validates logits, nine for each row.
pub(super) fn logits<'py>(given: &Bound<'py, PyAny>, rows: Rows) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let array = floats("logits", given)?;
    if !rows.fit(array.shape(), &[9]) {
        let expected = rows.expected(&[9]);
        return Err(refuse(format!("logits has shape {}; expected {expected}", shape_text(array.shape()))));
    }
    array.try_readonly().map_err(|error| refuse(format!("logits cannot be read: {error}")))
}

/// Validates an output array with one log-probability for each row.
pub(super) fn log_prob<'py>(given: &Bound<'py, PyAny>, rows: Rows) -> PyResult<PyReadwriteArrayDyn<'py, f32>> {
    let array = floats("log_prob", given)?;
    if !rows.fit(array.shape(), &[]) {
        let expected = rows.expected(&[]);
        return Err(refuse(format!("log_prob has shape {}; expected {expected}", shape_text(array.shape()))));
    }
    array.try_readwrite().map_err(|error| refuse(format!("log_prob cannot be written to: {error}")))
}

fn floats<'a, 'py>(name: &str, given: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyArrayDyn<f32>>> {
    let Ok(array) = given.cast::<PyArrayDyn<f32>>() else {
        let kind = match given.cast::<PyUntypedArray>() {
            Ok(array) => format!("has dtype {}", array.dtype()),
            Err(_) => format!("is of type {}", given.get_type().name()?),
        };
        return Err(PyTypeError::new_err(format!("{name} {kind}; expected a numpy.ndarray of float32")));
    };
    if array.is_c_contiguous() && array.is_aligned() {
        return Ok(array);
    }
    Err(refuse(format!("{name} is not C-contiguous and aligned; convert it with numpy.ascontiguousarray")))
}

/// Converts the index of a game; a negative index counts from the end.
pub(super) fn game(given: &Bound<'_, PyAny>, games: usize) -> PyResult<usize> {
    let number = index(given, "game")?;
    let refused = || PyIndexError::new_err(format!("no game {number}; expected games 0 to {}", games - 1));
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
        Some(given) if given.is_instance_of::<PyString>() => match given.extract::<String>()?.as_str() {
            "fresh" => MapChoice::Fresh,
            _ => return Err(refuse(format!("maps is {}; {EXPECTED_MAPS}", shown(given)))),
        },
        Some(given) if given.call_method0("__index__").is_ok() => {
            let count = convert::whole_number("maps, as a number of maps,", given, 1..=MapSource::MOST)?;
            MapChoice::MapPool(MapPool::new(seed, count as usize))
        }
        Some(given) => MapChoice::List(list(given, size, rules)?),
    };
    Ok(MapSource { size: sides, settings, choice })
}

const EXPECTED_MAPS: &str = "expected a number of maps, \"fresh\", or a list of seeds and init data";

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
    let is_one_map = given.is_instance_of::<PyDict>();
    let Some(each) = given.try_iter().ok().filter(|_| !is_one_map) else {
        return Err(PyTypeError::new_err(format!("maps is {}; {EXPECTED_MAPS}", shown(given))));
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
        return Err(refuse(format!("maps is empty; {EXPECTED_MAPS}")));
    }
    Ok(starts)
}

/// Adds the index in the list of maps to an error.
fn at_place(py: Python<'_>, place: usize, error: PyErr) -> PyErr {
    let text = format!("maps[{place}]: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) { PyTypeError::new_err(text) } else { refuse(text) }
}

/// Returns the result of an object's `__index__`.
fn index<'py>(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let refused = |_| PyTypeError::new_err(format!("{name} is {}; expected a whole number", shown(given)));
    given.call_method0("__index__").map_err(refused)
}
