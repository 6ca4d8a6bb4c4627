//! Why a timeline cannot be opened, played on or shown.

use pacman2_botzone::problem::{Problem, from_map};
use pacman2_maps::MapError;
use pacman2_replay::games::GameError;
use pacman2_replay::{LinkError, ReplayDifference, ReplayError};
use pacman2_rules::Seat;

/// Why a timeline cannot be opened, played on or shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimelineError {
    /// The text is no game.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A turn of a replay cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// No link can be made.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The text has more bytes than a QR code holds.
    #[error("too long for a QR code: expected at most 2953 bytes, got {0}")]
    TooLongForQrCode(usize),
    /// The map cannot be played.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The turn differs from the rules.
    #[error(transparent)]
    Difference(#[from] ReplayDifference),
    /// The match has no such turn.
    #[error("no turn {turn}: the match has turns 0 to {last}")]
    NoTurn {
        /// The turn that was asked for.
        turn: usize,
        /// The last turn of the match.
        last: usize,
    },
    /// A living player has no action.
    #[error("player {0} is alive and has no action")]
    NoAction(Seat),
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// There is no built-in bot of this name.
    #[error("unknown built-in bot \"{0}\"")]
    UnknownBot(String),
    /// The player is dead, or the game is over.
    #[error("player {0} has nothing to decide")]
    NothingToDecide(Seat),
    /// The player receives no request after this turn.
    #[error("player {seat} receives no request after turn {turn}")]
    NoRequest {
        /// The player.
        seat: Seat,
        /// The turn.
        turn: usize,
    },
}

impl From<&TimelineError> for Problem {
    fn from(error: &TimelineError) -> Problem {
        match error {
            TimelineError::Game(error) => error.into(),
            TimelineError::Replay(error) => error.into(),
            TimelineError::Link(error) => error.into(),
            TimelineError::TooLongForQrCode(got) => Problem::new("qr-too-long").with("got", *got),
            TimelineError::Map(error) => Problem::new("map").because(&from_map(error)),
            TimelineError::Difference(difference) => difference.into(),
            TimelineError::NoTurn { turn, last } => Problem::new("no-turn").with("turn", *turn).with("last", *last),
            TimelineError::NoAction(seat) => Problem::new("no-action-of").with("seat", seat.index()),
            TimelineError::GameOver => Problem::new("game-over"),
            TimelineError::UnknownBot(bot) => Problem::new("unknown-built-in").with("bot", bot.as_str()),
            TimelineError::NothingToDecide(seat) => Problem::new("nothing-to-decide").with("seat", seat.index()),
            TimelineError::NoRequest { seat, turn } => Problem::new("no-request").with("seat", seat.index()).with("turn", *turn),
        }
    }
}
