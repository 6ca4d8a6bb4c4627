//! The lines of jobs and results of an arena. `docs/SCALE.md` describes them.

use std::path::PathBuf;

use pacman2_botzone::JsonText;
use pacman2_jobs::lines::Reason;
use pacman2_rules::{BySeat, Seat};
use pacman2_runner::Tier;
use pacman2_tournament::store::ArenaSettings;
use pacman2_tournament::{BotVersion, Fault, GameResult, SeatResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The kinds of headers.
pub(crate) const JOBS: &str = "arena jobs";
pub(crate) const RESULTS: &str = "arena results";

/// The header of jobs.
pub(crate) type JobsHeader = pacman2_jobs::header::JobsHeader<JobTerms>;
/// The header of results.
pub(crate) type ResultsHeader = pacman2_jobs::header::ResultsHeader<ResultTerms>;

/// What the header of jobs says.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobTerms {
    pub(crate) settings: ArenaSettings,
    /// The tier that programs need.
    pub(crate) tier: Option<Tier>,
    /// The folder of the arena, for a reader on the same machine that sends the programs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) folder: Option<PathBuf>,
}

/// What the header of results says.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResultTerms {
    pub(crate) settings: ArenaSettings,
    /// The tier of the machine's sandbox.
    pub(crate) tier: Option<Tier>,
}

/// A program that jobs need.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ProgramLine {
    /// Its hash, as in the store.
    pub(crate) program: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// The command that runs it, as in the store.
    pub(crate) command: String,
    /// The path of its file in the folder of the arena, if the arena has a copy: the program, or the net of a built-in bot.
    pub(crate) file: Option<String>,
    /// The hash of the file, if it is a net.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) net: Option<String>,
    /// The hash of the file, if that is not all that the hash of the program covers: the version of C++, an archive's content, `data`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    /// Whether it reads a folder `data` beside the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) data: bool,
}

/// A bot on a seat.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(super) struct SeatLine {
    pub(crate) name: String,
    pub(crate) program: String,
}

impl SeatLine {
    pub(crate) fn from_bot(bot: &BotVersion) -> SeatLine {
        SeatLine { name: bot.name.clone(), program: bot.program.clone() }
    }

    /// Returns whether it is this bot.
    pub(crate) fn is(&self, bot: &BotVersion) -> bool {
        self.name == bot.name && self.program == bot.program
    }
}

/// A game to be played.
#[derive(Serialize, Deserialize)]
pub(crate) struct JobLine {
    pub(crate) job: String,
    pub(crate) block: String,
    pub(crate) seed: i32,
    pub(crate) repeat: u32,
    pub(crate) seats: [SeatLine; 4],
}

/// A game that was played, as it is read.
#[derive(Deserialize)]
pub(crate) struct ResultLine {
    pub(crate) result: String,
    pub(crate) block: String,
    pub(crate) seed: i32,
    pub(crate) repeat: u32,
    pub(crate) seats: [SeatResultLine; 4],
    pub(crate) finished: i64,
    pub(crate) seconds: f64,
    pub(crate) replayed: u32,
    pub(crate) replay: ReplayLine,
}

/// The result of a seat.
#[derive(Serialize, Deserialize)]
pub(super) struct SeatResultLine {
    pub(crate) name: String,
    pub(crate) program: String,
    pub(crate) hundredths: i64,
    pub(crate) place: u8,
    pub(crate) strength: i32,
    pub(crate) fault: Option<Fault>,
    pub(crate) slowest_us: u64,
}

impl SeatResultLine {
    /// Returns the result of a bot's seat.
    pub(crate) fn from_result(bot: SeatLine, result: &SeatResult) -> SeatResultLine {
        let SeatLine { name, program } = bot;
        let &SeatResult { bot: _, hundredths, place, strength, fault, slowest_us } = result;
        SeatResultLine { name, program, hundredths, place, strength, fault, slowest_us }
    }

    /// Returns whether it agrees with this result, apart from times.
    pub(super) fn agrees(&self, result: &SeatResult) -> bool {
        let SeatResult { hundredths, place, strength, fault, .. } = *result;
        (self.hundredths, self.place, self.strength, self.fault) == (hundredths, place, strength, fault)
    }
}

/// The two parts of a replay, as they are read.
#[derive(Deserialize)]
pub(super) struct ReplayLine {
    pub(crate) public: JsonText,
    pub(crate) private: JsonText,
}

/// Returns the line of a game that was played. `public` and `private` are the parts of its replay, as JSON.
pub(super) fn result_line(
    game: &GameResult,
    repeat: u32,
    seats: BySeat<SeatLine>,
    stalled_ms: u64,
    [public, private]: [&str; 2],
) -> String {
    let GameResult { id, block, seed, width, height, turns, finished, seconds, replayed, .. } = game;
    let seats = Seat::ALL.map(|seat| SeatResultLine::from_result(seats[seat].clone(), &game.seats[seat]));
    let mut line = json!({
        "result": id, "block": block, "seed": seed, "repeat": repeat, "width": width, "height": height, "turns": turns,
        "seats": seats, "finished": finished, "seconds": (seconds * 1e6).round() / 1e6, "replayed": replayed, "stalled_ms": stalled_ms,
    })
    .to_string();
    // The parts are large, and JSON already.
    line.pop();
    line += &format!(",\"replay\":{{\"public\":{public},\"private\":{private}}}}}");
    line
}

/// Returns the line of a job that was not played.
pub(crate) fn failure(id: &str, reason: &Reason) -> Value {
    json!({ "failed": id, "reason": reason })
}
