//! Why a replay cannot be read, and how it differs from the rules.

use pacman2_botzone::response::Verdict;
use pacman2_maps::MapError;
use pacman2_rules::Seat;
use serde::Serialize;
use serde_json::Value;

use crate::format::{FORMAT, LINK_VERSION, MAX_LINK_CHARS, VERSION, line};

/// Why a replay cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The text is not JSON.
    #[error("not a replay: {0}")]
    NotJson(serde_json::Error),
    /// The JSON does not name the format.
    #[error("not a replay: expected the key format with the value \"{FORMAT}\"", FORMAT = FORMAT)]
    Format,
    /// The replay is of another version.
    #[error("expected a replay of version {VERSION}, got {0}", VERSION = VERSION)]
    Version(Value),
    /// A key is missing.
    #[error("{path} is missing")]
    Missing {
        /// Keys and places in lists, such as `public.turns[3].position`.
        path: String,
    },
    /// A value is not of the expected form.
    #[error("{}expected {expected}, got {got}", prefix(.path))]
    Value {
        /// Keys and places in lists, such as `public.turns[3].actions`; empty for the value itself.
        path: String,
        /// What was expected.
        expected: Expectation,
        /// The value.
        got: UnexpectedValue,
    },
    /// The map cannot be played.
    #[error("the replay's map cannot be played: {0}")]
    Map(#[from] MapError),
}

/// What a replay has in some place. Displays in a few words, and is a name in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the words of each are below")]
pub enum Expectation {
    #[error("a list")]
    List,
    #[error("a list of four")]
    Four,
    #[error("an object")]
    Object,
    #[error("a string")]
    String,
    #[error("a number")]
    Number,
    #[error("a whole number of 0 or more")]
    Count,
    #[error("a whole number from 0 to 4294967295")]
    #[serde(rename = "count-32")]
    Count32,
    #[error("a whole number of 32 bits or null")]
    Action,
    #[error("OK, TLE, MLE, OLE, NJ, RE, ILLEGAL or null")]
    Verdict,
    #[error("16 hexadecimal digits in lower case")]
    Fingerprint,
    #[error("\"sample\", \"judge\" or \"prose\"")]
    Ruling,
    #[error("\"A\", \"A-\", \"B\", \"C\" or null")]
    Tier,
}

/// A value that is not of the expected form. Displays in a few words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnexpectedValue {
    /// A list of this length.
    #[error("a list of {0}")]
    List(usize),
    /// An object.
    #[error("an object")]
    Object,
    /// A string that is too long to be quoted.
    #[error("a long string")]
    LongText,
    /// Another value, as JSON.
    #[error("{0}")]
    Json(String),
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

/// The first difference between a replay and the rules.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayDifference {
    /// A turn cannot be played as the replay has it, or ends differently.
    #[error("turn {turn} differs: {mismatch}")]
    Turn {
        /// The turn, counted from 1.
        turn: usize,
        /// How it differs.
        mismatch: TurnMismatch,
    },
    /// The replay has scores, but ends before the game does.
    #[error("turn {turn} is missing: the game is not over, but the replay has scores")]
    MissingTurn {
        /// The first turn that is missing, counted from 1.
        turn: usize,
    },
    /// The replay has other scores.
    #[error("the scores are {} by the rules, {} in the replay", line(.expected), line(.found))]
    Scores {
        /// The scores by the rules, in points.
        expected: Option<[f64; 4]>,
        /// The scores in the replay, in points.
        found: Option<[f64; 4]>,
    },
}

/// How a turn of a replay differs from the rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnMismatch {
    /// A living player has no action.
    #[error("player {0} is alive, but has no action in the replay")]
    NoAction(Seat),
    /// A dead player has an action.
    #[error("player {0} is dead, but has an action in the replay")]
    ActionOfDead(Seat),
    /// No run of a bot has both this action and this verdict.
    #[error("player {0}'s action and verdict contradict each other")]
    ActionAndVerdict(Seat),
    /// The game was over before this turn.
    #[error("the game was over before")]
    GameOver,
    /// The position after the turn has another fingerprint.
    #[error("the position is {expected:016x} by the rules, {found:016x} in the replay")]
    Position {
        /// The fingerprint by the rules.
        expected: u64,
        /// The fingerprint in the replay.
        found: u64,
    },
    /// The verdicts are others.
    #[error("the verdicts are {} by the rules, {} in the replay", line(.expected), line(.found))]
    Verdicts {
        /// The verdicts by the rules.
        expected: [Option<Verdict>; 4],
        /// The verdicts in the replay.
        found: [Option<Verdict>; 4],
    },
}

/// Why a game cannot be read from a link, or written into one.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The text has no game in it.
    #[error("expected a link with #g= and a game after it")]
    NoGame,
    /// The game is written in another version of the format.
    #[error("expected a link of version {LINK_VERSION}, got version {0}; another version of the program made it", LINK_VERSION = LINK_VERSION)]
    Version(char),
    /// The game is longer than any that this program writes.
    #[error("the link is too long: expected at most {MAX_LINK_CHARS} characters, got {0}", MAX_LINK_CHARS = MAX_LINK_CHARS)]
    TooLong(usize),
    /// A character does not belong in a link.
    #[error("the link is damaged: expected letters, digits, - and _, got \"{character}\" as character {position} after g=")]
    Character {
        /// The place of the character in the game, counted from 1.
        position: usize,
        /// The character.
        character: char,
    },
    /// The end of the link is missing.
    #[error("the link is cut off: expected {expected} bytes, got {got}")]
    CutOff {
        /// The number of bytes that the link says it has.
        expected: usize,
        /// The number of bytes that it has.
        got: usize,
    },
    /// The link goes on after its end.
    #[error("the link is damaged: expected {expected} bytes, got {got}")]
    TrailingBytes {
        /// The number of bytes that the link says it has.
        expected: usize,
        /// The number of bytes that it has.
        got: usize,
    },
    /// The content is not what was written.
    #[error("the link is damaged: its checksum is {found:08x}, that of its content {expected:08x}")]
    Checksum {
        /// The checksum of the content.
        expected: u32,
        /// The checksum in the link.
        found: u32,
    },
    /// The map cannot be played.
    #[error("the map of the link cannot be played: {0}")]
    Map(#[from] MapError),
    /// The content is not a game, although its checksum is right.
    #[error("the link is damaged: its content is not a game")]
    Content,
    /// The game is over before its last turn.
    #[error("turn {turn} of the link comes after the end of the game")]
    GameOver {
        /// The turn that does not exist, counted from 1.
        turn: usize,
    },
    /// By the rules, the game ends in another position.
    #[error("by the rules the game ends in position {expected:08x}, in the link in {found:08x}: another version made it")]
    End {
        /// The end of the fingerprint of the last position by the rules.
        expected: u32,
        /// The same in the link.
        found: u32,
    },
    /// The replay to write differs from the rules.
    #[error(transparent)]
    Difference(#[from] ReplayDifference),
    /// The game to write does not begin as its map does.
    #[error("the game does not begin as its map does: links hold games from their first turn only")]
    Start,
}
