//! The games of an engine with opponents as bytes.
//!
//! | bytes | what |
//! |---|---|
//! | 8, 1 | `pacman2o`, version 1 |
//! | 4, … | the games of all seats, as [`saved_state`] writes them: their length, then they |
//! | 1 | learners in a game |
//! | 4, 4 | the number of opponents, and how many of them are in the current list |
//! | each opponent | 1: 0 for the learner, 1 for a bot, 2 for a policy; a bot has the length of its text (4) and its text |
//! | 1, 8 each | 1 if opponents are drawn; then their weights |
//! | each game | 1: whether it is over for the learners; 4: the seed of its bots; 1: the learner's seat; for each seat 4 + 4: its |
//! | | opponent's index in the list from which it was chosen and here, or twice 2³² − 1; 4, …: the [game](crate::saved_game) |
//! | 8 | FNV-1a of everything before |
//!
//! Bots are not saved: what they have learned follows from their games. Policies are passed in anew.

use std::sync::Arc;

use pacman2_rules::{BySeat, Seat};
use pyo3::prelude::*;

use super::opponents::{Chosen, LearnerGame, Lineup, Opponent, Players};
use super::rows::Rows;
use super::saved_state;
use super::state::VecState;
use crate::bot_spec::LoadedBot;
use crate::position::{ReadError, Reader, Writer, hash};
use crate::saved_game::{self, SavedGameError};

const MARK: &[u8; 8] = b"pacman2o";
const VERSION: u8 = 1;
const NONE: u32 = u32::MAX;

/// Why bytes are not a saved state.
#[derive(Debug, thiserror::Error)]
pub(super) enum SavedLearnersError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Game(#[from] SavedGameError),
    #[error("opponent \"{name}\": {error}")]
    Opponent { name: String, error: crate::bot_spec::LoadBotError },
    #[error("expected {expected} learners in each game as in this environment, got {found}")]
    Learners { found: usize, expected: usize },
    #[error("they have {found} policies among the opponents, this environment {expected}")]
    Policies { found: usize, expected: usize },
    #[error("a game does not match its history")]
    History,
}

/// Returns the current opponents, then others that still play.
pub(super) fn everyone(lineup: &Lineup, games: &[LearnerGame]) -> Vec<Arc<Opponent>> {
    let mut all = lineup.entries.clone();
    for chosen in games.iter().flat_map(|game| game.players.opponents.0.iter().flatten()) {
        if !all.iter().any(|known| Arc::ptr_eq(known, &chosen.opponent)) {
            all.push(Arc::clone(&chosen.opponent));
        }
    }
    all
}

/// Writes the games.
pub(super) fn write(world: &VecState, lineup: &Lineup, games: &[LearnerGame]) -> Vec<u8> {
    let mut to = Writer(Vec::with_capacity(1024 * games.len()));
    to.0.extend_from_slice(MARK);
    to.0.push(VERSION);
    to.block(&saved_state::write(world));
    to.0.push(lineup.learners() as u8);
    let all = everyone(lineup, games);
    to.number(all.len() as u32);
    to.number(lineup.entries.len() as u32);
    for entry in &all {
        match &**entry {
            Opponent::Learner => to.0.push(0),
            Opponent::BuiltIn(bot) => {
                to.0.push(1);
                to.block(bot.spec.to_string().as_bytes());
            }
            Opponent::Policy(_) => to.0.push(2),
        }
    }
    to.0.push(u8::from(lineup.weights.is_some()));
    lineup.weights.iter().flatten().for_each(|weight| to.long(weight.to_bits()));
    for LearnerGame { game, players, is_over, .. } in games {
        to.0.push(u8::from(*is_over));
        to.number(players.seed as u32);
        to.0.push(players.first.index() as u8);
        for chosen in &players.opponents.0 {
            let place = |chosen: &Chosen| all.iter().position(|known| Arc::ptr_eq(known, &chosen.opponent));
            to.number(chosen.as_ref().map_or(NONE, |chosen| chosen.index as u32));
            to.number(chosen.as_ref().and_then(place).map_or(NONE, |place| place as u32));
        }
        to.block(&saved_game::write(players.seed, game));
    }
    let hash = hash(&to.0);
    to.long(hash);
    to.0
}

/// Reads games written by [`write`]. Known bots are not loaded again, and `policies` stand for those of the writer.
pub(super) fn read(
    py: Python<'_>,
    bytes: &[u8],
    now: &VecState,
    rows: Rows,
    known: &[Arc<Opponent>],
    policies: Vec<Py<PyAny>>,
) -> Result<(VecState, Lineup, Vec<LearnerGame>), SavedLearnersError> {
    let rest = bytes.strip_prefix(MARK).ok_or(ReadError::WrongMark)?;
    let (&version, _) = rest.split_first().ok_or(ReadError::TooShort)?;
    if version != VERSION {
        return Err(ReadError::Version { version, expected: "1" }.into());
    }
    let (body, stored) = bytes.split_last_chunk().ok_or(ReadError::TooShort)?;
    if hash(body) != u64::from_le_bytes(*stored) {
        return Err(ReadError::Damaged.into());
    }
    let mut from = Reader(body.get(MARK.len() + 1..).unwrap_or_default());
    let world = saved_state::read(from.block()?, now)?;
    let learners = usize::from(from.byte()?);
    if learners != rows.seats {
        return Err(SavedLearnersError::Learners { found: learners, expected: rows.seats });
    }
    let (all, current) = (from.number()? as usize, from.number()? as usize);
    let mut policies_left = policies.iter();
    let mut found_policies = 0;
    let mut entries: Vec<Arc<Opponent>> = Vec::new();
    for _ in 0..all {
        let entry = match from.byte()? {
            0 => Arc::new(Opponent::Learner),
            1 => bot(&String::from_utf8_lossy(from.block()?), known)?,
            _ => {
                found_policies += 1;
                let policy = policies_left.next().map_or_else(|| py.None(), |policy| policy.clone_ref(py));
                Arc::new(Opponent::Policy(policy))
            }
        };
        entries.push(entry);
    }
    if found_policies > policies.len() {
        return Err(SavedLearnersError::Policies { found: found_policies, expected: policies.len() });
    }
    let weights = match from.byte()? {
        0 => None,
        _ => Some((0..current).map(|_| from.long().map(f64::from_bits)).collect::<Result<Vec<_>, _>>()?),
    };
    let current = entries.get(..current).ok_or(ReadError::UnknownIndex { name: "opponent", index: current })?;
    let lineup = Lineup { entries: current.to_vec(), weights };
    if !lineup.is_valid() {
        return Err(ReadError::UnknownIndex { name: "list of opponents", index: current.len() }.into());
    }
    if lineup.learners() != rows.seats {
        return Err(SavedLearnersError::Learners { found: learners, expected: rows.seats });
    }
    let mut games = Vec::with_capacity(rows.games);
    for place in 0..rows.games {
        let game = read_game(&mut from, &entries)?;
        let (_, state) = world.position(place);
        if *game.game.state() != state && !game.is_over || game.players.learners().count() != rows.seats {
            return Err(SavedLearnersError::History);
        }
        games.push(game);
    }
    if !from.0.is_empty() {
        return Err(ReadError::LeftOver(from.0.len()).into());
    }
    Ok((world, lineup, games))
}

fn bot(name: &str, known: &[Arc<Opponent>]) -> Result<Arc<Opponent>, SavedLearnersError> {
    let is_same = |entry: &&Arc<Opponent>| matches!(&***entry, Opponent::BuiltIn(bot) if bot.spec.to_string() == name);
    if let Some(known) = known.iter().find(is_same) {
        return Ok(Arc::clone(known));
    }
    let loaded = LoadedBot::parse(name).map_err(|error| SavedLearnersError::Opponent { name: name.to_owned(), error });
    loaded.map(|bot| Arc::new(Opponent::BuiltIn(Box::new(bot))))
}

fn read_game(from: &mut Reader<'_>, entries: &[Arc<Opponent>]) -> Result<LearnerGame, SavedLearnersError> {
    let is_over = from.byte()? != 0;
    let seed = from.number()? as i32;
    let first = usize::from(from.byte()?);
    let first = *Seat::ALL.get(first).ok_or(ReadError::UnknownIndex { name: "seat", index: first })?;
    let mut opponents = BySeat::from_fn(|_| None);
    for seat in Seat::ALL {
        let (index, place) = (from.number()?, from.number()?);
        if place != NONE {
            let place = place as usize;
            let opponent = entries.get(place).ok_or(ReadError::UnknownIndex { name: "opponent", index: place })?;
            opponents[seat] = Some(Chosen { index: index as usize, opponent: Arc::clone(opponent) });
        }
    }
    let (_, game) = saved_game::read(from.block()?)?;
    let mut game = LearnerGame::new(game, Players { seed, first, opponents });
    game.is_over |= is_over;
    Ok(game)
}
