//! Files: errors name the file, and a file is written completely or not at all.

use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_botzone::problem::Problem;
use pacman2_match::problem::of_file;
use pacman2_runner::{InputFileError, open_input_file, read_input_file, read_limited};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::error::{bad_input, coded};

/// The prefix of files that are not complete yet.
pub(crate) const TEMPORARY: &str = ".pacman2-";
/// What some editors on Windows put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The size limit of a text that the user gives as input: a replay, a match log, init data, a line.
const MAX_INPUT_BYTES: u64 = 64 * 1024 * 1024;
/// How much of a file shows what wrote it.
const HEAD_BYTES: u64 = 4096;
/// How the grades of a tournament begin, in each language.
const GRADES: [&str; 2] = ["\u{feff}\"提交\",\"成绩\",\"状态\",", "\u{feff}\"name\",\"grade\",\"status\","];
/// What follows the comment sign in the first line of a bundle.
pub(crate) const BUNDLE: &str = "pacman2 bundle: ";
/// What follows the comment sign in the first line of a file with weights.
pub(crate) const WEIGHTS: &str = "pacman2 weights: ";
/// The first heading in the note for a participant, in each language.
const NOTES: [&str; 2] = ["\n\n## 成绩：", "\n\n## Grade: "];

/// A file to write that the user chose. It is replaced only if this program wrote it, or with `--force`.
#[derive(Debug)]
pub(crate) struct OutputFile {
    pub(crate) path: PathBuf,
    /// What messages name: the path, after its option if it has one.
    name: String,
    content: Content,
    /// Whether to replace any file.
    force: bool,
}

/// What is written to a file. A file is replaced by the same kind of content.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    Replay,
    /// A match log that a replay was converted to. One from Botzone has an id.
    MatchLog,
    /// A page with the viewer or an arena.
    Page,
    /// The table of an arena.
    Table,
    /// The games of an arena, one per line.
    Games,
    /// The grades of a tournament.
    Grades,
    /// The note for a participant of a tournament.
    Note,
    /// A page of the manual of this program.
    ManualPage,
    /// A bot as one file.
    Bundle,
    /// The weights of nets for a bot in C++.
    Weights,
}

impl OutputFile {
    /// Names a file that is the value of an option, or a positional argument if `option` is empty.
    pub(crate) fn new(option: &str, path: impl Into<PathBuf>, content: Content, force: bool) -> OutputFile {
        let path = path.into();
        let name = format!("{option} {}", path.display()).trim_start().to_owned();
        OutputFile { path, name, content, force }
    }

    /// Checks that the file can be written and may be replaced, before any work is done for it.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        check_writable(&self.path)?;
        if self.may_be_replaced() { Ok(()) } else { Err(self.refusal()) }
    }

    /// Writes the file like [`write()`]. Checks again, because the work took time.
    pub(crate) fn write(&self, text: &str) -> anyhow::Result<()> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes bytes like [`write`](Self::write).
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> anyhow::Result<()> {
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
        self.force || !is_there(&self.path) || head(&self.path).is_ok_and(|head| self.content.is_head(&head))
    }

    fn refusal(&self) -> anyhow::Error {
        let what = self.content.describe();
        bad_input(format!("{}: the file exists and is no {what} of this program; choose another name or add --force", self.name))
    }
}

impl Content {
    fn describe(self) -> &'static str {
        match self {
            Content::Replay => "replay",
            Content::MatchLog => "match log",
            Content::Page => "page",
            Content::Table => "table of an arena",
            Content::Games => "list of an arena's games",
            Content::Grades => "table of grades",
            Content::Note => "note",
            Content::ManualPage => "page of the manual",
            Content::Bundle => "bundle",
            Content::Weights => "file of weights",
        }
    }

    /// Returns whether this program wrote a file that begins with `head`. There is nothing to lose in an empty file.
    fn is_head(self, head: &[u8]) -> bool {
        let text = String::from_utf8_lossy(head);
        let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        head.is_empty()
            || match self {
                Content::Replay => dense.starts_with("{\"format\":\"pacman2replay\""),
                Content::MatchLog => dense.starts_with("{\"_id\":null,\"initdata\":\"{"),
                Content::Page => text.starts_with("<!doctype html>") && text.contains(pacman2_web::page::MARK),
                Content::Table => dense.starts_with("{\"blocks\":") && dense.contains("\"bots\":["),
                Content::Games => dense.starts_with("{\"block\":\"") && dense.contains("\"finished\":"),
                Content::Grades => GRADES.iter().any(|columns| text.starts_with(columns)),
                Content::Note => NOTES.iter().any(|heading| text.starts_with("# ") && text.contains(heading)),
                Content::ManualPage => text.starts_with(".ie ") && text.contains("\n.TH pacman2"),
                Content::Weights => text.starts_with(&format!("// {WEIGHTS}")),
                Content::Bundle => ["// ", "# "].iter().any(|sign| text.starts_with(&format!("{sign}{BUNDLE}"))),
            }
    }
}

/// Reads a text file; `-` is standard input.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    read_up_to(path, MAX_INPUT_BYTES)
}

/// Reads a text file of at most `limit` bytes; `-` is standard input.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> anyhow::Result<String> {
    let read = if path == Path::new("-") { read_limited(io::stdin(), limit) } else { read_input_file(path, limit) };
    let bytes = read.map_err(|error| unreadable(path, &error))?;
    let mut text = String::from_utf8(bytes).map_err(|_| bad_input(format!("{}: expected text in UTF-8", path.display())))?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(text)
}

/// Opens a file of lines; none and `-` are standard input.
pub(crate) fn open_lines(file: Option<&Path>) -> anyhow::Result<Box<dyn Read + Send>> {
    let Some(path) = file.filter(|path| *path != Path::new("-")) else { return Ok(Box::new(io::stdin())) };
    let file = fs::File::open(path).map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
    Ok(Box::new(file))
}

/// Appends the next line of standard input to a text. Returns whether there was one.
pub(crate) fn read_line(input: &mut impl BufRead, text: &mut Vec<u8>) -> anyhow::Result<bool> {
    let mut read = || -> Result<bool, InputFileError> {
        let room = (MAX_INPUT_BYTES + 1).saturating_sub(text.len() as u64);
        let read = input.take(room).read_until(b'\n', text)?;
        let (size, limit) = (text.len() as u64, MAX_INPUT_BYTES);
        if size > limit { Err(InputFileError::TooLarge { size, limit }) } else { Ok(read > 0) }
    };
    read().map_err(|error| bad_input(format!("standard input: {error}")))
}

/// Returns the error for an input file that is not read.
pub(crate) fn unreadable(path: &Path, error: &InputFileError) -> anyhow::Error {
    let advice = match error {
        InputFileError::NotRegular(_) => "; save its content in a file first",
        InputFileError::Io(_) | InputFileError::TooLarge { .. } => "",
    };
    let problem = Problem::new("bot-file").with("file", path.to_string_lossy()).because(&[of_file(error)]);
    coded(problem, format!("{}: {error}{advice}", path.display()))
}

/// Returns a line of standard input without a byte order mark before it.
pub(crate) fn without_byte_order_mark(line: &str) -> &str {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

/// Reads a file of JSON; `-` is standard input.
pub(crate) fn read_json(path: &Path) -> anyhow::Result<Value> {
    parse_json(path, &read(path)?)
}

/// Parses the text of a file as JSON.
pub(crate) fn parse_json(path: &Path, text: &str) -> anyhow::Result<Value> {
    serde_json::from_str(text).map_err(|error| bad_input(format!("{}: not JSON: {error}", path.display())))
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
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a text file under a temporary name and renames it, so that it is never seen half-written.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a binary file like [`write()`].
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let path = real_path(path);
    check_writable(&path)?;
    let write = || -> io::Result<()> { Ok(temporary_file(&path, bytes)?.persist(&path).map(drop)?) };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a text file like [`write()`], unless there is a file of that name. Returns whether it was written.
pub(crate) fn write_new(path: &Path, text: &str) -> anyhow::Result<bool> {
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

/// Returns whether both paths lead to the same file.
pub(crate) fn are_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

/// Makes a file executable.
#[cfg(unix)]
pub(crate) fn make_executable(file: &fs::File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

/// Makes a file executable: every file is on this system.
#[cfg(not(unix))]
pub(crate) fn make_executable(_file: &fs::File) -> io::Result<()> {
    Ok(())
}
