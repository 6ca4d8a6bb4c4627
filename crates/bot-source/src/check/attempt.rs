//! One question to a bot, and its answer.

use pacman2_match::player::Response;
use pacman2_rules::Seat;

/// How a bot was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// In a new process.
    Afresh,
    /// In a process that has kept running since an earlier turn.
    KeptRunning,
}

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Mode::Afresh => "restarted",
            Mode::KeptRunning => "kept running",
        }
    }
}

/// One question and the answer to it.
pub(super) struct Attempt {
    /// The name of the position, or [`GAME`].
    pub(super) place: &'static str,
    /// The size of the map.
    pub(super) map: String,
    pub(super) mode: Mode,
    pub(super) seat: Seat,
    /// The turn that was asked for, from 1.
    pub(super) turn: usize,
    pub(super) response: Response,
}

/// The place of turns of the game.
pub(super) const GAME: &str = "a game";
