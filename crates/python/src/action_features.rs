//! The features of actions: what `sage`'s policy net sees of each action, as zeros and ones.

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::policy_net::{PROPERTIES, PolicyPosition, ROWS};
use pacman2_rules::{Maze, Seat, State};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert;
use crate::observation::{Number, Numbers};

/// The number of features of an action.
pub(crate) const FEATURES: usize = ROWS;
/// Writes the features of a player's actions, [`FEATURES`] for each: 1 for each property's bin. They are 0 for illegal actions and for
/// dead players.
pub(crate) fn write(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, into: Numbers<'_>) {
    match into {
        Numbers::Bytes(into) => write_numbers(tables, maze, state, seat, into),
        Numbers::Floats(into) => write_numbers(tables, maze, state, seat, into),
    }
}

fn write_numbers<N: Number>(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, into: &mut [N]) {
    into.fill(N::default());
    if !state.alive.contains(seat) || state.is_over(maze) {
        return;
    }
    let legal = state.legal_actions(maze, seat);
    let rows = PolicyPosition::new(tables, maze, state).rows(seat, legal);
    for (rows, &action) in rows.iter().zip(legal) {
        let features = &mut into[usize::from(convert::action_index(action)) * FEATURES..][..FEATURES];
        rows.as_slice().iter().for_each(|&row| features[usize::from(row)] = N::divided(1, 1.0));
    }
}

/// Returns the names of the 279 features of an action, in order: a property, a colon, and the values for which the feature is 1.
///
/// Examples:
///     >>> len(pacman2.action_feature_names()), pacman2.action_feature_names()[0]
///     (279, 'kind: stay')
#[pyfunction]
pub(crate) fn action_feature_names(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let names = PROPERTIES.iter().flat_map(|property| property.bins.iter().map(|bin| format!("{}: {bin}", property.name)));
    PyTuple::new(py, names.collect::<Vec<_>>())
}
