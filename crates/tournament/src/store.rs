//! The store of bots and games: a folder with an SQLite database and the programs of the bots. All SQL is here.
//!
//! Every game is one transaction. Readers and the process that plays do not block each other (write-ahead log).

mod schema;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pacman2_rules::{BySeat, ForfeitRuling};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Value, ValueRef};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params, params_from_iter,
};
use serde::{Deserialize, Serialize};

use crate::game::{BotId, BotVersion, Fault, FaultKind, GameResult, Job, SeatResult, short_hash};
use schema::MigrationError;

/// The file of the database in the folder of a store.
pub const DATABASE: &str = "arena.sqlite";
/// The folder of the bots' programs in it.
const BOTS: &str = "bots";
/// The file that the playing process locks.
const LOCK: &str = "run.lock";
/// How long to wait for another writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// How many games tell how long games take at present.
const NEWEST_GAMES: i64 = 200;
/// The maximum size of an unpacked replay.
const MAX_REPLAY_BYTES: u64 = 256 * 1024 * 1024;

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
}

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

/// Selects games. `None` and empty fields select all.
#[derive(Clone, Default, Debug)]
pub struct Filter {
    /// Games in which all of these bots played (name or name@version).
    pub bots: Vec<String>,
    /// Games with such a forfeit.
    pub fault: Option<FaultFilter>,
    /// Games on the map of this seed.
    pub seed: Option<i32>,
    /// Games that ended before the one with this id.
    pub before: Option<String>,
    /// The maximum number of games, newest first.
    pub limit: Option<usize>,
}

/// Selects games by forfeits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultFilter {
    /// A forfeit of any kind.
    Any,
    /// A forfeit of this kind.
    Kind(FaultKind),
}

impl FaultFilter {
    /// Returns whether a fault of this kind is selected.
    #[must_use]
    pub fn matches(self, kind: FaultKind) -> bool {
        self == FaultFilter::Any || self == FaultFilter::Kind(kind)
    }
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
            .map_err(|error| StoreError::Create { path: folder.to_owned(), source: error.into() })?;
        // Under a temporary name until it is complete.
        let unfinished = folder.join(format!("{DATABASE}.unfinished-{}", std::process::id()));
        let create = || -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            schema::create(&unfinished, &serde_json::to_string(settings)?)?;
            Ok(fs::rename(&unfinished, &path)?)
        };
        create().map_err(|source| {
            // If it cannot be removed, it was not created either.
            let _ = fs::remove_file(&unfinished);
            StoreError::Create { path: path.clone(), source }
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
        let database = open().map_err(|error| explain(&path, error))?;
        Store::migrated(folder, database)
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
        Store::migrated(folder, database)
    }

    /// Brings the database to the newest version.
    fn migrated(folder: &Path, mut database: Connection) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        schema::migrate(&mut database).map_err(|error| match error {
            MigrationError::Foreign => StoreError::Foreign(path.clone()),
            MigrationError::TooNew { version, newest } => StoreError::TooNew { path: path.clone(), version, newest },
            MigrationError::Database(error) => explain(&path, error),
        })?;
        Ok(Store { database, folder: folder.to_owned() })
    }

    /// Returns the folder of the store.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of the program with this hash.
    #[must_use]
    pub fn folder_of_program(&self, program: &str) -> PathBuf {
        self.folder.join(BOTS).join(&short_hash(program)[..16])
    }

    /// Returns the lock for playing, or `None` if another process holds it.
    ///
    /// # Errors
    ///
    /// If the lock file cannot be opened or locked.
    pub fn try_lock(&self) -> Result<Option<RunLock>, StoreError> {
        let path = self.folder.join(LOCK);
        let refused = |source: io::Error| StoreError::Lock { path: path.clone(), source };
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

    /// Stores a game with the two parts of its replay. If the game is stored already, the first one stays.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn put_game(&mut self, game: &GameResult, public: &str, private: &str) -> Result<(), StoreError> {
        let (public, private) = (packed(public), packed(private));
        self.change(|change| {
            let GameResult { id, block, seed, width, height, turns, finished, seconds, replayed, seats } = game;
            let is_new = change.execute(
                "INSERT OR IGNORE INTO games (id, block, seed, width, height, turns, finished, seconds, replayed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![id, block, seed, width, height, turns, finished, seconds, replayed],
            )?;
            if is_new == 0 {
                return Ok(());
            }
            let mut insert = change.prepare_cached(
                "INSERT INTO seats (game, seat, bot, hundredths, place, strength, fault, fault_turn, slowest_us)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            for (seat, result) in seats.iter() {
                let SeatResult { bot, hundredths, place, strength, fault, slowest_us } = result;
                let (kind, turn) = fault.as_ref().map(|fault| (fault.kind.name(), fault.turn)).unzip();
                let slowest_us = i64::try_from(*slowest_us).unwrap_or(i64::MAX);
                insert.execute(params![id, seat.index() as i64, bot.0, hundredths, place, strength, kind, turn, slowest_us])?;
            }
            change.execute("INSERT INTO replays (game, public, private) VALUES (?1, ?2, ?3)", params![id, public, private])?;
            Ok(())
        })
    }

    /// Returns the game with this id.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn game(&self, id: &str) -> Result<Option<GameResult>, StoreError> {
        let found = self.select("WHERE id = ?1", vec![id.to_owned().into()])?;
        Ok(found.into_iter().next())
    }

    /// Returns whether there is a game with this id.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn has_game(&self, id: &str) -> Result<bool, StoreError> {
        self.ask(|database| database.prepare_cached("SELECT 1 FROM games WHERE id = ?1")?.exists([id]))
    }

    /// Returns how long the newest games took on average, in seconds; `None` without games.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn mean_seconds(&self) -> Result<Option<f64>, StoreError> {
        let newest = "SELECT avg(seconds) FROM (SELECT seconds FROM games ORDER BY number DESC LIMIT ?1)";
        self.ask(|database| database.query_row(newest, [NEWEST_GAMES], |row| row.get(0)))
    }

    /// Returns the ids of all games that start with `beginning`.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn ids_like(&self, beginning: &str) -> Result<Vec<String>, StoreError> {
        self.ask(|database| {
            let mut ids = database.prepare("SELECT id FROM games WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id")?;
            ids.query_map([beginning], |row| row.get(0))?.collect()
        })
    }

    /// Returns the number of games.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn count(&self) -> Result<usize, StoreError> {
        let count: i64 = self.ask(|database| database.query_row("SELECT count(*) FROM games", [], |row| row.get(0)))?;
        Ok(count as usize)
    }

    /// Returns games in the order in which they ended, or the newest first if a limit is given.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn games(&self, filter: &Filter) -> Result<Vec<GameResult>, StoreError> {
        let mut conditions = vec!["1".to_owned()];
        let mut values: Vec<Value> = Vec::new();
        let mut place = |value: Value| {
            values.push(value);
            format!("?{}", values.len())
        };
        for bot in &filter.bots {
            let bot = place(bot.clone().into());
            conditions.push(format!(
                "EXISTS (SELECT 1 FROM seats s JOIN bots b ON b.id = s.bot
                 WHERE s.game = games.id AND {bot} IN (b.name, b.name || '@' || b.version))"
            ));
        }
        match filter.fault {
            None => {}
            Some(FaultFilter::Any) => {
                conditions.push("EXISTS (SELECT 1 FROM seats s WHERE s.game = games.id AND s.fault IS NOT NULL)".to_owned());
            }
            Some(FaultFilter::Kind(kind)) => {
                let kind = place(kind.name().to_owned().into());
                conditions.push(format!("EXISTS (SELECT 1 FROM seats s WHERE s.game = games.id AND s.fault = {kind})"));
            }
        }
        if let Some(seed) = filter.seed {
            let seed = place(seed.into());
            conditions.push(format!("seed = {seed}"));
        }
        if let Some(before) = &filter.before {
            let before = place(before.clone().into());
            conditions.push(format!("number < (SELECT number FROM games WHERE id = {before})"));
        }
        let order = match filter.limit {
            None => "ORDER BY number".to_owned(),
            Some(limit) => format!("ORDER BY number DESC LIMIT {limit}"),
        };
        self.select(&format!("WHERE {} {order}", conditions.join(" AND ")), values)
    }

    /// Returns the replay of a game as JSON text, with or without its private part.
    ///
    /// # Errors
    ///
    /// If the database cannot be read, or the replay is damaged.
    pub fn replay(&self, id: &str, with_private: bool) -> Result<Option<String>, StoreError> {
        let found: Option<(Vec<u8>, Vec<u8>)> = self.ask(|database| {
            let both = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            database.query_row("SELECT public, private FROM replays WHERE game = ?1", [id], both).optional()
        })?;
        let Some((public, private)) = found else { return Ok(None) };
        let unpack = |bytes: &[u8]| unpacked(bytes).map_err(|error| self.damaged(format!("the replay of game {id}: {error}")));
        let public = unpack(&public)?;
        let private = if with_private { unpack(&private)? } else { EMPTY_PRIVATE.to_owned() };
        Ok(Some(format!(r#"{{"format":"pacman2 replay","version":1,"public":{public},"private":{private}}}"#)))
    }

    /// Selects games with their seats; `condition` follows `SELECT … FROM games`.
    fn select(&self, condition: &str, values: Vec<Value>) -> Result<Vec<GameResult>, StoreError> {
        let chosen = format!("SELECT * FROM games {condition}");
        let order = if condition.contains("DESC") { "g.number DESC" } else { "g.number" };
        let query = format!(
            "SELECT g.id, g.block, g.seed, g.width, g.height, g.turns, g.finished, g.seconds, g.replayed,
                    s.bot, s.hundredths, s.place, s.strength, s.fault, s.fault_turn, s.slowest_us
             FROM ({chosen}) g JOIN seats s ON s.game = g.id ORDER BY {order}, s.seat"
        );
        let rows: Vec<(GameHead, SeatResult)> = self.ask(|database| {
            let mut query = database.prepare(&query)?;
            query.query_map(params_from_iter(values.iter()), |row| Ok((GameHead::of(row)?, seat_of(row)?)))?.collect()
        })?;
        let mut games = Vec::with_capacity(rows.len() / 4);
        let mut rows = rows.into_iter();
        while let Some((head, first)) = rows.next() {
            let seats: Vec<SeatResult> = std::iter::once(first).chain(rows.by_ref().take(3).map(|(_, seat)| seat)).collect();
            let seats = seats.try_into().map_err(|_| self.damaged(format!("game {} does not have four seats", head.id)))?;
            games.push(head.with(BySeat(seats)));
        }
        Ok(games)
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

/// An empty private part of a replay.
const EMPTY_PRIVATE: &str = r#"{"turns":[]}"#;

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

/// A game without its seats.
struct GameHead {
    id: String,
    block: String,
    seed: i32,
    width: u8,
    height: u8,
    turns: u32,
    finished: i64,
    seconds: f64,
    replayed: u32,
}

impl GameHead {
    fn of(row: &Row<'_>) -> rusqlite::Result<GameHead> {
        Ok(GameHead {
            id: row.get(0)?,
            block: row.get(1)?,
            seed: row.get(2)?,
            width: row.get(3)?,
            height: row.get(4)?,
            turns: row.get(5)?,
            finished: row.get(6)?,
            seconds: row.get(7)?,
            replayed: row.get(8)?,
        })
    }

    fn with(self, seats: BySeat<SeatResult>) -> GameResult {
        let GameHead { id, block, seed, width, height, turns, finished, seconds, replayed } = self;
        GameResult { id, block, seed, width, height, turns, seats, finished, seconds, replayed }
    }
}

fn seat_of(row: &Row<'_>) -> rusqlite::Result<SeatResult> {
    let (kind, turn): (Option<FaultKind>, Option<u32>) = (row.get(13)?, row.get(14)?);
    Ok(SeatResult {
        bot: BotId(row.get(9)?),
        hundredths: row.get(10)?,
        place: row.get(11)?,
        strength: row.get(12)?,
        fault: kind.zip(turn).map(|(kind, turn)| Fault { kind, turn }),
        slowest_us: row.get::<_, i64>(15)?.unsigned_abs(),
    })
}

impl FromSql for FaultKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<FaultKind> {
        let name = value.as_str()?;
        FaultKind::from_name(name).ok_or_else(|| FromSqlError::Other(format!("unknown fault \"{name}\"").into()))
    }
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

/// Classifies an error of the database.
fn explain(path: &Path, source: rusqlite::Error) -> StoreError {
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

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(text.as_bytes());
    written.and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

fn unpacked(bytes: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(bytes).take(MAX_REPLAY_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
