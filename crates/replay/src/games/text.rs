//! A text of one game, of one in each line, or of several values of JSON, which is found out from how it begins.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use pacman2_botzone::{Json, checked_pasted, saved_input};

use super::archive::{MAGIC, Unpacking};
use super::page::list_within;
use super::values::{Rereadable, is_between};
use super::{GameError, Input, JsonForm, Place};

/// The most bytes of a game's text.
pub(super) const MAX_TEXT_BYTES: usize = 64 << 20;
/// A text is a pack if one of its first lines is a game. The very first may be damaged.
const HEAD_LINES: usize = 8;

/// What is in files that other programs have packed, and where.
const PACKED: [(&str, usize, &[u8]); 7] = [
    ("gzip", 0, b"\x1f\x8b"),
    ("RAR", 0, b"Rar!"),
    ("7z", 0, b"7z\xbc\xaf"),
    ("xz", 0, b"\xfd7zXZ"),
    ("bzip2", 0, b"BZh"),
    ("zstd", 0, b"\x28\xb5\x2f\xfd"),
    ("tar", 257, b"ustar"),
];
/// How much of a file [`packed_as`] needs.
pub const PACKED_HEAD_BYTES: usize = 262;
/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// How much of a text shows whether it is a web archive.
const HEADER_BYTES: usize = 1024;

/// The bytes of a text.
pub(super) enum Bytes<'a> {
    File(Box<dyn Input + 'a>),
    /// A file of a zip.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "the page's engine reads no zips"))]
    Packed(Unpacking<Box<dyn Input + 'a>>),
    /// What was in UTF-16, or a part of another text.
    Decoded(Cursor<String>),
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Bytes::File(file) => file.read(buffer),
            Bytes::Packed(file) => file.read(buffer),
            Bytes::Decoded(text) => text.read(buffer),
        }
    }
}

/// A text that is read in pieces: its lines or values if it is a pack, or else all of it at once.
pub(super) struct Text<'a> {
    bytes: Source<'a>,
    /// How many lines or values have been read.
    count: u32,
    stage: Stage,
}

type Source<'a> = Rereadable<BufReader<Bytes<'a>>>;

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Begin,
    Lines,
    Values,
    Whole,
    End,
}

/// A piece of a text, with its line or number if it is one of several.
pub(super) type Piece = (Place, Result<String, GameError>);

impl<'a> Text<'a> {
    pub(super) fn from_file(file: Box<dyn Input + 'a>) -> Text<'a> {
        Text::new(Bytes::File(file))
    }

    pub(super) fn new(bytes: Bytes<'a>) -> Text<'a> {
        Text { bytes: rereadable(bytes), count: 0, stage: Stage::Begin }
    }

    /// Returns the items of a list, without its brackets.
    pub(super) fn from_list(items: String) -> Text<'static> {
        Text { bytes: rereadable(Bytes::Decoded(Cursor::new(items))), count: 0, stage: Stage::Values }
    }

    /// Returns the values of a text, if it has several with a game among the first.
    pub(super) fn from_values(text: String) -> Option<Text<'static>> {
        let mut text = Text::new(Bytes::Decoded(Cursor::new(text)));
        text.stage = text.begin().ok()?;
        (text.stage == Stage::Values).then_some(text)
    }

    /// Returns the bytes, of which some have been read.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn into_bytes(self) -> Bytes<'a> {
        self.bytes.into_inner().into_inner()
    }

    /// Returns the next piece that is not blank.
    pub(super) fn next_piece(&mut self) -> Option<Piece> {
        let piece = match self.stage {
            Stage::Begin => match self.begin() {
                Ok(stage) => {
                    self.stage = stage;
                    return self.next_piece();
                }
                Err(error) => Err(error),
            },
            Stage::Lines => self.read_line(),
            Stage::Values => self.bytes.read_value(),
            Stage::Whole => self.rest().map(Some),
            Stage::End => return None,
        };
        let is_last = match (&piece, self.stage) {
            (Ok(Some(_)), Stage::Lines | Stage::Values) => false,
            (Err(GameError::TooLong), Stage::Lines) => self.bytes.skip_until(b'\n').is_err(),
            _ => true,
        };
        self.count = self.count.saturating_add(u32::from(self.stage == Stage::Values));
        let number = |stage| Some(self.count).filter(|_| self.stage == stage);
        let place = Place { entry: None, line: number(Stage::Lines), item: number(Stage::Values) };
        if is_last {
            self.stage = Stage::End;
        }
        Some((place, piece.transpose()?.and_then(utf8)))
    }

    /// Finds out what the text is.
    fn begin(&mut self) -> Result<Stage, GameError> {
        let start = self.bytes.fill_buf()?;
        if start.starts_with(MAGIC) {
            return Err(GameError::NestedZip);
        }
        if let Some(kind) = packed_as(start) {
            return Err(GameError::Packed(kind));
        }
        if is_web_archive(start) {
            return Err(GameError::WebArchive);
        }
        if let Some(is_big) = utf16(start) {
            let text = decode_utf16(&self.rest()?, is_big).ok_or(GameError::Encoding)?;
            self.bytes = rereadable(Bytes::Decoded(Cursor::new(text)));
        }
        if self.bytes.fill_buf()?.starts_with(MARK) {
            self.bytes.consume(MARK.len());
        }
        let first = self.bytes.fill_buf()?.iter().find(|byte| !is_between(**byte)).copied();
        let is_json = matches!(first, Some(b'{' | b'['));
        if first == Some(b'[') && self.bytes.look_ahead(is_list_of_matches)? {
            self.bytes.first_unlike(|byte| byte != b'[')?;
            self.bytes.consume(1);
            return Ok(Stage::Values);
        }
        if is_json && self.bytes.look_ahead(is_one_value)? {
            return Ok(Stage::Whole);
        }
        if let Some(stage) = self.bytes.look_ahead(stage_of_lines)? {
            return Ok(stage);
        }
        Ok(if is_json && self.bytes.look_ahead(are_values)? { Stage::Values } else { Stage::Whole })
    }

    /// Returns all that follows.
    fn rest(&mut self) -> Result<Vec<u8>, GameError> {
        let mut bytes = Vec::new();
        (&mut self.bytes).take(MAX_TEXT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > MAX_TEXT_BYTES { Err(GameError::TooLong) } else { Ok(bytes) }
    }

    /// Returns the next line that is not blank.
    fn read_line(&mut self) -> Result<Option<Vec<u8>>, GameError> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.bytes).take(MAX_TEXT_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
            self.count = self.count.saturating_add(1);
            if read > MAX_TEXT_BYTES {
                return Err(GameError::TooLong);
            }
            match read {
                0 => return Ok(None),
                _ if line.trim_ascii().is_empty() => {}
                _ => return Ok(Some(line)),
            }
        }
    }
}

fn rereadable(bytes: Bytes<'_>) -> Source<'_> {
    Rereadable::new(BufReader::with_capacity(1 << 16, bytes))
}

/// Returns whether the text is a list that begins with a match.
fn is_list_of_matches(bytes: &mut Source<'_>) -> Result<bool, GameError> {
    bytes.first_unlike(|byte| byte != b'[')?;
    bytes.consume(1);
    Ok(bytes.read_value()?.is_some_and(|item| is_json_of(&item, JsonForm::is_match)))
}

/// Returns whether nothing follows the first value.
fn is_one_value(bytes: &mut Source<'_>) -> Result<bool, GameError> {
    bytes.read_value()?;
    Ok(bytes.first_unlike(|byte| byte.is_ascii_whitespace())?.is_none())
}

/// Returns how to read the text if one of its first lines is a game.
fn stage_of_lines(bytes: &mut Source<'_>) -> Result<Option<Stage>, GameError> {
    let mut seen = Vec::new();
    let mut lines = 0;
    while lines < HEAD_LINES {
        let start = seen.len();
        if !read_more(bytes, &mut seen)? {
            break;
        }
        lines += usize::from(!seen[start..].trim_ascii().is_empty());
        if is_game(&seen[start..]) {
            let is_joined = lines == 1 && is_json_of(&seen, is_saved_input) && {
                bytes.first_unlike(|byte| byte.is_ascii_whitespace())?;
                read_more(bytes, &mut seen)?;
                without_mark(&seen).is_some_and(|text| saved_input::joined(text).is_some())
            };
            return Ok(Some(if is_joined { Stage::Whole } else { Stage::Lines }));
        }
    }
    Ok(None)
}

/// Reads a line, or the part of it up to which a text may be long. Returns whether there was anything.
fn read_more(bytes: &mut Source<'_>, seen: &mut Vec<u8>) -> io::Result<bool> {
    let room = (MAX_TEXT_BYTES + 1).saturating_sub(seen.len());
    Ok(bytes.take(room as u64).read_until(b'\n', seen)? > 0)
}

/// Returns whether one of the first two values is a game.
fn are_values(bytes: &mut Source<'_>) -> Result<bool, GameError> {
    let mut is_next = || Ok::<bool, GameError>(bytes.read_value()?.is_some_and(|value| is_game(&value)));
    Ok(is_next()? || is_next()?)
}

/// Returns the format of a file that another program has packed, by how it begins.
#[must_use]
pub fn packed_as(start: &[u8]) -> Option<&'static str> {
    let is_it = |(_, at, magic): &&(&str, usize, &[u8])| start.get(*at..).is_some_and(|rest| rest.starts_with(magic));
    PACKED.iter().find(is_it).map(|(kind, ..)| *kind)
}

/// Returns whether this is a page as browsers save it in one file, which has the header of a mail.
fn is_web_archive(start: &[u8]) -> bool {
    const KIND: &[u8] = b"multipart/related";
    let start = &start[..start.len().min(HEADER_BYTES)];
    (start.starts_with(b"From: ") || start.starts_with(b"MIME-Version: ")) && start.windows(KIND.len()).any(|part| part == KIND)
}

fn is_saved_input(json: Json<'_>) -> bool {
    JsonForm::from_json(json) == Some(JsonForm::SavedInput)
}

/// Returns whether a text is a whole game, or has a list of them.
fn is_game(text: &[u8]) -> bool {
    is_json_of(text, |json| JsonForm::from_json(json).is_some() || list_within(json).is_some())
}

fn is_json_of(text: &[u8], is_it: impl Fn(Json<'_>) -> bool) -> bool {
    let is_whole = matches!((text.trim_ascii_start().first(), text.trim_ascii_end().last()), (Some(_), Some(b'}' | b']')));
    is_whole && without_mark(text).is_some_and(|text| checked_pasted(text).is_ok_and(|(held, _)| is_it(held.json())))
}

/// Returns the text of a file without a byte order mark.
///
/// # Errors
/// Fails if the bytes are not text in UTF-8 or UTF-16.
pub fn decode(bytes: Vec<u8>) -> Result<String, GameError> {
    match utf16(&bytes) {
        Some(is_big) => {
            decode_utf16(&bytes, is_big).map(|text| text.trim_start_matches('\u{feff}').to_owned()).ok_or(GameError::Encoding)
        }
        None => utf8(bytes),
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, GameError> {
    let start = bytes.strip_prefix(MARK).unwrap_or(&bytes);
    let is_page = start.trim_ascii_start().starts_with(b"<");
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            // In place: the text may be long.
            if text.starts_with('\u{feff}') {
                text.remove(0);
            }
            Ok(text)
        }
        // Old pages are in other encodings, in which JSON has the same bytes.
        Err(error) if is_page => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        Err(_) => Err(GameError::Encoding),
    }
}

/// Returns the text without a byte order mark.
fn without_mark(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Returns whether the text is in UTF-16 with the larger byte first; `None` if it is not in UTF-16. Without a mark, the first
/// character of JSON and of a page shows it.
fn utf16(start: &[u8]) -> Option<bool> {
    match start {
        [0xfe, 0xff, ..] | [0, b'{' | b'[' | b'<', ..] => Some(true),
        [0xff, 0xfe, ..] | [b'{' | b'[' | b'<', 0, ..] => Some(false),
        _ => None,
    }
}

fn decode_utf16(bytes: &[u8], is_big: bool) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks();
    let units = pairs.iter().map(|&pair| if is_big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) });
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.ok().filter(|_| rest.is_empty())
}
