//! What bots keep between matches: their globaldata, and the files of their storage.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_bot_source::hash::hexadecimal;
use pacman2_bot_source::resolve::KeptStorage;
use pacman2_botzone::JsonText;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// What such a folder holds.
#[derive(Clone, Copy)]
struct KeptKind {
    option: &'static str,
    /// The file that marks a folder as one of these, so that a bot never replaces something of another origin that has its name. No
    /// bot's part is called so.
    marker: &'static str,
    marker_text: &'static str,
}

const GLOBALDATA: KeptKind = KeptKind {
    option: "--globaldata",
    marker: "pacman2-globaldata.md",
    marker_text: "The globaldata of bots, one file for each, kept by `pacman2 play --globaldata`.\n",
};
const STORAGE: KeptKind = KeptKind {
    option: "--data",
    marker: "pacman2-data.md",
    marker_text: "The files in the storage of bots, one folder for each, kept by `pacman2 play --data`.\n",
};

/// Opens such a folder, or makes it.
fn open(folder: &Path, kind: KeptKind) -> anyhow::Result<()> {
    let KeptKind { option, marker, marker_text } = kind;
    let rejected = |reason: &str| bad_input(format!("{option} {}: {reason}", folder.display()));
    let failed = || format!("{option} {}", folder.display());
    fs::create_dir_all(folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => rejected("expected a folder, got a file"),
        _ => anyhow::Error::new(error).context(failed()),
    })?;
    let mark = folder.join(marker);
    if !mark.is_file() {
        let mut entries = fs::read_dir(folder).with_context(failed)?;
        if entries.next().is_some() {
            return Err(rejected(&format!(
                "expected an empty folder or one with {marker}, got one with other files; name another folder, or create that file \
                 if bots may replace what is there"
            )));
        }
        files::write(&mark, marker_text)?;
    }
    Ok(())
}

/// Returns a name for what a bot keeps. A hash is added where its own is not a safe file name.
fn name_of(bot: &str) -> String {
    const MAX_CHARS: usize = 40;
    let skipped = bot.chars().count().saturating_sub(MAX_CHARS);
    let safe = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    let short: String = bot.chars().skip(skipped).map(safe).collect();
    if short == bot {
        return short;
    }
    let hash = hexadecimal(&Sha256::digest(bot)[..8]);
    format!("{short}-{hash}")
}

/// The folder in which each bot's globaldata is kept.
pub(super) struct GlobaldataFolder<'a>(&'a Path);

impl GlobaldataFolder<'_> {
    /// Opens the folder, or makes it.
    pub(super) fn open(folder: &Path) -> anyhow::Result<GlobaldataFolder<'_>> {
        open(folder, GLOBALDATA).map(|()| GlobaldataFolder(folder))
    }

    /// Returns the bot's globaldata, the empty string if there is none yet. Earlier versions kept texts, under another name.
    pub(super) fn read(&self, bot: &str) -> anyhow::Result<JsonText> {
        let [file, text] = ["json", "txt"].map(|extension| self.0.join(format!("{}.{extension}", name_of(bot))));
        match () {
            () if file.exists() => serde_json::from_str(&files::read(&file)?)
                .map_err(|error| bad_input(format!("{}: not JSON: {error}", file.display()))),
            () if text.exists() => Ok(Value::from(files::read(&text)?).into()),
            () => Ok(JsonText::default()),
        }
    }

    pub(super) fn write(&self, bot: &str, globaldata: &JsonText) -> anyhow::Result<()> {
        files::write(&self.0.join(format!("{}.json", name_of(bot))), globaldata.as_str())
    }
}

/// The folder in which each bot's storage is kept.
pub(super) struct StorageFolder<'a>(&'a Path);

/// The storage of a bot before a match, and an empty folder for it after the match.
pub(super) struct OpenStorage {
    path: PathBuf,
    new: TempDir,
}

impl StorageFolder<'_> {
    /// Opens the folder, or makes it.
    pub(super) fn open(folder: &Path) -> anyhow::Result<StorageFolder<'_>> {
        open(folder, STORAGE).map(|()| StorageFolder(folder))
    }

    /// Opens the bot's storage.
    pub(super) fn of(&self, bot: &str) -> anyhow::Result<OpenStorage> {
        let new = tempfile::Builder::new().prefix(files::TEMPORARY).tempdir_in(self.0);
        let new = new.with_context(|| format!("cannot create a folder in {}", self.0.display()))?;
        Ok(OpenStorage { path: self.0.join(name_of(bot)), new })
    }
}

impl OpenStorage {
    pub(super) fn kept(&self) -> KeptStorage {
        KeptStorage { from: self.path.is_dir().then(|| self.path.clone()), to: self.new.path().to_owned() }
    }

    /// Puts the new storage in the place of the old one.
    pub(super) fn replace(self) -> anyhow::Result<()> {
        files::replace_folder(self.new.path(), &self.path)
    }
}
