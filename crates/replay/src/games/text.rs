//! A text of one game or of one in each line, which is found out from its first lines.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use pacman2_botzone::{Json, checked_pasted, saved_input};

use super::archive::{MAGIC, Unpacking};
use super::{GameError, Input, JsonForm};

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
/// How much of a text shows whether it is a web archive.
const HEADER_BYTES: usize = 1024;

/// The bytes of a text.
pub(super) enum Bytes<'a> {
    File(Box<dyn Input + 'a>),
    /// A file of a zip.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "the page's engine reads no zips"))]
    Packed(Unpacking<Box<dyn Input + 'a>>),
    /// What was in UTF-16.
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

/// A text that is read in pieces: its lines if it is a pack, or else all of it at once.
pub(super) struct Text<'a> {
    bytes: BufReader<Bytes<'a>>,
    /// Lines that were read to find out what the text is, with their numbers.
    head: VecDeque<(u32, Vec<u8>)>,
    lines: u32,
    stage: Stage,
}

#[derive(PartialEq)]
enum Stage {
    Begin,
    Lines,
    End,
}

/// A piece of a text, with its line if it is one of several.
pub(super) type Piece = (Option<u32>, Result<String, GameError>);

impl<'a> Text<'a> {
    pub(super) fn of_file(file: Box<dyn Input + 'a>) -> Text<'a> {
        Text::new(Bytes::File(file))
    }

    pub(super) fn new(bytes: Bytes<'a>) -> Text<'a> {
        Text { bytes: BufReader::with_capacity(1 << 16, bytes), head: VecDeque::new(), lines: 0, stage: Stage::Begin }
    }

    /// Returns the bytes, of which some have been read.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn into_bytes(self) -> Bytes<'a> {
        self.bytes.into_inner()
    }

    /// Returns the next piece that is not blank.
    pub(super) fn next_piece(&mut self) -> Option<Piece> {
        match self.stage {
            Stage::Begin => match self.begin() {
                Ok(None) => self.next_piece(),
                Ok(Some(whole)) => self.end_with(utf8(whole)),
                Err(error) => self.end_with(Err(error)),
            },
            Stage::Lines => match self.next_line() {
                Ok(Some((line, bytes))) => Some((Some(line), utf8(bytes))),
                Ok(None) => {
                    self.stage = Stage::End;
                    None
                }
                Err(GameError::TooLong) => match self.bytes.skip_until(b'\n') {
                    Ok(_) => Some((Some(self.lines), Err(GameError::TooLong))),
                    Err(error) => self.end_with(Err(error.into())),
                },
                Err(error) => self.end_with(Err(error)),
            },
            Stage::End => None,
        }
    }

    fn end_with(&mut self, whole: Result<String, GameError>) -> Option<Piece> {
        self.stage = Stage::End;
        Some((None, whole))
    }

    /// Finds out what the text is. Returns all of it unless it is a pack.
    fn begin(&mut self) -> Result<Option<Vec<u8>>, GameError> {
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
            let text = decode_utf16(&self.rest(Vec::new())?, is_big).ok_or(GameError::Encoding)?;
            self.bytes = BufReader::new(Bytes::Decoded(Cursor::new(text)));
        }
        let mut whole = Vec::new();
        let mut numbers = Vec::new();
        let mut is_pack = false;
        while !is_pack && numbers.len() < HEAD_LINES {
            let Some((line, bytes)) = self.read_line(MAX_TEXT_BYTES - whole.len())? else { break };
            is_pack = is_game(&bytes);
            let is_list = without_mark(&bytes).is_some_and(|text| text.trim_start().starts_with('['));
            numbers.push((line, whole.len()));
            whole.extend(bytes);
            // A list in several lines may have a game in each but its first.
            if is_list && !is_pack && numbers.len() == 1 {
                break;
            }
        }
        // A game that is all of the text is no line of a pack.
        if !is_pack || numbers.len() == 1 && self.is_blank_from_here()? {
            return self.rest(whole).map(Some);
        }
        if numbers.len() == 1 && is_saved_input(&whole) {
            let next = self.read_line(MAX_TEXT_BYTES - whole.len())?;
            numbers.extend(next.iter().map(|(line, _)| (*line, whole.len())));
            whole.extend(next.iter().flat_map(|(_, bytes)| bytes));
            let is_joined = without_mark(&whole).is_some_and(|text| saved_input::joined(text).is_some());
            if is_joined {
                return self.rest(whole).map(Some);
            }
        }
        for &(line, start) in numbers.iter().rev() {
            self.head.push_front((line, whole.split_off(start)));
        }
        self.stage = Stage::Lines;
        Ok(None)
    }

    /// Skips blanks, and returns whether nothing is left.
    fn is_blank_from_here(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.bytes.fill_buf()?;
            let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if bytes.len() > blanks || blanks == 0 {
                return Ok(bytes.is_empty());
            }
            let lines = bytes[..blanks].iter().filter(|&&byte| byte == b'\n').count();
            self.lines = self.lines.saturating_add(lines as u32);
            self.bytes.consume(blanks);
        }
    }

    /// Returns these bytes and all that follow.
    fn rest(&mut self, mut bytes: Vec<u8>) -> Result<Vec<u8>, GameError> {
        let room = MAX_TEXT_BYTES + 1 - bytes.len();
        (&mut self.bytes).take(room as u64).read_to_end(&mut bytes)?;
        if bytes.len() > MAX_TEXT_BYTES { Err(GameError::TooLong) } else { Ok(bytes) }
    }

    fn next_line(&mut self) -> Result<Option<(u32, Vec<u8>)>, GameError> {
        match self.head.pop_front() {
            Some(line) => Ok(Some(line)),
            None => self.read_line(MAX_TEXT_BYTES),
        }
    }

    /// Returns the next line that is not blank, with its number.
    fn read_line(&mut self, limit: usize) -> Result<Option<(u32, Vec<u8>)>, GameError> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.bytes).take(limit as u64 + 1).read_until(b'\n', &mut line)?;
            self.lines = self.lines.saturating_add(1);
            if read > limit {
                return Err(GameError::TooLong);
            }
            match read {
                0 => return Ok(None),
                _ if line.trim_ascii().is_empty() => {}
                _ => return Ok(Some((self.lines, line))),
            }
        }
    }
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

fn is_saved_input(line: &[u8]) -> bool {
    let form = without_mark(line).and_then(|text| JsonForm::of(Json::parse(text).ok()?));
    form == Some(JsonForm::SavedInput)
}

/// Returns whether a line holds a whole game.
fn is_game(line: &[u8]) -> bool {
    let is_whole = matches!((line.trim_ascii_start().first(), line.trim_ascii_end().last()), (Some(_), Some(b'}' | b']')));
    is_whole
        && without_mark(line).is_some_and(|text| checked_pasted(text).is_ok_and(|(held, _)| JsonForm::of(held.json()).is_some()))
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
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
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
