//! The turn in which a style decides.

use pacman2_rules::{Maze, Seat, State};

use crate::distance_tables::DistanceTables;

/// A position in which a seat decides.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) tables: &'a DistanceTables,
    pub(super) maze: &'a Maze,
    pub(super) state: &'a State,
    pub(super) seat: Seat,
}
