//! What an environment plays on, game after game.

use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;
use pyo3::prelude::*;

use crate::door::Wish;
use crate::rules::RuleKeywords;

/// What games are played on.
pub(crate) enum Ground {
    /// Botzone's map of each seed.
    Botzone {
        /// Sides that are wanted.
        size: MapSize,
        /// The numbers of all games.
        settings: Ruleset,
    },
    /// This map, whatever the seed.
    Given(Box<Map>),
}

impl Ground {
    /// What Python wishes for. It is tried at the door, so that later nothing fails.
    pub(crate) fn wished(
        py: Python<'_>,
        size: Option<&Bound<'_, PyAny>>,
        init_data: Option<&Bound<'_, PyAny>>,
        rules: RuleKeywords,
    ) -> PyResult<Ground> {
        let map = Wish { seed: None, size, init_data, rules }.map(py)?;
        if init_data.is_some() {
            return Ok(Ground::Given(Box::new(map)));
        }
        let (width, height) = (map.maze.width(), map.maze.height());
        let size = size.map_or_else(MapSize::default, |_| MapSize { width: Some(width), height: Some(height) });
        Ok(Ground::Botzone { size, settings: *map.maze.ruleset() })
    }

    /// The map of a seed.
    pub(crate) fn map(&self, seed: i32) -> Map {
        match self {
            Ground::Botzone { size, settings } => {
                Map::generate(seed, *size, *settings).expect("size and settings were tried at the door")
            }
            Ground::Given(map) => (**map).clone(),
        }
    }
}
