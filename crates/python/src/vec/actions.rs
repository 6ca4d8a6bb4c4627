//! Converts arrays of whole numbers into actions and back.

#![allow(unsafe_code, reason = "reads and writes NumPy arrays through pointers")]

use numpy::prelude::*;
use numpy::{PyUntypedArray, npyffi::NPY_TYPES};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::buffers::{data, shape_text};
use super::rows::Rows;
use crate::convert::{wrong_type, wrong_value};

/// The number of actions. Actions are indices in [`pacman2_rules::Action::ALL`].
const ACTIONS: u8 = 9;

/// Reads and validates the actions of all rows.
///
/// # Errors
///
/// `TypeError` if it is not an array of whole numbers, `ValueError` for a wrong shape or an unknown action.
pub(super) fn read(given: &Bound<'_, PyAny>, rows: Rows, into: &mut [u8]) -> PyResult<()> {
    let array = whole_numbers(given, rows, "actions")?;
    let is_good = each_dtype!(array, T => copy::<T>(&array, rows.seats, into));
    if is_good { Ok(()) } else { Err(first_bad(&array, rows)) }
}

/// Writes actions into the caller's array.
///
/// # Errors
///
/// As [`read`], and `ValueError` if the array cannot be written to.
pub(super) fn write(given: &Bound<'_, PyAny>, rows: Rows, actions: &[u8]) -> PyResult<()> {
    let array = out(given, rows)?;
    each_dtype!(array, T => paste::<T>(&array, rows.seats, actions));
    Ok(())
}

/// Checks that actions can be written into an array, and returns it.
///
/// # Errors
///
/// As [`write`].
pub(super) fn out<'py>(given: &Bound<'py, PyAny>, rows: Rows) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = whole_numbers(given, rows, "out")?;
    if array.getattr("flags")?.getattr("writeable")?.extract::<bool>()? {
        return Ok(array);
    }
    Err(wrong_value("out", "a writable array", "a read-only one"))
}

/// An integer type of NumPy.
trait Whole: Copy {
    /// Returns the number as a byte, and whether it is an action. The byte is only meaningful for an action.
    fn action(self) -> (u8, bool);
    fn from_action(action: u8) -> Self;
}

macro_rules! whole {
    ($($number:ty as $unsigned:ty),*) => {
        $(impl Whole for $number {
            #[inline(always)]
            fn action(self) -> (u8, bool) {
                // Negative numbers become too large when cast to unsigned.
                (self as u8, (self as $unsigned) < ACTIONS as $unsigned)
            }

            fn from_action(action: u8) -> $number {
                action as $number
            }
        })*
    };
}

whole!(i8 as u8, i16 as u16, i32 as u32, i64 as u64, u8 as u8, u16 as u16, u32 as u32, u64 as u64);

/// Evaluates an expression with the element type of an array that [`whole_numbers`] has checked.
macro_rules! each_dtype {
    ($array:expr, $number:ident => $do:expr) => {{
        macro_rules! with {
            ($type:ty) => {{
                type $number = $type;
                $do
            }};
        }
        let is_signed = $array.dtype().kind() == b'i';
        match ($array.dtype().itemsize(), is_signed) {
            (1, true) => with!(i8),
            (1, false) => with!(u8),
            (2, true) => with!(i16),
            (2, false) => with!(u16),
            (4, true) => with!(i32),
            (4, false) => with!(u32),
            (_, true) => with!(i64),
            (_, false) => with!(u64),
        }
    }};
}
use each_dtype;

/// Returns the array if it has native-endian integers, one for each row.
fn whole_numbers<'py>(given: &Bound<'py, PyAny>, rows: Rows, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let Ok(array) = given.cast::<PyUntypedArray>() else {
        return Err(wrong_type(name, "a numpy.ndarray of whole numbers", given));
    };
    let dtype = array.dtype();
    let is_pristine = (NPY_TYPES::NPY_BYTE as i32..=NPY_TYPES::NPY_ULONGLONG as i32).contains(&dtype.num());
    if !is_pristine || dtype.is_native_byteorder() == Some(false) {
        let sentence = format!("{name}: expected a dtype of whole numbers, such as uint8 or int64, got {dtype}");
        return Err(PyTypeError::new_err(sentence));
    }
    if !rows.fit(array.shape(), &[]) {
        let expected = format!("the shape {}, a number for each seat", rows.expected(&[]));
        return Err(wrong_value(name, expected, shape_text(array.shape())));
    }
    Ok(array.clone())
}

/// Copies numbers and returns whether all of them are actions.
#[inline(always)]
fn copy<T: Whole>(array: &Bound<'_, PyUntypedArray>, seats: usize, into: &mut [u8]) -> bool {
    let mut all_good = true;
    if array.is_c_contiguous() && array.is_aligned() && !into.is_empty() {
        // SAFETY: the array has `into.len()` contiguous numbers of this type, and every bit pattern is valid. No Python code can
        // change them, because the interpreter's token is held.
        let given = unsafe { std::slice::from_raw_parts(data::<T>(array), into.len()) };
        for (into, given) in into.iter_mut().zip(given) {
            let (action, good) = given.action();
            *into = action;
            all_good &= good;
        }
        return all_good;
    }
    for (place, into) in into.iter_mut().enumerate() {
        let (action, good) = get::<T>(array, seats, place).action();
        *into = action;
        all_good &= good;
    }
    all_good
}

/// Writes actions into an array with this element type, which [`out`] has checked.
#[inline(always)]
fn paste<T: Whole>(array: &Bound<'_, PyUntypedArray>, seats: usize, actions: &[u8]) {
    if array.is_c_contiguous() && array.is_aligned() && !actions.is_empty() {
        // SAFETY: the array is writable and has `actions.len()` contiguous numbers of this type. No other code can reach them,
        // because the interpreter's token is held.
        let into = unsafe { std::slice::from_raw_parts_mut(data::<T>(array), actions.len()) };
        for (into, &action) in into.iter_mut().zip(actions) {
            *into = T::from_action(action);
        }
        return;
    }
    for (place, &action) in actions.iter().enumerate() {
        set(array, seats, place, T::from_action(action));
    }
}

/// Returns one number of an array with this element type.
fn get<T: Whole>(array: &Bound<'_, PyUntypedArray>, seats: usize, place: usize) -> T {
    assert!(place < array.len());
    // SAFETY: the index is within the array, and `each_dtype` has matched the element type.
    unsafe { address::<T>(array, seats, place).read_unaligned() }
}

/// Sets one number of a writable array.
fn set<T: Whole>(array: &Bound<'_, PyUntypedArray>, seats: usize, place: usize, number: T) {
    assert!(place < array.len());
    // SAFETY: as in `get`, and `out` has checked that the array is writable.
    unsafe { address::<T>(array, seats, place).write_unaligned(number) };
}

/// Returns the address of a number, by its row-major index in a strided array of one or two dimensions.
fn address<T>(array: &Bound<'_, PyUntypedArray>, seats: usize, place: usize) -> *mut T {
    let offset = match *array.strides() {
        [stride] => place as isize * stride,
        [game, seat] => (place / seats) as isize * game + (place % seats) as isize * seat,
        _ => unreachable!("actions have one or two dimensions"),
    };
    data::<u8>(array).wrapping_offset(offset).cast()
}

#[cold]
fn first_bad(array: &Bound<'_, PyUntypedArray>, rows: Rows) -> PyErr {
    let (place, number) = each_dtype!(array, T => {
        let numbers = (0..rows.count()).map(|place| (place, get::<T>(array, rows.seats, place)));
        let mut bad = numbers.filter(|(_, number)| !number.action().1);
        bad.next().map_or((0, String::from("out of range")), |(place, number)| (place, number.to_string()))
    });
    wrong_value("actions", "whole numbers from 0 to 8", format!("{number} for {}", rows.name(place)))
}
