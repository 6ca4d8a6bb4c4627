//! Actions as Python gives them, in arrays of any whole numbers.

use numpy::prelude::*;
use numpy::{PyUntypedArray, npyffi::NPY_TYPES};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::buffers::{data, shape_text};

/// One more than the largest action: places in [`pacman2_rules::Order::ALL`].
const ACTIONS: u8 = 9;

/// Reads the actions of all rows, which are checked.
///
/// # Errors
///
/// `TypeError` for what is no array of whole numbers, `ValueError` for a wrong shape or a number that is no action.
pub(super) fn read(given: &Bound<'_, PyAny>, into: &mut [[u8; 4]]) -> PyResult<()> {
    let array = whole_numbers(given, into.len(), "actions")?;
    let is_good = each_dtype!(array, T => copy::<T>(&array, into.as_flattened_mut()));
    if is_good { Ok(()) } else { Err(first_bad(&array, into.len())) }
}

/// Writes actions into an array that the caller has given.
///
/// # Errors
///
/// As [`read`], and `ValueError` if the array cannot be written to.
pub(super) fn write(given: &Bound<'_, PyAny>, actions: &[[u8; 4]]) -> PyResult<()> {
    let array = out(given, actions.len())?;
    each_dtype!(array, T => {
        for (place, &action) in actions.as_flattened().iter().enumerate() {
            set(&array, place, T::from_action(action));
        }
    });
    Ok(())
}

/// An array that actions can be written into.
///
/// # Errors
///
/// As [`write`].
pub(super) fn out<'py>(given: &Bound<'py, PyAny>, games: usize) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = whole_numbers(given, games, "out")?;
    if array.getattr("flags")?.getattr("writeable")?.extract::<bool>()? {
        return Ok(array);
    }
    Err(PyValueError::new_err("out is read-only; an array that may be written to is wanted"))
}

/// A whole number of numpy.
trait Whole: Copy {
    /// The number if it is an action, and whether it is; else any byte.
    fn action(self) -> (u8, bool);
    fn from_action(action: u8) -> Self;
}

macro_rules! whole {
    ($($number:ty as $unsigned:ty),*) => {
        $(impl Whole for $number {
            #[inline(always)]
            fn action(self) -> (u8, bool) {
                // As a number without sign, what is negative is too large.
                (self as u8, (self as $unsigned) < ACTIONS as $unsigned)
            }

            fn from_action(action: u8) -> $number {
                action as $number
            }
        })*
    };
}

whole!(i8 as u8, i16 as u16, i32 as u32, i64 as u64, u8 as u8, u16 as u16, u32 as u32, u64 as u64);

/// Does something with the type of an array's numbers, of which [`whole_numbers`] has found that they are whole.
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

/// The array, if it is one of whole numbers in this machine's order of bytes, one for each row.
fn whole_numbers<'py>(given: &Bound<'py, PyAny>, games: usize, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let Ok(array) = given.cast::<PyUntypedArray>() else {
        return Err(PyTypeError::new_err(format!(
            "{name} is of type {}; a numpy.ndarray of whole numbers is wanted",
            given.get_type().name()?
        )));
    };
    let dtype = array.dtype();
    let is_pristine = (NPY_TYPES::NPY_BYTE as i32..=NPY_TYPES::NPY_ULONGLONG as i32).contains(&dtype.num());
    if !is_pristine || dtype.is_native_byteorder() == Some(false) {
        let wanted = "one of whole numbers is wanted, such as uint8 or int64";
        return Err(PyTypeError::new_err(format!("{name} has dtype {dtype}; {wanted}")));
    }
    let has_place_for_each = match *array.shape() {
        [rows] => rows == 4 * games,
        [first, second] => first == games && second == 4,
        _ => false,
    };
    if !has_place_for_each {
        let shape = shape_text(array.shape());
        let wanted = format!("({},) or ({games}, 4)", 4 * games);
        return Err(PyValueError::new_err(format!("{name} has shape {shape}; {wanted} is wanted, a number for each seat")));
    }
    Ok(array.clone())
}

/// Copies actions, and says whether all of them are.
#[inline(always)]
fn copy<T: Whole>(array: &Bound<'_, PyUntypedArray>, into: &mut [u8]) -> bool {
    let mut all_good = true;
    if array.is_c_contiguous() && array.is_aligned() && !into.is_empty() {
        // SAFETY: the array has as many numbers of this type as `into` has places, side by side, and all bits make a number.
        // The interpreter's token is held, so that no Python code changes them meanwhile.
        let given = unsafe { std::slice::from_raw_parts(data::<T>(array), into.len()) };
        for (into, given) in into.iter_mut().zip(given) {
            let (action, good) = given.action();
            *into = action;
            all_good &= good;
        }
        return all_good;
    }
    for (place, into) in into.iter_mut().enumerate() {
        let (action, good) = get::<T>(array, place).action();
        *into = action;
        all_good &= good;
    }
    all_good
}

/// The number of that place in an array whose numbers are of this type.
fn get<T: Whole>(array: &Bound<'_, PyUntypedArray>, place: usize) -> T {
    assert!(place < array.len());
    // SAFETY: the place is within the array, of which `each_dtype` has found that its numbers are of this type.
    unsafe { address::<T>(array, place).read_unaligned() }
}

/// Sets it, in an array that may be written to.
fn set<T: Whole>(array: &Bound<'_, PyUntypedArray>, place: usize, number: T) {
    assert!(place < array.len());
    // SAFETY: as in `get`, and `out` has found that the array may be written to.
    unsafe { address::<T>(array, place).write_unaligned(number) };
}

/// Where the number of that place, counted row by row, lies in an array of one or two dimensions, whatever its strides are.
fn address<T>(array: &Bound<'_, PyUntypedArray>, place: usize) -> *mut T {
    let offset = match *array.strides() {
        [stride] => place as isize * stride,
        [game, seat] => (place / 4) as isize * game + (place % 4) as isize * seat,
        _ => unreachable!("actions have one or two dimensions"),
    };
    data::<u8>(array).wrapping_offset(offset).cast()
}

#[cold]
fn first_bad(array: &Bound<'_, PyUntypedArray>, games: usize) -> PyErr {
    let (place, number) = each_dtype!(array, T => {
        let numbers = (0..4 * games).map(|place| (place, get::<T>(array, place)));
        let mut bad = numbers.filter(|(_, number)| !number.action().1);
        bad.next().map_or((0, String::from("out of range")), |(place, number)| (place, number.to_string()))
    });
    let (game, seat) = (place / 4, place % 4);
    PyValueError::new_err(format!("action {number} of game {game}, seat {seat}, is none; actions are 0 to 8"))
}
