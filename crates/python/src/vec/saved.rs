//! All games of an engine as bytes, and back.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `pacman2v` |
//! | 1 | version, 1 |
//! | 1 | 1 if nothing was played or reset yet |
//! | maps | 2: width and height asked for, or 0; settings; then 1: 0 for fresh maps; 1 for a pool, and 8 + 4: its seed, how many; 2 for a list, and 4: how many, and so many positions |
//! | 4 | how many games |
//! | each game | 8 + 8 + 4 × 4: seed of the place, games begun there, chance; then the position |
//! | 8 | FNV-1a of all before |
//!
//! All numbers are little-endian. Settings are a byte for the ruling's place in [`LightOnTheForfeited::ALL`] and 5 × 4 bytes:
//! interval, duration, enhancement, cost, turn limit. A position is width and height, settings, a byte for each cell (walls,
//! 16 for a generator), turn and turns until fruit (4 + 4), for each seat its cell and whether it lives (1 + 1), strength and
//! boost turns (4 + 4), and both kinds of fruit as bits of cells (16 + 16).
//!
//! Nothing is believed: whatever bytes come in, what comes out is a position that can be played.

use std::sync::Arc;

use ::maps::{Map, Size};
use batch::{PlaceState, Start};
use rules::{Arena, BySeat, CellSet, Direction, LightOnTheForfeited, Plan, Seat, SeatSet, Settings, Square, State, Walls};

use super::maps::{Choice, Maps, Pool};
use super::world::World;

const MARK: &[u8; 8] = b"pacman2v";
const VERSION: u8 = 1;
const GENERATOR: u8 = 16;
/// Strengths and boosts beyond this are of no game that began as one: so far one can get, and has room for as much again.
const MOST: u32 = 1 << 28;

/// The games as bytes.
pub(super) fn write(world: &World) -> Vec<u8> {
    let games = &world.games;
    let mut to = Writer(Vec::with_capacity(512 * games.count()));
    to.0.extend_from_slice(MARK);
    to.0.extend([VERSION, u8::from(world.untouched)]);
    to.maps(&world.maps);
    to.number(games.count() as u32);
    for game in 0..games.count() {
        let PlaceState { seed, begun, chance } = games.place(game);
        to.long(seed);
        to.long(begun);
        chance.into_iter().for_each(|word| to.number(word));
        to.position(games.arena(game), &games.state(game));
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
    let maps = from.maps().map_err(unreadable)?;
    let (count, wanted) = (from.number().map_err(unreadable)? as usize, now.games.count());
    if count != wanted {
        return Err(format!("the saved state has {count} games, and this environment {wanted}; as many are wanted"));
    }
    let places = (0..count).map(|_| from.place()).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    if !from.0.is_empty() {
        return Err(unreadable(format!("{} bytes are left over", from.0.len())));
    }
    Ok(World::restored(now.manner.clone(), maps, *untouched != 0, places))
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn long(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn maps(&mut self, maps: &Maps) {
        self.0.extend([maps.size.width, maps.size.height].map(|side| side.unwrap_or(0)));
        self.settings(&maps.settings);
        match &maps.choice {
            Choice::Fresh => self.0.push(0),
            Choice::Pool(pool) => {
                self.0.push(1);
                self.long(pool.seed);
                self.number(pool.count() as u32);
            }
            Choice::List(starts) => {
                self.0.push(2);
                self.number(starts.len() as u32);
                starts.iter().for_each(|start| self.position(start.arena(), start.state()));
            }
        }
    }

    fn settings(&mut self, settings: &Settings) {
        let ruling = LightOnTheForfeited::ALL.iter().position(|&ruling| ruling == settings.light_on_the_forfeited);
        self.0.push(ruling.unwrap_or(0) as u8);
        self.number(settings.generator_interval);
        self.number(settings.large_fruit_duration);
        self.number(settings.large_fruit_enhancement as u32);
        self.number(settings.skill_cost as u32);
        self.number(settings.turn_limit);
    }

    fn position(&mut self, arena: &Arena, state: &State) {
        self.0.extend([arena.width(), arena.height()]);
        self.settings(arena.settings());
        let generators = arena.generators();
        self.0.extend(arena.cells().map(|cell| {
            let wall = |side: &Direction| u8::from(arena.walls(cell).stands(*side)) << side.index();
            let generator = if generators.contains(cell) { GENERATOR } else { 0 };
            generator | Direction::ALL.iter().map(wall).sum::<u8>()
        }));
        self.number(state.turn);
        self.number(state.generator_turns_left);
        for seat in Seat::ALL {
            self.0.extend([state.cells[seat].index() as u8, u8::from(state.alive.contains(seat))]);
            self.number(state.strength[seat] as u32);
            self.number(state.boost_turns_left[seat]);
        }
        [state.small_fruits, state.large_fruits].iter().for_each(|fruits| self.0.extend(fruits.bits().to_le_bytes()));
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], String> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or("they are too few")?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.bytes::<1>()?[0])
    }

    fn number(&mut self) -> Result<u32, String> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, String> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn at_most(&mut self, name: &str, most: u32) -> Result<u32, String> {
        let number = self.number()?;
        if number <= most { Ok(number) } else { Err(format!("{name} is {number}; at most {most} is possible")) }
    }

    fn maps(&mut self) -> Result<Maps, String> {
        let [width, height] = self.bytes::<2>()?.map(|side| (side != 0).then_some(side));
        let (size, settings) = (Size { width, height }, self.settings()?);
        Map::generate(0, size, settings).map_err(|refusal| refusal.to_string())?;
        let choice = match self.byte()? {
            0 => Choice::Fresh,
            1 => {
                let (seed, count) = (self.long()?, self.at_most("the number of maps", Maps::MOST as u32)?);
                Choice::Pool(Pool::new(seed, (count as usize).max(1)))
            }
            2 => {
                let count = self.at_most("the number of maps", Maps::MOST as u32)?;
                let starts = (0..count).map(|_| Ok(Arc::new(self.position()?))).collect::<Result<Vec<_>, String>>()?;
                if starts.is_empty() {
                    return Err(String::from("there are no maps"));
                }
                Choice::List(starts)
            }
            other => return Err(format!("there is no choice {other} of maps")),
        };
        Ok(Maps { size, settings, choice })
    }

    fn settings(&mut self) -> Result<Settings, String> {
        let ruling = LightOnTheForfeited::ALL.get(usize::from(self.byte()?));
        Ok(Settings {
            light_on_the_forfeited: *ruling.ok_or("there is no such ruling")?,
            generator_interval: self.at_most("the generator interval", Settings::MAX)?,
            large_fruit_duration: self.at_most("the large fruit's duration", Settings::MAX)?,
            large_fruit_enhancement: self.at_most("the large fruit's enhancement", Settings::MAX)? as i32,
            skill_cost: self.at_most("the skill cost", Settings::MAX)? as i32,
            turn_limit: self.at_most("the turn limit", Settings::MAX)?,
        })
    }

    fn place(&mut self) -> Result<(PlaceState, Start), String> {
        let (seed, begun) = (self.long()?, self.long()?);
        let chance = [self.number()?, self.number()?, self.number()?, self.number()?];
        Ok((PlaceState { seed, begun, chance }, self.position()?))
    }

    fn position(&mut self) -> Result<Start, String> {
        let [width, height] = self.bytes()?;
        let settings = self.settings()?;
        let squares = (0..usize::from(width) * usize::from(height)).map(|_| self.byte().map(square)).collect::<Result<_, _>>()?;
        let arena = Arena::new(&Plan { width, height, squares, settings }).map_err(|error| error.to_string())?;
        let turn = self.at_most("the turn", settings.turn_limit)?;
        let generator_turns_left = self.at_most("the number of turns until fruit", Settings::MAX)?.max(1);
        let mut state =
            State::start(&arena, BySeat([arena.cell(0, 0).expect("every field has a cell"); 4]), CellSet::EMPTY, CellSet::EMPTY);
        (state.turn, state.generator_turns_left, state.alive) = (turn, generator_turns_left, SeatSet::EMPTY);
        for seat in Seat::ALL {
            let [cell, lives] = self.bytes()?;
            let place = usize::from(cell);
            let cell = arena.cell(place / usize::from(width), place % usize::from(width));
            state.cells[seat] = cell.ok_or_else(|| format!("the field has no cell {place}"))?;
            if lives != 0 {
                state.alive.insert(seat);
            }
            let strength = self.number()? as i32;
            if strength.unsigned_abs() > MOST {
                return Err(format!("no player has strength {strength}"));
            }
            state.strength[seat] = strength;
            state.boost_turns_left[seat] = self.at_most("the number of a boost's turns", MOST)?;
        }
        let mut fruits = || Ok::<_, String>(arena.cells_of_bits(u128::from_le_bytes(self.bytes()?)));
        (state.small_fruits, state.large_fruits) = (fruits()?, fruits()?);
        Ok(Start::new(arena, state))
    }
}

fn square(byte: u8) -> Square {
    let mut walls = Walls::NONE;
    Direction::ALL.into_iter().filter(|side| byte >> side.index() & 1 != 0).for_each(|side| walls.build(side));
    Square { walls, generator: byte & GENERATOR != 0 }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
