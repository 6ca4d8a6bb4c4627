//! Files that a stranger may have made: regular ones only, and never more of them than there is room for.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

const MEGABYTE: u64 = 1024 * 1024;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum InputFileError {
    /// It does not exist, or the system does not let it be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a folder, a pipe, a socket or a device. Reading one of these may never end.
    #[error("expected a regular file, got {0}")]
    NotRegular(IrregularFile),
    /// It is larger than the limit.
    #[error("expected at most {}, got {}", in_megabytes(*limit), in_megabytes(*size))]
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

/// Opens a regular file of at most `limit` bytes without waiting for anything.
///
/// # Errors
///
/// If it is not a regular file, is larger, or cannot be opened.
pub fn open_input_file(path: &Path, limit: u64) -> Result<File, InputFileError> {
    // Opening a device can have effects, so its kind is checked before and, since the file may be replaced, after.
    check(&path.metadata()?, limit)?;
    let file = open_at_once(path)?;
    check(&file.metadata()?, limit)?;
    Ok(file)
}

/// Reads a regular file of at most `limit` bytes. A larger one is rejected by its size, before it is read.
///
/// ```
/// use pacman2_runner::{InputFileError, IrregularFile, read_input_file};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("bot.py");
/// std::fs::write(&file, "print(1)")?;
/// assert_eq!(read_input_file(&file, 8)?, b"print(1)");
/// assert!(matches!(read_input_file(&file, 7), Err(InputFileError::TooLarge { size: 8, limit: 7 })));
/// assert!(matches!(read_input_file(folder.path(), 7), Err(InputFileError::NotRegular(IrregularFile::Folder))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If it is not a regular file, is larger, or cannot be read.
pub fn read_input_file(path: &Path, limit: u64) -> Result<Vec<u8>, InputFileError> {
    // It may grow while it is read.
    read_limited(open_input_file(path, limit)?, limit)
}

/// Reads the first bytes of a regular file, `count` of them if it has as many.
///
/// # Errors
///
/// If it is not a regular file, or cannot be read.
pub fn read_beginning(path: &Path, count: u64) -> Result<Vec<u8>, InputFileError> {
    let mut bytes = Vec::new();
    open_input_file(path, u64::MAX)?.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads all of an input of at most `limit` bytes. Of a larger one, one more is read.
///
/// ```
/// use pacman2_runner::read_limited;
///
/// assert_eq!(read_limited(&b"abc"[..], 3).unwrap(), b"abc");
/// assert!(read_limited(&b"abcd"[..], 3).is_err());
/// ```
///
/// # Errors
///
/// If it is larger, or cannot be read.
pub fn read_limited(input: impl Read, limit: u64) -> Result<Vec<u8>, InputFileError> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    if size > limit { Err(InputFileError::TooLarge { size, limit }) } else { Ok(bytes) }
}

/// A file that is not regular. Displays in a few words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IrregularFile {
    /// A folder.
    #[error("a folder")]
    Folder,
    /// A pipe, a socket or a device.
    #[error("a pipe, socket or device")]
    Special,
}

fn check(metadata: &Metadata, limit: u64) -> Result<(), InputFileError> {
    let size = metadata.len();
    if metadata.is_dir() {
        Err(InputFileError::NotRegular(IrregularFile::Folder))
    } else if !metadata.is_file() {
        Err(InputFileError::NotRegular(IrregularFile::Special))
    } else if size > limit {
        Err(InputFileError::TooLarge { size, limit })
    } else {
        Ok(())
    }
}

/// Opens a file. If a pipe has taken its place, this does not wait for someone who writes to it.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// Returns a size in MB, rounded up; small ones in bytes.
fn in_megabytes(bytes: u64) -> String {
    if bytes < MEGABYTE { format!("{bytes} bytes") } else { format!("{} MB", bytes.div_ceil(MEGABYTE)) }
}
