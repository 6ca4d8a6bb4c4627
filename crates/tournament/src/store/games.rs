//! Games in a store, with their replays.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pacman2_botzone::response::Verdict;
use pacman2_rules::BySeat;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Value, ValueRef};
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

use super::{Store, StoreError};
use crate::game::{BotId, Fault, GameResult, SeatResult};

/// The maximum size of an unpacked replay.
const MAX_REPLAY_BYTES: u64 = 256 * 1024 * 1024;
/// An empty private part of a replay.
const EMPTY_PRIVATE: &str = r#"{"turns":[]}"#;

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
    Kind(Verdict),
}

impl FaultFilter {
    /// Returns whether a fault of this kind is selected.
    #[must_use]
    pub fn matches(self, kind: Verdict) -> bool {
        self == FaultFilter::Any || self == FaultFilter::Kind(kind)
    }
}

impl Store {
    /// Stores a game with the two parts of its replay. If the game is stored already, the first one stays. Returns whether it is
    /// new.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn put_game(&mut self, game: &GameResult, public: &str, private: &str) -> Result<bool, StoreError> {
        let (public, private) = (packed(public), packed(private));
        self.change(|change| {
            let GameResult { id, block, seed, width, height, turns, finished, seconds, replayed, node, seats } = game;
            let is_new = change.execute(
                "INSERT OR IGNORE INTO games (id, block, seed, width, height, turns, finished, seconds, replayed, node)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![id, block, seed, width, height, turns, finished, seconds, replayed, node],
            )?;
            if is_new == 0 {
                return Ok(false);
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
            Ok(true)
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
        let node = if self.has_nodes { "g.node" } else { "NULL" };
        let query = format!(
            "SELECT g.id, g.block, g.seed, g.width, g.height, g.turns, g.finished, g.seconds, g.replayed, {node},
                    s.bot, s.hundredths, s.place, s.strength, s.fault, s.fault_turn, s.slowest_us
             FROM ({chosen}) g JOIN seats s ON s.game = g.id ORDER BY {order}, s.seat"
        );
        let rows: Vec<(GameHead, SeatResult)> = self.ask(|database| {
            let mut query = database.prepare(&query)?;
            query.query_map(params_from_iter(values.iter()), |row| Ok((GameHead::from_row(row)?, seat_of(row)?)))?.collect()
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
    node: Option<String>,
}

impl GameHead {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<GameHead> {
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
            node: row.get(9)?,
        })
    }

    fn with(self, seats: BySeat<SeatResult>) -> GameResult {
        let GameHead { id, block, seed, width, height, turns, finished, seconds, replayed, node } = self;
        GameResult { id, block, seed, width, height, turns, seats, finished, seconds, replayed, node }
    }
}

fn seat_of(row: &Row<'_>) -> rusqlite::Result<SeatResult> {
    let (kind, turn): (Option<FaultName>, Option<u32>) = (row.get(14)?, row.get(15)?);
    Ok(SeatResult {
        bot: BotId(row.get(10)?),
        hundredths: row.get(11)?,
        place: row.get(12)?,
        strength: row.get(13)?,
        fault: kind.zip(turn).map(|(FaultName(kind), turn)| Fault { kind, turn }),
        slowest_us: row.get::<_, i64>(16)?.unsigned_abs(),
    })
}

/// The name of a fault in a column.
struct FaultName(Verdict);

impl FromSql for FaultName {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<FaultName> {
        let name = value.as_str()?;
        let kind = name.parse().ok().filter(Verdict::is_fault);
        kind.map(FaultName).ok_or_else(|| FromSqlError::Other(format!("unknown fault \"{name}\"").into()))
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
