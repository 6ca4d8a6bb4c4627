//! A whole game in a link: `#g=` and about 250 characters. `docs/REPLAY.md` describes the format.

mod game;

use pacman2_rules::Fnv1a;

use crate::error::LinkError;
use crate::format::{LINK_VERSION, MAX_LINK_CHARS};
pub(crate) use game::LinkedGame;

/// What leads to a game, and to a turn of it, in the part of an address after `#`.
const GAME_KEY: &str = "g=";
const TURN_KEY: &str = "turn=";
/// The number of bytes of the checksum, which stands before the content.
const CHECKSUM_BYTES: usize = 4;
/// The most bytes of the length before it, with 7 bits each.
const LENGTH_BYTES: usize = 3;

/// The digits of base64 that addresses may contain, RFC 4648.
const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A game in an address, not read yet.
///
/// ```
/// use pacman2_replay::GameLink;
///
/// let link = GameLink::find("https://example.org/pacman2/#g=2AAo&turn=57").unwrap();
/// assert_eq!((link.game, link.turn), ("2AAo", Some(57)));
/// assert_eq!(GameLink::find("#g=2AAo").unwrap().turn, None);
/// assert_eq!(GameLink::find("replays/last.json"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameLink<'a> {
    /// The game, for [`Replay::from_link`](crate::Replay::from_link).
    pub game: &'a str,
    /// The turn to show.
    pub turn: Option<usize>,
}

impl<'a> GameLink<'a> {
    /// Finds the game in a whole address or in what follows its `#`. A JSON text is no address.
    #[must_use]
    pub fn find(text: &'a str) -> Option<GameLink<'a>> {
        let text = text.trim();
        if text.starts_with(['{', '[']) {
            return None;
        }
        let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
        let value = |key| fragment.split('&').find_map(|part| part.strip_prefix(key));
        Some(GameLink { game: value(GAME_KEY)?, turn: value(TURN_KEY).and_then(|turn| turn.parse().ok()) })
    }
}

/// Writes a game: the version, then in base64 the length of the content, its checksum and the content itself.
pub(crate) fn write(game: &LinkedGame) -> Result<String, LinkError> {
    let content = game.to_bytes()?;
    let mut bytes = Vec::new();
    let mut length = content.len();
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(checksum(&content).to_le_bytes());
    bytes.extend(content);
    let mut text = String::from(LINK_VERSION);
    encode(&bytes, &mut text);
    Ok(text)
}

/// Reads a game that [`write`] wrote.
pub(crate) fn read(text: &str) -> Result<LinkedGame, LinkError> {
    let length = text.len();
    if length > MAX_LINK_CHARS {
        return Err(LinkError::TooLong(length));
    }
    let version = text.chars().next().filter(char::is_ascii_digit).ok_or(LinkError::NoGame)?;
    if version != LINK_VERSION {
        return Err(LinkError::Version(version));
    }
    let bytes = decode(&text[1..])?;
    let head = bytes.iter().take(LENGTH_BYTES).take_while(|&&byte| byte >= 0x80).count();
    let low_bits = bytes.iter().take(head + 1).rev().fold(0, |length, byte| length << 7 | usize::from(byte & 0x7f));
    let expected = head + 1 + CHECKSUM_BYTES + low_bits;
    let got = bytes.len();
    if got < expected {
        return Err(LinkError::CutOff { expected, got });
    }
    if got > expected {
        return Err(LinkError::TrailingBytes { expected, got });
    }
    let (found, content) = bytes[head + 1..].split_at(CHECKSUM_BYTES);
    let found = found.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    let expected = checksum(content);
    if found != expected {
        return Err(LinkError::Checksum { expected, found });
    }
    LinkedGame::from_bytes(content)
}

/// Reads the digits of a link, six bits each. The last byte may be cut off.
///
/// Written by hand, because the crate `base64` would make the page's engine a thirtieth larger.
fn decode(text: &str) -> Result<Vec<u8>, LinkError> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0, 0);
    for (index, character) in text.chars().enumerate() {
        let digit = DIGITS.chars().position(|digit| digit == character);
        // The version stands before.
        let digit = digit.ok_or(LinkError::Character { position: index + 2, character })?;
        bits = bits << 6 | digit;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= 0xff;
        }
    }
    Ok(bytes)
}

/// Writes bytes as digits of six bits each.
fn encode(bytes: &[u8], text: &mut String) {
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, index| bits << 8 | usize::from(three.get(index).copied().unwrap_or_default()));
        text.extend((0..=three.len()).map(|index| char::from(DIGITS.as_bytes()[bits >> (18 - 6 * index) & 63])));
    }
}

/// The higher and the lower half of a hash, joined.
fn checksum(content: &[u8]) -> u32 {
    let mut hash = Fnv1a::new();
    hash.write(content);
    (hash.finish() >> 32 ^ hash.finish()) as u32
}
