//! The tables, version by version.

use std::path::Path;

use rusqlite::Connection;

/// What marks a database as ours: "pac2".
const APPLICATION: i32 = 0x7061_6332;

/// What leads from each version to the next; the first one from nothing.
const MIGRATIONS: [&str; 1] = ["
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
"];

/// Makes a database of the newest version.
pub(super) fn create(path: &Path, settings: &str) -> Result<(), String> {
    let make = || -> rusqlite::Result<()> {
        let database = Connection::open(path)?;
        database.pragma_update(None, "journal_mode", "DELETE")?;
        database.pragma_update(None, "application_id", APPLICATION)?;
        let all: String = MIGRATIONS.concat();
        let version = MIGRATIONS.len();
        database.execute_batch(&format!("BEGIN; {all} PRAGMA user_version = {version}; COMMIT;"))?;
        database.execute("INSERT INTO arena (settings) VALUES (?1)", [settings])?;
        Ok(())
    };
    make().map_err(|error| error.to_string())
}

/// Readers and a writer do not wait for each other; a game that was kept outlives the process, however it ends.
pub(super) fn configure(database: &Connection) -> rusqlite::Result<()> {
    // The first question shows whether it is a database at all.
    database.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0))?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.pragma_update(None, "foreign_keys", true)
}

/// Brings a database to the newest version, or says why it cannot be read.
pub(super) fn migrate(database: &mut Connection) -> Result<(), String> {
    let ask = |what| database.pragma_query_value(None, what, |row| row.get::<_, i64>(0)).map_err(|error| error.to_string());
    let (application, version) = (ask("application_id")?, ask("user_version")?);
    if application != i64::from(APPLICATION) {
        return Err("this is no arena: the database belongs to another program".to_owned());
    }
    let newest = MIGRATIONS.len() as i64;
    if version > newest {
        return Err(format!(
            "this arena has version {version}, and this pacman2 knows versions up to {newest}; a newer pacman2 can open it"
        ));
    }
    for (step, number) in MIGRATIONS.iter().zip(1..).skip(version.max(0) as usize) {
        let batch = format!("BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;");
        database.execute_batch(&batch).map_err(|error| format!("it cannot be brought to version {number}: {error}"))?;
    }
    Ok(())
}
