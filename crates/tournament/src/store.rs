//! Where bots and games are kept: a folder with an SQLite database and the programs of the bots. All SQL is here.
//!
//! Every game is one transaction. Readers and the one who plays do not wait for each other (write-ahead log).

mod schema;

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pacman2_rules::BySeat;
use rusqlite::types::Value;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params, params_from_iter,
};
use serde::{Deserialize, Serialize};

use crate::game::{BotId, BotVersion, Fault, GameResult, Job, SeatResult, short_hash};

/// The database's file in a store's folder.
pub const DATABASE: &str = "arena.sqlite";
/// The folder of bots' programs in it.
const BOTS: &str = "bots";
/// The file that whoever plays holds a lock on.
const LOCK: &str = "run.lock";
/// How long is waited for somebody else who writes.
const PATIENCE: Duration = Duration::from_secs(30);
/// A replay is not larger than this, whatever its bytes claim.
const REPLAY_BYTES: u64 = 256 * 1024 * 1024;

/// A store of bots and games.
pub struct Store {
    database: Connection,
    folder: PathBuf,
}

/// What is wrong with a store, in a sentence.
#[derive(Debug)]
pub struct StoreError(String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

/// What all games of a store have in common. It cannot be changed, for then they could not be compared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaSettings {
    /// Time for one answer, in milliseconds, before a language's factor.
    pub time_ms: u64,
    /// Memory for a bot, in megabytes.
    pub memory_mb: u64,
    /// Turns after which a game ends.
    pub turns: u32,
    /// The ruling about light on the forfeited: `sample`, `judge` or `prose`.
    pub ruling: String,
}

/// A bot to be added.
#[derive(Clone, Debug)]
pub struct NewBot {
    /// What its author calls it.
    pub name: String,
    /// Which of the bots of that name; the next number if it is not given.
    pub version: Option<String>,
    /// The hash of its program.
    pub program: String,
    /// How it is run.
    pub command: String,
}

/// Which games are wanted; what is `None` or empty does not matter.
#[derive(Clone, Default, Debug)]
pub struct Filter {
    /// Games in which all of these bots sat (a name, or name@version).
    pub bots: Vec<String>,
    /// Only games in which somebody forfeited, with this kind if it is not empty.
    pub fault: Option<String>,
    /// Only games on the map of this seed.
    pub seed: Option<i32>,
    /// Only games that ended before the one with this id.
    pub before: Option<String>,
    /// At most so many, the newest first.
    pub limit: Option<usize>,
}

/// The right to play: held by one process at a time.
#[derive(Debug)]
pub struct RunLock {
    /// The lock ends with the file.
    _file: File,
}

impl Store {
    /// Makes a store in that folder, which may exist if there is no store in it.
    pub fn create(folder: &Path, settings: &ArenaSettings) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        if path.exists() {
            return Err(StoreError(format!("{} holds an arena already", folder.display())));
        }
        let written = |error| StoreError(format!("{} cannot be made: {error}", folder.display()));
        fs::create_dir_all(folder.join(BOTS)).map_err(written)?;
        // Under another name until it is whole.
        let unfinished = folder.join(format!("{DATABASE}.unfinished-{}", std::process::id()));
        let settings = serde_json::to_string(settings).map_err(|error| StoreError(error.to_string()))?;
        let made = schema::create(&unfinished, &settings);
        made.and_then(|()| fs::rename(&unfinished, &path).map_err(|error| error.to_string())).map_err(|reason| {
            // What cannot be removed either was not made.
            let _ = fs::remove_file(&unfinished);
            StoreError(format!("{} cannot be made: {reason}", path.display()))
        })?;
        Store::open(folder)
    }

    /// Opens the store in that folder.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(DATABASE);
        if !path.is_file() {
            return Err(StoreError(format!(
                "{}: there is no arena here; \"pacman2 arena init {}\" makes one",
                folder.display(),
                folder.display()
            )));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || -> rusqlite::Result<Connection> {
            let database = Connection::open_with_flags(&path, flags)?;
            database.busy_timeout(PATIENCE)?;
            schema::configure(&database)?;
            Ok(database)
        };
        let mut database = open().map_err(|error| explain(&path, &error))?;
        schema::migrate(&mut database).map_err(|reason| StoreError(format!("{}: {reason}", path.display())))?;
        Ok(Store { database, folder: folder.to_owned() })
    }

    /// The folder that it is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the program with that hash is kept.
    pub fn folder_of_program(&self, program: &str) -> PathBuf {
        self.folder.join(BOTS).join(&short_hash(program)[..16])
    }

    /// The right to play, or `None` if somebody else has it.
    pub fn try_lock(&self) -> Result<Option<RunLock>, StoreError> {
        let path = self.folder.join(LOCK);
        let refused = |error: io::Error| StoreError(format!("{} cannot be locked: {error}", path.display()));
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(RunLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(refused(error)),
        }
    }

    /// What all games have in common.
    pub fn settings(&self) -> Result<ArenaSettings, StoreError> {
        let text: String = self.ask(|database| database.query_row("SELECT settings FROM arena", [], |row| row.get(0)))?;
        serde_json::from_str(&text).map_err(|error| self.damaged(&format!("its settings are not understood: {error}")))
    }

    /// Whether nothing is damaged; what is, in a sentence.
    pub fn check(&self) -> Result<(), StoreError> {
        let found: String = self.ask(|database| database.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)))?;
        if found == "ok" { Ok(()) } else { Err(self.damaged(&found)) }
    }

    /// All versions of all bots, in the order in which they were added.
    pub fn bots(&self) -> Result<Vec<BotVersion>, StoreError> {
        self.ask(|database| {
            let columns = "SELECT id, name, version, program, command, added, is_active FROM bots ORDER BY id";
            database.prepare(columns)?.query_map([], bot_of)?.collect()
        })
    }

    /// Adds a bot, which takes the place of earlier versions of that name.
    pub fn add_bot(&mut self, new: &NewBot) -> Result<BotVersion, StoreError> {
        let same: Vec<BotVersion> = self.bots()?.into_iter().filter(|bot| bot.name == new.name).collect();
        if let Some(bot) = same.iter().find(|bot| bot.program == new.program) {
            return Err(StoreError(format!("{} is this very program", bot.label())));
        }
        let next = || (same.len() + 1..).map(|number| number.to_string());
        let is_free = |version: &String| same.iter().all(|bot| bot.version != *version);
        let version = match &new.version {
            Some(version) if is_free(version) => version.clone(),
            Some(version) => return Err(StoreError(format!("{}@{version} is another program", new.name))),
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

    /// Lets a bot play, or not.
    pub fn set_active(&mut self, bot: BotId, is_active: bool) -> Result<(), StoreError> {
        self.change(|change| change.execute("UPDATE bots SET is_active = ?2 WHERE id = ?1", params![bot.0, is_active]))?;
        Ok(())
    }

    /// The id of a game: a hash of all that it depends on. The bots have to be in the store.
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

    /// The id of a block of games with these ids.
    pub fn id_of_block(games: &[String]) -> String {
        short_hash(&games.join(" "))
    }

    /// Keeps a game with the two parts of its replay. If it is there already, the first one stays.
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
                let (kind, turn) = fault.as_ref().map(|fault| (&fault.kind, fault.turn)).unzip();
                let slowest_us = i64::try_from(*slowest_us).unwrap_or(i64::MAX);
                insert.execute(params![id, seat.index() as i64, bot.0, hundredths, place, strength, kind, turn, slowest_us])?;
            }
            change.execute("INSERT INTO replays (game, public, private) VALUES (?1, ?2, ?3)", params![id, public, private])?;
            Ok(())
        })
    }

    /// The game with that id.
    pub fn game(&self, id: &str) -> Result<Option<GameResult>, StoreError> {
        let found = self.select("WHERE id = ?1", vec![id.to_owned().into()])?;
        Ok(found.into_iter().next())
    }

    /// The ids of all games that begin like this.
    pub fn ids_like(&self, beginning: &str) -> Result<Vec<String>, StoreError> {
        self.ask(|database| {
            let mut ids = database.prepare("SELECT id FROM games WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id")?;
            ids.query_map([beginning], |row| row.get(0))?.collect()
        })
    }

    /// How many games there are: a number that changes whenever one comes.
    pub fn count(&self) -> Result<usize, StoreError> {
        let count: i64 = self.ask(|database| database.query_row("SELECT count(*) FROM games", [], |row| row.get(0)))?;
        Ok(count as usize)
    }

    /// Games, in the order in which they were finished, or the newest first if a limit is given.
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
        match filter.fault.as_deref() {
            None => {}
            Some("") => {
                conditions.push("EXISTS (SELECT 1 FROM seats s WHERE s.game = games.id AND s.fault IS NOT NULL)".to_owned());
            }
            Some(kind) => {
                let kind = place(kind.to_owned().into());
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

    /// The replay of a game as JSON text, with what belongs to the bots' owners or without.
    pub fn replay(&self, id: &str, with_private: bool) -> Result<Option<String>, StoreError> {
        let found: Option<(Vec<u8>, Vec<u8>)> = self.ask(|database| {
            let both = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            database.query_row("SELECT public, private FROM replays WHERE game = ?1", [id], both).optional()
        })?;
        let Some((public, private)) = found else { return Ok(None) };
        let unpack = |bytes: &[u8]| unpacked(bytes).map_err(|error| self.damaged(&format!("the replay of game {id}: {error}")));
        let public = unpack(&public)?;
        let private = if with_private { unpack(&private)? } else { EMPTY_PRIVATE.to_owned() };
        Ok(Some(format!(r#"{{"format":"pacman2 replay","version":1,"public":{public},"private":{private}}}"#)))
    }

    /// Games and their seats; what comes behind `SELECT … FROM games`.
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
            let seats = seats.try_into().map_err(|_| self.damaged(&format!("game {} has not four seats", head.id)))?;
            games.push(head.with(BySeat(seats)));
        }
        Ok(games)
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        question(&self.database).map_err(|error| explain(&self.folder.join(DATABASE), &error))
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
        all().map_err(|error: rusqlite::Error| explain(&path, &error))
    }

    fn damaged(&self, what: &str) -> StoreError {
        StoreError(format!("{} is damaged: {what}", self.folder.join(DATABASE).display()))
    }
}

/// The private part of a replay of which nothing is told.
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
    let (kind, turn): (Option<String>, Option<u32>) = (row.get(13)?, row.get(14)?);
    Ok(SeatResult {
        bot: BotId(row.get(9)?),
        hundredths: row.get(10)?,
        place: row.get(11)?,
        strength: row.get(12)?,
        fault: kind.zip(turn).map(|(kind, turn)| Fault { kind, turn }),
        slowest_us: row.get::<_, i64>(15)?.unsigned_abs(),
    })
}

/// An error of the database in a sentence.
fn explain(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.display();
    StoreError(match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => format!("{path} is no arena: it is not an SQLite database"),
        Some(ErrorCode::DatabaseCorrupt) => format!("{path} is damaged: {error}"),
        Some(ErrorCode::DiskFull) => {
            format!("the disk is full: a game was not kept in {path}; what is there is whole, and \"arena run\" goes on from it")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            format!("{path} cannot be written: {error}")
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            format!("{path} has been in use by another program for {} s", PATIENCE.as_secs())
        }
        _ => format!("{path}: {error}"),
    })
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(text.as_bytes());
    written.and_then(|()| encoder.finish()).expect("memory takes what is written to it")
}

fn unpacked(bytes: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(bytes).take(REPLAY_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
