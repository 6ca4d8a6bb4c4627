//! What a shot may hit.

use pacman2_rules::{Direction, Maze, Seat, State};

use super::bounds::bin;
use crate::distance_tables::DistanceTables;

/// The bins of a shot. Its *target* is the player that it hits most likely, of those the nearest, of those the strongest.
pub(super) struct ShotBins {
    /// Players that it cannot miss.
    pub(super) sure: i32,
    /// The chance to hit the target.
    pub(super) chance: i32,
    /// The sum of the chances to hit each player.
    pub(super) chances: i32,
    /// Steps to the target.
    pub(super) steps: i32,
    /// Whether the target is weaker, as strong or stronger.
    pub(super) target: i32,
}

impl ShotBins {
    #[inline(always)]
    pub(super) fn new(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, direction: Direction) -> ShotBins {
        const FAR: u8 = DistanceTables::UNREACHABLE;
        let here = state.cells[seat];
        let ray = maze.ray(here, direction);
        let (mut sure, mut chances) = (0, 0);
        // The chance to hit the target in percent, how much nearer it is than what is unreachable, and who is stronger, in one number.
        let mut best = 1;
        for other in state.alive.iter().filter(|&other| other != seat) {
            let reach = tables.reach(state.cells[other]);
            let chance = 100 * (reach & ray).len() as i32 / reach.len() as i32;
            chances += chance;
            sure += i32::from(chance == 100);
            let lead = (state.strength[other] - state.strength[seat]).signum();
            best = best.max(chance << 16 | i32::from(FAR - tables.steps(here, state.cells[other])) << 8 | (1 + lead));
        }
        let (chance, steps, target) = (best >> 16, i32::from(FAR) - (best >> 8 & 255), best & 255);
        ShotBins {
            sure: sure.min(2),
            chance: bin(chance, &[19, 26, 40, 51, 99]),
            chances: bin(chances, &[30, 60, 100]),
            steps: bin(steps, &[1, 2, 4, 7]),
            target,
        }
    }
}
