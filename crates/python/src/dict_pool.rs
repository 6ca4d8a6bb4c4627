//! The dicts and arrays that PettingZoo's `step` returns, reused when possible.
//!
//! Creating them costs more than the turn itself. A set of dicts is reused once its reference counts show that no Python code holds any
//! part of it, so callers cannot notice. The row *PettingZoo* of `python crates/python/benches/speed.py` measures the gain; all of the
//! crate's reliance on reference counts is in this file.

#![allow(unsafe_code, reason = "reads reference counts and flags of Python objects")]

use numpy::ndarray::{ArrayView, IxDyn};
use numpy::npyffi::flags::{NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::{Element, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pacman2_batch::observe::ACTIONS;
use pacman2_rules::{BySeat, Score, Seat, SeatSet};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::observation::{Dtype, Numbers, ObservationFormat};

/// The keys of all dicts, interned.
pub(crate) struct Names {
    pub(crate) players: [Py<PyString>; 4],
    final_score: Py<PyString>,
    rank: Py<PyString>,
    observation: Py<PyString>,
    action_mask: Py<PyString>,
}

impl Names {
    pub(crate) fn new(py: Python<'_>) -> Names {
        let name = |text: &str| PyString::intern(py, text).unbind();
        Names {
            players: Seat::ALL.map(|seat| name(&format!("player_{seat}"))),
            final_score: name("final_score"),
            rank: name("rank"),
            observation: name("observation"),
            action_mask: name("action_mask"),
        }
    }

    pub(crate) fn player<'py>(&self, py: Python<'py>, seat: Seat) -> &Bound<'py, PyString> {
        self.players[seat.index()].bind(py)
    }
}

/// The form of observations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ObservationForm {
    pub(crate) format: ObservationFormat,
    /// Whether an observation is a dict with the mask of legal actions.
    pub(crate) with_mask: bool,
}

/// The dicts of one turn with their contents.
pub(crate) struct DictPool {
    form: ObservationForm,
    /// The shape of an observation.
    shape: Vec<usize>,
    observations: Py<PyDict>,
    rewards: Py<PyDict>,
    terminations: Py<PyDict>,
    truncations: Py<PyDict>,
    infos: Py<PyDict>,
    /// The observation of each player: a dict, or the array alone.
    per_player: [Py<PyAny>; 4],
    info: [Py<PyDict>; 4],
    seen: Seen,
    masks: FourArrays<i8>,
    /// The players that have a row.
    rows: SeatSet,
    /// Whether an info holds more than the mask, or a player is terminated or truncated.
    is_last: bool,
}

/// The flags of an array unless Python code changed them.
const AS_MADE: i32 = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE;

/// The observations of the four players.
enum Seen {
    Bytes(FourArrays<u8>),
    Floats(FourArrays<f32>),
}

/// Four views into one array.
struct FourArrays<T> {
    all: Py<PyArray2<T>>,
    each: [Py<PyArrayDyn<T>>; 4],
}

impl DictPool {
    pub(crate) fn new(py: Python<'_>, names: &Names, form: ObservationForm) -> PyResult<DictPool> {
        let seen = Seen::new(py, &form.format)?;
        let masks: FourArrays<i8> = FourArrays::new(py, &[ACTIONS])?;
        let mut pool = DictPool {
            form,
            shape: form.format.shape(),
            observations: PyDict::new(py).unbind(),
            rewards: PyDict::new(py).unbind(),
            terminations: PyDict::new(py).unbind(),
            truncations: PyDict::new(py).unbind(),
            infos: PyDict::new(py).unbind(),
            per_player: [0, 1, 2, 3].map(|seat| seen.of(seat).clone_ref(py)),
            info: [(); 4].map(|()| PyDict::new(py).unbind()),
            seen,
            masks,
            rows: SeatSet::EMPTY,
            is_last: false,
        };
        if form.with_mask {
            for (seat, per_player) in pool.per_player.iter_mut().enumerate() {
                let both = PyDict::new(py);
                both.set_item(&names.observation, pool.seen.of(seat))?;
                both.set_item(&names.action_mask, &pool.masks.each[seat])?;
                *per_player = both.unbind().into_any();
            }
        }
        pool.reset_flags(py, names)?;
        Ok(pool)
    }

    /// Returns whether no other code holds any part of it and nothing was changed.
    pub(crate) fn is_free(&self, py: Python<'_>, names: &Names) -> bool {
        let dicts = [&self.observations, &self.rewards, &self.terminations, &self.truncations, &self.infos];
        if self.is_last || !dicts.into_iter().all(|dict| has_refcount(dict, 1)) {
            return false;
        }
        let mask_holders = if self.form.with_mask { 3 } else { 2 };
        let per_player_holders = if self.form.with_mask { 1 } else { 2 };
        let all_are_free = Seat::ALL.into_iter().all(|seat| {
            let (index, given) = (seat.index(), isize::from(self.rows.contains(seat)));
            has_refcount(&self.info[index], 1 + given)
                && has_refcount(&self.per_player[index], per_player_holders + given)
                && (!self.form.with_mask || has_refcount(self.seen.of(index), 2))
                && has_refcount(&self.masks.each[index], mask_holders)
                && has_items(&self.info[index], [(names.action_mask.as_ptr(), self.masks.each[index].as_ptr())].into_iter())
                && (!self.form.with_mask || self.has_observation_and_mask(py, names, index))
        });
        let rows = |value: fn(&DictPool, usize) -> *mut ffi::PyObject| {
            self.rows.iter().map(move |seat| (names.players[seat.index()].as_ptr(), value(self, seat.index())))
        };
        all_are_free
            && self.seen.is_pristine(py, &self.shape)
            && self.masks.is_pristine(py, &[ACTIONS])
            && has_items(&self.observations, rows(|pool, index| pool.per_player[index].as_ptr()))
            && has_items(&self.rewards, rows(|_, _| ANYTHING))
            && has_items(&self.terminations, rows(|_, _| py_false()))
            && has_items(&self.truncations, rows(|_, _| py_false()))
            && has_items(&self.infos, rows(|pool, index| pool.info[index].as_ptr()))
    }

    fn has_observation_and_mask(&self, py: Python<'_>, names: &Names, index: usize) -> bool {
        let both = [
            (names.observation.as_ptr(), self.seen.of(index).as_ptr()),
            (names.action_mask.as_ptr(), self.masks.each[index].as_ptr()),
        ];
        self.per_player[index]
            .bind(py)
            .cast::<PyDict>()
            .is_ok_and(|per_player| has_items(per_player.as_unbound(), both.into_iter()))
    }

    /// Fills in a turn of these players in which no game ends. `write` writes observations and masks.
    pub(crate) fn fill(
        &mut self,
        py: Python<'_>,
        names: &Names,
        rows: SeatSet,
        write: impl FnOnce(Numbers<'_>, &mut [[u8; ACTIONS]; 4]),
    ) -> PyResult<()> {
        let (len, masks) = (self.shape.iter().product(), self.masks.all.bind(py));
        let resized = || PyRuntimeError::new_err("arrays of this environment were resized; they belong to it");
        if masks.len() != 4 * ACTIONS {
            return Err(resized());
        }
        // SAFETY: this array has exactly this length, as just checked. No other code can reach it or the observations while this thread
        // holds the interpreter, and `write` does not call Python. Every byte is a valid `i8`.
        unsafe {
            let seen = match &self.seen {
                Seen::Bytes(seen) => Numbers::Bytes(seen.lend(py, len).ok_or_else(resized)?),
                Seen::Floats(seen) => Numbers::Floats(seen.lend(py, len).ok_or_else(resized)?),
            };
            write(seen, &mut *masks.data().cast());
        }
        if self.is_last {
            self.reset_flags(py, names)?;
        }
        if self.rows != rows {
            self.set_rows(py, names, rows)?;
        }
        Ok(())
    }

    fn set_rows(&mut self, py: Python<'_>, names: &Names, rows: SeatSet) -> PyResult<()> {
        for dict in [&self.observations, &self.rewards, &self.terminations, &self.truncations, &self.infos] {
            dict.bind(py).clear();
        }
        for seat in rows.iter() {
            let name = names.player(py, seat);
            self.observations.bind(py).set_item(name, &self.per_player[seat.index()])?;
            self.rewards.bind(py).set_item(name, 0.0)?;
            self.terminations.bind(py).set_item(name, false)?;
            self.truncations.bind(py).set_item(name, false)?;
            self.infos.bind(py).set_item(name, &self.info[seat.index()])?;
        }
        self.rows = rows;
        Ok(())
    }

    fn reset_flags(&mut self, py: Python<'_>, names: &Names) -> PyResult<()> {
        for (info, mask) in self.info.iter().zip(&self.masks.each) {
            info.bind(py).clear();
            info.bind(py).set_item(&names.action_mask, mask)?;
        }
        self.is_last = false;
        self.set_rows(py, names, self.rows)
    }

    /// Sets rewards, and the flags of players for whom this turn is the last.
    #[inline]
    pub(crate) fn set_outcome(&mut self, py: Python<'_>, names: &Names, turn: &TurnOutcome) -> PyResult<()> {
        for seat in self.rows.iter() {
            self.rewards.bind(py).set_item(names.player(py, seat), turn.rewards[seat])?;
        }
        if turn.terminated.is_empty() && turn.truncated.is_empty() {
            return Ok(());
        }
        self.is_last = true;
        for seat in turn.terminated.iter() {
            self.terminations.bind(py).set_item(names.player(py, seat), true)?;
        }
        for seat in turn.truncated.iter() {
            self.truncations.bind(py).set_item(names.player(py, seat), true)?;
        }
        let Some(end) = &turn.end else { return Ok(()) };
        for seat in self.rows.iter() {
            let info = self.info[seat.index()].bind(py);
            info.set_item(&names.final_score, end[seat].points())?;
            info.set_item(&names.rank, end[seat].rank)?;
        }
        Ok(())
    }

    /// Returns the result of a reset.
    pub(crate) fn reset_output<'py>(&self, py: Python<'py>) -> ResetOutput<'py> {
        (self.observations.bind(py).clone(), self.infos.bind(py).clone())
    }

    /// Returns the result of a step.
    pub(crate) fn turn<'py>(&self, py: Python<'py>) -> StepOutput<'py> {
        let [rewards, terminations, truncations] =
            [&self.rewards, &self.terminations, &self.truncations].map(|dict| dict.bind(py).clone());
        let (observations, infos) = self.reset_output(py);
        (observations, rewards, terminations, truncations, infos)
    }
}

/// Observations and infos.
pub(crate) type ResetOutput<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Observations, rewards, terminations, truncations and infos.
pub(crate) type StepOutput<'py> =
    (Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// The outcome of a turn.
pub(crate) struct TurnOutcome {
    pub(crate) rewards: BySeat<f32>,
    pub(crate) terminated: SeatSet,
    pub(crate) truncated: SeatSet,
    /// The scores, if the game is over.
    pub(crate) end: Option<BySeat<Score>>,
}

impl Seen {
    fn new(py: Python<'_>, format: &ObservationFormat) -> PyResult<Seen> {
        Ok(match format.dtype {
            Dtype::Uint8 => Seen::Bytes(FourArrays::new(py, &format.shape())?),
            Dtype::Float32 => Seen::Floats(FourArrays::new(py, &format.shape())?),
        })
    }

    /// Returns the array of a seat.
    #[inline]
    fn of(&self, seat: usize) -> &Py<PyAny> {
        match self {
            Seen::Bytes(arrays) => arrays.each[seat].as_any(),
            Seen::Floats(arrays) => arrays.each[seat].as_any(),
        }
    }

    fn is_pristine(&self, py: Python<'_>, shape: &[usize]) -> bool {
        match self {
            Seen::Bytes(arrays) => arrays.is_pristine(py, shape),
            Seen::Floats(arrays) => arrays.is_pristine(py, shape),
        }
    }
}

impl<T: Element + Default> FourArrays<T> {
    fn new(py: Python<'_>, shape: &[usize]) -> PyResult<FourArrays<T>> {
        let length: usize = shape.iter().product();
        let all = PyArray2::<T>::zeros(py, [4, length], false);
        let each = [0, 1, 2, 3].map(|number| {
            // SAFETY: the quarter of `all` that begins there has exactly this shape, and the view keeps `all` alive.
            unsafe {
                let view = ArrayView::from_shape_ptr(IxDyn(shape), all.data().add(number * length));
                PyArrayDyn::borrow_from_array(&view, all.clone().into_any()).unbind()
            }
        });
        Ok(FourArrays { all: all.unbind(), each })
    }

    /// Returns the numbers of all four arrays, of `len` each, or `None` if they were resized.
    ///
    /// # Safety
    ///
    /// No other code may reach them while they are lent.
    unsafe fn lend<'a>(&'a self, py: Python<'a>, len: usize) -> Option<&'a mut [T]> {
        let all = self.all.bind(py);
        // SAFETY: the array is alive, contiguous and as long as that; the caller guarantees the rest.
        (all.len() == 4 * len).then(|| unsafe { std::slice::from_raw_parts_mut(all.data(), 4 * len) })
    }

    /// Returns whether only this pool holds the arrays, and their shape and flags are unchanged.
    fn is_pristine(&self, py: Python<'_>, shape: &[usize]) -> bool {
        has_refcount(&self.all, 5)
            && self.all.bind(py).len() == 4 * shape.iter().product::<usize>()
            && self.each.iter().all(|array| {
                let array = array.bind(py);
                // SAFETY: it is a live array.
                let flags = unsafe { (*array.as_array_ptr()).fields.flags };
                array.shape() == shape && flags & AS_MADE == AS_MADE
            })
    }
}

/// Returns whether an object has exactly this reference count.
#[inline]
fn has_refcount<T>(object: &Py<T>, times: isize) -> bool {
    // SAFETY: the object is alive, because it is held here.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) == times }
}

/// Matches any value.
const ANYTHING: *mut ffi::PyObject = std::ptr::null_mut();

fn py_false() -> *mut ffi::PyObject {
    // SAFETY: Python's `False` lives as long as Python does.
    unsafe { ffi::Py_False() }
}

/// Returns whether a dict has exactly these keys and values, compared by identity, in this order.
#[inline]
fn has_items(dict: &Py<PyDict>, mut items: impl Iterator<Item = (*mut ffi::PyObject, *mut ffi::PyObject)>) -> bool {
    let (mut place, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the dict is alive and not changed while this runs; key and value are only compared.
    while unsafe { ffi::PyDict_Next(dict.as_ptr(), &mut place, &mut key, &mut value) } != 0 {
        if !items
            .next()
            .is_some_and(|(expected_key, expected)| expected_key == key && (expected == value || expected == ANYTHING))
        {
            return false;
        }
    }
    items.next().is_none()
}
