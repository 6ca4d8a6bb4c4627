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

use std::fmt;

use maps::{Custom, Map, Raw, content_bits, static_bits};
use rules::{BySeat, Game, LightOnTheForfeited, Order, Seat, Settings};

use crate::door;

const MARK: &[u8; 8] = b"pacman2\0";
const VERSION: u8 = 1;
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
    let arena = game.arena();
    let settings = arena.settings();
    let start = game.turns().first().map_or(game.state(), |first| &first.before);
    let ruling = LightOnTheForfeited::ALL.iter().position(|&ruling| ruling == settings.light_on_the_forfeited);
    let mut bytes = Vec::with_capacity(HEAD + 2 * 121 + 4 * game.turns().len() + HASH);
    bytes.extend_from_slice(MARK);
    bytes.extend([VERSION, ruling.unwrap_or(0) as u8, arena.width(), arena.height()]);
    let Settings { generator_interval, large_fruit_duration, large_fruit_enhancement, skill_cost, turn_limit, .. } = *settings;
    bytes.extend(seed.to_le_bytes());
    bytes.extend(generator_interval.to_le_bytes());
    bytes.extend(large_fruit_duration.to_le_bytes());
    bytes.extend(large_fruit_enhancement.to_le_bytes());
    bytes.extend(skill_cost.to_le_bytes());
    bytes.extend(turn_limit.to_le_bytes());
    bytes.extend(arena.cells().map(|cell| static_bits(arena, cell)));
    bytes.extend(arena.cells().map(|cell| content_bits(start, cell)));
    bytes.extend(game.turns().iter().flat_map(|turn| turn.orders.0.map(door::action)));
    bytes.extend(hash(&bytes).to_le_bytes());
    bytes
}

/// The game that was written, and the seed of its map.
pub(crate) fn read(bytes: &[u8]) -> Result<(i32, Game), Unreadable> {
    let kind = bytes.get(..MARK.len() + 1).ok_or_else(|| unreadable("they are too few"))?;
    if !kind.starts_with(MARK) {
        return Err(unreadable("they do not begin as one"));
    }
    if kind[MARK.len()] != VERSION {
        return Err(unreadable(format!("version {} is not known, {VERSION} is", kind[MARK.len()])));
    }
    let (body, told) = bytes.split_last_chunk::<HASH>().ok_or_else(|| unreadable("they are too few"))?;
    if hash(body) != u64::from_le_bytes(*told) {
        return Err(unreadable("they are damaged"));
    }
    let (head, rest) = body.split_at_checked(HEAD).ok_or_else(|| unreadable("they are too few"))?;
    let (width, height) = (head[10], head[11]);
    let cells = usize::from(width) * usize::from(height);
    let (matrices, actions) = rest.split_at_checked(2 * cells).ok_or_else(|| unreadable("they are too few"))?;
    let ruling = LightOnTheForfeited::ALL.get(usize::from(head[9])).ok_or_else(|| unreadable("there is no such ruling"))?;
    let (walls, content) = matrices.split_at(cells);
    let matrix = |bits: &[u8]| {
        let row = |row: &[u8]| Raw::List(row.iter().map(|&bits| Raw::Integer(bits.into())).collect());
        Raw::List(bits.chunks(usize::from(width).max(1)).map(row).collect())
    };
    let number = |place: usize| {
        let at = MARK.len() + 4 + 4 * place;
        Raw::Integer(i32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]).into())
    };
    let custom = Custom {
        seed: number(0),
        width: Raw::Integer(width.into()),
        height: Raw::Integer(height.into()),
        generator_interval: number(1),
        large_fruit_duration: number(2),
        large_fruit_enhancement: number(3),
        skill_cost: number(4),
        max_turn: number(5),
        walls: matrix(walls),
        content: matrix(content),
    };
    let (Map { seed, arena, start }, _) = custom.check(0, *ruling).map_err(unreadable)?;
    let mut game = Game::new(arena, start);
    let (turns, []) = actions.as_chunks::<4>() else { return Err(unreadable("the last turn is not whole")) };
    for actions in turns {
        play(&mut game, actions)?;
    }
    Ok((seed, game))
}

fn play(game: &mut Game, actions: &[u8; 4]) -> Result<(), Unreadable> {
    let mut orders = BySeat([Order::Stay; 4]);
    for seat in Seat::ALL {
        orders[seat] = match actions[seat.index()] {
            door::NO_ACTION => Order::Invalid,
            action => *Order::ALL.get(usize::from(action)).ok_or_else(|| unreadable("there is no such action"))?,
        };
    }
    if game.play_before(&orders, &mut ()) { Ok(()) } else { Err(unreadable("the game is over before its last turn")) }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
