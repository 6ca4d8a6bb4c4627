//! The dicts and arrays in which a turn is told by PettingZoo's customs.
//!
//! To make them anew costs more than the turn. So they are taken up again when nobody else holds any of them any more: that is
//! seen from their reference counts, and nobody can tell the difference.

use numpy::ndarray::{ArrayView, IxDyn};
use numpy::npyffi::flags::{NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::{Element, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pacman2_batch::observe::{ACTIONS, View};
use pacman2_rules::{BySeat, Score, Seat, SeatSet};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The keys of all dicts, each one object.
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

/// How observations are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    pub(crate) view: View,
    /// Whether an observation is a dict that holds the mask of legal actions too.
    pub(crate) with_mask: bool,
}

/// The dicts of a turn, with all that is in them.
pub(crate) struct Sheet {
    form: Form,
    observations: Py<PyDict>,
    rewards: Py<PyDict>,
    terminations: Py<PyDict>,
    truncations: Py<PyDict>,
    infos: Py<PyDict>,
    /// What is told to each player: a dict, or only the array.
    told: [Py<PyAny>; 4],
    info: [Py<PyDict>; 4],
    seen: Four<u8>,
    masks: Four<i8>,
    /// Whose rows there are.
    rows: SeatSet,
    /// Whether some info holds more than the mask, or somebody is told to be terminated or truncated.
    is_last: bool,
}

/// What an array of a sheet is, unless somebody made something else of it.
const AS_MADE: i32 = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE;

/// Four arrays side by side in the memory of one.
struct Four<T> {
    all: Py<PyArray2<T>>,
    each: [Py<PyArrayDyn<T>>; 4],
}

impl Sheet {
    pub(crate) fn new(py: Python<'_>, names: &Names, form: Form) -> PyResult<Sheet> {
        let seen = Four::new(py, form.view.shape())?;
        let masks: Four<i8> = Four::new(py, &[ACTIONS])?;
        let mut sheet = Sheet {
            form,
            observations: PyDict::new(py).unbind(),
            rewards: PyDict::new(py).unbind(),
            terminations: PyDict::new(py).unbind(),
            truncations: PyDict::new(py).unbind(),
            infos: PyDict::new(py).unbind(),
            told: seen.each.each_ref().map(|array| array.clone_ref(py).into_any()),
            info: [(); 4].map(|()| PyDict::new(py).unbind()),
            seen,
            masks,
            rows: SeatSet::EMPTY,
            is_last: false,
        };
        if form.with_mask {
            for (seat, told) in sheet.told.iter_mut().enumerate() {
                let both = PyDict::new(py);
                both.set_item(&names.observation, &sheet.seen.each[seat])?;
                both.set_item(&names.action_mask, &sheet.masks.each[seat])?;
                *told = both.unbind().into_any();
            }
        }
        sheet.tell_that_all_goes_on(py, names)?;
        Ok(sheet)
    }

    /// Whether nobody but this sheet holds anything of it, and all is as it was made.
    pub(crate) fn is_free(&self, py: Python<'_>, names: &Names) -> bool {
        let dicts = [&self.observations, &self.rewards, &self.terminations, &self.truncations, &self.infos];
        if self.is_last || !dicts.into_iter().all(|dict| held(dict, 1)) {
            return false;
        }
        let mask_holders = if self.form.with_mask { 3 } else { 2 };
        let told_holders = if self.form.with_mask { 1 } else { 2 };
        let all_are_free = Seat::ALL.into_iter().all(|seat| {
            let (index, given) = (seat.index(), isize::from(self.rows.contains(seat)));
            held(&self.info[index], 1 + given)
                && held(&self.told[index], told_holders + given)
                && (!self.form.with_mask || held(&self.seen.each[index], 2))
                && held(&self.masks.each[index], mask_holders)
                && holds(&self.info[index], [(names.action_mask.as_ptr(), self.masks.each[index].as_ptr())].into_iter())
                && (!self.form.with_mask || self.both_are_held(py, names, index))
        });
        let rows = |held: fn(&Sheet, usize) -> *mut ffi::PyObject| {
            self.rows.iter().map(move |seat| (names.players[seat.index()].as_ptr(), held(self, seat.index())))
        };
        all_are_free
            && self.seen.is_whole(py, self.form.view.shape())
            && self.masks.is_whole(py, &[ACTIONS])
            && holds(&self.observations, rows(|sheet, index| sheet.told[index].as_ptr()))
            && holds(&self.rewards, rows(|_, _| ANYTHING))
            && holds(&self.terminations, rows(|_, _| falsehood()))
            && holds(&self.truncations, rows(|_, _| falsehood()))
            && holds(&self.infos, rows(|sheet, index| sheet.info[index].as_ptr()))
    }

    fn both_are_held(&self, py: Python<'_>, names: &Names, index: usize) -> bool {
        let both = [
            (names.observation.as_ptr(), self.seen.each[index].as_ptr()),
            (names.action_mask.as_ptr(), self.masks.each[index].as_ptr()),
        ];
        self.told[index].bind(py).cast::<PyDict>().is_ok_and(|told| holds(told.as_unbound(), both.into_iter()))
    }

    /// Makes it tell of these players, and of a turn in which nothing ends; the bytes come from `write`, given room for views and masks.
    pub(crate) fn fill(
        &mut self,
        py: Python<'_>,
        names: &Names,
        rows: SeatSet,
        write: impl FnOnce(&mut [u8], &mut [[u8; ACTIONS]; 4]),
    ) -> PyResult<()> {
        let (seen, masks) = (self.seen.all.bind(py), self.masks.all.bind(py));
        let bytes = 4 * self.form.view.len();
        if seen.len() != bytes || masks.len() != 4 * ACTIONS {
            return Err(PyRuntimeError::new_err("arrays of this environment were resized; they belong to it"));
        }
        // SAFETY: both arrays have just so many bytes, which nobody else can reach while this holds the interpreter, for
        // `write` does not come back to Python. An `i8` may be any byte.
        unsafe {
            let seen = std::slice::from_raw_parts_mut(seen.data(), bytes);
            write(seen, &mut *masks.data().cast());
        }
        if self.is_last {
            self.tell_that_all_goes_on(py, names)?;
        }
        if self.rows != rows {
            self.tell_of(py, names, rows)?;
        }
        Ok(())
    }

    fn tell_of(&mut self, py: Python<'_>, names: &Names, rows: SeatSet) -> PyResult<()> {
        for dict in [&self.observations, &self.rewards, &self.terminations, &self.truncations, &self.infos] {
            dict.bind(py).clear();
        }
        for seat in rows.iter() {
            let name = names.player(py, seat);
            self.observations.bind(py).set_item(name, &self.told[seat.index()])?;
            self.rewards.bind(py).set_item(name, 0.0)?;
            self.terminations.bind(py).set_item(name, false)?;
            self.truncations.bind(py).set_item(name, false)?;
            self.infos.bind(py).set_item(name, &self.info[seat.index()])?;
        }
        self.rows = rows;
        Ok(())
    }

    fn tell_that_all_goes_on(&mut self, py: Python<'_>, names: &Names) -> PyResult<()> {
        for (info, mask) in self.info.iter().zip(&self.masks.each) {
            info.bind(py).clear();
            info.bind(py).set_item(&names.action_mask, mask)?;
        }
        self.is_last = false;
        self.tell_of(py, names, self.rows)
    }

    /// Tells rewards, and for whom this turn is the last.
    #[inline]
    pub(crate) fn tell_turn(&mut self, py: Python<'_>, names: &Names, turn: &Turn) -> PyResult<()> {
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
            info.set_item(&names.final_score, end[seat].hundredths as f64 / 100.0)?;
            info.set_item(&names.rank, end[seat].rank)?;
        }
        Ok(())
    }

    /// What a reset returns.
    pub(crate) fn beginning<'py>(&self, py: Python<'py>) -> Begun<'py> {
        (self.observations.bind(py).clone(), self.infos.bind(py).clone())
    }

    /// What a step returns.
    pub(crate) fn turn<'py>(&self, py: Python<'py>) -> Told<'py> {
        let [rewards, terminations, truncations] =
            [&self.rewards, &self.terminations, &self.truncations].map(|dict| dict.bind(py).clone());
        let (observations, infos) = self.beginning(py);
        (observations, rewards, terminations, truncations, infos)
    }
}

/// Observations and infos.
pub(crate) type Begun<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Observations, rewards, terminations, truncations and infos.
pub(crate) type Told<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// What a turn brought.
pub(crate) struct Turn {
    pub(crate) rewards: BySeat<f32>,
    pub(crate) terminated: SeatSet,
    pub(crate) truncated: SeatSet,
    /// The scores, if the game is over.
    pub(crate) end: Option<BySeat<Score>>,
}

impl<T: Element + Default> Four<T> {
    fn new(py: Python<'_>, shape: &[usize]) -> PyResult<Four<T>> {
        let length: usize = shape.iter().product();
        let all = PyArray2::<T>::zeros(py, [4, length], false);
        let each = [0, 1, 2, 3].map(|number| {
            // SAFETY: the fourth of `all` that begins there has just that shape; and `all` lives as long as its views,
            // which hold it.
            unsafe {
                let view = ArrayView::from_shape_ptr(IxDyn(shape), all.data().add(number * length));
                PyArrayDyn::borrow_from_array(&view, all.clone().into_any()).unbind()
            }
        });
        Ok(Four { all: all.unbind(), each })
    }

    /// Whether the arrays are held by nobody who is not known here, and look as they were made.
    fn is_whole(&self, py: Python<'_>, shape: &[usize]) -> bool {
        held(&self.all, 5)
            && self.all.bind(py).len() == 4 * shape.iter().product::<usize>()
            && self.each.iter().all(|array| {
                let array = array.bind(py);
                // SAFETY: it is an array, and lives.
                let flags = unsafe { (*array.as_array_ptr()).fields.flags };
                array.shape() == shape && flags & AS_MADE == AS_MADE
            })
    }
}

/// Whether an object is held just so often.
#[inline]
fn held<T>(object: &Py<T>, times: isize) -> bool {
    // SAFETY: the object lives, for it is held here.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) == times }
}

/// In place of a value that may be any.
const ANYTHING: *mut ffi::PyObject = std::ptr::null_mut();

fn falsehood() -> *mut ffi::PyObject {
    // SAFETY: Python's `False` lives as long as Python does.
    unsafe { ffi::Py_False() }
}

/// Whether a dict holds just these keys and values, the very objects, in this order.
#[inline]
fn holds(dict: &Py<PyDict>, mut items: impl Iterator<Item = (*mut ffi::PyObject, *mut ffi::PyObject)>) -> bool {
    let (mut place, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the dict lives and is not changed while this runs; key and value are only compared.
    while unsafe { ffi::PyDict_Next(dict.as_ptr(), &mut place, &mut key, &mut value) } != 0 {
        if !items.next().is_some_and(|(wanted, held)| wanted == key && (held == value || held == ANYTHING)) {
            return false;
        }
    }
    items.next().is_none()
}
