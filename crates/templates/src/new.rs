//! Writes a folder with a bot to start from.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pacman2_bot_source::resolve::FOLDER_MARK;
use pacman2_console::files;

use crate::{BotKind, FOLDER_MARK_TEXT, Template, weights};

const README: &str = include_str!("../files/README.md");

impl Template {
    /// Writes the files of a bot of this kind into its folder, which exists.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn write(&self, kind: BotKind, folder: &Path, name: &str) -> anyhow::Result<()> {
        let parts = match kind {
            BotKind::Search => self.search,
            BotKind::Simple => self.simple,
            BotKind::Net => self.net,
        };
        write_files(folder, parts.iter().map(|&(file, text)| (file, kind.parts(text))))?;
        if kind == BotKind::Net {
            files::write(&folder.join(weights::FILE), &weights::built_in())?;
        }
        files::write(&folder.join("README.md"), &self.readme(kind, name))?;
        files::write(&folder.join(FOLDER_MARK), FOLDER_MARK_TEXT)?;
        files::write(&folder.join(".gitignore"), self.ignored)
    }

    fn readme(&self, kind: BotKind, name: &str) -> String {
        let [upload_en, upload_zh] = self.upload[kind as usize];
        let filled = [
            ("{name}", name),
            ("{language}", self.language),
            ("{source}", self.source),
            ("{build}", self.build),
            ("{bot}", self.bot),
            ("{start_en}", self.start[0]),
            ("{start_zh}", self.start[1]),
            ("{upload_en}", upload_en),
            ("{upload_zh}", upload_zh),
        ];
        filled.into_iter().fold(kind.parts(README), |text, (mark, value)| text.replace(mark, value))
    }

    /// Returns what to do with the new folder, for the terminal.
    #[must_use]
    pub fn next_steps(&self, name: &str) -> String {
        let bot = self.bot;
        let mut text = format!("Created {name}, a bot in {}. Next steps:\n\n  cd {name}\n", self.language);
        for line in self.build.lines() {
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "  pacman2 check {bot}\n  pacman2 play {bot} greedy greedy random");
        text
    }
}

/// Writes files into a folder, and the folders that their paths name.
pub(crate) fn write_files<T: AsRef<str>>(
    folder: &Path,
    files: impl IntoIterator<Item = (&'static str, T)>,
) -> anyhow::Result<()> {
    for (file, text) in files {
        let path = folder.join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        files::write(&path, text.as_ref())?;
    }
    Ok(())
}
