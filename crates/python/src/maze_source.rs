//! The mazes of an environment.

use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;
use pyo3::prelude::*;

use crate::game_arguments::GameArguments;
use crate::rules::RuleKeywords;

/// Where the maps of games come from.
pub(crate) enum MazeSource {
    /// Botzone's map of each seed.
    Botzone {
        /// The requested size.
        size: MapSize,
        /// The ruleset of all games.
        settings: Ruleset,
    },
    /// The same map for every seed.
    Given(Box<Map>),
}

impl MazeSource {
    /// Converts the arguments of an environment. It generates a map once, so that later calls cannot fail.
    pub(crate) fn from_python(
        py: Python<'_>,
        size: Option<&Bound<'_, PyAny>>,
        init_data: Option<&Bound<'_, PyAny>>,
        rules: RuleKeywords,
    ) -> PyResult<MazeSource> {
        let map = GameArguments { seed: None, size, init_data, rules }.map(py)?;
        if init_data.is_some() {
            return Ok(MazeSource::Given(Box::new(map)));
        }
        let (width, height) = (map.maze.width(), map.maze.height());
        let size = size.map_or_else(MapSize::default, |_| MapSize { width: Some(width), height: Some(height) });
        Ok(MazeSource::Botzone { size, settings: *map.maze.ruleset() })
    }

    /// Returns the map of a seed.
    pub(crate) fn map(&self, seed: i32) -> Map {
        match self {
            MazeSource::Botzone { size, settings } => {
                Map::generate(seed, *size, *settings).expect("size and ruleset were validated")
            }
            MazeSource::Given(map) => (**map).clone(),
        }
    }
}
