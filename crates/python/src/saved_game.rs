//! Games with their whole history as bytes.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `pacman2` and a zero byte |
//! | 1 | version, 1 |
//! | 1 | the index of the ruling in [`ForfeitRuling::ALL`] |
//! | 1, 1 | width, height |
//! | 4 each | seed, and each of [`Setting::ALL`], little-endian |
//! | 2 × width × height | the map in Botzone's bits: `static`, then `content` |
//! | 4 × turns | the actions of each turn, one byte per seat; 255 for none |
//! | 8 | FNV-1a of everything before |
//!
//! The map is validated like init data and the turns are played again, so nothing is trusted.
//!
//! A game that does not begin at the start of its map, such as those of a `VecEnv`, has version 2: the seed, the initial
//! [position](crate::position), then actions and hash as before.

use pacman2_maps::{CustomMap, Map, RawValue, content_bits, static_bits};
use pacman2_rules::{Action, BySeat, ForfeitRuling, Game, Ruleset, Seat, Setting, State};

use crate::convert;
use crate::position::{ReadError, Reader, Writer, hash};

const MARK: &[u8; 8] = b"pacman2\0";
const VERSION: u8 = 1;
const VERSION_FROM_POSITION: u8 = 2;
const HEAD: usize = MARK.len() + 4 + 4 * (1 + Setting::COUNT);
const HASH: usize = 8;

/// Why bytes are not a saved game.
#[derive(Debug, thiserror::Error)]
#[error("expected a saved game, got other bytes: {0}")]
pub(crate) struct SavedGameError(#[from] ReadError);

/// Writes a game and the seed of its map.
pub(crate) fn write(seed: i32, game: &Game) -> Vec<u8> {
    let maze = game.maze();
    let settings = maze.ruleset();
    let start = start(game);
    if !begins_with_its_map(game) {
        return write_from_position(seed, game);
    }
    let mut bytes = Vec::with_capacity(HEAD + 2 * 121 + 4 * game.turns().len() + HASH);
    bytes.extend_from_slice(MARK);
    bytes.extend([VERSION, settings.forfeit_ruling.index() as u8, maze.width(), maze.height()]);
    bytes.extend(seed.to_le_bytes());
    bytes.extend(settings.iter().flat_map(|(_, value)| (value as u32).to_le_bytes()));
    bytes.extend(maze.cells().map(|cell| static_bits(maze, cell)));
    bytes.extend(maze.cells().map(|cell| content_bits(start, cell)));
    bytes.extend(game.turns().iter().flat_map(|turn| turn.actions.0.map(convert::action_index)));
    bytes.extend(hash(&bytes).to_le_bytes());
    bytes
}

/// Returns whether the game begins at the start of its map.
pub(crate) fn begins_with_its_map(game: &Game) -> bool {
    let start = start(game);
    *start == State::start(game.maze(), start.cells, start.small_fruits, start.large_fruits)
}

fn start(game: &Game) -> &State {
    game.turns().first().map_or(game.state(), |first| &first.before)
}

fn write_from_position(seed: i32, game: &Game) -> Vec<u8> {
    let mut to = Writer(MARK.to_vec());
    to.0.push(VERSION_FROM_POSITION);
    to.number(seed as u32);
    to.position(game.maze(), start(game));
    to.0.extend(game.turns().iter().flat_map(|turn| turn.actions.0.map(convert::action_index)));
    let hash = hash(&to.0);
    to.long(hash);
    to.0
}

fn read_from_position(body: &[u8]) -> Result<(i32, Game), SavedGameError> {
    let mut from = Reader(body);
    let seed = from.number()? as i32;
    let (maze, state) = from.position()?;
    Ok((seed, play_again(Game::new(maze, state), from.0)?))
}

/// Reads a game written by [`write`] and the seed of its map.
pub(crate) fn read(bytes: &[u8]) -> Result<(i32, Game), SavedGameError> {
    let kind = bytes.get(..MARK.len() + 1).ok_or(ReadError::TooShort)?;
    if !kind.starts_with(MARK) {
        return Err(ReadError::WrongMark.into());
    }
    let version = kind[MARK.len()];
    if ![VERSION, VERSION_FROM_POSITION].contains(&version) {
        return Err(ReadError::Version { version, expected: "1 or 2" }.into());
    }
    let (body, stored) = bytes.split_last_chunk::<HASH>().ok_or(ReadError::TooShort)?;
    if hash(body) != u64::from_le_bytes(*stored) {
        return Err(ReadError::Damaged.into());
    }
    if version == VERSION_FROM_POSITION {
        return read_from_position(body.get(MARK.len() + 1..).unwrap_or_default());
    }
    let (head, rest) = body.split_at_checked(HEAD).ok_or(ReadError::TooShort)?;
    let (width, height) = (head[10], head[11]);
    let cells = usize::from(width) * usize::from(height);
    let (matrices, actions) = rest.split_at_checked(2 * cells).ok_or(ReadError::TooShort)?;
    let index = usize::from(head[9]);
    let ruling = ForfeitRuling::ALL.get(index).ok_or(ReadError::UnknownIndex { name: "ruling", index })?;
    let (walls, content) = matrices.split_at(cells);
    let matrix = |bits: &[u8]| {
        let row = |row: &[u8]| RawValue::List(row.iter().map(|&bits| RawValue::Integer(bits.into())).collect());
        RawValue::List(bits.chunks(usize::from(width).max(1)).map(row).collect())
    };
    let number = |place: usize| {
        let at = MARK.len() + 4 + 4 * place;
        RawValue::Integer(i32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]).into())
    };
    let custom = CustomMap {
        seed: number(0),
        width: RawValue::Integer(width.into()),
        height: RawValue::Integer(height.into()),
        settings: Setting::ALL.map(|setting| number(1 + setting.index())),
        walls: matrix(walls),
        content: matrix(content),
    };
    let (Map { seed, maze, start }, _) =
        custom.validate(0, Ruleset::default().with_forfeit_ruling(*ruling)).map_err(ReadError::from)?;
    Ok((seed, play_again(Game::new(maze, start), actions)?))
}

fn play_again(mut game: Game, actions: &[u8]) -> Result<Game, SavedGameError> {
    let (turns, []) = actions.as_chunks::<4>() else { return Err(ReadError::PartialTurn.into()) };
    for actions in turns {
        play(&mut game, actions)?;
    }
    Ok(game)
}

fn play(game: &mut Game, indices: &[u8; 4]) -> Result<(), SavedGameError> {
    let mut actions = BySeat([Action::Stay; 4]);
    for seat in Seat::ALL {
        actions[seat] = match indices[seat.index()] {
            convert::NO_ACTION => Action::Invalid,
            index => {
                let index = usize::from(index);
                *Action::ALL.get(index).ok_or(ReadError::UnknownIndex { name: "action", index })?
            }
        };
    }
    if game.play_with(&actions, &mut ()) { Ok(()) } else { Err(ReadError::AfterTheEnd.into()) }
}
