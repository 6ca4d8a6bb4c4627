//! What a league is made of: bots, games to be played, and games that were.

use pacman2_rules::{BySeat, Seat};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The number of a bot in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
#[serde(transparent)]
pub struct BotId(pub i64);

/// A version of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BotVersion {
    /// Its number in the store.
    pub id: BotId,
    /// What its author calls it.
    pub name: String,
    /// Which of the bots of that name.
    pub version: String,
    /// The hash of its program, or `built-in` and a version: what games depend on.
    pub program: String,
    /// How it is run, as it would be typed.
    pub command: String,
    /// When it was added, in seconds since 1970.
    pub added: i64,
    /// Whether it plays; an old version does not, until it is asked for by name.
    pub is_active: bool,
}

impl BotVersion {
    /// Name and version, as a person types them.
    pub fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// A game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// The seed of the map and of the bots' chance.
    pub seed: i32,
    /// Who sits where.
    pub seats: BySeat<BotId>,
    /// Which of the games that agree in all else, from 0 on.
    pub repeat: u32,
}

/// Games that are one observation: they have a map in common, and what seats are worth cancels out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its games.
    pub jobs: Vec<Job>,
}

impl Block {
    /// Four bots on the map of a seed, each once on each seat: in game `r` the bot on seat `s` is number `s + r`, counted
    /// round.
    pub fn of_four(seed: i32, bots: [BotId; 4]) -> Block {
        let game = |round: usize| {
            let seats = BySeat::from_fn(|seat: Seat| bots[(seat.index() + round) % 4]);
            // Bots that sit at a table twice meet themselves again in another game of the block.
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

/// A game that was played to its end.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameResult {
    /// The hash of all that it depends on, 32 hexadecimal digits.
    pub id: String,
    /// The hash of its block, likewise.
    pub block: String,
    /// The seed of the map and of the bots' chance.
    pub seed: i32,
    /// Columns of the map.
    pub width: u8,
    /// Rows of the map.
    pub height: u8,
    /// Turns played.
    pub turns: u32,
    /// What came of it for each seat.
    #[serde(serialize_with = "by_seat")]
    pub seats: BySeat<SeatResult>,
    /// When it ended, in seconds since 1970.
    pub finished: i64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How often it had been played before in vain, since the machine had stood still while a bot ran out of time.
    pub replayed: u32,
}

fn by_seat<S: Serializer>(seats: &BySeat<SeatResult>, serializer: S) -> Result<S::Ok, S::Error> {
    seats.0.serialize(serializer)
}

/// What came of a game for a seat.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SeatResult {
    /// Who sat there.
    pub bot: BotId,
    /// The official score in hundredths.
    pub hundredths: i64,
    /// Place counted from the top, 1 to 4: one more than the number of players with more strength. Who is as strong shares it.
    pub place: u8,
    /// Strength in the end.
    pub strength: i32,
    /// How it forfeited, if it did.
    pub fault: Option<Fault>,
    /// Its slowest answer, in microseconds.
    pub slowest_us: u64,
}

/// How a bot forfeited.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// `TLE`, `MLE`, `OLE`, `NJ`, `RE` or `ILLEGAL`.
    pub kind: String,
    /// In which turn, counted from 1.
    pub turn: u32,
}

/// The first 32 hexadecimal digits of the SHA-256 of that text.
pub(crate) fn short_hash(text: &str) -> String {
    Sha256::digest(text)[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
