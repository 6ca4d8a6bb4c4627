//! Bots, games to be played, and results.

use pacman2_botzone::response::Verdict;
use pacman2_rules::{BySeat, Seat};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The number of a bot in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
#[serde(transparent)]
pub struct BotId(pub i64);

/// A version of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BotVersion {
    /// The bot's number in the store.
    pub id: BotId,
    /// The name that its author gave it.
    pub name: String,
    /// The version among bots of this name.
    pub version: String,
    /// The hash of its program, or `built-in` and a version. Games depend on it.
    pub program: String,
    /// The command that runs it, as a user would type it.
    pub command: String,
    /// When it was added, in seconds since 1970.
    #[serde(rename = "added_ms", serialize_with = "seconds_as_ms")]
    pub added: i64,
    /// Whether it takes part. Adding a new version retires the old one, until a user reinstates it.
    pub is_active: bool,
}

impl BotVersion {
    /// Returns name and version as a user types them.
    ///
    /// ```
    /// use pacman2_tournament::{BotId, BotVersion};
    ///
    /// let bot = BotVersion {
    ///     id: BotId(1),
    ///     name: "alice".to_owned(),
    ///     version: "2".to_owned(),
    ///     program: "a hash".to_owned(),
    ///     command: "alice.py".to_owned(),
    ///     added: 0,
    ///     is_active: true,
    /// };
    /// assert_eq!(bot.label(), "alice@2");
    /// ```
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// Returns whether it is a built-in bot, which needs no process of its own.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.program.starts_with("built-in")
    }

    /// Returns whether both are the same program, whatever their names are.
    #[must_use]
    pub fn is_same_program(&self, other: &BotVersion) -> bool {
        // All built-in bots without options have the same `program`, so their names count, too.
        let name = |bot: &BotVersion| bot.command.split_whitespace().next().map(str::to_owned);
        self.program == other.program && (!self.is_built_in() || name(self) == name(other))
    }
}

/// A game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// The seed of the map and of the bots' random numbers.
    pub seed: i32,
    /// The bots by seat.
    pub seats: BySeat<BotId>,
    /// Distinguishes games that agree in everything else, counted from 0.
    pub repeat: u32,
}

/// Games that form one observation: they share a map, and the values of the seats cancel out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The games of the block.
    pub jobs: Vec<Job>,
}

impl Block {
    /// Returns the block of four bots on the map of a seed, each bot once on each seat: in game `r`, seat `s` has bot `(s + r) % 4`.
    ///
    /// ```
    /// use pacman2_tournament::{Block, BotId};
    ///
    /// let block = Block::from_four(7, [1, 2, 3, 4].map(BotId));
    /// let seats: Vec<_> = block.jobs.iter().map(|job| job.seats.0.map(|bot| bot.0)).collect();
    /// assert_eq!(seats, [[1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2], [4, 1, 2, 3]]);
    /// ```
    #[must_use]
    pub fn from_four(seed: i32, bots: [BotId; 4]) -> Block {
        let game = |round: usize| {
            let seats = BySeat::from_fn(|seat: Seat| bots[(seat.index() + round) % 4]);
            // A bot with two seats may give the same seating again in another game of the block.
            Job { seed, seats, repeat: 0 }
        };
        let mut jobs: Vec<Job> = Vec::new();
        for mut job in (0..4).map(game) {
            job.repeat = jobs.iter().filter(|other| other.seats == job.seats).count() as u32;
            jobs.push(job);
        }
        Block { jobs }
    }
}

/// The result of a finished game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameResult {
    /// The hash of everything it depends on, in 32 hexadecimal digits.
    pub id: String,
    /// The hash of its block, in the same form.
    pub block: String,
    /// The seed of the map and of the bots' random numbers.
    pub seed: i32,
    /// Columns of the map.
    pub width: u8,
    /// Rows of the map.
    pub height: u8,
    /// Turns played.
    pub turns: u32,
    /// The result of each seat.
    #[serde(serialize_with = "by_seat")]
    pub seats: BySeat<SeatResult>,
    /// When it ended, in seconds since 1970.
    #[serde(rename = "finished_ms", serialize_with = "seconds_as_ms")]
    pub finished: i64,
    /// How long it took, in seconds.
    #[serde(rename = "time_ms", serialize_with = "time_as_ms")]
    pub seconds: f64,
    /// How often it was played again because the machine had stalled while a bot ran out of time.
    pub replayed: u32,
    /// The machine that played it, if it was not the one of the arena.
    pub node: Option<String>,
}

fn by_seat<S: Serializer>(seats: &BySeat<SeatResult>, serializer: S) -> Result<S::Ok, S::Error> {
    seats.0.serialize(serializer)
}

fn seconds_as_ms<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(1000 * seconds)
}

fn time_as_ms<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((1e6 * seconds).round() / 1000.0)
}

pub(crate) fn us_as_ms<S: Serializer>(us: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*us as f64 / 1000.0)
}

fn hundredths_as_points<S: Serializer>(hundredths: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*hundredths as f64 / 100.0)
}

/// The result of one seat in a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SeatResult {
    /// The bot.
    pub bot: BotId,
    /// The official score in hundredths.
    #[serde(rename = "score", serialize_with = "hundredths_as_points")]
    pub hundredths: i64,
    /// The place, 1 (best) to 4: one more than the number of stronger players. Equal strengths share a place.
    pub place: u8,
    /// The final strength.
    pub strength: i32,
    /// The fault by which it forfeited, if it did.
    pub fault: Option<Fault>,
    /// The slowest response, in microseconds.
    #[serde(rename = "slowest_ms", serialize_with = "us_as_ms")]
    pub slowest_us: u64,
}

/// The fault by which a bot forfeited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// What was wrong.
    pub kind: Verdict,
    /// The turn, counted from 1.
    pub turn: u32,
}

/// Returns the first 32 hexadecimal digits of the SHA-256 of a text.
pub(crate) fn short_hash(text: &str) -> String {
    Sha256::digest(text)[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
