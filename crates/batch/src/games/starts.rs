//! What the games in slots began with.

use std::sync::Arc;

use super::{StartPosition, StartSource};
use crate::lanes::MazeWalls;
use crate::rng::index_below;

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
    /// The walls of the mazes, unless there are so many that lanes had better have their own.
    walls: Option<Arc<[MazeWalls]>>,
}

/// How many mazes may share their walls among lanes: these take 96 KB.
const MAX_SHARED_WALLS: usize = 1024;

impl StartList {
    pub(super) fn of(source: &dyn StartSource) -> StartList {
        let list = source.list().filter(|list| !list.is_empty());
        let few = list.filter(|list| list.len() <= MAX_SHARED_WALLS);
        StartList {
            starts: list.map(Arc::from),
            walls: few.map(|list| list.iter().map(|start| start.lane_maze.walls()).collect()),
        }
    }

    pub(super) fn walls(&self) -> Option<Arc<[MazeWalls]>> {
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
            SlotStart::Listed(place) => &self.starts.as_ref().expect("a listed start has a list")[*place],
            SlotStart::Own(start) => start,
        }
    }
}
