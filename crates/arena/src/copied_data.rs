//! The folder `data` of a bot, which is copied and hashed with its file.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_bot_source::mounts::{DATA, fits_into_storage};
use pacman2_bot_source::{bot_folder, hash};
use pacman2_console::files::{self, folder_of};
use pacman2_runner::STORAGE_FILES;
use sha2::{Digest, Sha256};

/// Returns the folder `data` beside a bot, if it holds files and fits into a bot's storage.
pub fn beside(bot: &Path) -> Option<PathBuf> {
    let data = folder_of(bot).join(DATA);
    let is_folder = fs::symlink_metadata(&data).is_ok_and(|data| data.is_dir());
    (is_folder && fits_into_storage(&data) && !files_in(&data).is_empty()).then_some(data)
}

/// Returns the hash of a program together with that of its folder `data`, if it has one.
pub(crate) fn hash_with(program: String, data: Option<&Path>) -> anyhow::Result<String> {
    let Some(data) = data else { return Ok(program) };
    let files = hash::of_tree(data, &files_in(data)).with_context(|| format!("cannot read {}", data.display()))?;
    Ok(hash::hexadecimal(&Sha256::digest(format!("{program} {files}"))))
}

/// Copies the files of a folder `data` into a folder, in place of a `data` that is there. `None` only removes that.
///
/// # Errors
///
/// If a file cannot be copied; what was there is left then.
pub fn copy_into(data: Option<&Path>, folder: &Path) -> anyhow::Result<()> {
    let target = folder.join(DATA);
    let failed = || format!("cannot replace {}", target.display());
    let Some(data) = data else {
        return if target.exists() { fs::remove_dir_all(&target).with_context(failed) } else { Ok(()) };
    };
    let unfinished = tempfile::Builder::new().prefix(files::TEMPORARY).tempdir_in(folder).with_context(failed)?;
    let new = unfinished.path().join(DATA);
    for file in files_in(data) {
        fs::create_dir_all(folder_of(&new.join(&file))).with_context(failed)?;
        fs::copy(data.join(&file), new.join(&file)).with_context(failed)?;
    }
    files::replace_folder(&new, &target)
}

/// Returns the regular files of a folder that fits into a storage. Links could lead anywhere.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let is_plain = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_file());
    bot_folder::files_below(folder, STORAGE_FILES, is_plain).unwrap_or_default()
}
