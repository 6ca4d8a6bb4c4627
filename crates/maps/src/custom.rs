//! Custom maps: init data from outside, validated before it becomes a [`Map`].

use std::ops::RangeInclusive;

use pacman2_rules::{Ruleset, Seat, Setting};

use crate::bits;
use crate::error::{MapError, MapErrorReason, Matrix};
use crate::map::Map;
use crate::raw_value::RawValue;
use crate::seed::SEEDS;
use crate::size::{MapSize, SIDES, sides};
use crate::warnings::{self, MapWarning};

/// Init data before validation, under the names that it has in Botzone's JSON.
///
/// With `static` and `content` it describes a map; without both, the map that Botzone generates from the seed.
///
/// ```
/// use pacman2_maps::{CustomMap, MapWarning, RawValue, content_bits, static_bits};
/// use pacman2_rules::{Cell, Ruleset, picture};
///
/// let (maze, start) = picture::read("
///     +---+---+---+---+---+---+
///     | 0   .               1 |
///     +   +   +   +   +   +   +
///     |                       |
///     +   +   +   +   +   +   +
///     |                       |
///     +   +   +   +   +   +   +
///     |                       |
///     +   +   +   +   +   +   +
///     |                       |
///     +   +   +   +   +   +   +
///     | 2                   3 |
///     +---+---+---+---+---+---+
/// ").unwrap();
/// let matrix = |bits: &dyn Fn(Cell) -> u8| {
///     let numbers: Vec<RawValue> = maze.cells().map(|cell| RawValue::Integer(bits(cell).into())).collect();
///     RawValue::List(numbers.chunks(6).map(|row| RawValue::List(row.to_vec())).collect())
/// };
/// let custom = CustomMap {
///     width: RawValue::Integer(6),
///     height: RawValue::Integer(6),
///     walls: matrix(&|cell| static_bits(&maze, cell)),
///     content: matrix(&|cell| content_bits(&start, cell)),
///     ..CustomMap::default()
/// };
/// let (map, warnings) = custom.validate(0, Ruleset::default()).unwrap();
/// assert_eq!((map.maze, map.start), (maze, start));
/// assert_eq!(warnings, [MapWarning::Asymmetric]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CustomMap {
    /// The seed; of a map with `static` and `content` just a number that bots receive.
    pub seed: RawValue,
    /// The number of columns.
    pub width: RawValue,
    /// The number of rows.
    pub height: RawValue,
    /// The value of each [`Setting`], by its [index](Setting::index).
    pub settings: [RawValue; Setting::COUNT],
    /// The matrix `static`: walls and generators.
    pub walls: RawValue,
    /// The matrix `content`: players and fruit.
    pub content: RawValue,
}

impl CustomMap {
    /// Validates the map. Returns it with a warning for each kind of thing that looks odd but can be played.
    ///
    /// `seed` and `base` stand in for a seed and settings that are missing. The forfeit ruling is that of `base`.
    ///
    /// # Errors
    ///
    /// Returns an error with every reason why the map cannot be played.
    ///
    /// ```
    /// use pacman2_maps::{CustomMap, RawValue};
    /// use pacman2_rules::Ruleset;
    ///
    /// // Without `static` and `content`, Botzone's map of the seed.
    /// let (map, warnings) = CustomMap::default().validate(7, Ruleset::default()).unwrap();
    /// assert_eq!(map.seed, 7);
    /// assert!(warnings.is_empty());
    ///
    /// let wide = CustomMap { width: RawValue::Integer(12), ..CustomMap::default() };
    /// let error = wide.validate(7, Ruleset::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "width must be a whole number between 6 and 11, got 12");
    /// ```
    pub fn validate(&self, seed: i32, base: Ruleset) -> Result<(Map, Vec<MapWarning>), MapError> {
        let mut validator = Validator::default();
        let seed = validator.number("seed", &self.seed, SEEDS, seed.into()) as i32;
        let ruleset = self.ruleset(&mut validator, base);
        if self.walls == RawValue::Missing && self.content == RawValue::Missing {
            let size = MapSize { width: validator.side("width", &self.width), height: validator.side("height", &self.height) };
            validator.finish()?;
            return Ok((Map::generate(seed, size, ruleset)?, Vec::new()));
        }
        for (name, side) in [("width", &self.width), ("height", &self.height)] {
            if *side == RawValue::Missing {
                validator.reject(MapErrorReason::MissingSide { name });
            }
        }
        let (width, height) = (validator.side("width", &self.width), validator.side("height", &self.height));
        let walls = validator.matrix(Matrix::Static, &self.walls, height, width);
        let content = validator.matrix(Matrix::Content, &self.content, height, width);
        validator.check_generators(&walls);
        validator.check_players(&content);
        validator.finish()?;
        let map = Map::from_bits(seed, width.unwrap_or(*SIDES.start()), &walls, &content, ruleset)?;
        let warnings = warnings::find(&map, &content);
        Ok((map, warnings))
    }

    fn ruleset(&self, validator: &mut Validator, base: Ruleset) -> Ruleset {
        self.settings.iter().zip(Setting::ALL).fold(base, |ruleset, (raw, setting)| {
            let value = validator.number(setting.json_key(), raw, setting.range(), ruleset.get(setting));
            ruleset.with(setting, value).unwrap_or(ruleset)
        })
    }
}

/// Collects the reasons to reject a map. A rejected value is replaced by a harmless one, so that the search goes on.
#[derive(Default)]
struct Validator {
    reasons: Vec<MapErrorReason>,
    omitted: usize,
}

impl Validator {
    /// The number of reasons in an error: a map of 121 wrong cells does not need 121 sentences.
    const MAX_REASONS: usize = 20;

    fn reject(&mut self, reason: MapErrorReason) {
        if self.reasons.len() < Validator::MAX_REASONS {
            self.reasons.push(reason);
        } else {
            self.omitted += 1;
        }
    }

    /// The number of reasons so far, the omitted ones included.
    fn rejections(&self) -> usize {
        self.reasons.len() + self.omitted
    }

    fn finish(self) -> Result<(), MapError> {
        if self.reasons.is_empty() { Ok(()) } else { Err(MapError::new(self.reasons, self.omitted)) }
    }

    fn number(&mut self, name: &'static str, raw: &RawValue, range: RangeInclusive<i64>, default: i64) -> i64 {
        match raw {
            RawValue::Missing => default,
            RawValue::Integer(number) if range.contains(number) => *number,
            _ => {
                self.reject(MapErrorReason::Number { name, range, got: raw.clone() });
                default
            }
        }
    }

    fn side(&mut self, name: &'static str, raw: &RawValue) -> Option<u8> {
        let side = self.number(name, raw, sides(), 0) as u8;
        (side > 0).then_some(side)
    }

    /// Returns the cells of a matrix row by row; no cells if anything is wrong with it.
    fn matrix(&mut self, matrix: Matrix, raw: &RawValue, height: Option<u8>, width: Option<u8>) -> Vec<u8> {
        let RawValue::List(rows) = raw else {
            self.reject(MapErrorReason::NotAMatrix { matrix, got: raw.clone() });
            return Vec::new();
        };
        let before = self.rejections();
        if let Some(expected) = height.filter(|&height| rows.len() != usize::from(height)) {
            self.reject(MapErrorReason::RowCount { matrix, expected, got: rows.len() });
        }
        let mut cells = Vec::new();
        for (row, raw) in rows.iter().enumerate() {
            let RawValue::List(numbers) = raw else {
                self.reject(MapErrorReason::NotARow { matrix, row, got: raw.clone() });
                continue;
            };
            if let Some(expected) = width.filter(|&width| numbers.len() != usize::from(width)) {
                self.reject(MapErrorReason::RowLength { matrix, row, expected, got: numbers.len() });
            }
            for (col, number) in numbers.iter().enumerate() {
                match number {
                    RawValue::Integer(bits) if (0..=matrix.max()).contains(bits) => cells.push(*bits as u8),
                    _ => self.reject(MapErrorReason::Cell { matrix, row, col, got: number.clone() }),
                }
            }
        }
        if self.rejections() > before { Vec::new() } else { cells }
    }

    fn check_generators(&mut self, walls: &[u8]) {
        let generators = walls.iter().filter(|&bits| bits & bits::GENERATOR != 0).count();
        if generators > bits::MAX_GENERATORS {
            self.reject(MapErrorReason::TooManyGenerators(generators));
        }
    }

    fn check_players(&mut self, content: &[u8]) {
        if content.is_empty() {
            return;
        }
        for seat in Seat::ALL {
            let cells = content.iter().filter(|&bits| bits & bits::player(seat) != 0).count();
            if cells != 1 {
                self.reject(MapErrorReason::PlayerCount { seat, got: cells });
            }
        }
    }
}
