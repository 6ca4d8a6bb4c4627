//! A game that was played, as it is kept: what was ordered, and what the search expected. All else follows from the rules.

use std::fmt;
use std::sync::Arc;

use bots::knowledge::Knowledge;
use bots::net::Inputs;
use maps::{Map, Refusal, Size};
use rules::{BySeat, Game, Order, Settings};

use crate::league::Player;
use crate::sample::Sample;

/// A game.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The seed of Botzone's map.
    pub seed: i32,
    /// Who sat where.
    pub players: BySeat<Player>,
    /// Its turns, to the end.
    pub turns: Vec<Turn>,
    /// The fingerprint of the position in which it ended.
    pub end: u64,
}

/// A turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Turn {
    /// What was ordered.
    pub orders: BySeat<Order>,
    /// The official points that the search expected for each seat before it, in hundredths.
    pub hundredths: [u32; 4],
}

/// Why a record cannot be of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Untrue {
    /// Botzone makes no map from its seed.
    Map(Refusal),
    /// Its orders end before the game does, or after it.
    Length,
    /// Its orders lead to another end.
    End,
}

impl fmt::Display for Untrue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untrue::Map(refusal) => write!(f, "{refusal}"),
            Untrue::Length => f.write_str("its turns are more or fewer than the game has"),
            Untrue::End => f.write_str("its orders lead to another end than the one it tells"),
        }
    }
}

impl std::error::Error for Untrue {}

/// The game of this seed before its first turn.
pub(crate) fn begin(seed: i32) -> Result<Game, Refusal> {
    let map = Map::generate(seed, Size::default(), Settings::default())?;
    Ok(Game::new(Arc::new(map.arena), map.start))
}

impl Record {
    /// What is to be learned of the game: a sample for each turn.
    pub fn samples(&self) -> Result<Vec<Sample>, Untrue> {
        let mut game = begin(self.seed).map_err(Untrue::Map)?;
        let knowledge = Knowledge::new(game.arena());
        let mut seen = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            if game.is_over() {
                return Err(Untrue::Length);
            }
            seen.push((Inputs::new(&knowledge, game.arena(), game.state()), turn.hundredths));
            game.play(&turn.orders);
        }
        if !game.is_over() {
            return Err(Untrue::Length);
        }
        if game.state().fingerprint() != self.end {
            return Err(Untrue::End);
        }
        let outcome = game.scores().map(|score| score.hundredths as f32).0;
        let sample =
            |(inputs, hundredths): (Inputs, [u32; 4])| Sample::new(inputs, hundredths.map(|points| points as f32), outcome);
        Ok(seen.into_iter().filter_map(sample).collect())
    }
}
