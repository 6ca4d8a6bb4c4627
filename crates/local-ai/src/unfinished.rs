//! The matches that are not over: a file for each, with the envelope from which it continues if this program is started again.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use pacman2_botzone::local_ai::{Envelope, MatchId, Message};
use pacman2_console::files;
use pacman2_runner::read_input_file;
use serde_json::Value;

/// The name of the folder. It begins with a dot, so that no list of replays shows it.
const NAME: &str = ".pacman2-unfinished";
/// A match of which nothing was heard for this long will not continue.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// The size limit of a file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The folder of unfinished matches beside the replays.
pub(crate) struct Unfinished {
    folder: PathBuf,
}

impl Unfinished {
    /// Opens the folder, and removes what is too old.
    pub(crate) fn beside(replays: &Path) -> Unfinished {
        let folder = replays.join(NAME);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let age = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > MAX_AGE) {
                // What stays does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
        Unfinished { folder }
    }

    /// Returns the match as far as it was kept.
    pub(crate) fn read(&self, id: &MatchId) -> Option<Envelope> {
        let text = String::from_utf8(read_input_file(&self.file(id), MAX_BYTES).ok()?).ok()?;
        match Message::parse(&text).ok()? {
            Message::Envelope(envelope) => Some(envelope),
            Message::Turn(_) => None,
        }
    }

    pub(crate) fn write(&self, id: &MatchId, envelope: &Value) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder).with_context(|| format!("cannot create the folder {}", self.folder.display()))?;
        files::write(&self.file(id), &format!("{envelope}\n"))
    }

    pub(crate) fn remove(&self, id: &MatchId) {
        // It may never have been written.
        let _ = fs::remove_file(self.file(id));
    }

    fn file(&self, id: &MatchId) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}
