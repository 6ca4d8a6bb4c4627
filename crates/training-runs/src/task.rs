//! What a run consists of: tasks that depend on nothing but their nets, and can be done anywhere.

use anyhow::Context;
use pacman2_console::error::bad_input;
use pacman2_training::{DuelBlock, GameRecord, League, LeaguePlayer, SelfPlay};
use serde::{Deserialize, Serialize};

use super::opponents::OpponentTable;

/// Work to be done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Task {
    /// Games of self-play on the maps of consecutive seeds.
    Games {
        first_seed: i32,
        games: u32,
        /// From what the opponents are drawn, if not from the default of the league.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opponents: Option<OpponentTable>,
    },
    /// The games between the newest player and another one, on one map.
    Duel { against: String, map: i32 },
}

/// What was done.
pub(super) enum Done {
    Games(Vec<GameRecord>),
    Duel(DuelBlock),
}

impl Task {
    /// Returns the seeds of the maps of games of self-play.
    pub(super) fn seeds(&self) -> impl Iterator<Item = i32> {
        let (first, games) = match *self {
            Task::Games { first_seed, games, .. } => (first_seed, games),
            Task::Duel { .. } => (0, 0),
        };
        (0..games).map(move |game| first.saturating_add_unsigned(game))
    }

    /// Does it. Returns `None` if `goes_on` returned false before the end.
    pub(super) fn run(&self, play: &SelfPlay<'_>, goes_on: impl Fn() -> bool) -> anyhow::Result<Option<Done>> {
        match self {
            Task::Games { .. } => {
                let records = self.seeds().map(|seed| play.play(seed, &goes_on).map_err(bad_input));
                Ok(records.collect::<anyhow::Result<Option<Vec<GameRecord>>>>()?.map(Done::Games))
            }
            Task::Duel { against, map } => {
                let players = [play.league.newest(), opponent(play.league, against).context("the league has no such player")?];
                let block = DuelBlock::play(play.league, players, play.simulations, *map, goes_on).map_err(bad_input)?;
                Ok(block.map(Done::Duel))
            }
        }
    }
}

/// Returns the player of this name, if the league has it.
pub(super) fn opponent(league: &League, name: &str) -> Option<LeaguePlayer> {
    name.parse().ok().filter(|&player| league.has(player))
}
