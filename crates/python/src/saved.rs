//! A game as bytes, with its whole history, and back.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `pacman2` and a zero byte |
//! | 1 | version, 1 |
//! | 1 | the ruling's place in [`LightOnTheForfeited::ALL`] |
//! | 1, 1 | width, height |
//! | 4 × 6 | seed and settings, little-endian: interval, duration, enhancement, cost, turn limit |
//! | 2 × width × height | the map in Botzone's bits: `static`, then `content` |
//! | 4 × turns | the actions of each turn, a byte a seat; 255 for none |
//! | 8 | FNV-1a of all before |
//!
//! The map comes in by the door of init data and the turns are played again, so nothing is believed.
//!
//! A game that begins in the midst, as those that a `VecEnv` gives away, has version 2: then there are the seed, the
//! [position](crate::position) with which it begins, and actions and hash as before.

use std::fmt;

use pacman2_maps::{CustomMap, Map, RawValue, content_bits, static_bits};
use pacman2_rules::{Action, BySeat, ForfeitRuling, Game, Ruleset, Seat, Setting, State};

use crate::door;
use crate::position::{Reader, Writer, hash};

const MARK: &[u8; 8] = b"pacman2\0";
const VERSION: u8 = 1;
const VERSION_FROM_THE_MIDST: u8 = 2;
const HEAD: usize = MARK.len() + 4 + 24;
const HASH: usize = 8;

/// Why bytes are no game.
pub(crate) struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "these bytes are no saved game: {}", self.0)
    }
}

fn unreadable(why: impl fmt::Display) -> Unreadable {
    Unreadable(why.to_string())
}

/// A game, and the seed of its map.
pub(crate) fn write(seed: i32, game: &Game) -> Vec<u8> {
    let maze = game.maze();
    let settings = maze.ruleset();
    let start = start(game);
    if !begins_with_its_map(game) {
        return write_from_the_midst(seed, game);
    }
    let mut bytes = Vec::with_capacity(HEAD + 2 * 121 + 4 * game.turns().len() + HASH);
    bytes.extend_from_slice(MARK);
    bytes.extend([VERSION, settings.forfeit_ruling.index() as u8, maze.width(), maze.height()]);
    bytes.extend(seed.to_le_bytes());
    bytes.extend(settings.iter().flat_map(|(_, value)| (value as u32).to_le_bytes()));
    bytes.extend(maze.cells().map(|cell| static_bits(maze, cell)));
    bytes.extend(maze.cells().map(|cell| content_bits(start, cell)));
    bytes.extend(game.turns().iter().flat_map(|turn| turn.actions.0.map(door::action_index)));
    bytes.extend(hash(&bytes).to_le_bytes());
    bytes
}

/// Whether the game begins as the games of its map do, and not in the midst of one.
pub(crate) fn begins_with_its_map(game: &Game) -> bool {
    let start = start(game);
    *start == State::start(game.maze(), start.cells, start.small_fruits, start.large_fruits)
}

fn start(game: &Game) -> &State {
    game.turns().first().map_or(game.state(), |first| &first.before)
}

fn write_from_the_midst(seed: i32, game: &Game) -> Vec<u8> {
    let mut to = Writer(MARK.to_vec());
    to.0.push(VERSION_FROM_THE_MIDST);
    to.number(seed as u32);
    to.position(game.maze(), start(game));
    to.0.extend(game.turns().iter().flat_map(|turn| turn.actions.0.map(door::action_index)));
    let hash = hash(&to.0);
    to.long(hash);
    to.0
}

fn read_from_the_midst(body: &[u8]) -> Result<(i32, Game), Unreadable> {
    let mut from = Reader(body);
    let seed = from.number().map_err(unreadable)? as i32;
    let (maze, state) = from.position().map_err(unreadable)?;
    Ok((seed, play_again(Game::new(maze, state), from.0)?))
}

/// The game that was written, and the seed of its map.
pub(crate) fn read(bytes: &[u8]) -> Result<(i32, Game), Unreadable> {
    let kind = bytes.get(..MARK.len() + 1).ok_or_else(|| unreadable("they are too few"))?;
    if !kind.starts_with(MARK) {
        return Err(unreadable("they do not begin as one"));
    }
    let version = kind[MARK.len()];
    if ![VERSION, VERSION_FROM_THE_MIDST].contains(&version) {
        return Err(unreadable(format!("version {version} is not known, {VERSION} and {VERSION_FROM_THE_MIDST} are")));
    }
    let (body, told) = bytes.split_last_chunk::<HASH>().ok_or_else(|| unreadable("they are too few"))?;
    if hash(body) != u64::from_le_bytes(*told) {
        return Err(unreadable("they are damaged"));
    }
    if version == VERSION_FROM_THE_MIDST {
        return read_from_the_midst(body.get(MARK.len() + 1..).unwrap_or_default());
    }
    let (head, rest) = body.split_at_checked(HEAD).ok_or_else(|| unreadable("they are too few"))?;
    let (width, height) = (head[10], head[11]);
    let cells = usize::from(width) * usize::from(height);
    let (matrices, actions) = rest.split_at_checked(2 * cells).ok_or_else(|| unreadable("they are too few"))?;
    let ruling = ForfeitRuling::ALL.get(usize::from(head[9])).ok_or_else(|| unreadable("there is no such ruling"))?;
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
        custom.validate(0, Ruleset::default().with_forfeit_ruling(*ruling)).map_err(unreadable)?;
    Ok((seed, play_again(Game::new(maze, start), actions)?))
}

fn play_again(mut game: Game, actions: &[u8]) -> Result<Game, Unreadable> {
    let (turns, []) = actions.as_chunks::<4>() else { return Err(unreadable("the last turn is not whole")) };
    for actions in turns {
        play(&mut game, actions)?;
    }
    Ok(game)
}

fn play(game: &mut Game, indices: &[u8; 4]) -> Result<(), Unreadable> {
    let mut actions = BySeat([Action::Stay; 4]);
    for seat in Seat::ALL {
        actions[seat] = match indices[seat.index()] {
            door::NO_ACTION => Action::Invalid,
            action => *Action::ALL.get(usize::from(action)).ok_or_else(|| unreadable("there is no such action"))?,
        };
    }
    if game.play_with(&actions, &mut ()) { Ok(()) } else { Err(unreadable("the game is over before its last turn")) }
}
