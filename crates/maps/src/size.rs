//! The sizes of Botzone's maps.

use std::ops::RangeInclusive;

/// The widths and heights of Botzone's maps.
///
/// ```
/// use pacman2_maps::SIDES;
///
/// assert!(SIDES.contains(&6) && SIDES.contains(&11) && !SIDES.contains(&12));
/// ```
pub const SIDES: RangeInclusive<u8> = 6..=11;

/// The size of a map to generate. A side that is `None` is drawn from the seed.
///
/// ```
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_rules::Ruleset;
///
/// let sides = |size| {
///     let maze = Map::generate(42, size, Ruleset::default()).unwrap().maze;
///     (maze.width(), maze.height())
/// };
/// assert_eq!(sides(MapSize::default()), (6, 9));
/// assert_eq!(sides(MapSize { width: Some(11), height: None }), (11, 9));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MapSize {
    /// The number of columns, one of [`SIDES`].
    pub width: Option<u8>,
    /// The number of rows, one of [`SIDES`].
    pub height: Option<u8>,
}

/// Returns [`SIDES`] as the range of a value that has not been validated.
pub(crate) fn sides() -> RangeInclusive<i64> {
    i64::from(*SIDES.start())..=i64::from(*SIDES.end())
}
