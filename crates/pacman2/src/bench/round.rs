//! A round of measurements.

use super::lap::Lap;

/// The number of rounds: odd, so that there is a median.
pub(super) const ROUNDS: u32 = 5;

/// The number of games whose final positions make the checksum. It does not depend on the time of measuring.
pub(super) const CHECKED_GAMES: usize = 1000;

/// The measurements of a round. Pairs are of one thread and of all threads.
pub(super) struct Round {
    /// The baseline's turns per second.
    pub(super) baseline: Option<f64>,
    pub(super) scalar: Lap,
    pub(super) playouts: [Lap; 2],
    pub(super) given_actions: [Lap; 2],
    /// Given actions, on new maps.
    pub(super) fresh_games: Lap,
    /// Maps that were made, as games: prepared for lanes, and with all tables.
    pub(super) fresh_maps: [Lap; 2],
}
