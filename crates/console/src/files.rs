//! Files: errors name the file, and a file is written completely or not at all.

use std::fs;
use std::io::{self, BufRead, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use pacman2_botzone::problem::Problem;
use pacman2_match::problem::from_file;
use pacman2_replay::games::{self, Games};
use pacman2_rules::ForfeitRuling;
use pacman2_runner::{InputFileError, IrregularFile, open_input_file, read_input_file, read_limited};
use tempfile::NamedTempFile;

use crate::error::{bad_input, coded};

/// The prefix of files that are not complete yet.
pub const TEMPORARY: &str = ".pacman2-";
/// How old a file is by then at most, with a slow disk.
const UNFINISHED: Duration = Duration::from_secs(60);
/// What some editors on Windows put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The size limit of a text that the user gives as input: a replay, a match log, init data, a line.
const MAX_INPUT_BYTES: u64 = 64 * 1024 * 1024;
/// How much of a file shows what wrote it.
const HEAD_BYTES: u64 = 4096;
/// A file to write that the user chose. It is replaced only if this program wrote it, or with `--force`.
#[derive(Debug)]
pub struct OutputFile {
    /// Where it is written.
    pub path: PathBuf,
    /// What messages name: the path, after its option if it has one.
    name: String,
    content: Content,
    /// Whether to replace any file.
    force: bool,
}

/// What is written to a file. A file is replaced by the same kind of content.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    /// What messages call it.
    pub name: &'static str,
    /// Whether this program wrote a file of it that begins with this text.
    pub is_ours: fn(&str) -> bool,
}

impl Content {
    /// A replay.
    pub const REPLAY: Content =
        Content { name: "replay", is_ours: |head| without_blanks(head).starts_with("{\"format\":\"pacman2replay\"") };
    /// A match log that a replay was converted to. One from Botzone has an id.
    pub const MATCH_LOG: Content =
        Content { name: "match log", is_ours: |head| without_blanks(head).starts_with("{\"_id\":null,\"initdata\":\"{") };
}

/// Returns a text without blanks and line breaks, so that it does not matter how JSON is laid out.
pub fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

impl OutputFile {
    /// Names a file that is the value of an option, or a positional argument if `option` is empty.
    pub fn new(option: &str, path: impl Into<PathBuf>, content: Content, force: bool) -> OutputFile {
        let path = path.into();
        let name = format!("{option} {}", path.display()).trim_start().to_owned();
        OutputFile { path, name, content, force }
    }

    /// Checks that the file can be written and may be replaced, before any work is done for it.
    pub fn check(&self) -> anyhow::Result<()> {
        check_writable(&self.path)?;
        if self.may_be_replaced() { Ok(()) } else { Err(self.refusal()) }
    }

    /// Writes the file like [`write()`]. Checks again, because the work took time.
    pub fn write(&self, text: &str) -> anyhow::Result<()> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes bytes like [`write`](Self::write).
    pub fn write_bytes(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let path = real_path(&self.path);
        check_writable(&path)?;
        let failed = || format!("cannot write {}", self.name);
        let file = temporary_file(&path, bytes).with_context(failed)?;
        if !self.may_be_replaced() {
            return Err(self.refusal());
        }
        let file = match fs::symlink_metadata(&path) {
            // A file that appears now is not replaced, where the file system can tell.
            Err(_) if !self.force => match file.persist_noclobber(&path) {
                Ok(_) => return Ok(()),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Err(self.refusal()),
                Err(error) => error.file,
            },
            _ => file,
        };
        file.persist(&path).map(drop).with_context(failed)
    }

    /// Returns whether there is no file yet, or one that this program wrote, or any file is replaced.
    pub(crate) fn may_be_replaced(&self) -> bool {
        self.force || !is_there(&self.path) || head(&self.path).is_ok_and(|head| self.is_ours(&head))
    }

    /// Returns whether this program wrote a file that begins with `head`. There is nothing to lose in an empty file.
    fn is_ours(&self, head: &[u8]) -> bool {
        head.is_empty() || (self.content.is_ours)(&String::from_utf8_lossy(head))
    }

    fn refusal(&self) -> anyhow::Error {
        let what = self.content.name;
        bad_input(format!("{}: the file exists and is no {what} of this program; choose another name or add --force", self.name))
    }
}

/// Makes a folder that is the value of an option, unless it exists and is empty.
pub fn make_empty_folder(option: &str, folder: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot create the folder {}", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    if fs::read_dir(folder).with_context(failed)?.next().is_some() {
        return Err(bad_input(format!("{option} {}: expected a new or empty folder, got one with files", folder.display())));
    }
    Ok(())
}

/// Reads a text file; `-` is standard input.
pub fn read(path: &Path) -> anyhow::Result<String> {
    read_up_to(path, MAX_INPUT_BYTES)
}

/// Reads a text file of at most `limit` bytes; `-` is standard input.
pub fn read_up_to(path: &Path, limit: u64) -> anyhow::Result<String> {
    let read = if path == Path::new("-") { read_limited(io::stdin(), limit) } else { read_input_file(path, limit) };
    let bytes = read.map_err(|error| unreadable(path, &error))?;
    games::decode(bytes).map_err(|error| bad_input(format!("{}: {error}", path.display())))
}

/// Opens a file with games, of any size; `-` is standard input.
pub fn open_games(path: &Path, ruling: Option<ForfeitRuling>) -> anyhow::Result<Games<'static>> {
    let failed = |error| unreadable(path, &error);
    Ok(if path == Path::new("-") {
        Games::new(Cursor::new(read_limited(io::stdin(), MAX_INPUT_BYTES).map_err(failed)?), ruling)
    } else {
        Games::new(open_input_file(path, u64::MAX).map_err(failed)?, ruling)
    })
}

/// Opens a file of lines; none and `-` are standard input.
pub fn open_lines(file: Option<&Path>) -> anyhow::Result<Box<dyn Read + Send>> {
    let Some(path) = file.filter(|path| *path != Path::new("-")) else { return Ok(Box::new(io::stdin())) };
    let file = fs::File::open(path).map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
    Ok(Box::new(file))
}

/// Appends the next line of standard input to a text. Returns whether there was one.
pub fn read_line(input: &mut impl BufRead, text: &mut Vec<u8>) -> anyhow::Result<bool> {
    let mut read = || -> Result<bool, InputFileError> {
        let room = (MAX_INPUT_BYTES + 1).saturating_sub(text.len() as u64);
        let read = input.take(room).read_until(b'\n', text)?;
        let (size, limit) = (text.len() as u64, MAX_INPUT_BYTES);
        if size > limit { Err(InputFileError::TooLarge { size, limit }) } else { Ok(read > 0) }
    };
    read().map_err(|error| bad_input(format!("standard input: {error}")))
}

/// Returns the error for an input file that is not read.
pub fn unreadable(path: &Path, error: &InputFileError) -> anyhow::Error {
    let advice = match error {
        InputFileError::NotRegular(IrregularFile::Folder) => "; name a file in it",
        InputFileError::NotRegular(_) => "; save its content in a file first",
        InputFileError::Io(_) | InputFileError::TooLarge { .. } => "",
    };
    let problem = Problem::new("bot-file").with("file", path.to_string_lossy()).because(&[from_file(error)]);
    coded(problem, format!("{}: {error}{advice}", path.display()))
}

/// Returns a line of standard input without a byte order mark before it.
pub fn without_byte_order_mark(line: &str) -> &str {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

/// Checks that a file can be written: its folder exists, and the path is not a folder or device.
pub(crate) fn check_writable(path: &Path) -> anyhow::Result<()> {
    let is_other = path.exists() && !path.is_file();
    if path == Path::new("-") || is_other || !folder_of(path).is_dir() {
        let problem = Problem::new("not-a-file-name").with("file", path.to_string_lossy());
        return Err(coded(problem, format!("{}: expected a file name in an existing folder", path.display())));
    }
    Ok(())
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a text file under a temporary name and renames it, so that it is never seen half-written.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a binary file like [`write()`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let path = real_path(path);
    check_writable(&path)?;
    let write = || -> io::Result<()> { Ok(temporary_file(&path, bytes)?.persist(&path).map(drop)?) };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a text file like [`write()`], unless there is a file of that name. Returns whether it was written.
pub fn write_new(path: &Path, text: &str) -> anyhow::Result<bool> {
    let failed = || format!("cannot write {}", path.display());
    if is_there(path) {
        return Ok(false);
    }
    match temporary_file(path, text.as_bytes()).with_context(failed)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error).with_context(failed),
    }
}

/// Resolves links, so that a link is kept and its target is written.
fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Writes a temporary file beside the file that it will become.
fn temporary_file(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.prefix(TEMPORARY).tempfile_in(folder_of(path))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Returns whether there is anything at this path, even a link that leads nowhere.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Reads the beginning of a file.
fn head(path: &Path) -> Result<Vec<u8>, InputFileError> {
    let mut head = Vec::new();
    open_input_file(path, u64::MAX)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// Removes the files in a folder that a killed program had not completed. A younger one may be of a program that still runs.
pub fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_old =
            |metadata: fs::Metadata| metadata.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > UNFINISHED));
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) && entry.metadata().is_ok_and(is_old) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Puts a folder in the place of another one, which stays if that fails.
///
/// # Errors
///
/// If the file system does not allow it.
pub fn replace_folder(new: &Path, target: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot replace the folder {}", target.display());
    let old = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(folder_of(target)).with_context(failed)?;
    let aside = old.path().join("old");
    if target.exists() {
        fs::rename(target, &aside).with_context(failed)?;
    }
    let replaced = fs::rename(new, target);
    if replaced.is_err() && aside.exists() {
        fs::rename(&aside, target).with_context(failed)?;
    }
    replaced.with_context(failed)
}

/// Returns whether both paths lead to the same file.
pub fn are_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

/// Makes a file executable.
#[cfg(unix)]
pub fn make_executable(file: &fs::File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

/// Makes a file executable: every file is on this system.
#[cfg(not(unix))]
pub fn make_executable(_file: &fs::File) -> io::Result<()> {
    Ok(())
}
