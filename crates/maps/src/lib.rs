//! Where games begin: Botzone's random maps, reproduced from the seed, and custom maps, validated.

#![forbid(unsafe_code)]

mod bits;
mod custom;
mod error;
mod generate;
mod glibc;
mod warnings;

pub use bits::{content_bits, static_bits};
pub use custom::{CustomMap, RawValue};
pub use error::{MapError, MapErrorReason, Matrix};

use pacman2_rules::{Maze, Ruleset, State};

/// The widths and heights of Botzone's maps.
pub const SIDES: std::ops::RangeInclusive<u8> = 6..=11;

/// A maze with the position before the first turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// The seed it was generated from; of a custom map just a number that bots receive.
    pub seed: i32,
    /// Walls, generators and rules.
    pub maze: Maze,
    /// The position before the first turn.
    pub start: State,
}

/// The size of a map to generate. A side that is `None` is drawn from the seed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MapSize {
    /// The number of columns, one of [`SIDES`].
    pub width: Option<u8>,
    /// The number of rows, one of [`SIDES`].
    pub height: Option<u8>,
}

impl Map {
    /// Returns the map that Botzone generates from this seed.
    ///
    /// # Errors
    ///
    /// Returns an error if a side is not one of [`SIDES`] or a setting is out of range.
    ///
    /// ```
    /// use pacman2_maps::{Map, MapSize};
    /// use pacman2_rules::{Ruleset, picture};
    ///
    /// let size = MapSize { width: Some(6), height: Some(6) };
    /// let map = Map::generate(1, size, Ruleset::default()).unwrap();
    /// println!("{}", picture::field(&map.maze, &map.start));
    /// assert_eq!((map.maze.width(), map.start.large_fruits.len()), (6, 4));
    ///
    /// let size = MapSize { width: Some(5), height: None };
    /// let error = Map::generate(1, size, Ruleset::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "width must be a whole number between 6 and 11, got 5");
    /// ```
    pub fn generate(seed: i32, size: MapSize, ruleset: Ruleset) -> Result<Map, MapError> {
        let mut reasons = Vec::new();
        for (name, side) in [("width", size.width), ("height", size.height)] {
            if let Some(side) = side.filter(|side| !SIDES.contains(side)) {
                let range = i64::from(*SIDES.start())..=i64::from(*SIDES.end());
                reasons.push(MapErrorReason::Number { name, range, got: RawValue::Integer(side.into()) });
            }
        }
        if !reasons.is_empty() {
            return Err(MapError::new(reasons, 0));
        }
        let grid = generate::generate(seed, size.width, size.height);
        bits::map(seed, grid.width, &grid.walls.concat(), &grid.content.concat(), ruleset)
    }
}
