//! The NumPy arrays that a [`VecEngine`](super::VecEngine) writes in place.

#![allow(unsafe_code, reason = "lends NumPy arrays as slices")]

use numpy::prelude::*;
use numpy::{Element, PyArrayDyn, PyUntypedArray, dtype};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::state::{Autoreset, StepBuffers};
use crate::convert::{shown, wrong_type, wrong_value};
use crate::numbers::Numbers;
use crate::observation::{Dtype, ObservationFormat};

/// The names of the arrays, in the order of [`Buffers`].
pub(super) const NAMES: [&str; 10] = [
    "observations",
    "rewards",
    "terminations",
    "truncations",
    "action_mask",
    "alive",
    "ended",
    "final_score",
    "rank",
    "final_observations",
];

/// All arrays of an engine.
pub(super) struct Buffers {
    pub(super) observations: ObservationBuffer,
    pub(super) rewards: Buffer<f32>,
    pub(super) terminations: Buffer<u8>,
    pub(super) truncations: Buffer<u8>,
    pub(super) action_mask: Buffer<u8>,
    pub(super) alive: Buffer<u8>,
    pub(super) ended: Buffer<u8>,
    pub(super) final_score: Buffer<f32>,
    pub(super) rank: Buffer<u8>,
    pub(super) final_observations: Option<ObservationBuffer>,
}

/// An array of observations.
pub(super) enum ObservationBuffer {
    Bytes(Buffer<u8>),
    Floats(Buffer<f32>),
}

/// An array and the address of its numbers.
pub(super) struct Buffer<T> {
    array: Py<PyUntypedArray>,
    first: *mut T,
    len: usize,
    name: &'static str,
}

// SAFETY: a buffer is an address and a reference to a Python object. Neither belongs to a thread. Only `Buffers::lend`, which
// borrows the buffers mutably, dereferences the address.
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: a shared buffer only gives access to its Python object, which requires the interpreter's token.
unsafe impl<T: Sync> Sync for Buffer<T> {}

/// The requirements of an array.
struct Requirements<'a> {
    name: &'static str,
    shape: &'a [usize],
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Byte,
    /// A byte that is 0 or 1.
    Bool,
    Float,
}

impl Kind {
    fn names(self) -> &'static str {
        match self {
            Kind::Byte => "uint8",
            Kind::Bool => "bool or uint8",
            Kind::Float => "float32",
        }
    }

    fn is_of(self, array: &Bound<'_, PyUntypedArray>) -> bool {
        let (py, given) = (array.py(), array.dtype());
        let is = |expected: Bound<'_, numpy::PyArrayDescr>| given.is_equiv_to(&expected);
        match self {
            Kind::Byte => is(dtype::<u8>(py)),
            Kind::Bool => is(dtype::<bool>(py)) || is(dtype::<u8>(py)),
            Kind::Float => is(dtype::<f32>(py)),
        }
    }
}

impl Buffers {
    /// Takes the arrays that the caller passed in, and creates the others.
    pub(super) fn new(
        py: Python<'_>,
        rows: usize,
        format: &ObservationFormat,
        autoreset: Autoreset,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Buffers> {
        let no_dict = |given| wrong_type("buffers", "a dict of arrays by name or None", given);
        let given = given.map(|given| given.cast::<PyDict>().map_err(|_| no_dict(given))).transpose()?;
        let shape: Vec<usize> = [rows].into_iter().chain(format.shape()).collect();
        let has_final = autoreset == Autoreset::SameStep;
        check_names(given, has_final)?;
        let byte = |name, shape: &[usize], kind| Buffer::<u8>::new(py, &Requirements { name, shape, kind }, given);
        let float = |name| Buffer::<f32>::new(py, &Requirements { name, shape: &[rows], kind: Kind::Float }, given);
        let observations = |name| ObservationBuffer::new(py, name, &shape, format.dtype, given);
        let buffers = Buffers {
            observations: observations("observations")?,
            rewards: float("rewards")?,
            terminations: byte("terminations", &[rows], Kind::Bool)?,
            truncations: byte("truncations", &[rows], Kind::Bool)?,
            action_mask: byte("action_mask", &[rows, 9], Kind::Bool)?,
            alive: byte("alive", &[rows], Kind::Bool)?,
            ended: byte("ended", &[rows], Kind::Bool)?,
            final_score: float("final_score")?,
            rank: byte("rank", &[rows], Kind::Byte)?,
            final_observations: has_final.then(|| observations("final_observations")).transpose()?,
        };
        buffers.check_apart()?;
        Ok(buffers)
    }

    /// Returns all arrays with their names.
    pub(super) fn arrays<'py>(&self, py: Python<'py>) -> Vec<(&'static str, &Bound<'py, PyUntypedArray>)> {
        let bytes = self.bytes().map(|buffer| (buffer.name, buffer.array.bind(py)));
        let floats = self.floats().map(|buffer| (buffer.name, buffer.array.bind(py)));
        let mut arrays: Vec<_> = bytes.chain(floats).collect();
        arrays.sort_by_key(|(name, _)| NAMES.iter().position(|other| other == name));
        arrays
    }

    /// Returns a new dict of all arrays by their names.
    pub(super) fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        for (name, array) in self.arrays(py) {
            arrays.set_item(name, array)?;
        }
        Ok(arrays)
    }

    /// Lends the memory of all arrays, for as long as the buffers are borrowed.
    ///
    /// # Safety
    ///
    /// While the memory is lent, no other code may write to it or free it. The documentation of [`VecEngine`](super::VecEngine)
    /// forbids writes. Holding the arrays keeps them allocated: NumPy does not resize an array with other references unless called
    /// with `refcheck=False`, and this call detects an array that was resized before.
    pub(super) unsafe fn lend(&mut self, py: Python<'_>) -> PyResult<StepBuffers<'_>> {
        // SAFETY: the constructor checked that the arrays do not overlap; the caller guarantees the rest.
        unsafe {
            Ok(StepBuffers {
                observations: self.observations.lend(py)?,
                rewards: self.rewards.lend(py)?,
                terminations: self.terminations.lend(py)?,
                truncations: self.truncations.lend(py)?,
                action_mask: self.action_mask.lend(py)?,
                alive: self.alive.lend(py)?,
                ended: self.ended.lend(py)?,
                final_score: self.final_score.lend(py)?,
                rank: self.rank.lend(py)?,
                final_observations: self.final_observations.as_mut().map(|buffer| buffer.lend(py)).transpose()?,
            })
        }
    }

    fn bytes(&self) -> impl Iterator<Item = &Buffer<u8>> {
        let always = [&self.terminations, &self.truncations, &self.action_mask, &self.alive, &self.ended, &self.rank];
        always.into_iter().chain(self.seen().filter_map(|seen| match seen {
            ObservationBuffer::Bytes(buffer) => Some(buffer),
            ObservationBuffer::Floats(_) => None,
        }))
    }

    fn floats(&self) -> impl Iterator<Item = &Buffer<f32>> {
        [&self.rewards, &self.final_score].into_iter().chain(self.seen().filter_map(|seen| match seen {
            ObservationBuffer::Bytes(_) => None,
            ObservationBuffer::Floats(buffer) => Some(buffer),
        }))
    }

    fn seen(&self) -> impl Iterator<Item = &ObservationBuffer> {
        [&self.observations].into_iter().chain(&self.final_observations)
    }

    fn check_apart(&self) -> PyResult<()> {
        let mut spans: Vec<_> = self.bytes().map(Buffer::span).chain(self.floats().map(Buffer::span)).collect();
        spans.sort();
        match spans.windows(2).find(|pair| pair[1].0 < pair[0].1) {
            Some(pair) => {
                let got = format!("\"{}\" and \"{}\" overlap", pair[0].2, pair[1].2);
                Err(wrong_value("buffers", "memory of its own for each array", got))
            }
            None => Ok(()),
        }
    }
}

impl ObservationBuffer {
    fn new(
        py: Python<'_>,
        name: &'static str,
        shape: &[usize],
        dtype: Dtype,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<ObservationBuffer> {
        let required = |kind| Requirements { name, shape, kind };
        Ok(match dtype {
            Dtype::Uint8 => ObservationBuffer::Bytes(Buffer::new(py, &required(Kind::Byte), given)?),
            Dtype::Float32 => ObservationBuffer::Floats(Buffer::new(py, &required(Kind::Float), given)?),
        })
    }

    /// Returns the Python array.
    pub(super) fn array<'py>(&self, py: Python<'py>) -> &Bound<'py, PyUntypedArray> {
        match self {
            ObservationBuffer::Bytes(buffer) => buffer.array(py),
            ObservationBuffer::Floats(buffer) => buffer.array(py),
        }
    }

    /// # Safety
    ///
    /// The same as for [`Buffers::lend`].
    unsafe fn lend(&mut self, py: Python<'_>) -> PyResult<Numbers<'_>> {
        // SAFETY: the caller guarantees it.
        unsafe {
            Ok(match self {
                ObservationBuffer::Bytes(buffer) => Numbers::Bytes(buffer.lend(py)?),
                ObservationBuffer::Floats(buffer) => Numbers::Floats(buffer.lend(py)?),
            })
        }
    }
}

impl<T: Element> Buffer<T> {
    fn new(py: Python<'_>, required: &Requirements<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Buffer<T>> {
        let given = given.map(|given| given.get_item(required.name)).transpose()?.flatten();
        let array = match given {
            Some(array) => required.check(&array)?,
            None => required.make(py)?,
        };
        let (first, len) = (data::<T>(&array), array.len());
        Ok(Buffer { first, len, array: array.unbind(), name: required.name })
    }

    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the Python array.
    pub(super) fn array<'py>(&self, py: Python<'py>) -> &Bound<'py, PyUntypedArray> {
        self.array.bind(py)
    }

    fn span(&self) -> (usize, usize, &'static str) {
        let first = self.first as usize;
        (first, first + self.len * size_of::<T>(), self.name)
    }

    /// # Safety
    ///
    /// The same as for [`Buffers::lend`].
    #[inline(always)]
    unsafe fn lend(&mut self, py: Python<'_>) -> PyResult<&mut [T]> {
        let array = self.array.bind(py);
        if data::<T>(array) != self.first || array.shape().iter().product::<usize>() != self.len {
            return Err(PyRuntimeError::new_err(format!(
                "the array {} was resized while the environment uses it; its size must not change",
                self.name
            )));
        }
        if self.len == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the array is alive, C-contiguous and aligned, as the constructor checked, and has `len` numbers at `first`, as
        // just checked. Every bit pattern is a valid byte or float.
        unsafe { Ok(std::slice::from_raw_parts_mut(self.first, self.len)) }
    }
}

impl Requirements<'_> {
    fn make<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyUntypedArray>> {
        Ok(match self.kind {
            Kind::Byte => PyArrayDyn::<u8>::zeros(py, self.shape, false).as_untyped().clone(),
            Kind::Bool => PyArrayDyn::<bool>::zeros(py, self.shape, false).as_untyped().clone(),
            Kind::Float => PyArrayDyn::<f32>::zeros(py, self.shape, false).as_untyped().clone(),
        })
    }

    fn check<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
        let name = format!("buffers[\"{}\"]", self.name);
        let Ok(array) = given.cast::<PyUntypedArray>() else {
            return Err(wrong_type(&name, "a numpy.ndarray (of a torch tensor, its numpy())", given));
        };
        if !self.kind.is_of(array) {
            return Err(wrong_value(&name, format!("the dtype {}", self.kind.names()), array.dtype()));
        }
        if array.shape() != self.shape {
            return Err(wrong_value(&name, format!("the shape {}", shape_text(self.shape)), shape_text(array.shape())));
        }
        if !array.is_c_contiguous() {
            return Err(wrong_value(&name, "an array with contiguous rows", "one that is not C-contiguous"));
        }
        if !array.getattr("flags")?.getattr("writeable")?.extract::<bool>()? {
            return Err(wrong_value(&name, "a writable array", "a read-only one"));
        }
        if !array.is_aligned() || !(data::<u8>(array) as usize).is_multiple_of(self.alignment()) {
            let expected = format!("an address that is a multiple of {} bytes", self.alignment());
            return Err(wrong_value(&name, expected, "one that is not aligned"));
        }
        Ok(array.clone())
    }

    fn alignment(&self) -> usize {
        match self.kind {
            Kind::Byte | Kind::Bool => 1,
            Kind::Float => align_of::<f32>(),
        }
    }
}

fn check_names(given: Option<&Bound<'_, PyDict>>, has_final: bool) -> PyResult<()> {
    let Some(given) = given else { return Ok(()) };
    let known = if has_final { &NAMES[..] } else { &NAMES[..NAMES.len() - 1] };
    for name in given.keys() {
        let text = name.str()?;
        if !known.contains(&&*text.to_cow()?) {
            let names = known.join(", ");
            return Err(wrong_value("buffers", format!("the names {names}"), shown(&name)));
        }
    }
    Ok(())
}

/// Returns the address of an array's first number.
#[inline(always)]
pub(super) fn data<T>(array: &Bound<'_, PyUntypedArray>) -> *mut T {
    // SAFETY: this is NumPy's own struct, which lives as long as the object.
    unsafe { (*array.as_array_ptr()).fields.data.cast() }
}

/// Formats a shape as Python does.
pub(super) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [side] => format!("({side},)"),
        sides => format!("({})", sides.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}
