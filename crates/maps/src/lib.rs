//! Where games begin: Botzone's random maps from the seed up, number for number, and custom maps checked at the door.

mod bits;
mod custom;
mod generate;
mod glibc;
mod oddities;

pub use bits::{content_bits, static_bits};
pub use custom::{CustomMap, MapError, RawValue};

use pacman2_rules::{Maze, Ruleset, State};

/// The sides that Botzone's fields can have.
pub const SIDES: std::ops::RangeInclusive<u8> = 6..=11;

/// An arena with the position before the first turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// The seed it was made from; of a custom map just a number that bots are told.
    pub seed: i32,
    /// Walls, generators and settings.
    pub maze: Maze,
    /// The position before the first turn.
    pub start: State,
}

/// Sides that are wanted; a side that is `None` is drawn from the seed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MapSize {
    /// Columns, one of [`SIDES`].
    pub width: Option<u8>,
    /// Rows, one of [`SIDES`].
    pub height: Option<u8>,
}

impl Map {
    /// The map that Botzone makes from this seed.
    ///
    /// Sides outside [`SIDES`] and settings that no game can have are refused.
    pub fn generate(seed: i32, size: MapSize, settings: Ruleset) -> Result<Map, MapError> {
        let mut reasons = Vec::new();
        for (name, side) in [("width", size.width), ("height", size.height)] {
            if let Some(side) = side.filter(|side| !SIDES.contains(side)) {
                reasons.push(format!("{name} is {side}; {} to {} is possible", SIDES.start(), SIDES.end()));
            }
        }
        if !reasons.is_empty() {
            return Err(MapError { reasons });
        }
        let grid = generate::generate(seed, size.width, size.height);
        bits::map(seed, grid.width, &grid.walls.concat(), &grid.content.concat(), settings)
    }
}
