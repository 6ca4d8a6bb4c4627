//! Errors of a store.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ErrorCode;

/// How long to wait for another writer.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder already contains a store.
    #[error("{} holds an arena already", .0.display())]
    Exists(PathBuf),
    /// The folder contains no store.
    #[error("{}: there is no arena here", .0.display())]
    Missing(PathBuf),
    /// A file or folder cannot be created.
    #[error("cannot create {}: {reason}", path.display())]
    Create {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The lock file cannot be opened or locked.
    #[error("cannot lock {}: {reason}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// The file is not an SQLite database.
    #[error("{} is not an arena: expected an SQLite database", .0.display())]
    NotADatabase(PathBuf),
    /// The database belongs to another program.
    #[error("{} is not an arena: the database belongs to another program", .0.display())]
    Foreign(PathBuf),
    /// The database has a newer version than this program supports.
    #[error("{}: expected an arena of version {newest} or older, got version {version}; a newer pacman2 can open it", path.display())]
    TooNew {
        /// The database.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The newest supported version.
        newest: i64,
    },
    /// The database is damaged.
    #[error("{} is damaged: {damage}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is damaged.
        damage: String,
    },
    /// The disk is full.
    #[error("the disk is full, so {} could not be written; what it holds is intact, and the same command continues", .0.display())]
    DiskFull(PathBuf),
    /// The database cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    NotWritable {
        /// The database.
        path: PathBuf,
        /// The reason.
        reason: rusqlite::Error,
    },
    /// The database cannot be written, and its newest games are in a log that cannot be read without writing.
    #[error("{} is read-only and its last run was interrupted; copy the arena to a folder that you can write", .0.display())]
    UnmergedLog(PathBuf),
    /// Another program has locked the database for too long.
    #[error("{} has been in use by another program for {} s", .0.display(), BUSY_TIMEOUT.as_secs())]
    Busy(PathBuf),
    /// Another error of the database.
    #[error("{}: {reason}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// The reason.
        reason: rusqlite::Error,
    },
    /// The program is already in the store under this label.
    #[error("{0} is this very program")]
    DuplicateProgram(String),
    /// The label belongs to another program.
    #[error("{0} is another program")]
    LabelTaken(String),
}

impl StoreError {
    /// Returns whether the machine is at fault, and not what was asked for.
    pub fn is_of_machine(&self) -> bool {
        match self {
            StoreError::Create { .. }
            | StoreError::Lock { .. }
            | StoreError::DiskFull(_)
            | StoreError::NotWritable { .. }
            | StoreError::UnmergedLog(_)
            | StoreError::Busy(_)
            | StoreError::Database { .. } => true,
            StoreError::Exists(_)
            | StoreError::Missing(_)
            | StoreError::NotADatabase(_)
            | StoreError::Foreign(_)
            | StoreError::TooNew { .. }
            | StoreError::Damaged { .. }
            | StoreError::DuplicateProgram(_)
            | StoreError::LabelTaken(_) => false,
        }
    }
}

/// Classifies an error of the database.
pub(super) fn explain(path: &Path, reason: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    // The first thing for which a connection needs space is the index of the log, which it shares with others.
    if reason.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE) {
        return StoreError::DiskFull(path);
    }
    match reason.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase(path),
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, damage: reason.to_string() },
        Some(ErrorCode::DiskFull) => StoreError::DiskFull(path),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::NotWritable { path, reason }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(path),
        _ => StoreError::Database { path, reason },
    }
}
