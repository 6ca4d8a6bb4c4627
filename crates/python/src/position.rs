//! Positions as bytes, and back.
//!
//! All numbers are little-endian. Settings are a byte for the ruling's place in [`LightOnTheForfeited::ALL`] and 5 × 4 bytes:
//! interval, duration, enhancement, cost, turn limit. A position is width and height, settings, a byte for each cell (walls,
//! 16 for a generator), turn and turns until fruit (4 + 4), for each seat its cell and whether it lives (1 + 1), strength and
//! boost turns (4 + 4), and both kinds of fruit as bits of cells (16 + 16).
//!
//! Nothing is believed: whatever bytes come in, what comes out is a position that can be played.

use pacman2_rules::{
    BySeat, CellSet, Direction, ForfeitRuling, Maze, MazeSpec, Ruleset, Seat, SeatSet, Setting, Square, State, Walls,
};

const GENERATOR: u8 = 16;
/// Strengths and boosts beyond this are of no game that began as one: so far one can get, and has room for as much again.
const MOST: u32 = 1 << 28;

/// Bytes that are written.
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn long(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn settings(&mut self, settings: &Ruleset) {
        self.0.push(settings.forfeit_ruling.index() as u8);
        for (_, value) in settings.iter() {
            self.number(value as u32);
        }
    }

    pub(crate) fn position(&mut self, maze: &Maze, state: &State) {
        self.0.extend([maze.width(), maze.height()]);
        self.settings(maze.ruleset());
        let generators = maze.generators();
        self.0.extend(maze.cells().map(|cell| {
            let wall = |side: &Direction| u8::from(maze.walls(cell).stands(*side)) << side.index();
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

/// Bytes that are still to be read.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], String> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or("they are too few")?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, String> {
        Ok(self.bytes::<1>()?[0])
    }

    pub(crate) fn number(&mut self) -> Result<u32, String> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(crate) fn long(&mut self) -> Result<u64, String> {
        self.bytes().map(u64::from_le_bytes)
    }

    pub(crate) fn at_most(&mut self, name: &str, most: u32) -> Result<u32, String> {
        let number = self.number()?;
        if number <= most { Ok(number) } else { Err(format!("{name} is {number}; at most {most} is possible")) }
    }

    pub(crate) fn settings(&mut self) -> Result<Ruleset, String> {
        let ruling = ForfeitRuling::ALL.get(usize::from(self.byte()?)).ok_or("there is no such ruling")?;
        Setting::ALL.into_iter().try_fold(Ruleset::default().with_forfeit_ruling(*ruling), |ruleset, setting| {
            ruleset.with(setting, self.number()?.into()).map_err(|error| error.to_string())
        })
    }

    pub(crate) fn position(&mut self) -> Result<(Maze, State), String> {
        let [width, height] = self.bytes()?;
        let settings = self.settings()?;
        let squares = (0..usize::from(width) * usize::from(height)).map(|_| self.byte().map(square)).collect::<Result<_, _>>()?;
        let maze = Maze::new(&MazeSpec { width, height, squares, ruleset: settings }).map_err(|error| error.to_string())?;
        let turn = self.at_most("the turn", settings.turn_limit)?;
        let generator_turns_left = self.at_most("the number of turns until fruit", Ruleset::MAX)?.max(1);
        let mut state =
            State::start(&maze, BySeat([maze.cell(0, 0).expect("every field has a cell"); 4]), CellSet::EMPTY, CellSet::EMPTY);
        (state.turn, state.generator_turns_left, state.alive) = (turn, generator_turns_left, SeatSet::EMPTY);
        for seat in Seat::ALL {
            let [cell, lives] = self.bytes()?;
            let place = usize::from(cell);
            let cell = maze.cell(place / usize::from(width), place % usize::from(width));
            state.cells[seat] = cell.ok_or_else(|| format!("the field has no cell {place}"))?;
            if lives != 0 {
                state.alive.insert(seat);
            }
            let strength = self.number()? as i32;
            if strength.unsigned_abs() > MOST {
                return Err(format!("no player has strength {strength}"));
            }
            state.strength[seat] = strength;
            state.boost_turns_left[seat] = self.at_most("the number of a boost's turns", MOST)?;
        }
        let mut fruits = || Ok::<_, String>(maze.cells_of_bits(u128::from_le_bytes(self.bytes()?)));
        (state.small_fruits, state.large_fruits) = (fruits()?, fruits()?);
        Ok((maze, state))
    }
}

fn square(byte: u8) -> Square {
    let mut walls = Walls::NONE;
    Direction::ALL.into_iter().filter(|side| byte >> side.index() & 1 != 0).for_each(|side| walls.build(side));
    Square { walls, generator: byte & GENERATOR != 0 }
}

/// FNV-1a.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
