//! Converts Python values into values of the game, or raises an exception that says what was expected.

use std::fmt::Display;
use std::ops::RangeInclusive;

use pacman2_maps::{MapSize, SEEDS};
use pacman2_rules::{Action, BySeat, Seat};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyList, PySet, PyString, PyTuple};

/// Returns the exception for a value that cannot be used. Sentences have the form "expected X, got Y".
pub(crate) fn refuse(sentence: impl Display) -> PyErr {
    PyValueError::new_err(sentence.to_string())
}

/// Returns the exception for an argument with an invalid value.
pub(crate) fn wrong_value(name: &str, expected: impl Display, got: impl Display) -> PyErr {
    refuse(format!("{name}: expected {expected}, got {got}"))
}

/// Returns the exception for an argument of a wrong type.
pub(crate) fn wrong_type(name: &str, expected: impl Display, got: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name}: expected {expected}, got {}", shown(got)))
}

/// Returns Python's representation of a value on one line, cut to a length that fits a sentence.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 60;
    let text = value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Converts an integer of Python, NumPy or PyTorch within a range.
pub(crate) fn whole_number(name: &str, value: &Bound<'_, PyAny>, possible: RangeInclusive<i64>) -> PyResult<i64> {
    let expected = || format!("a whole number from {} to {}", possible.start(), possible.end());
    match value.extract::<i64>() {
        Ok(number) if possible.contains(&number) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => Err(wrong_type(name, expected(), value)),
        _ => Err(wrong_value(name, expected(), shown(value))),
    }
}

/// Converts a str.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, "a str", value))?;
    text.extract().map_err(|_| wrong_value(name, "valid Unicode", shown(value)))
}

/// Converts a sequence of `N` texts.
pub(crate) fn texts<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<[String; N]> {
    let expected = || format!("a sequence of {N} str");
    let is_one = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    // An iterator has no length, and would be used up here.
    let is_sequence = !is_one && value.len().is_ok();
    let Some(each) = value.try_iter().ok().filter(|_| is_sequence) else { return Err(wrong_type(name, expected(), value)) };
    let each = each.enumerate().map(|(place, one)| text(&format!("{name}[{place}]"), &one?));
    let each: Vec<String> = each.collect::<PyResult<_>>()?;
    each.try_into().map_err(|each: Vec<_>| wrong_value(name, expected(), format!("{} of them", each.len())))
}

/// Converts a bool of Python or NumPy.
pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_instance_of::<PyBool>() || value.get_type().name()?.to_cow()?.starts_with("bool") {
        return value.is_truthy();
    }
    Err(wrong_type(name, "a bool", value))
}

/// Converts bytes or a bytearray.
pub(crate) fn bytes(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    value.cast::<PyByteArray>().map(|bytes| bytes.to_vec()).map_err(|_| wrong_type(name, "bytes", value))
}

/// Converts a seat, 0 to 3.
pub(crate) fn seat(value: &Bound<'_, PyAny>) -> PyResult<Seat> {
    let number = whole_number("seat", value, 0..=3)?;
    Ok(Seat::ALL[number as usize])
}

/// Converts four actions, seat 0 first. `None` is an invalid action, as of a bot without a response.
#[inline]
pub(crate) fn actions(given: &Bound<'_, PyAny>) -> PyResult<BySeat<Action>> {
    let mut actions = BySeat([Action::Stay; 4]);
    if let Ok(tuple) = given.cast_exact::<PyTuple>() {
        check_length(tuple.len())?;
        for seat in Seat::ALL {
            let action = tuple.get_borrowed_item(seat.index())?;
            actions[seat] = read_action(seat, &action)?;
        }
    } else if let Ok(list) = given.cast_exact::<PyList>() {
        check_length(list.len())?;
        for seat in Seat::ALL {
            actions[seat] = read_action(seat, &list.get_item(seat.index())?)?;
        }
    } else {
        actions = actions_of_any(given)?;
    }
    Ok(actions)
}

const FOUR_ACTIONS: &str = "a sequence of four whole numbers, seat 0 first";

/// Converts arrays, tensors and other sequences.
#[cold]
fn actions_of_any(given: &Bound<'_, PyAny>) -> PyResult<BySeat<Action>> {
    let unordered = given.is_instance_of::<PyDict>() || given.is_instance_of::<PySet>();
    let not_four = || wrong_type("actions", FOUR_ACTIONS, given);
    if unordered || given.is_instance_of::<PyString>() {
        return Err(not_four());
    }
    check_length(given.len().map_err(|_| not_four())?)?;
    let mut actions = BySeat([Action::Stay; 4]);
    for seat in Seat::ALL {
        actions[seat] = read_action(seat, &given.get_item(seat.index())?)?;
    }
    Ok(actions)
}

#[inline]
fn check_length(length: usize) -> PyResult<()> {
    if length == 4 {
        return Ok(());
    }
    Err(wrong_value("actions", FOUR_ACTIONS, format!("{length} of them")))
}

#[inline]
fn read_action(seat: Seat, action: &Bound<'_, PyAny>) -> PyResult<Action> {
    match action.extract::<i64>() {
        Ok(number @ 0..9) => Ok(Action::ALL[number as usize]),
        _ if action.is_none() => Ok(Action::Invalid),
        _ => Err(unknown_action(seat, action)),
    }
}

#[cold]
fn unknown_action(seat: Seat, action: &Bound<'_, PyAny>) -> PyErr {
    let name = format!("action of seat {seat}");
    match whole_number(&name, action, 0..=8) {
        Ok(_) => wrong_value(&name, "a number that stays the same", "one that changed while it was read"),
        Err(error) => error,
    }
}

/// The index that stands for an invalid action.
pub(crate) const NO_ACTION: u8 = u8::MAX;

/// Returns the index of an action in [`Action::ALL`], or [`NO_ACTION`].
pub(crate) fn action_index(action: Action) -> u8 {
    action.index().map_or(NO_ACTION, |index| index as u8)
}

/// Converts a seed. Every seed that Python passes in goes through here, so all of them have one range.
///
/// It has 32 bits, which Botzone writes as a signed number.
pub(crate) fn seed(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(whole_number(name, value, SEEDS)? as u32)
}

/// Returns the `number`-th of the seeds that follow from one, as environments in Python derive them.
#[pyfunction]
pub(crate) fn seed_of_game(seed: u64, number: u64) -> u32 {
    pacman2_batch::seed_of_game(seed, number) as u32
}

/// Draws a random seed.
pub(crate) fn random_seed() -> PyResult<u32> {
    let number = getrandom::u32().map_err(|error| PyRuntimeError::new_err(format!("no seed can be drawn: {error}")))?;
    Ok(number >> 1)
}

/// Converts a size: a side, or width and height.
pub(crate) fn sides(size: &Bound<'_, PyAny>) -> PyResult<MapSize> {
    let side = |name: &str, value: &Bound<'_, PyAny>| {
        let (least, most) = pacman2_maps::SIDES.into_inner();
        whole_number(name, value, least.into()..=most.into()).map(|side| Some(side as u8))
    };
    if let Ok((width, height)) = size.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        return Ok(MapSize { width: side("width in size", &width)?, height: side("height in size", &height)? });
    }
    if size.is_instance_of::<PyTuple>() || size.is_instance_of::<PyList>() {
        return Err(wrong_value("size", "a side or (width, height)", shown(size)));
    }
    let both = side("size", size)?;
    Ok(MapSize { width: both, height: both })
}
