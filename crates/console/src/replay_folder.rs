//! The folder in which matches leave their replays.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pacman2_botzone::problem::Problem;

use crate::error::coded;
use crate::files::{self, Content, OutputFile};

/// The folder of replays if no other place is given.
pub const REPLAYS: &str = "replays";
/// The copy of the last replay in it.
const LAST: &str = "last.json";
/// The page with the last match in it.
const LAST_PAGE: &str = "last.html";

/// Returns a file name that is still free in the folder.
pub fn new_name(folder: &Path) -> PathBuf {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut names = (0..).map(|number: u64| folder.join(format!("{}-{number}.json", now.as_millis())));
    names.find(|path| !path.exists()).unwrap_or_default()
}

/// Checks that the folder's last replay may be replaced: that this program wrote it.
pub fn check_last(folder: &Path) -> anyhow::Result<()> {
    let last = folder.join(LAST);
    if OutputFile::new("", &last, Content::REPLAY, false).may_be_replaced() {
        return Ok(());
    }
    Err(coded(
        Problem::new("last-replay").with("file", last.to_string_lossy()),
        format!(
            "{}: expected the last replay of this program, which new matches replace, got another file; move it away",
            last.display()
        ),
    ))
}

/// Writes a replay under a new name and as the last one. Returns the new name.
pub fn add(folder: &Path, text: &str) -> anyhow::Result<PathBuf> {
    let path = new_name(folder);
    add_as(&path, text)?;
    Ok(path)
}

/// Writes a replay to this file of a folder of replays, and as the folder's last one.
pub fn add_as(path: &Path, text: &str) -> anyhow::Result<()> {
    files::write(path, text)?;
    check_last(path.parent().unwrap_or(Path::new("")))?;
    files::write(&path.with_file_name(LAST), text)
}

/// Returns the place of the page with the last match.
pub fn last_page() -> PathBuf {
    Path::new(REPLAYS).join(LAST_PAGE)
}
