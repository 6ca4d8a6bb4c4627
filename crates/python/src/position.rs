//! Positions as bytes.
//!
//! All numbers are little-endian. A ruleset is one byte for the index of its ruling in [`ForfeitRuling::ALL`] and 4 bytes for each of
//! [`Setting::ALL`]. A position is width and height (1 + 1), the ruleset, one byte per cell (walls, 16 for a generator), turn and turns
//! until fruit (4 + 4), for each seat its cell and whether it is alive (1 + 1), strength and boost turns (4 + 4), and both kinds of
//! fruit as bits of cells (16 + 16).
//!
//! Reading validates everything: whatever the bytes, the result can be played.

use pacman2_rules::{
    BySeat, CellSet, Direction, Fnv1a, ForfeitRuling, Maze, MazeSpec, Ruleset, Seat, SeatSet, Setting, Square, State, Walls,
};

const GENERATOR: u8 = 16;
/// The limit of strengths and boosts. No game reaches it, and twice as much still fits.
const MAX_STRENGTH: u32 = 1 << 28;

/// Why bytes cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The bytes end too early.
    #[error("they end too early")]
    TooShort,
    /// The bytes do not begin with the mark of this format.
    #[error("they do not begin with its mark")]
    WrongMark,
    /// The version is unknown.
    #[error("expected version {expected}, got {version}")]
    Version { version: u8, expected: &'static str },
    /// The hash at the end does not match.
    #[error("they are damaged")]
    Damaged,
    /// A number is too large.
    #[error("expected {name} of at most {max}, got {number}")]
    TooLarge { name: &'static str, number: u32, max: u32 },
    /// An index names nothing.
    #[error("unknown {name} {index}")]
    UnknownIndex { name: &'static str, index: usize },
    /// A strength is out of range.
    #[error("strength {0} is out of range")]
    Strength(i32),
    /// A setting is out of range.
    #[error(transparent)]
    Ruleset(#[from] pacman2_rules::RulesetError),
    /// The maze is invalid.
    #[error(transparent)]
    Maze(#[from] pacman2_rules::MazeError),
    /// The map is invalid.
    #[error(transparent)]
    Map(#[from] pacman2_maps::MapError),
    /// A list of maps is empty.
    #[error("there are no maps")]
    NoMaps,
    /// The last turn is incomplete.
    #[error("the last turn is incomplete")]
    PartialTurn,
    /// The game ends before its last turn.
    #[error("the game is over before its last turn")]
    AfterTheEnd,
    /// Bytes are left over.
    #[error("{0} bytes are left over")]
    LeftOver(usize),
    /// The number of games differs from that of the environment.
    #[error("expected {expected} games as in this environment, got {count}")]
    GameCount { count: usize, expected: usize },
}

/// Writes numbers and positions.
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn long(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    /// Writes bytes after their number.
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn ruleset(&mut self, ruleset: &Ruleset) {
        self.0.push(ruleset.forfeit_ruling.index() as u8);
        for (_, value) in ruleset.iter() {
            self.number(value as u32);
        }
    }

    pub(crate) fn position(&mut self, maze: &Maze, state: &State) {
        self.0.extend([maze.width(), maze.height()]);
        self.ruleset(maze.ruleset());
        let generators = maze.generators();
        self.0.extend(maze.cells().map(|cell| {
            let wall = |side: &Direction| u8::from(maze.walls(cell).contains(*side)) << side.index();
            let generator = if generators.contains(cell) { GENERATOR } else { 0 };
            generator | Direction::ALL.iter().map(wall).sum::<u8>()
        }));
        self.number(state.turn);
        self.number(state.generator_turns_left);
        for seat in Seat::ALL {
            self.0.extend([state.cells[seat].index() as u8, u8::from(state.alive.contains(seat))]);
            self.number(state.strength[seat] as u32);
            self.number(state.boost_turns_left[seat]);
        }
        [state.small_fruits, state.large_fruits].iter().for_each(|fruits| self.0.extend(fruits.bits().to_le_bytes()));
    }
}

/// Reads numbers and positions.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], ReadError> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(ReadError::TooShort)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, ReadError> {
        Ok(self.bytes::<1>()?[0])
    }

    pub(crate) fn number(&mut self) -> Result<u32, ReadError> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(crate) fn long(&mut self) -> Result<u64, ReadError> {
        self.bytes().map(u64::from_le_bytes)
    }

    pub(crate) fn block(&mut self) -> Result<&'a [u8], ReadError> {
        let length = self.number()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(ReadError::TooShort)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn at_most(&mut self, name: &'static str, max: u32) -> Result<u32, ReadError> {
        let number = self.number()?;
        if number <= max { Ok(number) } else { Err(ReadError::TooLarge { name, number, max }) }
    }

    pub(crate) fn ruleset(&mut self) -> Result<Ruleset, ReadError> {
        let index = usize::from(self.byte()?);
        let ruling = ForfeitRuling::ALL.get(index).ok_or(ReadError::UnknownIndex { name: "ruling", index })?;
        Setting::ALL.into_iter().try_fold(Ruleset::default().with_forfeit_ruling(*ruling), |ruleset, setting| {
            Ok(ruleset.with(setting, self.number()?.into())?)
        })
    }

    pub(crate) fn position(&mut self) -> Result<(Maze, State), ReadError> {
        let [width, height] = self.bytes()?;
        let ruleset = self.ruleset()?;
        let squares = (0..usize::from(width) * usize::from(height)).map(|_| self.byte().map(square)).collect::<Result<_, _>>()?;
        let maze = Maze::new(&MazeSpec { width, height, squares, ruleset })?;
        let turn = self.at_most("a turn", ruleset.turn_limit)?;
        let generator_turns_left = self.at_most("a number of turns until fruit", Ruleset::MAX)?.max(1);
        let mut state =
            State::start(&maze, BySeat([maze.cell(0, 0).expect("every maze has a cell"); 4]), CellSet::EMPTY, CellSet::EMPTY);
        (state.turn, state.generator_turns_left, state.alive) = (turn, generator_turns_left, SeatSet::EMPTY);
        for seat in Seat::ALL {
            let [cell, lives] = self.bytes()?;
            let place = usize::from(cell);
            let cell = maze.cell(place / usize::from(width), place % usize::from(width));
            state.cells[seat] = cell.ok_or(ReadError::UnknownIndex { name: "cell", index: place })?;
            if lives != 0 {
                state.alive.insert(seat);
            }
            let strength = self.number()? as i32;
            if strength.unsigned_abs() > MAX_STRENGTH {
                return Err(ReadError::Strength(strength));
            }
            state.strength[seat] = strength;
            state.boost_turns_left[seat] = self.at_most("a number of boost turns", MAX_STRENGTH)?;
        }
        let mut fruits = || Ok::<_, ReadError>(maze.cells_of_bits(u128::from_le_bytes(self.bytes()?)));
        (state.small_fruits, state.large_fruits) = (fruits()?, fruits()?);
        Ok((maze, state))
    }
}

fn square(byte: u8) -> Square {
    let mut walls = Walls::NONE;
    Direction::ALL.into_iter().filter(|side| byte >> side.index() & 1 != 0).for_each(|side| walls.insert(side));
    Square { walls, generator: byte & GENERATOR != 0 }
}

/// Returns the 64-bit FNV-1a hash.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = Fnv1a::new();
    hash.write(bytes);
    hash.finish()
}
