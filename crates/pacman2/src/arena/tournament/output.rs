//! The files that a tournament writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::files;

/// The paths in the output folder.
pub(super) struct OutputPaths {
    pub(super) arena: PathBuf,
    /// Copies of the submissions: what is judged stays the same while submissions are replaced.
    pub(super) entries: PathBuf,
    pub(super) notes: PathBuf,
    pub(super) report: PathBuf,
    pub(super) csv: PathBuf,
}

impl OutputPaths {
    /// Creates the folders.
    ///
    /// # Errors
    ///
    /// If a folder cannot be created or a file could not be written later.
    pub(super) fn create(output: &Path) -> anyhow::Result<OutputPaths> {
        let paths = OutputPaths {
            arena: output.join("arena"),
            entries: output.join("entries"),
            notes: output.join("notes"),
            report: output.join("report.html"),
            csv: output.join("grades.csv"),
        };
        for folder in [&paths.entries, &paths.notes] {
            fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        }
        for file in [&paths.report, &paths.csv] {
            files::check_writable(file)?;
        }
        Ok(paths)
    }
}
