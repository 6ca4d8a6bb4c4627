//! A map: generated from a seed, or made from Botzone's bits.

use pacman2_rules::{BySeat, CellSet, LazyMaze, Maze, MazeSpec, Ruleset, State};

use crate::error::{MapError, MapErrorReason};
use crate::raw_value::RawValue;
use crate::size::{MapSize, SIDES, sides};
use crate::{bits, generate};

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

/// A map whose maze has no tables until they are needed. It takes a third of the time that a [`Map`] takes to generate.
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
        let layout = generate::generate(seed, size.width, size.height);
        Ok(MapDraft { start: layout.start(&ruleset), maze: LazyMaze::new(layout.rows, ruleset)? })
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
        let MapDraft { maze, start } = MapDraft::generate(seed, size, ruleset)?;
        Ok(Map { seed, maze: Maze::clone(maze.get()), start })
    }

    /// Returns the map of these bits, given row by row. Each player must be on a cell.
    pub(crate) fn from_bits(seed: i32, width: u8, walls: &[u8], content: &[u8], ruleset: Ruleset) -> Result<Map, MapError> {
        let squares = walls.iter().map(|&bits| bits::square(bits)).collect();
        let spec = MazeSpec { width, height: (walls.len() / usize::from(width)) as u8, squares, ruleset };
        let maze = Maze::new(&spec)?;
        let cells_with = |bit| -> CellSet { maze.cells().filter(|cell| content[cell.index()] & bit != 0).collect() };
        let players = BySeat::from_fn(|seat| cells_with(bits::player(seat)).iter().next().unwrap_or_default());
        let start = State::start(&maze, players, cells_with(bits::SMALL_FRUIT), cells_with(bits::LARGE_FRUIT));
        Ok(Map { seed, maze, start })
    }
}
