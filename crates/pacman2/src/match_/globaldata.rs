//! Globaldata that outlives a match.

use std::fs;
use std::path::{Path, PathBuf};

use pacman2_bot_source::hash::hexadecimal;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use sha2::{Digest, Sha256};

/// Marks a folder as one of these, so that a bot never replaces a file of another origin that has its name. No bot's file is called so.
const MARKER: &str = "pacman2-globaldata.md";

const MARKER_TEXT: &str = "The globaldata of bots, one file for each, kept by `pacman2 match --globaldata`.\n";

/// The folder in which each bot's globaldata is kept.
pub(super) struct GlobaldataFolder<'a>(&'a Path);

impl GlobaldataFolder<'_> {
    /// Opens the folder, or makes it.
    pub(super) fn open(folder: &Path) -> anyhow::Result<GlobaldataFolder<'_>> {
        let rejected = |reason: &str| bad_input(format!("--globaldata {}: {reason}", folder.display()));
        fs::create_dir_all(folder).map_err(|error| rejected(&error.to_string()))?;
        let marker = folder.join(MARKER);
        if !marker.is_file() {
            let mut entries = fs::read_dir(folder).map_err(|error| rejected(&error.to_string()))?;
            if entries.next().is_some() {
                return Err(rejected(&format!(
                    "expected an empty folder or one with {MARKER}, got one with other files; name another folder, or create that file \
                     if bots may replace what is there"
                )));
            }
            files::write(&marker, MARKER_TEXT)?;
        }
        Ok(GlobaldataFolder(folder))
    }

    /// A file named after the bot. A hash is added where the name is not a safe file name.
    fn file(&self, bot: &str) -> PathBuf {
        const MAX_CHARS: usize = 40;
        let skipped = bot.chars().count().saturating_sub(MAX_CHARS);
        let safe = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
        let short: String = bot.chars().skip(skipped).map(safe).collect();
        if short == bot {
            return self.0.join(format!("{short}.txt"));
        }
        let hash = hexadecimal(&Sha256::digest(bot)[..8]);
        self.0.join(format!("{short}-{hash}.txt"))
    }

    /// Returns the bot's globaldata, empty if there is none yet.
    pub(super) fn read(&self, bot: &str) -> anyhow::Result<String> {
        let file = self.file(bot);
        if file.exists() { files::read(&file) } else { Ok(String::new()) }
    }

    pub(super) fn write(&self, bot: &str, globaldata: &str) -> anyhow::Result<()> {
        files::write(&self.file(bot), globaldata)
    }
}
