//! `pacman2.SearchResult`: what a search found in a position.

use numpy::PyArray2;
use numpy::ndarray::Array2;
use pacman2_bots::sage;
use pacman2_rules::{Action, BySeat, Seat};
use pyo3::prelude::*;

use crate::convert::{self, shown};
use crate::report::four;

/// What a search found in a position.
///
/// Arrays have a row for each seat and a column for each action. Actions that were not searched, as of dead players, have 0 visits
/// and the value NaN.
///
/// Examples:
///     >>> found = pacman2.Bot("sage", simulations=100).search(pacman2.Game(seed=42), 0)
///     >>> found.seat, found.values.shape, found.action in range(9)
///     (0, (4, 9), True)
#[pyclass(module = "pacman2", frozen)]
pub(crate) struct SearchResult {
    seat: Option<Seat>,
    found: sage::SearchResult,
}

impl SearchResult {
    /// Wraps the result of a search that decided for a seat, or for none.
    pub(crate) fn new(seat: Option<Seat>, found: sage::SearchResult) -> SearchResult {
        SearchResult { seat, found }
    }

    fn table<'py, T: numpy::Element + Copy>(
        &self,
        py: Python<'py>,
        otherwise: T,
        value: impl Fn(&sage::RootAction) -> T,
    ) -> Bound<'py, PyArray2<T>> {
        let mut table = Array2::from_elem((4, Action::ALL.len()), otherwise);
        for seat in Seat::ALL {
            for option in &self.found.options[seat] {
                table[(seat.index(), usize::from(convert::action_index(option.action)))] = value(option);
            }
        }
        PyArray2::from_owned_array(py, table)
    }

    fn best(&self, seat: Seat) -> Option<&sage::RootAction> {
        self.found.options[seat].iter().max_by_key(|option| option.visits)
    }
}

#[pymethods]
impl SearchResult {
    /// The number of simulations.
    #[getter]
    fn simulations(&self) -> u32 {
        self.found.simulations
    }

    /// The seat for which the search decided; None if it searched for all.
    #[getter]
    fn seat(&self) -> Option<usize> {
        self.seat.map(Seat::index)
    }

    /// The most visited action of the seat, which the bot plays; None if the search was for all seats.
    #[getter]
    fn action(&self) -> Option<u8> {
        self.seat.and_then(|seat| self.best(seat)).map(|best| convert::action_index(best.action))
    }

    /// The most visited action of each seat; 0 for dead players.
    #[getter]
    fn actions(&self) -> (u8, u8, u8, u8) {
        four(BySeat::from_fn(|seat| self.best(seat).map_or(0, |best| convert::action_index(best.action))))
    }

    /// The official points that each seat can expect.
    #[getter]
    fn points(&self) -> (f32, f32, f32, f32) {
        four(self.found.points)
    }

    /// The number of simulations that began with each action, uint32 (4, 9).
    #[getter]
    fn visits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        self.table(py, 0, |option| option.visits)
    }

    /// The official points that each seat can expect after each action, float32 (4, 9).
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.table(py, f32::NAN, |option| if option.visits > 0 { option.points } else { f32::NAN })
    }

    /// The standard errors of the values, float32 (4, 9).
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.table(py, f32::NAN, |option| if option.visits > 0 { option.error } else { f32::NAN })
    }

    /// Returns the principal variation, uint8 (turns, 4): the expected actions of all seats from this turn on.
    ///
    /// `seat`, by default the one that was searched for, begins with `action`, by default its most visited one.
    #[pyo3(signature = (seat = None, action = None))]
    fn pv<'py>(
        &self,
        py: Python<'py>,
        seat: Option<&Bound<'py, PyAny>>,
        action: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let seat = seat.map(convert::seat).transpose()?.or(self.seat).unwrap_or(Seat::S0);
        let option = match action {
            None => self.best(seat),
            Some(action) => {
                let action = Action::ALL[convert::whole_number("action", action, 0..=8)? as usize];
                self.found.options[seat].iter().find(|option| option.action == action)
            }
        };
        let not_searched = || {
            let got = action.map_or_else(|| "a dead player".to_owned(), shown);
            convert::wrong_value("action", format!("one of seat {seat} that was searched, see visits"), got)
        };
        let option = option.ok_or_else(not_searched)?;
        let line: Vec<u8> = option.pv.iter().flat_map(|actions| actions.0.map(convert::action_index)).collect();
        let line = Array2::from_shape_vec((option.pv.len(), 4), line).expect("four actions per turn");
        Ok(PyArray2::from_owned_array(py, line))
    }

    fn __repr__(&self) -> String {
        let points = self.found.points.0.map(|points| format!("{points:.1}")).join(", ");
        let action = self.action().map_or_else(String::new, |action| format!(", action {action}"));
        format!("<pacman2.SearchResult {} simulations, points {points}{action}>", self.found.simulations)
    }
}
