//! A bot with all that is its own as one file, which arenas and tournaments copy.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_bot_source::bundle::cpp::{self, CppOptions};
use pacman2_bot_source::source_files::MainSource;
use pacman2_bot_source::{archive, compile};
use pacman2_console::error::bad_input;
use pacman2_console::files::folder_of;
use pacman2_runner::Language;
use tempfile::TempDir;

use super::copied_data;

/// A bot as one file.
pub struct OneFile {
    /// The bot's own file, its source joined with what it includes, or its folder as an archive.
    pub file: PathBuf,
    /// The folder `data` that belongs to it and is not in the file.
    pub data: Option<PathBuf>,
    /// Where the file lies, if it was made.
    pub folder: Option<TempDir>,
}

impl OneFile {
    /// Makes one file of a bot. A C++ source is joined with the files that it includes. Any other bot, and a source that cannot be
    /// joined, is packed with its folder if all of that is its own, and fits into an archive. `may_stay_in_place` says whether the
    /// user may keep the bot where it is instead.
    ///
    /// # Errors
    ///
    /// If the source cannot be joined.
    pub fn from_bot(bot: &Path, own_folder: Option<&Path>, may_stay_in_place: bool) -> anyhow::Result<OneFile> {
        let source = MainSource { path: bot, own_folder };
        if compile::includes_files(&source)? {
            let error = match cpp::bundle(&source, &CppOptions::default()) {
                Ok(bundle) => return OneFile::joined(bot, &bundle.text),
                Err(error) => error,
            };
            if let Some(folder) = own_folder.filter(|_| error.is_of_joining())
                && let Some(packed) = OneFile::packed(bot, folder)?
            {
                return Ok(packed);
            }
            return Err(match may_stay_in_place && error.plays_in_place(own_folder.is_some()) {
                true => bad_input(format!("{error}; a bot that cannot be one file can be added with --in-place")),
                false => bad_input(error),
            });
        }
        if own_folder.is_some()
            && Language::from_file(bot) != Some(Language::Cpp)
            && let Some(packed) = OneFile::packed(bot, folder_of(bot))?
        {
            return Ok(packed);
        }
        Ok(OneFile { file: bot.to_owned(), data: copied_data::beside(bot), folder: None })
    }

    fn joined(bot: &Path, text: &[u8]) -> anyhow::Result<OneFile> {
        let folder = temporary_folder()?;
        let file = folder.path().join(bot.file_name().unwrap_or_default());
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(OneFile { file, data: copied_data::beside(bot), folder: Some(folder) })
    }

    fn packed(bot: &Path, folder: &Path) -> anyhow::Result<Option<OneFile>> {
        let made = temporary_folder()?;
        let file = made.path().join(bot.file_stem().unwrap_or(OsStr::new("bot"))).with_extension("zip");
        Ok(archive::pack(bot, folder, &file)?.then_some(OneFile { file, data: None, folder: Some(made) }))
    }
}

fn temporary_folder() -> anyhow::Result<TempDir> {
    tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")
}
