//! The schema of the database, version by version.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

/// SQLite's application id of an arena: "pac2".
const APPLICATION: i32 = 0x7061_6332;

/// The migration from each version to the next; the first one creates the tables.
const MIGRATIONS: [&str; 2] = [TABLES, "ALTER TABLE games ADD COLUMN node TEXT;"];

/// The first version in which games have a node.
pub(super) const VERSION_OF_NODES: usize = 2;

/// The tables of version 1.
const TABLES: &str = "
    CREATE TABLE arena (settings TEXT NOT NULL) STRICT;
    CREATE TABLE bots (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        version TEXT NOT NULL,
        program TEXT NOT NULL,
        command TEXT NOT NULL,
        added INTEGER NOT NULL,
        is_active INTEGER NOT NULL,
        UNIQUE (name, version),
        UNIQUE (name, program)
    ) STRICT;
    CREATE TABLE games (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        block TEXT NOT NULL,
        seed INTEGER NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        turns INTEGER NOT NULL,
        finished INTEGER NOT NULL,
        seconds REAL NOT NULL,
        replayed INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE seats (
        game TEXT NOT NULL REFERENCES games (id),
        seat INTEGER NOT NULL CHECK (seat BETWEEN 0 AND 3),
        bot INTEGER NOT NULL REFERENCES bots (id),
        hundredths INTEGER NOT NULL,
        place INTEGER NOT NULL,
        strength INTEGER NOT NULL,
        fault TEXT,
        fault_turn INTEGER,
        slowest_us INTEGER NOT NULL,
        PRIMARY KEY (game, seat)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX seats_of_bot ON seats (bot);
    CREATE TABLE replays (
        game TEXT PRIMARY KEY REFERENCES games (id),
        public BLOB NOT NULL,
        private BLOB NOT NULL
    ) STRICT;
";

/// Creates a database of the newest version.
pub(super) fn create(path: &Path, settings: &str) -> rusqlite::Result<()> {
    let database = Connection::open(path)?;
    database.pragma_update(None, "journal_mode", "DELETE")?;
    database.pragma_update(None, "application_id", APPLICATION)?;
    let all: String = MIGRATIONS.concat();
    let version = MIGRATIONS.len();
    database.execute_batch(&format!("BEGIN; {all} PRAGMA user_version = {version}; COMMIT;"))?;
    database.execute("INSERT INTO arena (settings) VALUES (?1)", [settings])?;
    Ok(())
}

/// Configures a connection: readers and a writer do not block each other, and a stored game survives the end of the process.
pub(super) fn configure(database: &Connection) -> rusqlite::Result<()> {
    check_readable(database)?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.pragma_update(None, "foreign_keys", true)
}

/// Checks that the file is a database that can be read. Opening it does not show that.
pub(super) fn check_readable(database: &Connection) -> rusqlite::Result<()> {
    database.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0)).map(drop)
}

/// Why a database cannot be brought to the newest version.
pub(super) enum MigrationError {
    /// It belongs to another program.
    Foreign,
    /// Its version is newer than this program.
    TooNew { version: i64, newest: i64 },
    /// A query failed.
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for MigrationError {
    fn from(error: rusqlite::Error) -> MigrationError {
        MigrationError::Database(error)
    }
}

/// Returns the version of a database.
pub(super) fn version(database: &Connection) -> Result<usize, MigrationError> {
    let ask = |what| database.pragma_query_value(None, what, |row| row.get::<_, i64>(0));
    let (application, version) = (ask("application_id")?, ask("user_version")?);
    if application != i64::from(APPLICATION) {
        return Err(MigrationError::Foreign);
    }
    let newest = MIGRATIONS.len() as i64;
    if version > newest {
        return Err(MigrationError::TooNew { version, newest });
    }
    Ok(version.max(0) as usize)
}

/// Brings a database to the newest version, and returns that.
pub(super) fn migrate(database: &mut Connection) -> Result<usize, MigrationError> {
    let found = version(database)?;
    if found < MIGRATIONS.len() {
        let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have migrated it in the meantime.
        let found = version(&transaction)?;
        for step in &MIGRATIONS[found..] {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
        transaction.commit()?;
    }
    Ok(MIGRATIONS.len())
}
