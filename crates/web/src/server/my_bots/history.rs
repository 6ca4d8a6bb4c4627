//! The former contents of a bot: a file or folder for each, with a number as its name, in a folder beside the bots.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pacman2_bot_source::hash;
use serde::Serialize;

use super::folder::{self, Kind, OwnBot, not_written, own_files, shown_path, small_files};
use crate::server::error::ApiError;

/// The folder of all versions, in the folder of bots.
const FOLDER: &str = ".versions";
/// How many versions of a bot are kept, and how many bytes of all of them. Then the oldest are removed.
const MAX_VERSIONS: usize = 100;
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The versions of a bot.
pub(super) struct History(PathBuf);

/// A version of a bot.
pub(super) struct Version {
    pub(super) number: u32,
    path: PathBuf,
}

/// A version as pages see it.
#[derive(Serialize)]
pub(super) struct ShownVersion {
    version: u32,
    saved_ms: u64,
    bytes: u64,
    files: Vec<String>,
}

impl History {
    /// Returns the versions of this bot of a folder.
    pub(super) fn new(bots: &Path, name: &str) -> History {
        History(bots.join(FOLDER).join(name))
    }

    /// Returns the versions, oldest first. A link is none.
    pub(super) fn versions(&self) -> Vec<Version> {
        let paths = fs::read_dir(&self.0).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        let version = |path: PathBuf| Some(Version { number: path.file_stem()?.to_str()?.parse().ok()?, path });
        let mut versions: Vec<Version> = paths.filter(|path| !is_link(path)).filter_map(version).collect();
        versions.sort_by_key(|version| version.number);
        versions
    }

    /// Returns where the result of the last check is kept.
    pub(super) fn check_file(&self) -> PathBuf {
        self.0.join("check.json")
    }

    pub(super) fn find(&self, number: u32) -> Option<PathBuf> {
        self.versions().into_iter().find(|version| version.number == number).map(|version| version.path)
    }

    /// Keeps a bot as it is, as the next version, unless the last one is the same. Returns its number.
    pub(super) fn keep(&self, bot: &OwnBot) -> Result<u32, ApiError> {
        let files = if bot.kind == Kind::Folder { small_files(&bot.path)? } else { Vec::new() };
        let last = self.versions().pop();
        if let Some(Version { number, path }) = &last
            && content_of(path) == content_of(&bot.path)
        {
            return Ok(*number);
        }
        let number = last.map_or(1, |last| last.number + 1);
        fs::create_dir_all(&self.0).map_err(not_written)?;
        let unfinished = tempfile::Builder::new().prefix(".").tempdir_in(&self.0).map_err(not_written)?;
        let (copy, name) = (unfinished.path().join("copy"), format!("{number:04}"));
        if bot.kind == Kind::Folder {
            copy_files(&bot.path, &files, &copy).map_err(not_written)?;
        } else {
            fs::copy(&bot.path, &copy).map_err(not_written)?;
        }
        let extension = bot.path.extension().filter(|_| bot.kind == Kind::File);
        let version = self.0.join(name);
        fs::rename(copy, extension.map_or_else(|| version.clone(), |extension| version.with_extension(extension)))
            .map_err(not_written)?;
        self.forget_old().map_err(not_written)?;
        Ok(number)
    }

    /// Removes the oldest versions, as far as the limits are exceeded.
    fn forget_old(&self) -> io::Result<()> {
        let mut bytes = 0;
        for (kept, version) in self.versions().iter().rev().enumerate() {
            bytes += version.files().iter().map(|(_, bytes)| bytes).sum::<u64>();
            if kept > 0 && (kept >= MAX_VERSIONS || bytes > MAX_BYTES) {
                if version.path.is_dir() { fs::remove_dir_all(&version.path)? } else { fs::remove_file(&version.path)? }
            }
        }
        Ok(())
    }
}

impl Version {
    /// Returns the files with their sizes; for a bot in one file, without a name.
    fn files(&self) -> Vec<(PathBuf, u64)> {
        let files = if self.path.is_dir() { own_files(&self.path) } else { vec![PathBuf::new()] };
        let size = |file: &Path| self.path.join(file).metadata().map_or(0, |metadata| metadata.len());
        files.into_iter().map(|file| (file.clone(), size(&file))).collect()
    }

    /// Returns what pages see of it; `None` if it was removed meanwhile.
    pub(super) fn shown(&self, bot: &OwnBot) -> Option<ShownVersion> {
        let saved_ms = folder::modified_ms(&self.path.metadata().ok()?);
        let files = self.files();
        let name = |file: &PathBuf| if bot.kind == Kind::Folder { shown_path(file) } else { bot.name.clone() };
        let bytes = files.iter().map(|(_, bytes)| bytes).sum();
        Some(ShownVersion { version: self.number, saved_ms, bytes, files: files.iter().map(|(file, _)| name(file)).collect() })
    }
}

/// Returns the hash of a file or of all files of a folder.
fn content_of(path: &Path) -> Option<String> {
    if path.is_dir() { hash::of_folder(path) } else { hash::of_files(&[path.to_owned()]) }
}

/// Copies these files of a folder to another one.
pub(super) fn copy_files(from: &Path, files: &[PathBuf], to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for file in files {
        let copy = to.join(file);
        fs::create_dir_all(pacman2_console::files::folder_of(&copy))?;
        fs::copy(from.join(file), copy)?;
    }
    Ok(())
}
