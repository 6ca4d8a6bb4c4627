//! The files that a tournament writes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_arena::report::PAGE;
use pacman2_console::files::{self, Content, OutputFile};

use super::submissions::Submission;

/// The folder with copies of the submissions.
pub(super) const ENTRIES: &str = "entries";
/// The table of grades as the content of a file. It begins with its first columns, in either language.
const GRADES: Content = Content {
    name: "table of grades",
    is_ours: |head| {
        ["\u{feff}\"提交\",\"成绩\",\"状态\",", "\u{feff}\"name\",\"grade\",\"status\","]
            .iter()
            .any(|columns| head.starts_with(columns))
    },
};
/// The note for a participant as the content of a file. It has the grade in either language.
const NOTE: Content = Content {
    name: "note",
    is_ours: |head| head.starts_with("# ") && ["\n\n## 成绩：", "\n\n## Grade: "].iter().any(|heading| head.contains(heading)),
};

/// The paths in the output folder.
pub(super) struct OutputPaths {
    pub(super) arena: PathBuf,
    /// Copies of the submissions: what is judged stays the same while submissions are replaced.
    pub(super) entries: PathBuf,
    pub(super) notes: PathBuf,
    /// The submissions that were rejected, for later runs.
    pub(super) rejections: PathBuf,
    pub(super) report: OutputFile,
    pub(super) csv: OutputFile,
    /// Whether to replace files that this program did not write.
    force: bool,
}

impl OutputPaths {
    /// Creates the folders.
    ///
    /// # Errors
    ///
    /// If a folder cannot be created, or a file could not be written later.
    pub(super) fn create(output: &Path, submissions: &[Submission], force: bool) -> anyhow::Result<OutputPaths> {
        let paths = OutputPaths {
            arena: output.join("arena"),
            entries: output.join(ENTRIES),
            notes: output.join("notes"),
            rejections: output.join("rejected.json"),
            report: OutputFile::new("", output.join("report.html"), PAGE, force),
            csv: OutputFile::new("", output.join("grades.csv"), GRADES, force),
            force,
        };
        for folder in [&paths.entries, &paths.notes] {
            fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        }
        for file in [&paths.report, &paths.csv] {
            file.check()?;
        }
        for submission in submissions {
            paths.note(&submission.name).check()?;
        }
        Ok(paths)
    }

    /// Removes notes and copies that this program wrote for submissions that were removed since.
    pub(super) fn remove_former(&self, submissions: &[Submission]) -> anyhow::Result<()> {
        let notes: BTreeSet<PathBuf> = submissions.iter().map(|submission| self.note(&submission.name).path).collect();
        for note in in_folder(&self.notes)?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
            let is_ours = || files::read(note).is_ok_and(|text| (NOTE.is_ours)(&text));
            if !notes.contains(note) && is_ours() {
                fs::remove_file(note).with_context(|| format!("cannot remove {}", note.display()))?;
            }
        }
        let is_former = |path: &PathBuf| {
            let number = path.file_name().and_then(|name| name.to_str()?.parse::<usize>().ok());
            let current = |number| submissions.iter().any(|submission| submission.number == number && submission.bot.is_ok());
            number.is_some_and(|number| !current(number))
        };
        for copy in in_folder(&self.entries)?.iter().filter(|path| is_former(path)) {
            fs::remove_dir_all(copy).with_context(|| format!("cannot remove {}", copy.display()))?;
        }
        Ok(())
    }

    /// Returns the file of a participant's note.
    pub(super) fn note(&self, name: &str) -> OutputFile {
        OutputFile::new("", self.notes.join(format!("{name}.md")), NOTE, self.force)
    }
}

fn in_folder(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>();
    read().with_context(|| format!("cannot read {}", folder.display()))
}
