//! The distance tables of mazes, computed when they are first used.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::net::NetInputs;
use pacman2_rules::{Maze, State};

/// The tables of one maze.
#[derive(Default)]
pub(crate) struct KnownMaze(OnceLock<DistanceTables>);

impl KnownMaze {
    /// Returns the tables of the maze, always the same one.
    pub(crate) fn tables(&self, maze: &Maze) -> &DistanceTables {
        self.0.get_or_init(|| DistanceTables::new(maze))
    }

    /// Returns the inputs of `sage`'s net for a position in the maze.
    pub(crate) fn inputs(&self, maze: &Maze, state: &State) -> NetInputs {
        NetInputs::new(self.tables(maze), maze, state)
    }
}

/// The limit of mazes of which tables are kept, beyond two for each game. A table takes 60 KiB.
const MOST_TABLES: usize = 2048;

/// The tables of the mazes on which the games of an environment are played, by the addresses of the mazes. The entries keep the mazes,
/// so that an address is not given to another one.
#[derive(Default)]
pub(crate) struct TablesOfMazes(HashMap<usize, (Arc<Maze>, Arc<DistanceTables>)>);

impl TablesOfMazes {
    /// Returns the tables of a maze, one of as many as there are games.
    pub(crate) fn of(&mut self, maze: &Arc<Maze>, games: usize) -> &Arc<DistanceTables> {
        let address = Arc::as_ptr(maze).addr();
        if self.0.len() >= MOST_TABLES + 2 * games && !self.0.contains_key(&address) {
            self.0.clear();
        }
        &self.0.entry(address).or_insert_with(|| (Arc::clone(maze), Arc::new(DistanceTables::new(maze)))).1
    }
}
