//! Folders, above all those that a task makes as a whole: a reader finds the old one or the new one, never half of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// Makes an empty folder beside the one that it will replace, which stays until the new one is complete.
///
/// # Errors
/// If the folder to replace has content and, by the names in it, is not an earlier result.
pub(crate) fn prepare(out: &Path, is_earlier: impl Fn(&BTreeSet<String>) -> bool) -> anyhow::Result<PathBuf> {
    let mut names = BTreeSet::new();
    if out.exists() {
        for entry in fs::read_dir(out).with_context(|| format!("cannot read the folder {}", out.display()))? {
            names.insert(entry?.file_name().to_string_lossy().into_owned());
        }
    }
    let is_free = names.is_empty() || is_earlier(&names);
    ensure!(is_free, "expected an empty folder or an earlier result, got {}; choose another --out", out.display());
    let mut part = out.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    if part.exists() {
        fs::remove_dir_all(&part).with_context(|| format!("cannot remove {}", part.display()))?;
    }
    fs::create_dir_all(&part).with_context(|| format!("cannot create {}", part.display()))?;
    Ok(part)
}

/// Puts a complete folder in the place of the old one.
pub(crate) fn replace(part: &Path, out: &Path) -> anyhow::Result<()> {
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| format!("cannot remove {}", out.display()))?;
    }
    fs::rename(part, out).with_context(|| format!("cannot rename {} to {}", part.display(), out.display()))
}

/// Returns the paths of all files in a folder and the folders in it.
pub(crate) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read the folder {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
