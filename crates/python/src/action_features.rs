//! The features of actions: what `sage`'s policy net sees of each action, as zeros and ones.

use std::collections::HashMap;
use std::sync::Arc;

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::policy_net::{PROPERTIES, PolicyPosition, ROWS};
use pacman2_rules::{Maze, Seat, State};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert;

/// The number of actions.
pub(crate) const ACTIONS: usize = 9;
/// The number of features of an action.
pub(crate) const FEATURES: usize = ROWS;
/// The features of all actions of a player.
pub(crate) type ActionFeatures = [[u8; FEATURES]; ACTIONS];

/// The limit of mazes of which tables are kept, beyond those in use. A table takes 60 KiB.
const MOST_TABLES: usize = 2048;

/// Writes the features of a player's actions: 1 for each property's bin. They are 0 for illegal actions and for dead players.
pub(crate) fn write(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, into: &mut ActionFeatures) {
    *into = [[0; FEATURES]; ACTIONS];
    if !state.alive.contains(seat) || state.is_over(maze) {
        return;
    }
    let legal = state.legal_actions(maze, seat);
    let rows = PolicyPosition::new(tables, maze, state).rows(seat, legal);
    for (rows, &action) in rows.iter().zip(legal) {
        let features = &mut into[usize::from(convert::action_index(action))];
        rows.as_slice().iter().for_each(|&row| features[usize::from(row)] = 1);
    }
}

/// The distance tables of the mazes on which the games of an environment are played, by the addresses of the mazes. The entries keep
/// the mazes, so that an address is not given to another one.
#[derive(Default)]
pub(crate) struct TablesOfMazes(HashMap<usize, (Arc<Maze>, DistanceTables)>);

impl TablesOfMazes {
    /// Returns the tables of a maze.
    pub(crate) fn of(&mut self, maze: &Arc<Maze>) -> &DistanceTables {
        if self.0.len() >= MOST_TABLES && !self.0.contains_key(&Arc::as_ptr(maze).addr()) {
            self.0.clear();
        }
        &self.0.entry(Arc::as_ptr(maze).addr()).or_insert_with(|| (Arc::clone(maze), DistanceTables::new(maze))).1
    }
}

/// Returns the names of the 279 features of an action, in order: a property, a colon, and the values for which the feature is 1.
#[pyfunction]
pub(crate) fn action_feature_names(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let names = PROPERTIES.iter().flat_map(|property| property.bins.iter().map(|bin| format!("{}: {bin}", property.name)));
    PyTuple::new(py, names.collect::<Vec<_>>())
}
