//! All games of an engine as bytes, and back.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `pacman2v` |
//! | 1 | version, 1 |
//! | 1 | 1 if nothing was played or reset yet |
//! | 2 | maps: width and height asked for, or 0; then the settings |
//! | 1 | 0: fresh maps |
//! | | 1: a pool; then 8 + 4: its seed, how many |
//! | | 2: a list; then 4: how many, and so many positions |
//! | 4 | how many games |
//! | each game | 8 + 8 + 4 × 4: seed of the place, games begun there, chance; then the position |
//! | 8 | FNV-1a of all before |
//!
//! Settings, positions and the hash are those of [`position`](crate::position).

use std::sync::Arc;

use pacman2_batch::{SlotState, StartPosition};
use pacman2_maps::{Map, MapSize};

use super::maps::{Choice, Maps, Pool};
use super::world::World;
use crate::position::{Reader, Writer, hash};

const MARK: &[u8; 8] = b"pacman2v";
const VERSION: u8 = 1;

/// The games as bytes.
pub(super) fn write(world: &World) -> Vec<u8> {
    let games = &world.games;
    let mut to = Writer(Vec::with_capacity(512 * games.count()));
    to.0.extend_from_slice(MARK);
    to.0.extend([VERSION, u8::from(world.untouched)]);
    write_maps(&mut to, &world.maps);
    to.number(games.count() as u32);
    for game in 0..games.count() {
        let SlotState { seed, begun, chance } = games.place(game);
        to.long(seed);
        to.long(begun);
        chance.into_iter().for_each(|word| to.number(word));
        to.position(games.maze(game), &games.state(game));
    }
    let hash = hash(&to.0);
    to.long(hash);
    to.0
}

/// The games that were written, in the manner of those that are there; or why the bytes are none.
pub(super) fn read(bytes: &[u8], now: &World) -> Result<World, String> {
    let unreadable = |why: String| format!("these bytes are no saved state of a VecEnv: {why}");
    let head = bytes.strip_prefix(MARK).and_then(|rest| rest.split_first_chunk());
    let Some(([version, untouched], _)) = head else { return Err(unreadable("they do not begin as one".into())) };
    if *version != VERSION {
        return Err(unreadable(format!("version {version} is not known, {VERSION} is")));
    }
    let (body, told) = bytes.split_last_chunk().expect("they have a mark, which is as long");
    if hash(body) != u64::from_le_bytes(*told) {
        return Err(unreadable("they are damaged".into()));
    }
    let mut from = Reader(body.get(MARK.len() + 2..).unwrap_or_default());
    let maps = read_maps(&mut from).map_err(unreadable)?.sharing(&now.maps);
    let (count, wanted) = (from.number().map_err(unreadable)? as usize, now.games.count());
    if count != wanted {
        return Err(format!("the saved state has {count} games, and this environment {wanted}; as many are wanted"));
    }
    let places = (0..count).map(|_| read_place(&mut from)).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    if !from.0.is_empty() {
        return Err(unreadable(format!("{} bytes are left over", from.0.len())));
    }
    Ok(World::restored(now.manner.clone(), maps, *untouched != 0, places))
}

fn write_maps(to: &mut Writer, maps: &Maps) {
    to.0.extend([maps.size.width, maps.size.height].map(|side| side.unwrap_or(0)));
    to.settings(&maps.settings);
    match &maps.choice {
        Choice::Fresh => to.0.push(0),
        Choice::Pool(pool) => {
            to.0.push(1);
            to.long(pool.seed);
            to.number(pool.count() as u32);
        }
        Choice::List(starts) => {
            to.0.push(2);
            to.number(starts.len() as u32);
            starts.iter().for_each(|start| to.position(start.maze(), start.state()));
        }
    }
}

fn read_maps(from: &mut Reader<'_>) -> Result<Maps, String> {
    let [width, height] = from.bytes::<2>()?.map(|side| (side != 0).then_some(side));
    let (size, settings) = (MapSize { width, height }, from.settings()?);
    Map::generate(0, size, settings).map_err(|refusal| refusal.to_string())?;
    let choice = match from.byte()? {
        0 => Choice::Fresh,
        1 => {
            let (seed, count) = (from.long()?, from.at_most("the number of maps", Maps::MOST as u32)?);
            Choice::Pool(Pool::new(seed, (count as usize).max(1)))
        }
        2 => {
            let count = from.at_most("the number of maps", Maps::MOST as u32)?;
            let starts = (0..count).map(|_| read_start(from).map(Arc::new)).collect::<Result<Vec<_>, String>>()?;
            if starts.is_empty() {
                return Err(String::from("there are no maps"));
            }
            Choice::List(starts)
        }
        other => return Err(format!("there is no choice {other} of maps")),
    };
    Ok(Maps { size, settings, choice })
}

fn read_place(from: &mut Reader<'_>) -> Result<(SlotState, StartPosition), String> {
    let (seed, begun) = (from.long()?, from.long()?);
    let chance = [from.number()?, from.number()?, from.number()?, from.number()?];
    Ok((SlotState { seed, begun, chance }, read_start(from)?))
}

fn read_start(from: &mut Reader<'_>) -> Result<StartPosition, String> {
    let (maze, state) = from.position()?;
    Ok(StartPosition::new(maze, state))
}
