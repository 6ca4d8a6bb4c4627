//! The limits and rules under which all games of an arena are played.

use std::time::Duration;

use pacman2_rules::Ruleset;
use pacman2_runner::Limits;
use pacman2_tournament::Store;
use pacman2_tournament::store::ArenaSettings;

use super::store::store_error;

/// What all games of an arena have in common.
#[derive(Clone)]
pub(crate) struct GameLimits {
    /// The settings as they are stored. The id of a game depends on them.
    pub(crate) stored: ArenaSettings,
    pub(crate) limits: Limits,
    pub(crate) ruleset: Ruleset,
}

impl GameLimits {
    /// Reads the limits of an arena.
    pub(crate) fn from_store(store: &Store) -> anyhow::Result<GameLimits> {
        Ok(GameLimits::new(store.settings().map_err(store_error)?))
    }

    /// Returns the limits that these settings mean.
    pub(crate) fn new(stored: ArenaSettings) -> GameLimits {
        let time = Some(Duration::from_millis(stored.time_ms));
        let memory_bytes = Some(stored.memory_mb.saturating_mul(1024 * 1024));
        GameLimits {
            limits: Limits { wall: time, cpu: time, memory_bytes, ..Limits::default() },
            ruleset: Ruleset { turn_limit: stored.turns, forfeit_ruling: stored.ruling, ..Ruleset::default() },
            stored,
        }
    }
}
