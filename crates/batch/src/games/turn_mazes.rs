//! On which mazes a turn of games is played: on one that all have, or on one for each lane.

use crate::lanes::Lanes;
use crate::maze_tables::MazeTables;
use crate::maze_tables::per_lane::LaneMazes;
use crate::maze_tables::shared::SharedMaze;
use crate::soa_states::SoaStates;
use crate::turn::{Given, TurnOutcome, play};

/// The mazes on which a turn is played. What is inlined for each kind is a function of its own: in one for both, registers of 16 and
/// 32 bytes are spilled more often.
pub(super) trait TurnMazes: Copy {
    /// Whether all games are on one maze.
    const ONE_MAZE: bool;

    /// Plays a turn. `of_lanes` are the mazes of each lane, and the actions of the dead must be to stay.
    fn play<L: Lanes>(
        self,
        lanes: L,
        states: &mut SoaStates,
        of_lanes: &LaneMazes,
        cells: &[L::Bytes; 4],
        actions: [L::Bytes; 4],
    ) -> TurnOutcome<L::Mask>;
}

impl TurnMazes for &SharedMaze {
    const ONE_MAZE: bool = true;

    #[inline(always)]
    fn play<L: Lanes>(
        self,
        lanes: L,
        states: &mut SoaStates,
        _: &LaneMazes,
        cells: &[L::Bytes; 4],
        actions: [L::Bytes; 4],
    ) -> TurnOutcome<L::Mask> {
        play::<L, _, Given>(lanes, states, self, actions, self.ahead(lanes, cells, &actions))
    }
}

/// A maze for each lane.
#[derive(Clone, Copy)]
pub(super) struct OfLanes;

impl TurnMazes for OfLanes {
    const ONE_MAZE: bool = false;

    #[inline(always)]
    fn play<L: Lanes>(
        self,
        lanes: L,
        states: &mut SoaStates,
        of_lanes: &LaneMazes,
        cells: &[L::Bytes; 4],
        actions: [L::Bytes; 4],
    ) -> TurnOutcome<L::Mask> {
        play::<L, _, Given>(lanes, states, of_lanes, actions, of_lanes.ahead(lanes, cells, &actions))
    }
}
