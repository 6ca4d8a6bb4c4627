//! The values of JSON in a text of several, one after the other: with nothing between them, or blanks, commas or brackets of a list.

use std::io::{self, BufRead, Read};

use super::GameError;
use super::text::MAX_TEXT_BYTES;

/// The depth of JSON, which serde_json limits, too.
const MAX_DEPTH: u32 = 127;
/// How much can be read again after looking ahead; blanks may be more.
const MAX_SEEN_BYTES: usize = 2 * MAX_TEXT_BYTES;
/// How many bytes of broken values are read again.
const MAX_OVERLAP_BYTES: usize = 4 * MAX_TEXT_BYTES;
/// How much is kept of a line that is no JSON.
const MAX_JUNK_BYTES: u64 = 4096;

/// Bytes of which some can be read again.
pub(super) struct Rereadable<R> {
    /// What was put back, the first to be read last.
    again: Vec<io::Cursor<Vec<u8>>>,
    /// What was read since looking ahead began.
    seen: Option<Vec<u8>>,
    /// How many bytes of broken values may still be read again and again, as a hostile text would have all of them be.
    overlap_left: usize,
    bytes: R,
}

impl<R: BufRead> Rereadable<R> {
    pub(super) fn new(bytes: R) -> Rereadable<R> {
        Rereadable { again: Vec::new(), seen: None, overlap_left: MAX_OVERLAP_BYTES, bytes }
    }

    #[cfg(not(target_family = "wasm"))]
    pub(super) fn into_inner(self) -> R {
        self.bytes
    }

    /// Puts back whatever `look` reads.
    pub(super) fn look_ahead<T>(&mut self, look: impl FnOnce(&mut Self) -> Result<T, GameError>) -> Result<T, GameError> {
        self.seen = Some(Vec::new());
        let found = look(self);
        let seen = self.seen.take().unwrap_or_default();
        self.put_back(seen);
        found
    }

    /// Puts back what was read last.
    fn put_back(&mut self, bytes: Vec<u8>) {
        if let Some(seen) = &mut self.seen {
            seen.truncate(seen.len().saturating_sub(bytes.len()));
        }
        self.again.push(io::Cursor::new(bytes));
    }

    /// Skips bytes of this kind, and returns the one that follows.
    pub(super) fn first_unlike(&mut self, is_skipped: impl Fn(u8) -> bool) -> io::Result<Option<u8>> {
        loop {
            let bytes = self.fill_buf()?;
            let skipped = bytes.iter().position(|&byte| !is_skipped(byte)).unwrap_or(bytes.len());
            let found = bytes.get(skipped).copied();
            self.consume(skipped);
            if found.is_some() || skipped == 0 {
                return Ok(found);
            }
        }
    }

    /// Returns the text of the next value. What is broken ends where another value seems to begin.
    pub(super) fn read_value(&mut self) -> Result<Option<Vec<u8>>, GameError> {
        if self.first_unlike(is_between)?.is_none() {
            return Ok(None);
        }
        let (mut value, mut extent) = (Vec::new(), Extent::default());
        loop {
            let bytes = self.fill_buf()?;
            let steps = bytes.iter().map(|&byte| (byte, extent.step(byte))).enumerate();
            let stop = { steps }.find(|(_, (_, step))| *step != Step::Inside);
            let length = stop.map_or(bytes.len(), |(at, (_, step))| at + usize::from(step == Step::End));
            let is_end = bytes.is_empty();
            value.extend(&bytes[..length]);
            self.consume(length);
            if value.len() > MAX_TEXT_BYTES {
                return Err(GameError::TooLong);
            }
            return match stop {
                None if !is_end => continue,
                Some((_, (_, Step::End))) => Ok(Some(value)),
                stop => self.resume_behind(value, stop.map(|(_, (byte, _))| byte)).map(Some),
            };
        }
    }

    /// Goes on where a value seems to begin, in or behind one that is broken before `byte` or the end. Returns what is before that.
    fn resume_behind(&mut self, mut value: Vec<u8>, byte: Option<u8>) -> Result<Vec<u8>, GameError> {
        let is_start = |pair: &[u8]| matches!(pair, b"\n{" | b"\n[");
        // The first line that begins as a value, since only a damaged match has lines of another one.
        let line = match self.overlap_left.checked_sub(value.len()) {
            Some(left) => {
                self.overlap_left = left;
                value.windows(2).position(is_start)
            }
            None => value.windows(2).rposition(is_start),
        };
        let in_string = (byte.is_some() && value.ends_with(b"{\"")).then(|| value.len().saturating_sub(2));
        let here = matches!(byte, Some(b'{' | b'[')).then_some(value.len());
        if let Some(at) = line.map(|at| at + 1).or(in_string).or(here).filter(|at| *at > 0) {
            self.put_back(value.split_off(at));
            return Ok(value);
        }
        self.take(MAX_JUNK_BYTES).read_until(b'\n', &mut value)?;
        while !matches!(self.first_unlike(|_| false)?, None | Some(b'{' | b'[')) {
            self.skip_until(b'\n')?;
        }
        Ok(value)
    }
}

impl<R: BufRead> Read for Rereadable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Rereadable<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.again.pop_if(|bytes| bytes.position() == bytes.get_ref().len() as u64).is_some() {}
        match self.again.last_mut() {
            Some(bytes) => bytes.fill_buf(),
            None => self.bytes.fill_buf(),
        }
    }

    fn consume(&mut self, length: usize) {
        let bytes: &mut dyn BufRead = match self.again.last_mut() {
            Some(bytes) => bytes,
            None => &mut self.bytes,
        };
        if let (Some(seen), Ok(bytes)) = (&mut self.seen, bytes.fill_buf())
            && seen.len() < MAX_SEEN_BYTES
        {
            seen.extend(&bytes[..length]);
        }
        bytes.consume(length);
    }
}

/// Returns whether a byte may be between values. The byte order mark of a file that was appended is.
pub(super) fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | 0x1e | 0xef | 0xbb | 0xbf)
}

/// Finds the end of an object or a list.
#[derive(Default)]
pub(super) struct Extent {
    depth: u32,
    /// A bit for each object and list around the place, the innermost last: whether it is a list.
    lists: u128,
    in_string: bool,
    escaped: bool,
    /// The last byte that was not blank; of a string, its end.
    last: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Inside,
    /// The byte is the last one.
    End,
    /// The byte cannot be here.
    Broken,
}

impl Extent {
    pub(super) fn step(&mut self, byte: u8) -> Step {
        if self.in_string {
            self.in_string = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return Step::Inside;
        }
        if byte.is_ascii_whitespace() && self.depth > 0 {
            return Step::Inside;
        }
        let is_behind_value = !matches!(self.last, 0 | b'{' | b'[' | b',' | b':');
        let is_key = self.last == b'{' || self.last == b',' && self.lists & 1 == 0;
        match byte {
            b'{' | b'[' if !is_behind_value && !is_key && self.depth < MAX_DEPTH => {
                self.depth += 1;
                self.lists = self.lists << 1 | u128::from(byte == b'[');
            }
            b'}' | b']' if self.depth == 1 => return Step::End,
            b'}' | b']' if self.depth > 1 => {
                self.depth -= 1;
                self.lists >>= 1;
            }
            _ if self.depth == 0 => return Step::Broken,
            b'"' if !is_behind_value => self.in_string = true,
            b',' | b':' => {}
            b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E' if !matches!(self.last, b'"' | b'}' | b']') => {}
            _ => return Step::Broken,
        }
        self.last = byte;
        Step::Inside
    }
}
