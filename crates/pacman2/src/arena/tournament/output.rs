//! The files that a tournament writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::submissions::Submission;
use crate::files::{Content, OutputFile};

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
            entries: output.join("entries"),
            notes: output.join("notes"),
            rejections: output.join("rejected.json"),
            report: OutputFile::new("", output.join("report.html"), Content::Page, force),
            csv: OutputFile::new("", output.join("grades.csv"), Content::Grades, force),
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
        OutputFile::new("", self.notes.join(format!("{name}.md")), Content::Note, self.force)
    }
}
