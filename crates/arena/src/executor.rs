//! What plays the games of a [`Runner`](super::runner::Runner): threads of this process, or machines elsewhere.

use pacman2_tournament::{GameResult, Store};

use super::game_player::PendingGame;
use super::progress::GameProgress;

/// Plays games, several at a time, and stores them.
pub(super) trait Executor {
    /// Returns how many games may be begun now.
    fn free_slots(&self) -> usize;

    /// Returns how many blocks of this many games may be open if their results are needed in order.
    fn open_blocks(&self, games_per_block: usize) -> usize;

    /// Begins a game.
    fn begin(&mut self, game: PendingGame) -> anyhow::Result<()>;

    /// Waits for a moment, or until something happens.
    fn wait(&mut self, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<Event>;

    /// Ends the games that were begun, whose results are not needed any more. Those that come are stored nevertheless.
    fn abandon(&mut self, store: &mut Store, progress: &mut GameProgress) -> anyhow::Result<()>;
}

/// What happened.
pub(super) enum Event {
    /// A game was stored, or was in the store already.
    Stored(Box<GameResult>),
    /// Nothing that the schedule depends on.
    Nothing,
    /// No more results will come.
    Ended,
}
