//! A folder that a task makes: written under another name, and renamed when it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// Makes an empty folder beside the one that it will replace, which stays until the new one is complete. `is_ours` says
/// whether the task made what is there now.
pub(crate) fn prepare(out: &Path, is_ours: bool) -> anyhow::Result<PathBuf> {
    let is_free = !out.exists() || (out.is_dir() && fs::read_dir(out)?.next().is_none());
    ensure!(is_ours || is_free, "expected an empty folder or an earlier site, got {}; choose another --out", out.display());
    let mut part = out.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    if part.exists() {
        fs::remove_dir_all(&part).with_context(|| format!("cannot remove {}", part.display()))?;
    }
    fs::create_dir_all(&part).with_context(|| format!("cannot create {}", part.display()))?;
    Ok(part)
}

/// Puts the complete folder in its place.
pub(crate) fn replace(part: &Path, out: &Path) -> anyhow::Result<()> {
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| format!("cannot remove {}", out.display()))?;
    }
    fs::rename(part, out).with_context(|| format!("cannot rename {} to {}", part.display(), out.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_others_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        fs::create_dir(&out).unwrap();
        let part = prepare(&out, false).unwrap();
        fs::write(part.join("index.html"), "new").unwrap();
        replace(&part, &out).unwrap();
        assert!(prepare(&out, false).is_err());
        assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), "new");
        replace(&prepare(&out, true).unwrap(), &out).unwrap();
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
    }
}
