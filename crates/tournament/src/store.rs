//! The store of bots and games: a folder with an SQLite database and the programs of the bots. All SQL is here.
//!
//! Every game is one transaction. Readers and the process that plays do not block each other (write-ahead log).

mod error;
mod games;
mod schema;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use pacman2_rules::ForfeitRuling;
use rusqlite::{Connection, OpenFlags, Row, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

pub use error::StoreError;
pub use games::{FaultFilter, Filter};

use crate::game::{BotId, BotVersion, Job, short_hash};
use error::{BUSY_TIMEOUT, explain};
use schema::{MigrationError, VERSION_OF_NODES};

/// The file of the database in the folder of a store.
pub const DATABASE: &str = "arena.sqlite";
/// The folder of the bots' programs in it.
const BOTS: &str = "bots";
/// The file that the playing process locks.
const LOCK: &str = "run.lock";

/// A store of bots and games.
///
/// ```
/// use pacman2_rules::ForfeitRuling;
/// use pacman2_tournament::store::{ArenaSettings, NewBot, Store};
///
/// let folder = tempfile::tempdir()?;
/// let settings = ArenaSettings { time_ms: 1000, memory_mb: 256, turns: 100, ruling: ForfeitRuling::Sample };
/// let mut store = Store::create(folder.path(), &settings)?;
/// let new = NewBot { name: "alice".into(), version: None, program: "a hash".into(), command: "alice.py".into() };
/// assert_eq!(store.add_bot(&new)?.label(), "alice@1");
/// assert_eq!(Store::open(folder.path())?.settings()?, settings);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store {
    database: Connection,
    folder: PathBuf,
    /// Whether the games have nodes. They have not in an old database that cannot be written.
    has_nodes: bool,
}

/// The settings that all games of a store share. They cannot be changed, because the games could not be compared then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaSettings {
    /// Time per response in milliseconds, before the factor of a language.
    pub time_ms: u64,
    /// Memory for a bot, in megabytes.
    pub memory_mb: u64,
    /// The turn limit of a game.
    pub turns: u32,
    /// The forfeit ruling.
    #[serde(with = "ruling_name")]
    pub ruling: ForfeitRuling,
}

/// A bot to be added.
#[derive(Clone, Debug)]
pub struct NewBot {
    /// Its name.
    pub name: String,
    /// The version; by default the next number.
    pub version: Option<String>,
    /// The hash of its program.
    pub program: String,
    /// The command that runs it.
    pub command: String,
}

/// The lock of the playing process. One process at a time can hold it.
#[derive(Debug)]
pub struct RunLock {
    /// The lock ends when the file is closed.
    _file: File,
}

impl Store {
    /// Creates a store in a folder, which may exist if it contains no store.
    ///
    /// # Errors
    ///
    /// If there is a store already, or the folder cannot be written.
    pub fn create(folder: &Path, settings: &ArenaSettings) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        if path.exists() {
            return Err(StoreError::Exists(folder.to_owned()));
        }
        fs::create_dir_all(folder.join(BOTS))
            .map_err(|error| StoreError::Create { path: folder.to_owned(), reason: error.into() })?;
        // Under a temporary name until it is complete.
        let unfinished = folder.join(format!("{DATABASE}.unfinished-{}", std::process::id()));
        let create = || -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            schema::create(&unfinished, &serde_json::to_string(settings)?)?;
            Ok(fs::rename(&unfinished, &path)?)
        };
        create().map_err(|reason| {
            // If it cannot be removed, it was not created either.
            let _ = fs::remove_file(&unfinished);
            StoreError::Create { path: path.clone(), reason }
        })?;
        Store::open(folder)
    }

    /// Opens the store in a folder.
    ///
    /// # Errors
    ///
    /// If there is no store, or it cannot be read.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        if !path.is_file() {
            return Err(StoreError::Missing(folder.to_owned()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || -> rusqlite::Result<Connection> {
            let database = Connection::open_with_flags(&path, flags)?;
            database.busy_timeout(BUSY_TIMEOUT)?;
            schema::configure(&database)?;
            Ok(database)
        };
        let mut database = open().map_err(|error| explain(&path, error))?;
        let version = schema::migrate(&mut database);
        Store::from_version(folder, database, version)
    }

    /// Opens the store in a folder to read it. The folder and the database may be read-only.
    ///
    /// # Errors
    ///
    /// If there is no store, or it cannot be read.
    pub fn open_to_read(folder: &Path) -> Result<Store, StoreError> {
        match Store::open(folder) {
            Err(StoreError::NotWritable { .. }) => {}
            other => return other,
        }
        let path = folder.join(DATABASE);
        // The write-ahead log, if another process has left one or writes now, needs its index beside it.
        let log = folder.join(format!("{DATABASE}-wal"));
        let has_log = fs::metadata(&log).map_or_else(|error| error.kind() != io::ErrorKind::NotFound, |log| log.len() > 0);
        let parameter = if has_log { "mode=ro" } else { "immutable=1" };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let open = || -> rusqlite::Result<Connection> {
            let database = Connection::open_with_flags(uri(&path, parameter), flags)?;
            database.busy_timeout(BUSY_TIMEOUT)?;
            schema::check_readable(&database)?;
            Ok(database)
        };
        let database = open().map_err(|error| match explain(&path, error) {
            StoreError::NotWritable { path, .. } if has_log => StoreError::UnmergedLog(path),
            error => error,
        })?;
        let version = schema::version(&database);
        Store::from_version(folder, database, version)
    }

    fn from_version(folder: &Path, database: Connection, version: Result<usize, MigrationError>) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        let version = version.map_err(|error| match error {
            MigrationError::Foreign => StoreError::Foreign(path.clone()),
            MigrationError::TooNew { version, newest } => StoreError::TooNew { path: path.clone(), version, newest },
            MigrationError::Database(error) => explain(&path, error),
        })?;
        Ok(Store { database, folder: folder.to_owned(), has_nodes: version >= VERSION_OF_NODES })
    }

    /// Returns the folder of the store.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of the program with this hash.
    #[must_use]
    pub fn folder_of_program(&self, program: &str) -> PathBuf {
        self.folder.join(Store::place_of_program(program))
    }

    /// Returns the same as a path in the folder of any arena.
    #[must_use]
    pub fn place_of_program(program: &str) -> PathBuf {
        Path::new(BOTS).join(&short_hash(program)[..16])
    }

    /// Returns the lock for playing, or `None` if another process holds it.
    ///
    /// # Errors
    ///
    /// If the lock file cannot be opened or locked.
    pub fn try_lock(&self) -> Result<Option<RunLock>, StoreError> {
        let path = self.folder.join(LOCK);
        let refused = |reason: io::Error| StoreError::Lock { path: path.clone(), reason };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(RunLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(refused(error)),
        }
    }

    /// Returns the settings that all games share.
    ///
    /// # Errors
    ///
    /// If the database cannot be read or is damaged, as for all methods below.
    pub fn settings(&self) -> Result<ArenaSettings, StoreError> {
        let text: String = self.ask(|database| database.query_row("SELECT settings FROM arena", [], |row| row.get(0)))?;
        serde_json::from_str(&text).map_err(|error| self.damaged(format!("its settings cannot be read: {error}")))
    }

    /// Checks the integrity of the database.
    ///
    /// # Errors
    ///
    /// If something is damaged, with the first damage found.
    pub fn check(&self) -> Result<(), StoreError> {
        let found: String = self.ask(|database| database.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)))?;
        if found == "ok" { Ok(()) } else { Err(self.damaged(found)) }
    }

    /// Returns all versions of all bots in the order in which they were added.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn bots(&self) -> Result<Vec<BotVersion>, StoreError> {
        self.ask(|database| {
            let columns = "SELECT id, name, version, program, command, added, is_active FROM bots ORDER BY id";
            database.prepare(columns)?.query_map([], bot_of)?.collect()
        })
    }

    /// Adds a bot and retires earlier versions of the same name.
    ///
    /// # Errors
    ///
    /// If the program or the label is in the store already, or the database cannot be written.
    pub fn add_bot(&mut self, new: &NewBot) -> Result<BotVersion, StoreError> {
        let same: Vec<BotVersion> = self.bots()?.into_iter().filter(|bot| bot.name == new.name).collect();
        if let Some(bot) = same.iter().find(|bot| bot.program == new.program) {
            return Err(StoreError::DuplicateProgram(bot.label()));
        }
        let next = || (same.len() + 1..).map(|number| number.to_string());
        let is_free = |version: &String| same.iter().all(|bot| bot.version != *version);
        let version = match &new.version {
            Some(version) if is_free(version) => version.clone(),
            Some(version) => return Err(StoreError::LabelTaken(format!("{}@{version}", new.name))),
            None => next().find(is_free).unwrap_or_default(),
        };
        let NewBot { name, program, command, .. } = new;
        self.change(|change| {
            change.execute("UPDATE bots SET is_active = 0 WHERE name = ?1", [name])?;
            change.query_row(
                "INSERT INTO bots (name, version, program, command, added, is_active) VALUES (?1, ?2, ?3, ?4, unixepoch(), 1)
                 RETURNING id, name, version, program, command, added, is_active",
                params![name, version, program, command],
                bot_of,
            )
        })
    }

    /// Retires or reinstates a bot.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn set_active(&mut self, bot: BotId, is_active: bool) -> Result<(), StoreError> {
        self.change(|change| change.execute("UPDATE bots SET is_active = ?2 WHERE id = ?1", params![bot.0, is_active]))?;
        Ok(())
    }

    /// Returns the id of a game: a hash of everything it depends on. The bots must be among `bots`.
    #[must_use]
    pub fn id_of(settings: &ArenaSettings, bots: &[BotVersion], job: &Job) -> String {
        let of = |id: BotId| bots.iter().find(|bot| bot.id == id).map(|bot| (&bot.name, &bot.program));
        let ArenaSettings { time_ms, memory_mb, turns, ruling } = settings;
        short_hash(&format!(
            "pacman2 game 1, {time_ms} ms, {memory_mb} MB, {turns} turns, {ruling}, seed {}, {:?}, repeat {}",
            job.seed,
            job.seats.map(of).0,
            job.repeat
        ))
    }

    /// Returns the id of a block of games with these ids.
    ///
    /// ```
    /// use pacman2_tournament::Store;
    ///
    /// assert_eq!(Store::id_of_block(&["a".to_owned()]).len(), 32);
    /// ```
    #[must_use]
    pub fn id_of_block(games: &[String]) -> String {
        short_hash(&games.join(" "))
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        question(&self.database).map_err(|error| explain(&self.folder.join(DATABASE), error))
    }

    fn change<T>(&mut self, change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let path = self.folder.join(DATABASE);
        let database = &mut self.database;
        let all = || {
            let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = change(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        all().map_err(|error: rusqlite::Error| explain(&path, error))
    }

    fn damaged(&self, damage: String) -> StoreError {
        StoreError::Damaged { path: self.folder.join(DATABASE), damage }
    }
}

fn bot_of(row: &Row<'_>) -> rusqlite::Result<BotVersion> {
    Ok(BotVersion {
        id: BotId(row.get(0)?),
        name: row.get(1)?,
        version: row.get(2)?,
        program: row.get(3)?,
        command: row.get(4)?,
        added: row.get(5)?,
        is_active: row.get(6)?,
    })
}

/// Returns the URI of a database with a parameter.
fn uri(path: &Path, parameter: &str) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = path.as_os_str().as_encoded_bytes();
    // A path of Windows begins with a drive.
    let mut uri = if path.starts_with(b"/") { "file://" } else { "file:///" }.to_owned();
    for &byte in path {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'.' | b'-' | b'_' | b':' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri + "?" + parameter
}

/// A forfeit ruling as its name.
mod ruling_name {
    use pacman2_rules::ForfeitRuling;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(ruling: &ForfeitRuling, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(ruling.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ForfeitRuling, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
