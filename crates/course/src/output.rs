//! The files that a tournament writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_arena::report::PAGE;
use pacman2_console::files::{Content, OutputFile};

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

    /// Returns the file of a participant's note.
    pub(super) fn note(&self, name: &str) -> OutputFile {
        OutputFile::new("", self.notes.join(format!("{name}.md")), NOTE, self.force)
    }
}
