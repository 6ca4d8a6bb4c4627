//! Why a map cannot be played.

use std::fmt;
use std::ops::RangeInclusive;

use pacman2_rules::{MazeError, MazeErrorReason, Seat};

use crate::bits;
use crate::raw_value::RawValue;
use crate::size::sides;

/// Everything that is wrong with a map. Displays as one line with all reasons.
///
/// ```
/// use pacman2_maps::{CustomMap, RawValue};
/// use pacman2_rules::Ruleset;
///
/// let custom = CustomMap { seed: RawValue::Text, width: RawValue::Integer(5), ..CustomMap::default() };
/// let error = custom.validate(0, Ruleset::default()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "seed must be a whole number between -2147483648 and 4294967295, got a string; \
///      width must be a whole number between 6 and 11, got 5"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapError {
    reasons: Vec<MapErrorReason>,
    omitted: usize,
}

impl MapError {
    pub(crate) fn new(reasons: Vec<MapErrorReason>, omitted: usize) -> MapError {
        MapError { reasons, omitted }
    }

    /// Returns the reasons, at least one and at most 20.
    ///
    /// ```
    /// use pacman2_maps::{CustomMap, MapErrorReason, RawValue};
    /// use pacman2_rules::Ruleset;
    ///
    /// let custom = CustomMap { height: RawValue::Integer(12), ..CustomMap::default() };
    /// let error = custom.validate(0, Ruleset::default()).unwrap_err();
    /// assert!(matches!(error.reasons(), [MapErrorReason::Number { name: "height", got: RawValue::Integer(12), .. }]));
    /// ```
    #[must_use]
    pub fn reasons(&self) -> &[MapErrorReason] {
        &self.reasons
    }

    /// Returns how many more reasons there are.
    ///
    /// ```
    /// use pacman2_maps::{CustomMap, RawValue};
    /// use pacman2_rules::Ruleset;
    ///
    /// let matrix = |cell: i64| RawValue::List(vec![RawValue::List(vec![RawValue::Integer(cell); 6]); 6]);
    /// let six = RawValue::Integer(6);
    /// let custom = CustomMap {
    ///     width: six.clone(),
    ///     height: six,
    ///     walls: matrix(32),
    ///     content: matrix(0),
    ///     ..CustomMap::default()
    /// };
    /// // 36 cells with an unknown bit, and four players without a cell.
    /// let error = custom.validate(0, Ruleset::default()).unwrap_err();
    /// assert_eq!((error.reasons().len(), error.omitted()), (20, 20));
    /// ```
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }
}

impl From<MapErrorReason> for MapError {
    fn from(reason: MapErrorReason) -> MapError {
        MapError::new(vec![reason], 0)
    }
}

impl From<MazeError> for MapError {
    fn from(error: MazeError) -> MapError {
        MapError::new(error.reasons().iter().copied().map(MapErrorReason::Maze).collect(), 0)
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, reason) in self.reasons.iter().enumerate() {
            f.write_str(if index > 0 { "; " } else { "" })?;
            reason.fmt(f)?;
        }
        if self.omitted > 0 { write!(f, "; and {} more", self.omitted) } else { Ok(()) }
    }
}

impl std::error::Error for MapError {}

/// One thing that is wrong with a map.
///
/// ```
/// use pacman2_maps::{MapError, MapErrorReason};
///
/// let error = MapError::from(MapErrorReason::MissingSide { name: "width" });
/// assert_eq!(error.to_string(), "width is missing; expected a whole number between 6 and 11 beside static and content");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs, reason = "`got` is the rejected value everywhere; rows and columns count from 0")]
pub enum MapErrorReason {
    /// Init data is not a JSON object.
    NotAnObject { got: RawValue },
    /// A value is not a whole number in its range.
    Number { name: &'static str, range: RangeInclusive<i64>, got: RawValue },
    /// A map with `static` and `content` has no width or no height.
    MissingSide { name: &'static str },
    /// A matrix is not a list.
    NotAMatrix { matrix: Matrix, got: RawValue },
    /// The number of rows is not the height.
    RowCount { matrix: Matrix, expected: u8, got: usize },
    /// A row is not a list.
    NotARow { matrix: Matrix, row: usize, got: RawValue },
    /// The number of cells in a row is not the width.
    RowLength { matrix: Matrix, row: usize, expected: u8, got: usize },
    /// A cell is not a number of known bits.
    Cell { matrix: Matrix, row: usize, col: usize, got: RawValue },
    /// There are more than 4 generators.
    TooManyGenerators(usize),
    /// A player stands on no cell, or on more than one.
    PlayerCount { seat: Seat, got: usize },
    /// The maze cannot be built.
    Maze(MazeErrorReason),
}

impl fmt::Display for MapErrorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use MapErrorReason as Reason;
        let between = |range: &RangeInclusive<i64>| format!("a whole number between {} and {}", range.start(), range.end());
        match self {
            Reason::NotAnObject { got } => write!(f, "init data must be a JSON object, got {got}"),
            Reason::Number { name, range, got } => write!(f, "{name} must be {}, got {got}", between(range)),
            Reason::MissingSide { name } => {
                write!(f, "{name} is missing; expected {} beside static and content", between(&sides()))
            }
            Reason::NotAMatrix { matrix, got } => write!(f, "{matrix} must be a list of rows, got {got}"),
            Reason::RowCount { matrix, expected, got } => {
                write!(f, "{matrix} must have {expected} rows, as the height says, got {got}")
            }
            Reason::NotARow { matrix, row, got } => write!(f, "{matrix} row {row} must be a list of numbers, got {got}"),
            Reason::RowLength { matrix, row, expected, got } => {
                write!(f, "{matrix} row {row} must have {expected} numbers, as the width says, got {got}")
            }
            Reason::Cell { matrix, row, col, got } => {
                write!(f, "{matrix} at row {row}, column {col} must be {}, got {got}", between(&(0..=matrix.max())))
            }
            Reason::TooManyGenerators(got) => {
                write!(f, "static must have at most {} generators ({}), got {got}", bits::MAX_GENERATORS, bits::GENERATOR)
            }
            Reason::PlayerCount { seat, got } => {
                write!(f, "content must have player {seat} ({}) on exactly one cell, got {got}", bits::player(*seat))
            }
            Reason::Maze(reason) => reason.fmt(f),
        }
    }
}

/// One of the two matrices of init data. Displays as its key.
///
/// ```
/// assert_eq!(pacman2_maps::Matrix::Content.to_string(), "content");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Matrix {
    /// Walls and generators.
    Static,
    /// Players and fruit.
    Content,
}

impl Matrix {
    /// Returns the largest number in a cell: all bits that are known.
    ///
    /// ```
    /// assert_eq!(pacman2_maps::Matrix::Static.max(), 31);
    /// ```
    #[must_use]
    pub const fn max(self) -> i64 {
        match self {
            Matrix::Static => 31,
            Matrix::Content => 63,
        }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Matrix::Static => "static",
            Matrix::Content => "content",
        })
    }
}
