//! Archives and folders as people hand bots in: unpacked within bounds, down to the folder with the bot.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use encoding_rs::GBK;
use pacman2_botzone::problem::Problem;
use pacman2_console::error::{coded, reworded};
use pacman2_console::files;
use pacman2_console::language::in_chinese;
use pacman2_replay::games::packed_as;
use pacman2_runner::{InputFileError, open_input_file};
use tempfile::TempDir;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::bot_folder;
use crate::mounts::{self, DATA, Hidden};
use crate::resolve::{beginning_of, is_executable, is_program};
use crate::source::{BotSource, is_archive};

/// The limits of an archive: its size, the size of what is in it, the number of files, and how deep folders are nested.
const MAX_PACKED_BYTES: u64 = 64 * 1024 * 1024;
const MAX_BYTES: u64 = 256 * 1024 * 1024;
const MAX_FILES: usize = 2000;
const MAX_DEPTH: usize = 16;
/// The longest name of a file and the longest path, in bytes.
const MAX_NAME_BYTES: usize = 255;
const MAX_PATH_BYTES: usize = 1024;
/// How many folders or archives that contain nothing else may be around the folder with the bot.
const MAX_WRAPPERS: usize = 8;

/// A bot after its archives were unpacked.
#[derive(Clone)]
pub struct Unpacked {
    /// Where it is now.
    pub source: BotSource,
    /// All that was handed in with the bot, if that is a folder: its own, or one around it.
    pub folder: Option<PathBuf>,
    /// The folders to which archives were unpacked, which are removed with the last copy of this.
    pub folders: Vec<Arc<TempDir>>,
    /// For each archive, the folder of what was in it, and what the archive is called.
    names: Vec<(String, String)>,
}

/// Why an archive is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error(transparent)]
    Unread(InputFileError),
    #[error("expected a whole ZIP archive, got a cut or damaged one ({0}); pack it again")]
    Cut(ZipError),
    #[error("expected a ZIP archive, got {}; make a ZIP archive, since another name is not enough", .0.unwrap_or("something else"))]
    NotZip(Option<&'static str>),
    #[error("expected an archive with a bot, got one without files")]
    Empty,
    #[error("expected at most {MAX_FILES} files in the archive, got {0}")]
    TooManyFiles(usize),
    #[error("expected at most 256 MB of unpacked files, got more")]
    TooLarge,
    #[error(
        "{0:?}: expected a path inside the archive, at most {MAX_DEPTH} folders deep, without \"..\" and reserved characters"
    )]
    Path(String),
    #[error("{0:?}: expected a file or a folder, got a link; pack the file itself")]
    Link(String),
    #[error("{0:?}: is in the archive twice")]
    Twice(String),
    #[error("{0:?}: expected a file that is deflated or stored and has no password; pack it again")]
    Method(String),
    #[error("the archive is damaged: {0}")]
    Damaged(io::Error),
    #[error("cannot unpack it: {0}")]
    Io(#[from] io::Error),
}

impl Unpacked {
    /// Unpacks a bot, if it is in an archive, and looks for it in the folders around it.
    ///
    /// # Errors
    ///
    /// If an archive exceeds the limits or cannot be read.
    pub fn from_source(source: &BotSource) -> anyhow::Result<Unpacked> {
        let mut unpacked = Unpacked { source: source.clone(), folder: None, folders: Vec::new(), names: Vec::new() };
        for _ in 0..MAX_WRAPPERS {
            let inner = match &unpacked.source {
                BotSource::Archive(archive) => {
                    let folder = unpacked.unpack(&archive.clone())?;
                    unpacked.folder = Some(folder.clone());
                    BotSource::Folder(folder)
                }
                BotSource::Folder(folder) => {
                    unpacked.folder.get_or_insert_with(|| folder.clone());
                    match inside(folder) {
                        Some(inner) => inner,
                        None => break,
                    }
                }
                _ => break,
            };
            unpacked.source = inner;
        }
        Ok(unpacked)
    }

    fn unpack(&mut self, archive: &Path) -> anyhow::Result<PathBuf> {
        let parent = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
        let folder = parent.path().join(archive.file_stem().unwrap_or_default());
        fs::create_dir(&folder)?;
        let opened = open_input_file(archive, MAX_PACKED_BYTES).map_err(ArchiveError::Unread);
        opened.and_then(|file| unpack(file, archive, &folder)).map_err(|error| {
            let message = format!("{}: {error}", archive.display());
            if let ArchiveError::Io(error) = error {
                return anyhow::Error::new(error).context(message);
            }
            coded(
                Problem::new("bot-archive").with("file", archive.to_string_lossy()).with("zh", in_chinese(&error.to_string())),
                message,
            )
        })?;
        self.folders.push(Arc::new(parent));
        self.names.push((folder.display().to_string(), archive.display().to_string()));
        Ok(folder)
    }

    /// Returns an error about what was unpacked with the archive in place of the temporary folder.
    #[must_use]
    pub fn named(&self, error: anyhow::Error) -> anyhow::Error {
        self.names.iter().rev().fold(error, |error, (folder, archive)| reworded(error, folder, archive))
    }
}

/// Returns the only folder or archive in a folder without a bot, or the only one of several folders that has a bot.
fn inside(folder: &Path) -> Option<BotSource> {
    let has_bot = !matches!(bot_folder::find_bot(folder, is_program), Err(candidates) if candidates.is_empty());
    if has_bot {
        return None;
    }
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(|path| !bot_folder::is_hidden(path));
    // A link could lead to another bot.
    let is_wrapper = |path: &PathBuf| {
        fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir() || metadata.is_file() && is_archive(path))
    };
    let mut wrappers: Vec<PathBuf> = entries.filter(is_wrapper).collect();
    if wrappers.len() > 1 {
        wrappers.retain(|path| bot_folder::find_bot(path, is_program).is_ok());
    }
    let [wrapper] = &wrappers[..] else { return None };
    BotSource::at(wrapper)
}

/// Unpacks an archive into an empty folder.
fn unpack(file: File, path: &Path, folder: &Path) -> Result<(), ArchiveError> {
    let mut archive = ZipArchive::new(file).map_err(|error| no_archive(path, error))?;
    if archive.len() > MAX_FILES {
        return Err(ArchiveError::TooManyFiles(archive.len()));
    }
    let mut bytes_left = MAX_BYTES;
    let mut taken = TakenPaths::default();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(ArchiveError::Cut)?;
        let (name, is_link) = (decoded(entry.name_raw()), entry.is_symlink());
        let is_supported =
            matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) && !entry.encrypted();
        let is_program = entry.unix_mode().is_some_and(|mode| mode & 0o100 != 0);
        drop(entry);
        if is_link {
            return Err(ArchiveError::Link(name));
        }
        let path = inner_path(&name).ok_or_else(|| ArchiveError::Path(name.clone()))?;
        if !is_supported {
            return Err(ArchiveError::Method(name));
        }
        let target = folder.join(&path);
        let is_folder = name.ends_with(['/', '\\']);
        if !taken.add(&path, is_folder) {
            return Err(ArchiveError::Twice(name));
        }
        if is_folder {
            fs::create_dir_all(&target)?;
            continue;
        }
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        let content = archive.by_index(index).map_err(ArchiveError::Cut)?;
        let mut file = File::create_new(&target)?;
        let copied = copy(content.take(bytes_left + 1), &mut file)?;
        if is_program {
            files::make_executable(&file)?;
        }
        bytes_left = bytes_left.checked_sub(copied).ok_or(ArchiveError::TooLarge)?;
    }
    if taken.files.is_empty() { Err(ArchiveError::Empty) } else { Ok(()) }
}

/// Returns what is wrong with a file that is no archive, by how it begins.
fn no_archive(path: &Path, error: ZipError) -> ArchiveError {
    match &beginning_of(path).unwrap_or_default()[..] {
        [] => ArchiveError::Empty,
        [b'P', b'K', 3, 4, ..] => ArchiveError::Cut(error),
        beginning => ArchiveError::NotZip(packed_as(beginning)),
    }
}

/// The paths that an archive has used, in lower case: some systems do not distinguish it from upper case.
#[derive(Default)]
struct TakenPaths {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl TakenPaths {
    /// Adds a path and the folders around it. Returns whether none of them is a file already, and a file's path is free.
    fn add(&mut self, path: &Path, is_folder: bool) -> bool {
        let path = PathBuf::from(path.to_string_lossy().to_lowercase());
        let is_free = !path.ancestors().any(|path| self.files.contains(path)) && (is_folder || !self.folders.contains(&path));
        self.folders.extend(path.ancestors().skip(usize::from(!is_folder)).map(Path::to_owned));
        self.files.extend(Some(path).filter(|_| !is_folder));
        is_free
    }
}

/// Returns a name as text. Chinese Windows writes GBK.
fn decoded(name: &[u8]) -> String {
    std::str::from_utf8(name).map_or_else(|_| GBK.decode_without_bom_handling(name).0.into_owned(), str::to_owned)
}

/// Packs a folder of a bot. Returns `false` if that holds nothing but the bot and its `data`, is not the bot's own, or does not fit
/// into an archive.
///
/// # Errors
///
/// If a file cannot be read or the archive cannot be written.
pub fn pack(bot: &Path, folder: &Path, archive: &Path) -> anyhow::Result<bool> {
    let Some(files) = bot_folder::own_files(folder, MAX_FILES) else { return Ok(false) };
    let is_more = |file: &PathBuf| !file.starts_with(DATA) && folder.join(file) != bot;
    if !files.iter().any(is_more) || !mounts::is_own(folder, &[bot.to_owned()], &Hidden::default()) {
        return Ok(false);
    }
    let failed = || format!("cannot write {}", archive.display());
    let mut file = File::create_new(archive).with_context(failed)?;
    pack_files(folder, &files, &mut file)
}

/// Packs these files of a folder. Returns `false` if they do not fit into an archive.
pub(crate) fn pack_files(folder: &Path, files: &[PathBuf], archive: &mut File) -> anyhow::Result<bool> {
    let failed = || format!("cannot pack {}", folder.display());
    let mut zip = ZipWriter::new(archive);
    let mut bytes_left = MAX_BYTES;
    for file in files {
        let path = folder.join(file);
        let Some(name) = file.to_str().filter(|name| inner_path(name).is_some()) else { return Ok(false) };
        let mut content = match open_input_file(&path, bytes_left) {
            Ok(content) => content.take(bytes_left),
            Err(InputFileError::TooLarge { .. }) => return Ok(false),
            Err(error) => return Err(files::unreadable(&path, &error)),
        };
        let mode = if is_executable(&path) { 0o755 } else { 0o644 };
        zip.start_file(name.replace('\\', "/"), SimpleFileOptions::default().unix_permissions(mode)).with_context(failed)?;
        bytes_left -= io::copy(&mut content, &mut zip).with_context(failed)?;
    }
    let packed = zip.finish().with_context(failed)?;
    Ok(packed.metadata().with_context(failed)?.len() <= MAX_PACKED_BYTES)
}

/// Copies all of a file. What fails in writing is no fault of the archive.
fn copy(mut from: impl Read, to: &mut File) -> Result<u64, ArchiveError> {
    let mut block = vec![0; 64 * 1024];
    let mut copied = 0;
    loop {
        let length = from.read(&mut block).map_err(ArchiveError::Damaged)?;
        if length == 0 {
            return Ok(copied);
        }
        to.write_all(&block[..length])?;
        copied += length as u64;
    }
}

/// Returns the path of an entry below the folder to which it is unpacked; `None` if it leads out of it, is too deep, or has
/// characters that some system reserves.
#[must_use]
pub fn inner_path(name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    let path = Path::new(name.trim_end_matches('/'));
    let path = path.strip_prefix(".").unwrap_or(path);
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(part) => {
            let part = part.to_string_lossy();
            part.len() <= MAX_NAME_BYTES && !part.contains(|c: char| c.is_control() || ":*?\"<>|".contains(c))
        }
        _ => false,
    };
    let depth = path.components().count();
    let is_inside = (1..=MAX_DEPTH).contains(&depth) || name == "./";
    (is_inside && name.len() <= MAX_PATH_BYTES && path.components().all(is_plain)).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn archive(write: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        write(&mut zip);
        let path = folder.path().join("bot.zip");
        fs::write(&path, zip.finish().unwrap().into_inner()).unwrap();
        (folder, path)
    }

    fn with_files(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
        archive(|zip| {
            for (name, text) in files {
                zip.start_file(*name, SimpleFileOptions::default()).unwrap();
                zip.write_all(text.as_bytes()).unwrap();
            }
        })
    }

    #[track_caller]
    fn check_rejected((_folder, path): &(TempDir, PathBuf), expected: &str) {
        let error = Unpacked::from_source(&BotSource::Archive(path.clone())).err().expect("it is rejected").to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn the_bot_is_found_in_the_folders_around_it() {
        let (_folder, path) = with_files(&[("项目/bot 1/__main__.py", "a"), ("项目/bot 1/lib/b.py", "b"), ("__MACOSX/x", "")]);
        let unpacked = Unpacked::from_source(&BotSource::Archive(path)).unwrap();
        let BotSource::Folder(found) = &unpacked.source else { panic!("expected a folder") };
        assert!(found.ends_with("bot/项目/bot 1") && found.join("lib/b.py").is_file(), "{}", found.display());
        let found = found.clone();
        drop(unpacked);
        assert!(!found.exists());
    }

    #[test]
    fn the_bot_is_in_the_only_one_of_several_folders_that_has_one() {
        let source = |files: &[(&str, &str)]| {
            let (_folder, path) = with_files(files);
            Unpacked::from_source(&BotSource::Archive(path)).unwrap().source
        };
        let found = source(&[("README.md", ""), ("include/a.h", ""), ("src/main.cpp", "int main() {}")]);
        assert!(matches!(&found, BotSource::Folder(folder) if folder.ends_with("bot/src")));
        let found = source(&[("a/main.py", ""), ("b/main.py", "")]);
        assert!(matches!(&found, BotSource::Folder(folder) if folder.ends_with("bot")));
    }

    #[test]
    fn names_of_other_tools() {
        let names = ["./", "./__main__.py", "a\\b.py", "dddd/c.py"];
        let (_folder, path) = with_files(&names.map(|name| (name, "")));
        let gbk = [0xcf, 0xee, 0xc4, 0xbf];
        let bytes = fs::read(&path).unwrap();
        let places: Vec<usize> = (0..bytes.len() - 4).filter(|&at| &bytes[at..at + 4] == b"dddd").collect();
        let mut bytes = bytes;
        places.into_iter().for_each(|at| bytes[at..at + 4].copy_from_slice(&gbk));
        fs::write(&path, bytes).unwrap();
        let unpacked = Unpacked::from_source(&BotSource::Archive(path)).unwrap();
        let BotSource::Folder(found) = &unpacked.source else { panic!("expected a folder") };
        for name in ["__main__.py", "a/b.py", "项目/c.py"] {
            assert!(found.join(name).is_file(), "{name}");
        }
    }

    #[test]
    fn a_folder_is_packed_if_it_is_more_than_a_bot_and_its_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my bot");
        let write = |name: &str, text: &str| {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let (bot, archive) = (path.join("bot.py"), folder.path().join("bot.zip"));
        write("bot.py", "");
        write("data/x", "");
        write(".git/config", "");
        assert!(!pack(&bot, &path, &archive).unwrap());
        write("weights/1.txt", "7");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", path.join("link.txt")).unwrap();
        assert!(pack(&bot, &path, &archive).unwrap());
        let unpacked = Unpacked::from_source(&BotSource::Archive(archive)).unwrap();
        let BotSource::Folder(found) = &unpacked.source else { panic!("expected a folder") };
        let files = bot_folder::own_files(found, MAX_FILES).unwrap();
        assert_eq!(files, ["bot.py", "data/x", "weights/1.txt"].map(PathBuf::from));
        // It does not fit.
        (0..=MAX_FILES).for_each(|number| write(&format!("many/{number}"), ""));
        assert!(!pack(&bot, &path, &folder.path().join("large.zip")).unwrap());
    }

    #[test]
    fn archives_of_strangers_are_bounded() {
        for name in ["../a.py", "/a.py", "a/../../b.py", "C:\\a.py", "a\nb.py", &format!("{}a.py", "d/".repeat(16))] {
            check_rejected(&with_files(&[(name, "")]), "expected a path inside the archive");
        }
        check_rejected(&with_files(&[(&"d/".repeat(300), "")]), "expected a path inside the archive");
        for names in [["a.py", "A.py"], ["a", "a/b.py"], ["A/b.py", "a"], ["a", "a/"]] {
            check_rejected(&with_files(&names.map(|name| (name, ""))), "twice");
        }
        let many: Vec<String> = (0..=MAX_FILES).map(|number| format!("{number}.py")).collect();
        check_rejected(&with_files(&many.iter().map(|name| (name.as_str(), "")).collect::<Vec<_>>()), "at most 2000 files");
        let zeros = vec![0; 1024 * 1024];
        check_rejected(
            &archive(|zip| {
                zip.start_file("a.py", SimpleFileOptions::default()).unwrap();
                (0..=256).for_each(|_| zip.write_all(&zeros).unwrap());
            }),
            "at most 256 MB of unpacked files",
        );
        check_rejected(
            &archive(|zip| zip.add_symlink("a.py", "/etc/passwd", SimpleFileOptions::default()).unwrap()),
            "got a link",
        );
        let (folder, path) = with_files(&[("a.py", "print(1)")]);
        fs::write(&path, "no archive").unwrap();
        check_rejected(&(folder, path), "expected a ZIP archive, got something else");
    }
}
