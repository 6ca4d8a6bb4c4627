//! What games begin with, and where it comes from.

use std::sync::Arc;

use pacman2_rules::{LazyMaze, Maze, State};

use crate::maze_tables::per_lane::{LaneMaze, ListedWalls, MazeWalls};
use crate::maze_tables::shared::SharedMaze;
#[cfg(feature = "observe")]
use crate::observe::simd::ViewTables;
use crate::rng::index_below;
use crate::soa_states::{Numbering, PackedState};

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
    pub(super) walls: MazeWalls,
    pub(super) in_lane: LaneStart,
    #[cfg(feature = "observe")]
    pub(super) view_tables: ViewTables,
}

/// What a lane receives when a game begins, except for the walls, which many lanes share: in two lines of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct LaneStart {
    /// `None` if lanes cannot hold it.
    pub(super) packed: Option<PackedState>,
    pub(super) maze: LaneMaze,
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
            walls: MazeWalls::new(rows),
            in_lane: LaneStart {
                packed: PackedState::new(rows, ruleset, &state, Numbering::WIDEST),
                maze: LaneMaze::new(rows, ruleset),
            },
            #[cfg(feature = "observe")]
            view_tables: ViewTables::new(rows, ruleset),
            maze,
            state,
        }
    }

    fn has_maze_of(&self, other: &StartPosition) -> bool {
        self.maze.rows() == other.maze.rows() && self.maze.ruleset() == other.maze.ruleset()
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

    /// Returns the starts, if they are on a list that never changes, and if the game of a seed begins with the one that [`index_below`]
    /// chooses. Games then need not count their references.
    fn list(&self) -> Option<&[Arc<StartPosition>]> {
        None
    }
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

    fn list(&self) -> Option<&[Arc<StartPosition>]> {
        Some(self)
    }
}

/// What a game began with. A start that is on the list of the source is not counted as a reference: counting costs 20 to 30 cycles
/// at the beginning of a game and as many at its end, because other threads may count, too.
#[derive(Clone)]
pub(super) enum SlotStart {
    /// The place on the list.
    Listed(usize),
    Own(Arc<StartPosition>),
}

/// The list of the source, if it has one.
#[derive(Clone)]
pub(super) struct StartList {
    starts: Option<Arc<[Arc<StartPosition>]>>,
    /// What lanes receive from them: one after another, so that the processor need not wait for an address to load the next one.
    in_lanes: Arc<[LaneStart]>,
    /// The walls of the mazes, unless there are so many that each lane has its own.
    walls: Option<ListedWalls>,
}

/// How many mazes may share their walls among lanes: these take 160 KB, of which an instruction set reads 64 or 96.
const MAX_SHARED_WALLS: usize = 1024;

impl StartList {
    pub(super) fn of(source: &dyn StartSource) -> StartList {
        let list = source.list().filter(|list| !list.is_empty());
        let few = list.filter(|list| list.len() <= MAX_SHARED_WALLS);
        StartList {
            starts: list.map(Arc::from),
            in_lanes: list.unwrap_or_default().iter().map(|start| start.in_lane.clone()).collect(),
            walls: few.map(|list| ListedWalls::new(list.iter().map(|start| &start.walls))),
        }
    }

    pub(super) fn walls(&self) -> Option<ListedWalls> {
        self.walls.clone()
    }

    /// Returns what the game of that seed begins with.
    #[inline]
    pub(super) fn begin(&self, seed: u64, source: &dyn StartSource) -> SlotStart {
        match &self.starts {
            Some(list) => SlotStart::Listed(index_below(seed, list.len())),
            None => SlotStart::Own(source.start(seed)),
        }
    }

    #[inline]
    pub(super) fn get<'a>(&'a self, start: &'a SlotStart) -> &'a Arc<StartPosition> {
        match start {
            SlotStart::Listed(place) => self.listed(*place),
            SlotStart::Own(start) => start,
        }
    }

    /// Returns what a lane receives from a start.
    #[inline]
    pub(super) fn in_lane<'a>(&'a self, start: &'a SlotStart) -> &'a LaneStart {
        match start {
            SlotStart::Listed(place) => &self.in_lanes[*place],
            SlotStart::Own(start) => &start.in_lane,
        }
    }

    /// Returns the start at a place on the list.
    #[inline]
    pub(super) fn listed(&self, place: usize) -> &Arc<StartPosition> {
        &self.starts.as_ref().expect("a listed start has a list")[place]
    }
}

/// The maze that all starts on a list have in common.
pub(super) struct CommonMaze {
    /// One of the starts.
    start: Arc<StartPosition>,
    pub(super) tables: SharedMaze,
}

impl CommonMaze {
    /// Returns the maze, if there is only one on the list of the source, and if there are tables for it.
    pub(super) fn of(source: &dyn StartSource) -> Option<CommonMaze> {
        let list = source.list()?;
        let start = list.first()?;
        if !list.iter().all(|other| other.has_maze_of(start)) {
            return None;
        }
        Some(CommonMaze { start: Arc::clone(start), tables: SharedMaze::new(start.maze(), Numbering::WIDEST)? })
    }

    pub(super) fn is_of(&self, start: &StartPosition) -> bool {
        self.start.has_maze_of(start)
    }
}
