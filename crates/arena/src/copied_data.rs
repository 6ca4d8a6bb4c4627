//! The folder `data` of a bot, which is copied and hashed with its file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_bot_source::hash;
use pacman2_bot_source::mounts::{DATA, fits_into_storage};
use pacman2_console::files::{self, folder_of};
use sha2::{Digest, Sha256};

/// Returns the folder `data` beside a bot, if it holds files and fits into a bot's storage.
pub fn beside(bot: &Path) -> Option<PathBuf> {
    let data = folder_of(bot).join(DATA);
    let is_folder = fs::symlink_metadata(&data).is_ok_and(|data| data.is_dir());
    (is_folder && fits_into_storage(&data) && !files_in(&data).is_empty()).then_some(data)
}

/// Returns the hash of a program together with that of its folder `data`.
pub(crate) fn hash_with(program: &str, data: &Path) -> anyhow::Result<String> {
    let mut whole = Sha256::new();
    whole.update(program);
    for file in files_in(data) {
        let content =
            hash::of_files(&[data.join(&file)]).with_context(|| format!("cannot read {}", data.join(&file).display()))?;
        whole.update(format!("\n{content} {}", file.to_string_lossy()));
    }
    Ok(hash::hexadecimal(&whole.finalize()))
}

/// Copies the files of a folder `data` into a folder, in place of a `data` that is there. `None` only removes that.
///
/// # Errors
///
/// If a file cannot be copied; what was there is left then.
pub fn copy_into(data: Option<&Path>, folder: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot replace {}", folder.join(DATA).display());
    let unfinished = tempfile::Builder::new().prefix(files::TEMPORARY).tempdir_in(folder).with_context(failed)?;
    let (new, target) = (unfinished.path().join(DATA), folder.join(DATA));
    for (file, data) in data.into_iter().flat_map(|data| files_in(data).into_iter().map(move |file| (file, data))) {
        fs::create_dir_all(folder_of(&new.join(&file))).with_context(failed)?;
        fs::copy(data.join(&file), new.join(&file)).with_context(failed)?;
    }
    if target.exists() {
        fs::remove_dir_all(&target).with_context(failed)?;
    }
    if data.is_some() { fs::rename(&new, &target).with_context(failed) } else { Ok(()) }
}

/// Returns the regular files of a folder that fits into a storage, sorted, by their paths in it. Links could lead anywhere.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => files.extend(entry.path().strip_prefix(folder).map(Path::to_owned)),
                _ => {}
            }
        }
    }
    files.sort();
    files
}
