//! What games begin with, and where it comes from.

use std::sync::Arc;

use pacman2_rules::{LazyMaze, Maze, State};

use crate::maze_tables::LaneMaze;
#[cfg(feature = "observe")]
use crate::observe::simd::ViewTables;
use crate::rng::index_below;
use crate::soa_states::PackedState;

/// A maze and a position on it with which games begin, prepared for lanes.
///
/// ```
/// use pacman2_batch::StartPosition;
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     turn 1/100
///     +---+---+
///     | 0   1 |
///     +---+---+
/// ").unwrap();
/// let start = StartPosition::new(maze, state);
/// assert_eq!(*start.state(), state);
/// ```
#[derive(Clone, Debug)]
pub struct StartPosition {
    maze: LazyMaze,
    pub(super) state: State,
    /// `None` if lanes cannot hold it.
    pub(super) packed: Option<PackedState>,
    pub(super) lane_maze: LaneMaze,
    #[cfg(feature = "observe")]
    pub(super) view_tables: ViewTables,
}

impl StartPosition {
    /// Prepares a maze and a position on it.
    ///
    /// Playing panics in debug builds if a living player is outside the maze; see [`State::play`].
    pub fn new(maze: impl Into<Arc<Maze>>, state: State) -> StartPosition {
        StartPosition::on_lazy_maze(LazyMaze::from(maze.into()), state)
    }

    /// Prepares a position on a maze whose tables are made when a game leaves its lane or is looked at.
    ///
    /// ```
    /// use pacman2_batch::StartPosition;
    /// use pacman2_rules::{LazyMaze, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     turn 1/100
    ///     +---+---+
    ///     | 0   1 |
    ///     +---+---+
    /// ").unwrap();
    /// let lazy = LazyMaze::new(*maze.rows(), *maze.ruleset()).unwrap();
    /// let start = StartPosition::on_lazy_maze(lazy, state);
    /// assert_eq!(**start.maze(), maze);
    /// ```
    pub fn on_lazy_maze(maze: LazyMaze, state: State) -> StartPosition {
        let (rows, ruleset) = (maze.rows(), maze.ruleset());
        StartPosition {
            packed: PackedState::new(rows, ruleset, &state),
            lane_maze: LaneMaze::new(rows, ruleset),
            #[cfg(feature = "observe")]
            view_tables: ViewTables::new(rows, ruleset),
            maze,
            state,
        }
    }

    /// Returns a position that a lane held, on this maze.
    pub(super) fn unpack(&self, packed: &PackedState) -> State {
        packed.state(self.maze.rows(), self.maze.ruleset())
    }

    /// Returns the maze.
    pub fn maze(&self) -> &Arc<Maze> {
        self.maze.get()
    }

    /// Returns the position.
    pub fn state(&self) -> &State {
        &self.state
    }
}

/// Where new games come from. Implemented for functions, and for lists of starts that are equally likely.
pub trait StartSource: Send + Sync {
    /// Returns what the game of that seed begins with: the same for the same seed.
    ///
    /// A game that is over before its first turn stays as it is, and [`Games::ended`](super::Games::ended) does not report it. If this function
    /// panics, so does its caller, and the games must not be used any more.
    fn start(&self, seed: u64) -> Arc<StartPosition>;
}

impl<F: Fn(u64) -> Arc<StartPosition> + Send + Sync> StartSource for F {
    fn start(&self, seed: u64) -> Arc<StartPosition> {
        self(seed)
    }
}

impl StartSource for Vec<Arc<StartPosition>> {
    /// Returns one of the starts, which are equally likely.
    ///
    /// # Panics
    ///
    /// If the list is empty.
    fn start(&self, seed: u64) -> Arc<StartPosition> {
        assert!(!self.is_empty(), "the list of start positions is empty; expected at least one");
        Arc::clone(&self[index_below(seed, self.len())])
    }
}
