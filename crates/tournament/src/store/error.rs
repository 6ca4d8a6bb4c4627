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
    #[error("cannot create {}: {source}", path.display())]
    Create {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The lock file cannot be opened or locked.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
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
    #[error("the disk is full: a game was not stored in {}; all earlier games are intact, and \"arena run\" continues from them", .0.display())]
    DiskFull(PathBuf),
    /// The database cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    NotWritable {
        /// The database.
        path: PathBuf,
        /// The reason.
        source: rusqlite::Error,
    },
    /// The database cannot be written, and its newest games are in a log that cannot be read without writing.
    #[error("{} is read-only and its last run was interrupted; copy the arena to a folder that you can write", .0.display())]
    UnmergedLog(PathBuf),
    /// Another program has locked the database for too long.
    #[error("{} has been in use by another program for {} s", .0.display(), BUSY_TIMEOUT.as_secs())]
    Busy(PathBuf),
    /// Another error of the database.
    #[error("{}: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// The reason.
        source: rusqlite::Error,
    },
    /// The program is already in the store under this label.
    #[error("{0} is this very program")]
    DuplicateProgram(String),
    /// The label belongs to another program.
    #[error("{0} is another program")]
    LabelTaken(String),
}

/// Classifies an error of the database.
pub(super) fn explain(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase(path),
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, damage: source.to_string() },
        Some(ErrorCode::DiskFull) => StoreError::DiskFull(path),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::NotWritable { path, source }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(path),
        _ => StoreError::Database { path, source },
    }
}
