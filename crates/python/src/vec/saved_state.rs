//! The games of an engine as bytes.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `pacman2v` |
//! | 1 | version: 1 without the last turns, 2 with them |
//! | 1 | 1 if nothing has been played or reset |
//! | 2 | maps: width and height if fixed, else 0; then the ruleset |
//! | 1 | 0: fresh maps |
//! | | 1: a pool; then 8 + 4: its seed, its size |
//! | | 2: a list; then 4: its length, and that many positions |
//! | 4 | number of games |
//! | 1 | only in version 2: a number of turns |
//! | each game | 8 + 8 + 4 × 4: seed of the slot, games begun there, random state; then the position |
//! | | only in version 2: the actions of these last turns, four bytes each, the latest first; 255 for none |
//! | 8 | FNV-1a of everything before |
//!
//! Rulesets, positions and the hash are those of [`position`](crate::position).

use std::sync::Arc;

use pacman2_batch::observe::ACTIONS;
use pacman2_batch::{SlotState, StartPosition};
use pacman2_maps::{Map, MapSize};

use super::maps::{MapChoice, MapPool, MapSource};
use super::state::VecState;
use crate::convert::NO_ACTION;
use crate::position::{ReadError, Reader, Writer, hash};

const MARK: &[u8; 8] = b"pacman2v";
const VERSION: u8 = 1;
const VERSION_WITH_PAST: u8 = 2;

/// Writes the games.
pub(super) fn write(world: &VecState) -> Vec<u8> {
    let games = &world.games;
    let mut to = Writer(Vec::with_capacity(512 * games.count()));
    to.0.extend_from_slice(MARK);
    let history = world.config.format.history;
    to.0.extend([if history == 0 { VERSION } else { VERSION_WITH_PAST }, u8::from(world.untouched)]);
    write_maps(&mut to, &world.maps);
    to.number(games.count() as u32);
    if history > 0 {
        to.0.push(history as u8);
    }
    for game in 0..games.count() {
        let SlotState { seed, games_begun, rng } = games.slot(game);
        to.long(seed);
        to.long(games_begun);
        rng.into_iter().for_each(|word| to.number(word));
        to.position(games.maze(game), &games.state(game));
        to.0.extend(world.past(game).as_flattened());
    }
    let hash = hash(&to.0);
    to.long(hash);
    to.0
}

/// Reads games written by [`write`], with the configuration of `now`.
pub(super) fn read(bytes: &[u8], now: &VecState) -> Result<VecState, ReadError> {
    let head = bytes.strip_prefix(MARK).and_then(|rest| rest.split_first_chunk());
    let Some(([version, untouched], _)) = head else { return Err(ReadError::WrongMark) };
    if ![VERSION, VERSION_WITH_PAST].contains(version) {
        return Err(ReadError::Version { version: *version, expected: "1 or 2" });
    }
    let (body, stored) = bytes.split_last_chunk().ok_or(ReadError::TooShort)?;
    if hash(body) != u64::from_le_bytes(*stored) {
        return Err(ReadError::Damaged);
    }
    let mut from = Reader(body.get(MARK.len() + 2..).unwrap_or_default());
    let maps = read_maps(&mut from)?.sharing(&now.maps);
    let (count, expected) = (from.number()? as usize, now.games.count());
    if count != expected {
        return Err(ReadError::GameCount { count, expected });
    }
    let history = if *version == VERSION_WITH_PAST { from.byte()? } else { 0 };
    let slots = (0..count).map(|_| read_slot(&mut from, history)).collect::<Result<Vec<_>, _>>()?;
    if !from.0.is_empty() {
        return Err(ReadError::LeftOver(from.0.len()));
    }
    Ok(VecState::restored(now.config.clone(), maps, *untouched != 0, slots))
}

fn write_maps(to: &mut Writer, maps: &MapSource) {
    to.0.extend([maps.size.width, maps.size.height].map(|side| side.unwrap_or(0)));
    to.ruleset(&maps.settings);
    match &maps.choice {
        MapChoice::Fresh => to.0.push(0),
        MapChoice::MapPool(pool) => {
            to.0.push(1);
            to.long(pool.seed);
            to.number(pool.count() as u32);
        }
        MapChoice::List(starts) => {
            to.0.push(2);
            to.number(starts.len() as u32);
            starts.iter().for_each(|start| to.position(start.maze(), start.state()));
        }
    }
}

fn read_maps(from: &mut Reader<'_>) -> Result<MapSource, ReadError> {
    let [width, height] = from.bytes::<2>()?.map(|side| (side != 0).then_some(side));
    let (size, settings) = (MapSize { width, height }, from.ruleset()?);
    Map::generate(0, size, settings)?;
    let choice = match from.byte()? {
        0 => MapChoice::Fresh,
        1 => {
            let (seed, count) = (from.long()?, from.at_most("a number of maps", MapSource::MOST as u32)?);
            MapChoice::MapPool(MapPool::new(seed, (count as usize).max(1)))
        }
        2 => {
            let count = from.at_most("a number of maps", MapSource::MOST as u32)?;
            let starts = (0..count).map(|_| read_start(from).map(Arc::new)).collect::<Result<Vec<_>, ReadError>>()?;
            if starts.is_empty() {
                return Err(ReadError::NoMaps);
            }
            MapChoice::List(starts)
        }
        other => return Err(ReadError::UnknownIndex { name: "choice of maps", index: other.into() }),
    };
    Ok(MapSource { size, settings, choice })
}

fn read_slot(from: &mut Reader<'_>, history: u8) -> Result<(SlotState, StartPosition, Vec<[u8; 4]>), ReadError> {
    let (seed, games_begun) = (from.long()?, from.long()?);
    let rng = [from.number()?, from.number()?, from.number()?, from.number()?];
    let start = read_start(from)?;
    let past = (0..history).map(|_| from.bytes().map(|actions| actions.map(action_or_none))).collect::<Result<_, _>>()?;
    Ok((SlotState { seed, games_begun, rng }, start, past))
}

/// Returns the index of an action, or that of none.
fn action_or_none(byte: u8) -> u8 {
    if usize::from(byte) < ACTIONS { byte } else { NO_ACTION }
}

fn read_start(from: &mut Reader<'_>) -> Result<StartPosition, ReadError> {
    let (maze, state) = from.position()?;
    Ok(StartPosition::new(maze, state))
}
