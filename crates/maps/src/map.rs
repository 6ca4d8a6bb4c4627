//! A map: generated from a seed, or made from Botzone's bits.

use pacman2_rules::{BySeat, Direction, LazyMaze, Maze, MazeRows, Ruleset, State};

use crate::bits;
use crate::error::{MapError, MapErrorReason};
use crate::generate::{self, Grid};
use crate::raw_value::RawValue;
use crate::size::{MapSize, SIDES, sides};

/// A maze with the position before the first turn.
///
/// ```
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_rules::{Action, BySeat, Game, Ruleset};
///
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// let mut game = Game::new(map.maze, map.start);
/// game.play(&BySeat::from_fn(|_| Action::Stay));
/// assert_eq!(game.state().turn, 1);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// The seed it was generated from; of a custom map just a number that bots receive.
    pub seed: i32,
    /// Walls, generators and rules.
    pub maze: Maze,
    /// The position before the first turn.
    pub start: State,
}

/// A map whose maze has no tables until they are needed.
///
/// ```
/// use pacman2_maps::{Map, MapDraft, MapSize};
/// use pacman2_rules::Ruleset;
///
/// let draft = MapDraft::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
/// assert_eq!((&**draft.maze.get(), draft.start), (&map.maze, map.start));
/// ```
#[derive(Clone, Debug)]
pub struct MapDraft {
    /// Walls, generators and rules.
    pub maze: LazyMaze,
    /// The position before the first turn.
    pub start: State,
}

impl MapDraft {
    /// Returns the map that Botzone generates from this seed.
    ///
    /// # Errors
    ///
    /// As [`Map::generate`].
    pub fn generate(seed: i32, size: MapSize, ruleset: Ruleset) -> Result<MapDraft, MapError> {
        let mut reasons = Vec::new();
        for (name, side) in [("width", size.width), ("height", size.height)] {
            if let Some(side) = side.filter(|side| !SIDES.contains(side)) {
                reasons.push(MapErrorReason::Number { name, range: sides(), got: RawValue::Integer(side.into()) });
            }
        }
        if !reasons.is_empty() {
            return Err(MapError::new(reasons, 0));
        }
        let Grid { width, height, walls, content } = generate::generate(seed, size.width, size.height);
        let cells = usize::from(width) * usize::from(height);
        MapDraft::from_bits(width, &walls[..cells], &content[..cells], ruleset)
    }

    /// Returns the map of these bits, given row by row. Each player must be on a cell.
    fn from_bits(width: u8, walls: &[u8], content: &[u8], ruleset: Ruleset) -> Result<MapDraft, MapError> {
        let height = (walls.len() / usize::from(width)) as u8;
        let mut rows = MazeRows { width, height, open: Default::default(), generators: Default::default() };
        for (row, walls) in walls.chunks(width.into()).enumerate() {
            for (col, &bits) in walls.iter().enumerate() {
                for direction in Direction::ALL.map(Direction::index) {
                    rows.open[direction][row] |= u16::from(!bits >> direction & 1) << col;
                }
                rows.generators[row] |= u16::from(bits & bits::GENERATOR != 0) << col;
            }
        }
        let cells_with =
            |bit| rows.cells_of_bits(content.iter().rev().fold(0, |cells, &bits| cells << 1 | u128::from(bits & bit != 0)));
        let player = |seat| cells_with(bits::player(seat)).iter().next().unwrap_or_default();
        let fruit = [bits::SMALL_FRUIT, bits::LARGE_FRUIT].map(cells_with);
        let start = State::start_with(&ruleset, BySeat::from_fn(player), fruit[0], fruit[1]);
        Ok(MapDraft { maze: LazyMaze::new(rows, ruleset)?, start })
    }

    /// Returns the map with all tables.
    fn finish(self, seed: i32) -> Map {
        Map { seed, maze: Maze::clone(self.maze.get()), start: self.start }
    }
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
        Ok(MapDraft::generate(seed, size, ruleset)?.finish(seed))
    }

    /// Returns the map of these bits, given row by row. Each player must be on a cell.
    pub(crate) fn from_bits(seed: i32, width: u8, walls: &[u8], content: &[u8], ruleset: Ruleset) -> Result<Map, MapError> {
        Ok(MapDraft::from_bits(width, walls, content, ruleset)?.finish(seed))
    }
}
