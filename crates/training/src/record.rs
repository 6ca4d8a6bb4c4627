//! A game that was played, as it is kept: what was ordered, and what the search expected. All else follows from the rules.

use std::fmt;
use std::sync::Arc;

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::net::NetInputs;
use pacman2_maps::{Map, MapError, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset};

use crate::league::LeaguePlayer;
use crate::sample::Sample;

/// A game.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    /// The seed of Botzone's map.
    pub seed: i32,
    /// Who sat where.
    pub players: BySeat<LeaguePlayer>,
    /// Its turns, to the end.
    pub turns: Vec<RecordedTurn>,
    /// The fingerprint of the position in which it ended.
    pub end: u64,
}

/// A turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RecordedTurn {
    /// What was ordered.
    pub actions: BySeat<Action>,
    /// The official points that the search expected for each seat before it, in hundredths.
    pub hundredths: [u32; 4],
}

/// Why a record cannot be of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordError {
    /// Botzone makes no map from its seed.
    Map(MapError),
    /// Its orders end before the game does, or after it.
    Length,
    /// Its orders lead to another end.
    End,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Map(refusal) => write!(f, "{refusal}"),
            RecordError::Length => f.write_str("its turns are more or fewer than the game has"),
            RecordError::End => f.write_str("its orders lead to another end than the one it tells"),
        }
    }
}

impl std::error::Error for RecordError {}

/// The game of this seed before its first turn.
pub(crate) fn begin(seed: i32) -> Result<Game, MapError> {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default())?;
    Ok(Game::new(Arc::new(map.maze), map.start))
}

impl GameRecord {
    /// What is to be learned of the game: a sample for each turn.
    pub fn samples(&self) -> Result<Vec<Sample>, RecordError> {
        let mut game = begin(self.seed).map_err(RecordError::Map)?;
        let knowledge = DistanceTables::new(game.maze());
        let mut seen = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            if game.is_over() {
                return Err(RecordError::Length);
            }
            seen.push((NetInputs::new(&knowledge, game.maze(), game.state()), turn.hundredths));
            game.play(&turn.actions);
        }
        if !game.is_over() {
            return Err(RecordError::Length);
        }
        if game.state().fingerprint() != self.end {
            return Err(RecordError::End);
        }
        let outcome = game.scores().map(|score| score.hundredths as f32).0;
        let sample =
            |(inputs, hundredths): (NetInputs, [u32; 4])| Sample::new(inputs, hundredths.map(|points| points as f32), outcome);
        Ok(seen.into_iter().filter_map(sample).collect())
    }
}
