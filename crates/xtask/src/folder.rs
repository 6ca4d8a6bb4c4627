//! Folders that a task makes as a whole: a reader finds the old one or the new one, never half of it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// Makes an empty folder beside the one that it will replace, which stays until the new one is complete.
///
/// # Errors
/// If the folder to replace has content but not the files that every earlier result has.
pub(crate) fn prepare(out: &Path, earlier: &[&str]) -> anyhow::Result<PathBuf> {
    let is_earlier = earlier.iter().all(|name| out.join(name).exists());
    let is_free = !out.exists() || (out.is_dir() && fs::read_dir(out)?.next().is_none());
    ensure!(is_earlier || is_free, "expected an empty folder or an earlier result, got {}; choose another --out", out.display());
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
