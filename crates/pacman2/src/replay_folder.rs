//! The folder in which matches leave their replays.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::files;

/// The folder of replays if no other place is given.
pub(crate) const REPLAYS: &str = "replays";
/// The copy of the last replay in it.
const LAST: &str = "last.json";
/// The page with the last match in it.
const LAST_PAGE: &str = "last.html";

/// Returns a file name that is still free in the folder.
pub(crate) fn new_name(folder: &Path) -> PathBuf {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut names = (0..).map(|number: u64| folder.join(format!("{}-{number}.json", now.as_millis())));
    names.find(|path| !path.exists()).unwrap_or_default()
}

/// Writes a replay under a new name and as the last one. Returns the new name.
pub(crate) fn add(folder: &Path, text: &str) -> anyhow::Result<PathBuf> {
    let path = new_name(folder);
    add_as(&path, text)?;
    Ok(path)
}

/// Writes a replay to this file of a folder of replays, and as the folder's last one.
pub(crate) fn add_as(path: &Path, text: &str) -> anyhow::Result<()> {
    files::write(path, text)?;
    files::write(&path.with_file_name(LAST), text)
}

/// Returns the place of the page with the last match.
pub(crate) fn last_page() -> PathBuf {
    Path::new(REPLAYS).join(LAST_PAGE)
}
