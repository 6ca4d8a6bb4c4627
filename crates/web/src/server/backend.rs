//! What the server leaves to the program that runs it: bots, saved replays, and an engine.

use std::time::Duration;

use pacman2_botzone::problem::Problem;
use pacman2_match::player::Player;
use pacman2_match::problem::BotProblem;
use pacman2_replay::SeatInfo;
use pacman2_rules::{Game, Ruleset};
use pacman2_runner::{Limits, Tier};
use serde_json::Value;

/// Finds bots, saves replays and runs an engine for a [`Server`](super::Server).
pub trait Backend: Send + Sync + 'static {
    /// Finds the bot that `text` names and starts it for a match. `lineup` are the four texts of the match, including
    /// `human`. The call may take long: it may compile a program.
    ///
    /// # Errors
    /// Returns why the bot cannot play. The server answers 400 with this reason.
    fn seat_bot(&self, text: &str, lineup: &[String; 4], options: &MatchOptions) -> Result<SeatedBot, BackendError>;

    /// Returns the names that [`Backend::seat_bot`] always accepts, for the page's list.
    fn built_in_bots(&self) -> Vec<&'static str>;

    /// Saves a replay in the server's folder, and returns its file name.
    ///
    /// # Errors
    /// Returns in one sentence why the replay cannot be saved. The match's page shows it.
    fn save_replay(&self, replay: &str) -> Result<String, BackendError>;

    /// Analyses a position with an engine and returns the analysis as a JSON object. The engine thinks until the effort
    /// is spent or `keep_going` returns `false`.
    fn analyse(&self, request: &AnalysisRequest<'_>, keep_going: &dyn Fn() -> bool) -> Value;

    /// Returns the action that a built-in bot chooses, as Botzone's number. The query is that of `decide` in
    /// `pacman2_analysis::queries`, without `op`.
    ///
    /// # Errors
    /// Returns in one sentence why there is no action. The server answers 400 with this sentence.
    fn decide(&self, query: serde_json::Map<String, Value>) -> Result<Value, BackendError>;
}

/// Why a [`Backend`] could not do something. The server only reports it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct BackendError {
    /// What is wrong with a bot, as far as pages have words for it in several languages.
    pub bot: BotProblem,
    /// Why, in one sentence with all details.
    pub reason: String,
    /// The same as codes, for pages that word them. Empty if only the sentence says it.
    pub causes: Vec<Problem>,
}

impl From<&str> for BackendError {
    fn from(reason: &str) -> BackendError {
        BackendError { bot: BotProblem::Other, reason: reason.to_owned(), causes: Vec::new() }
    }
}

/// How the bots of a match are run.
#[derive(Clone, Copy, Debug)]
pub struct MatchOptions {
    /// Limits of each bot, before the time factor of its language.
    pub limits: Limits,
    /// The rules of the match, as far as its init data does not give them: the forfeit ruling above all.
    pub ruleset: Ruleset,
}

/// A bot that is ready to play.
pub struct SeatedBot {
    /// What the replay says about it.
    pub info: SeatInfo,
    /// The bot as the referee sees it.
    pub player: Box<dyn Player>,
    /// The tier of its sandbox; `None` if it is no process.
    pub tier: Option<Tier>,
}

/// A turn for the engine to analyse.
pub struct AnalysisRequest<'a> {
    /// The match as far as it was played.
    pub game: &'a Game,
    /// The turn to analyse; 1 is the first.
    pub turn: u32,
    /// The actions that were played in this turn, as Botzone's numbers, with `None` for dead players; `None` if the turn
    /// has not been played.
    pub actions: Option<[Option<i32>; 4]>,
    /// How much the engine may think; `None` for its usual effort, with which an analysis is always the same.
    pub effort: Option<AnalysisEffort>,
}

/// How much an engine may think about one turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnalysisEffort {
    /// A thinking time.
    Time(Duration),
    /// A number of simulations.
    Simulations(u32),
}
