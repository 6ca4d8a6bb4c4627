//! The record of a self-play game: actions, and the points that the search expected. Everything else follows from the rules.

use std::sync::Arc;

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::net::NetInputs;
use pacman2_maps::{Map, MapError, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset};

use crate::league_player::LeaguePlayer;
use crate::sample::Sample;

/// The record of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    /// The seed of Botzone's map.
    pub seed: i32,
    /// The players by seat.
    pub players: BySeat<LeaguePlayer>,
    /// All turns of the game.
    pub turns: Vec<RecordedTurn>,
    /// The fingerprint of the final position.
    pub end: u64,
}

/// One turn of a [`GameRecord`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RecordedTurn {
    /// The players' actions.
    pub actions: BySeat<Action>,
    /// The official points that the search expected for each seat before the turn, in hundredths.
    pub hundredths: [u32; 4],
}

/// An error in a record: it does not describe a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Botzone makes no map from the seed.
    #[error("{0}")]
    Map(MapError),
    /// The record has more or fewer turns than the game.
    #[error("the record has more or fewer turns than its game")]
    Length,
    /// The actions lead to another final position.
    #[error("the actions lead to another final position than the recorded one")]
    End,
}

/// Returns the game on this seed's map before the first turn.
pub(crate) fn begin(seed: i32) -> Result<Game, MapError> {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default())?;
    Ok(Game::new(Arc::new(map.maze), map.start))
}

impl GameRecord {
    /// Replays the game and returns a training sample for each turn. `search_share` is the part of the search's expectation in the
    /// target; the rest is the result of the game.
    ///
    /// # Errors
    ///
    /// If the record does not describe a game from its first turn to its end.
    pub fn samples(&self, search_share: f32) -> Result<Vec<Sample>, RecordError> {
        let mut tables = None;
        let mut positions = Vec::with_capacity(self.turns.len());
        let scores = self.replay(|game, turn| {
            let tables = tables.get_or_insert_with(|| DistanceTables::new(game.maze()));
            positions.push((NetInputs::new(tables, game.maze(), game.state()), turn.hundredths));
        })?;
        let outcome = scores.map(|hundredths| hundredths as f32).0;
        let sample = |(inputs, hundredths): (NetInputs, [u32; 4])| {
            Sample::new(inputs, hundredths.map(|points| points as f32), outcome, search_share)
        };
        Ok(positions.into_iter().filter_map(sample).collect())
    }

    /// Replays the game and returns the final scores in hundredths.
    ///
    /// # Errors
    ///
    /// If the record does not describe a game from its first turn to its end.
    pub fn scores(&self) -> Result<BySeat<i64>, RecordError> {
        self.replay(|_, _| {})
    }

    /// Replays the game, shows the position before each turn to `watch`, and returns the final scores in hundredths.
    fn replay(&self, mut watch: impl FnMut(&Game, &RecordedTurn)) -> Result<BySeat<i64>, RecordError> {
        let mut game = begin(self.seed).map_err(RecordError::Map)?;
        for turn in &self.turns {
            if game.is_over() {
                return Err(RecordError::Length);
            }
            watch(&game, turn);
            game.play(&turn.actions);
        }
        if !game.is_over() {
            return Err(RecordError::Length);
        }
        if game.state().fingerprint() != self.end {
            return Err(RecordError::End);
        }
        Ok(game.scores().map(|score| score.hundredths))
    }
}
