//! The terms of an arena's games, as the judge takes them.

use std::time::Duration;

use pacman2_rules::{ForfeitRuling, Ruleset};
use pacman2_runner::Limits;
use pacman2_tournament::Store;

use crate::failure::bad_input;

/// What all games of an arena have in common.
pub(crate) struct Terms {
    /// As the store has them: a game's id depends on them.
    pub(crate) kept: pacman2_tournament::store::ArenaSettings,
    pub(crate) limits: Limits,
    pub(crate) settings: Ruleset,
}

impl Terms {
    /// The terms of that store.
    pub(crate) fn of(store: &Store) -> anyhow::Result<Terms> {
        let kept = store.settings()?;
        let ruling: Result<ForfeitRuling, _> = kept.ruling.parse();
        let ruling = ruling.map_err(|error| bad_input(format!("{}: {error}", store.folder().display())))?;
        let time = Some(Duration::from_millis(kept.time_ms));
        let memory_bytes = Some(kept.memory_mb.saturating_mul(1024 * 1024));
        Ok(Terms {
            limits: Limits { wall: time, cpu: time, memory_bytes, ..Limits::default() },
            settings: Ruleset { turn_limit: kept.turns, forfeit_ruling: ruling, ..Ruleset::default() },
            kept,
        })
    }
}
