//! The files of a zip, one after the other. Paths are names here and lead nowhere, and a zip within a zip is not followed.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom, Take};

use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::text::{Bytes, Text};
use super::{GameError, Input, Place};

/// What a zip begins with.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";
/// The most files of a zip.
pub(super) const MAX_ENTRIES: usize = 10_000;
/// The most bytes of the list of files.
const MAX_LIST_BYTES: u64 = 8 << 20;
/// The most bytes that all files unpack to.
const MAX_UNPACKED_BYTES: u64 = 8 << 30;
/// How many times as large as a file what it unpacks to may be, from this many bytes on. Matches are about 30 times as large.
const MAX_RATIO: u64 = 500;
const RATIO_FROM_BYTES: u64 = 64 << 20;

/// Returns whether an input is a zip, and goes back to its start.
pub(super) fn is_zip(input: &mut Box<dyn Input + '_>) -> io::Result<bool> {
    let mut start = Vec::new();
    input.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
    input.rewind()?;
    Ok(start == MAGIC || start == b"PK\x05\x06")
}

/// A zip whose files are read.
pub(super) struct Archive<'a> {
    /// Between files.
    input: Option<Box<dyn Input + 'a>>,
    entries: VecDeque<Entry>,
    /// The file that is read, with its name.
    text: Option<(String, Text<'a>)>,
    /// How many bytes may still be unpacked.
    allowance: u64,
}

struct Entry {
    name: String,
    start: u64,
    packed: u64,
    /// `None` if it cannot be unpacked.
    is_deflated: Option<bool>,
}

impl<'a> Archive<'a> {
    pub(super) fn open(input: Box<dyn Input + 'a>) -> Result<Archive<'a>, GameError> {
        let failed = |error: zip::result::ZipError| GameError::Zip(error.to_string());
        let mut archive = ZipArchive::new(Listing { input, allowance: MAX_LIST_BYTES }).map_err(failed)?;
        if archive.len() > MAX_ENTRIES {
            return Err(GameError::TooManyFiles { got: archive.len() });
        }
        let mut entries = VecDeque::new();
        for index in 0..archive.len() {
            let file = archive.by_index_raw(index).map_err(failed)?;
            let name = file.name().map_err(failed)?.into_owned();
            // Files of the system, such as ._1-99.matches, have such names.
            let is_hidden = name.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
            // What a link leads to is in the zip, too, or none of its files.
            if file.is_dir() || file.is_symlink() || is_hidden || is_about_the_zip(&name) {
                continue;
            }
            let is_deflated = match file.compression() {
                CompressionMethod::Stored => Some(false),
                CompressionMethod::Deflated => Some(true),
                _ => None,
            };
            entries.push_back(Entry {
                name,
                start: file.data_start().unwrap_or(u64::MAX),
                packed: file.compressed_size(),
                is_deflated: is_deflated.filter(|_| !file.encrypted()),
            });
        }
        if entries.is_empty() {
            return Err(GameError::EmptyZip);
        }
        let input = archive.into_inner().input;
        Ok(Archive { input: Some(input), entries, text: None, allowance: MAX_UNPACKED_BYTES })
    }

    /// Returns the next piece of the next file that has one.
    pub(super) fn next_piece(&mut self) -> Option<(Place, Result<String, GameError>)> {
        loop {
            if let Some((name, text)) = &mut self.text {
                if let Some((place, piece)) = text.next_piece() {
                    return Some((Place { entry: Some(name.clone()), ..place }, piece));
                }
                self.close();
            }
            let entry = self.entries.pop_front()?;
            let place = Place { entry: Some(entry.name.clone()), ..Place::default() };
            if let Err(error) = self.start(entry) {
                return Some((place, Err(error)));
            }
        }
    }

    fn start(&mut self, entry: Entry) -> Result<(), GameError> {
        let is_deflated = entry.is_deflated.ok_or(GameError::ZipMethod)?;
        let mut input = self.input.take().expect("no other file is read");
        if let Err(error) = input.seek(SeekFrom::Start(entry.start)) {
            self.input = Some(input);
            return Err(error.into());
        }
        let unpacking = Unpacking::new(input.take(entry.packed), is_deflated, entry.packed, self.allowance);
        self.text = Some((entry.name, Text::new(Bytes::Packed(unpacking))));
        Ok(())
    }

    fn close(&mut self) {
        if let Some((_, text)) = self.text.take()
            && let Bytes::Packed(unpacking) = text.into_bytes()
        {
            self.allowance -= unpacking.unpacked;
            self.input = Some(unpacking.into_inner());
        }
    }
}

/// Returns whether a file has the name of one that people read.
fn is_about_the_zip(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or_default().to_lowercase();
    name.ends_with(".md") || ["readme", "license", "说明"].iter().any(|start| name.starts_with(start))
}

/// An input of which only some bytes may be read, so that the list of files is bounded.
struct Listing<'a> {
    input: Box<dyn Input + 'a>,
    allowance: u64,
}

impl Read for Listing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.allowance = self.allowance.checked_sub(read as u64).ok_or_else(|| bomb("its list of files is too long"))?;
        Ok(read)
    }
}

impl Seek for Listing<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}

/// A file of a zip while it is unpacked.
pub(super) struct Unpacking<R> {
    bytes: Packed<R>,
    packed: u64,
    unpacked: u64,
    allowance: u64,
}

enum Packed<R> {
    Stored(Take<R>),
    Deflated(DeflateDecoder<Take<R>>),
}

impl<R: Read> Unpacking<R> {
    fn new(bytes: Take<R>, is_deflated: bool, packed: u64, allowance: u64) -> Unpacking<R> {
        let bytes = if is_deflated { Packed::Deflated(DeflateDecoder::new(bytes)) } else { Packed::Stored(bytes) };
        Unpacking { bytes, packed, unpacked: 0, allowance }
    }

    fn into_inner(self) -> R {
        match self.bytes {
            Packed::Stored(bytes) => bytes.into_inner(),
            Packed::Deflated(decoder) => decoder.into_inner().into_inner(),
        }
    }
}

impl<R: Read> Read for Unpacking<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.allowance - self.unpacked).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 && !buffer.is_empty() {
            return Err(bomb("the zip unpacks to more than 8 GB"));
        }
        let read = match &mut self.bytes {
            Packed::Stored(bytes) => bytes.read(&mut buffer[..room])?,
            Packed::Deflated(decoder) => decoder.read(&mut buffer[..room])?,
        };
        self.unpacked += read as u64;
        if self.unpacked > RATIO_FROM_BYTES && self.unpacked / MAX_RATIO > self.packed {
            return Err(bomb("the file unpacks to more than 500 times its size"));
        }
        Ok(read)
    }
}

fn bomb(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
