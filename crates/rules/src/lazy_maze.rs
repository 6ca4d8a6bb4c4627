//! A maze whose tables are made when they are first needed.

use std::sync::{Arc, OnceLock};

use crate::maze::{Maze, MazeError, check_rows};
use crate::maze_rows::MazeRows;
use crate::ruleset::Ruleset;

/// Walls, generators and rules of a game, of which the [`Maze`] with its tables is made on first use.
///
/// Most games of learning are played in lanes, which need the rows alone.
///
/// ```
/// use pacman2_rules::{LazyMaze, picture};
///
/// let (maze, _) = picture::read("
///     +---+---+
///     | 0   1 |
///     +---+---+
/// ").unwrap();
/// let lazy = LazyMaze::new(*maze.rows(), *maze.ruleset()).unwrap();
/// assert_eq!(**lazy.get(), maze);
/// ```
#[derive(Clone, Debug)]
pub struct LazyMaze {
    rows: MazeRows,
    ruleset: Ruleset,
    maze: OnceLock<Arc<Maze>>,
}

impl LazyMaze {
    /// Checks rows and a ruleset. Bits outside the maze are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if a side or a setting is out of range.
    pub fn new(rows: MazeRows, ruleset: Ruleset) -> Result<LazyMaze, MazeError> {
        check_rows(&rows, &ruleset)?;
        Ok(LazyMaze { rows: rows.clipped(), ruleset, maze: OnceLock::new() })
    }

    /// Returns walls and generators as bits.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> &MazeRows {
        &self.rows
    }

    /// Returns the rules of the game.
    #[must_use]
    #[inline]
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// Returns the maze, always the same one.
    #[inline]
    pub fn get(&self) -> &Arc<Maze> {
        self.maze.get_or_init(|| Arc::new(Maze::from_checked(self.rows, self.ruleset)))
    }
}

impl From<Arc<Maze>> for LazyMaze {
    fn from(maze: Arc<Maze>) -> LazyMaze {
        LazyMaze { rows: *maze.rows(), ruleset: *maze.ruleset(), maze: maze.into() }
    }
}
