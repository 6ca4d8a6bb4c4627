//! The database of a contest: people, invitations, sessions, submissions and the log.
//!
//! One connection serves all threads, one at a time: each use of it takes well under a millisecond.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, TransactionBehavior};

/// The file of the database in the folder of a contest.
pub(crate) const DATABASE: &str = "contest.sqlite";
/// SQLite's application id of a contest: "pac3".
const APPLICATION: i64 = 0x7061_6333;
/// The migration from each version to the next; the first one creates the tables.
const MIGRATIONS: [&str; 1] = [include_str!("schema.sql")];
/// How long to wait for another program that reads or copies the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// The database of a contest.
pub struct Database {
    connection: Mutex<Connection>,
    path: PathBuf,
}

/// An error of the database of a contest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// It belongs to another program.
    #[error("{} is no contest: the database belongs to another program", .0.display())]
    Foreign(PathBuf),
    /// It has a newer version than this program supports.
    #[error("{}: expected a contest of version {newest} or older, got version {version}; a newer pacman2 can open it", path.display())]
    TooNew {
        /// The database.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The newest supported version.
        newest: i64,
    },
    /// The database cannot be read or written.
    #[error("{}: {reason}", path.display())]
    Failed {
        /// The database.
        path: PathBuf,
        /// The reason.
        reason: rusqlite::Error,
    },
}

impl Database {
    /// Opens the database in a folder, and creates it if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be read and written, or belongs to another or a newer program.
    ///
    /// # Examples
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// pacman2_contest::database::Database::open(folder.path())?;
    /// assert!(folder.path().join("contest.sqlite").is_file());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(folder: &Path) -> Result<Database, DatabaseError> {
        let path = folder.join(DATABASE);
        let failed = |reason| DatabaseError::Failed { path: path.clone(), reason };
        let mut connection = connect(&path).map_err(failed)?;
        let (application, version) = identify(&connection).map_err(failed)?;
        let newest = MIGRATIONS.len() as i64;
        match (application, version) {
            (APPLICATION, version) if version > newest => return Err(DatabaseError::TooNew { path, version, newest }),
            (APPLICATION, _) | (0, 0) => {}
            _ => return Err(DatabaseError::Foreign(path)),
        }
        migrate(&mut connection, version.max(0) as usize).map_err(failed)?;
        Ok(Database { connection: Mutex::new(connection), path })
    }

    /// Runs `work` with the connection.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, DatabaseError> {
        // A panic of another thread leaves no transaction open: dropping one rolls it back.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut connection).map_err(|reason| DatabaseError::Failed { path: self.path.clone(), reason })
    }
}

/// Returns the time of the machine's clock in seconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // An upload that was confirmed must survive a power failure.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Returns the application id and the version. A new database has neither, and no table.
fn identify(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let ask = |what| connection.pragma_query_value(None, what, |row| row.get::<_, i64>(0));
    let (application, version) = (ask("application_id")?, ask("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(if application == 0 && tables > 0 { (-1, version) } else { (application, version) })
}

fn migrate(connection: &mut Connection, found: usize) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in &MIGRATIONS[found..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_after(change: &str) -> Result<Database, DatabaseError> {
        let folder = tempfile::tempdir().unwrap();
        Connection::open(folder.path().join(DATABASE)).unwrap().execute_batch(change).unwrap();
        Database::open(folder.path())
    }

    #[test]
    fn only_a_contest_of_a_known_version_is_opened() {
        assert!(matches!(open_after("CREATE TABLE songs (title TEXT)"), Err(DatabaseError::Foreign(_))));
        assert!(matches!(open_after("PRAGMA application_id = 1885434674"), Err(DatabaseError::Foreign(_))));
        let newer = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 2");
        assert!(matches!(open_after(&newer), Err(DatabaseError::TooNew { version: 2, newest: 1, .. })));
        assert!(open_after("").is_ok());
    }

    #[test]
    fn what_was_stored_is_there_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let add = "INSERT INTO people (name, number, class, role, added) VALUES ('Ada', '1', '', 'student', 0)";
        Database::open(folder.path()).unwrap().with(|database| database.execute(add, [])).unwrap();
        let names = Database::open(folder.path())
            .unwrap()
            .with(|database| database.query_row("SELECT name FROM people", [], |row| row.get::<_, String>(0)));
        assert_eq!(names.unwrap(), "Ada");
    }
}
