//! Converts Python values into values of the game, or raises an exception that says what was expected.

use std::ops::RangeInclusive;

use pacman2_maps::MapSize;
use pacman2_rules::{Action, BySeat, Seat};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString, PyTuple};

/// Returns the exception for an invalid value.
pub(crate) fn refuse(sentence: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(sentence.to_string())
}

/// Returns Python's representation of a value, cut to a length that fits a sentence.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 60;
    let text = value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Converts an integer of Python, NumPy or PyTorch within a range.
pub(crate) fn whole_number(name: &str, value: &Bound<'_, PyAny>, possible: RangeInclusive<i64>) -> PyResult<i64> {
    let number = match value.extract::<i64>() {
        Ok(number) => Some(number),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => None,
        Err(_) => {
            let sentence = format!("{name} is {}; expected a whole number", shown(value));
            return Err(PyTypeError::new_err(sentence));
        }
    };
    number.filter(|number| possible.contains(number)).ok_or_else(|| {
        let (least, most) = possible.into_inner();
        refuse(format!("{name} is {}; expected a whole number from {least} to {most}", shown(value)))
    })
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

/// Converts arrays, tensors and other sequences.
#[cold]
fn actions_of_any(given: &Bound<'_, PyAny>) -> PyResult<BySeat<Action>> {
    let unordered = given.is_instance_of::<PyDict>() || given.is_instance_of::<PySet>();
    let not_four = || {
        let sentence = format!("actions is {}; expected a sequence of four whole numbers, seat 0 first", shown(given));
        PyTypeError::new_err(sentence)
    };
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
    Err(refuse(format!("expected 4 actions, one for each seat, got {length}")))
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
    match whole_number(&format!("the action of seat {seat}"), action, 0..=8) {
        Ok(_) => refuse("the action changed while it was read"),
        Err(error) => error,
    }
}

/// The index that stands for an invalid action.
pub(crate) const NO_ACTION: u8 = u8::MAX;

/// Returns the index of an action in [`Action::ALL`], or [`NO_ACTION`].
pub(crate) fn action_index(action: Action) -> u8 {
    action.index().map_or(NO_ACTION, |index| index as u8)
}

/// Converts a seed. Botzone's seeds have 32 bits; unsigned numbers mean the same bits.
pub(crate) fn seed(value: &Bound<'_, PyAny>) -> PyResult<i32> {
    Ok(whole_number("seed", value, i32::MIN.into()..=u32::MAX.into())? as i32)
}

/// Draws a random seed.
pub(crate) fn random_seed() -> PyResult<i32> {
    let number = getrandom::u32().map_err(|error| refuse(format!("no seed can be drawn: {error}")))?;
    Ok((number >> 1) as i32)
}

/// Converts a size: a side, or width and height.
pub(crate) fn sides(size: &Bound<'_, PyAny>) -> PyResult<MapSize> {
    let side = |name: &str, value: &Bound<'_, PyAny>| {
        let (least, most) = pacman2_maps::SIDES.into_inner();
        whole_number(name, value, least.into()..=most.into()).map(|side| Some(side as u8))
    };
    if let Ok((width, height)) = size.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        return Ok(MapSize { width: side("the width in size", &width)?, height: side("the height in size", &height)? });
    }
    if size.is_instance_of::<PyTuple>() || size.is_instance_of::<PyList>() {
        return Err(refuse(format!("size is {}; expected a side or (width, height)", shown(size))));
    }
    let both = side("size", size)?;
    Ok(MapSize { width: both, height: both })
}
