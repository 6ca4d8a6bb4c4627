//! What a link holds of a game, number by number. One description serves to write and to read.

use pacman2_botzone::action;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::{CustomMap, Map, MapSize, RawValue, SIDES, content_bits, static_bits};
use pacman2_rules::{Action, BySeat, Direction, ForfeitRuling, Maze, Ruleset, Seat, Setting, State};

use super::range_coder::RangeCoder;
use crate::error::LinkError;

/// The most bytes of a name.
const NAME_BYTES: usize = 40;
/// What a longer name ends with.
const ELLIPSIS: &str = "…";
/// The number that ends a name; the others are its bytes.
const END_OF_NAME: usize = 256;

/// A game as a link holds it.
#[derive(Clone, Debug)]
pub(crate) struct LinkedGame {
    pub(crate) map: Map,
    pub(crate) names: BySeat<String>,
    pub(crate) turns: Vec<SessionTurn>,
}

/// Codes a game: writes the given one, or reads one.
pub(crate) fn game(coder: &mut RangeCoder<'_>, given: Option<&LinkedGame>) -> Result<LinkedGame, LinkError> {
    let map = map(coder, given.map(|game| &game.map))?;
    let names = names(coder, given.map(|game| &game.names))?;
    let turns = turns(coder, &map, given.map(|game| &game.turns[..]))?;
    let end = turns.last().map_or(&map.start, |turn| &turn.state);
    let expected = end.fingerprint() as u32;
    let found = coder.integer(expected as i32) as u32;
    if found != expected {
        return Err(LinkError::End { expected, found });
    }
    Ok(LinkedGame { map, names, turns })
}

fn map(coder: &mut RangeCoder<'_>, given: Option<&Map>) -> Result<Map, LinkError> {
    let seed = coder.integer(given.map_or(0, |map| map.seed));
    let ruleset = ruleset(coder, given.map(|map| map.maze.ruleset()));
    // The map that the seed makes, the one that it makes in another size, or a custom one.
    let origin = match given {
        Some(map) if *map != Map::generate(seed, MapSize::default(), ruleset)? => {
            let size = MapSize { width: Some(map.maze.width()), height: Some(map.maze.height()) };
            if *map == Map::generate(seed, size, ruleset)? { 1 } else { 2 }
        }
        _ => 0,
    };
    let origin = coder.weighted(origin, &[14, 1, 1]);
    if origin == 0 {
        return Ok(Map::generate(seed, MapSize::default(), ruleset)?);
    }
    let least = *SIDES.start();
    let mut side = |side: fn(&Maze) -> u8| {
        let given = given.map_or(0, |map| side(&map.maze) - least);
        least + coder.uniform(given.into(), SIDES.len() as u32) as u8
    };
    let (width, height) = (side(Maze::width), side(Maze::height));
    if origin == 1 {
        return Ok(Map::generate(seed, MapSize { width: Some(width), height: Some(height) }, ruleset)?);
    }
    custom_map(coder, seed, ruleset, [width, height], given)
}

fn ruleset(coder: &mut RangeCoder<'_>, given: Option<&Ruleset>) -> Ruleset {
    let given = given.copied().unwrap_or_default();
    let ruling = coder.weighted(given.forfeit_ruling.index(), &[14, 1, 1]);
    let mut ruleset = Ruleset::default().with_forfeit_ruling(ForfeitRuling::ALL[ruling]);
    for setting in Setting::ALL {
        let value = given.get(setting);
        if !coder.usually(value == ruleset.get(setting)) {
            let (least, most) = setting.range().into_inner();
            let above = coder.uniform((value - least) as u32, (most - least + 1) as u32);
            ruleset = ruleset.with(setting, least + i64::from(above)).unwrap_or(ruleset);
        }
    }
    ruleset
}

/// Whether something is there, as a probability that follows what came before.
#[derive(Clone, Copy)]
struct Presence([u32; 2]);

impl Presence {
    const NEW: Presence = Presence([1; 2]);

    fn code(&mut self, coder: &mut RangeCoder<'_>, is_there: bool) -> bool {
        let number = coder.weighted(usize::from(is_there), &self.0);
        self.0[number] += 1;
        number == 1
    }
}

fn custom_map(
    coder: &mut RangeCoder<'_>,
    seed: i32,
    ruleset: Ruleset,
    [width, height]: [u8; 2],
    given: Option<&Map>,
) -> Result<Map, LinkError> {
    let (cols, rows) = (usize::from(width), usize::from(height));
    let given_walls = given.map(|map| map.maze.cells().map(|cell| static_bits(&map.maze, cell)).collect::<Vec<_>>());
    let given_content = given.map(|map| map.maze.cells().map(|cell| content_bits(&map.start, cell)).collect::<Vec<_>>());
    let bit = |given: &Option<Vec<u8>>, cell: usize, bit: usize| given.as_ref().is_some_and(|bits| bits[cell] >> bit & 1 != 0);

    // A wall is as likely as where the other side of the border between the cells is alike: open, walled, not coded yet.
    let mut walls = vec![0; cols * rows];
    let (mut wall, mut generator) = ([Presence::NEW; 3], Presence::NEW);
    for cell in 0..walls.len() {
        let (row, col) = (cell / cols, cell % cols);
        for direction in Direction::ALL {
            let (down, right) = direction.delta();
            let step = |at: usize, by: i8, len: usize| (at + len).wrapping_add_signed(by.into()) % len;
            let neighbour = step(row, down, rows) * cols + step(col, right, cols);
            let other_side = if neighbour < cell { walls[neighbour] >> direction.opposite().index() & 1 } else { 2 };
            let is_there = wall[usize::from(other_side)].code(coder, bit(&given_walls, cell, direction.index()));
            walls[cell] |= u8::from(is_there) << direction.index();
        }
        walls[cell] |= u8::from(generator.code(coder, bit(&given_walls, cell, 4))) << 4;
    }
    let mut content = vec![0; walls.len()];
    for seat in Seat::ALL {
        let cell = given.map_or(0, |map| map.start.cells[seat].index() as u32);
        content[coder.uniform(cell, walls.len() as u32) as usize] |= 1u8 << seat.index();
    }
    let mut fruit = [Presence::NEW; 2];
    for (cell, content) in content.iter_mut().enumerate() {
        for (fruit, number) in fruit.iter_mut().zip([4, 5]) {
            *content |= u8::from(fruit.code(coder, bit(&given_content, cell, number))) << number;
        }
    }

    let matrix = |bits: &[u8]| {
        let row = |row: &[u8]| RawValue::List(row.iter().map(|&bits| RawValue::Integer(bits.into())).collect());
        RawValue::List(bits.chunks(cols).map(row).collect())
    };
    let custom = CustomMap {
        width: RawValue::Integer(width.into()),
        height: RawValue::Integer(height.into()),
        walls: matrix(&walls),
        content: matrix(&content),
        ..CustomMap::default()
    };
    Ok(custom.validate(seed, ruleset)?.0)
}

fn names(coder: &mut RangeCoder<'_>, given: Option<&BySeat<String>>) -> Result<BySeat<String>, LinkError> {
    let mut names: BySeat<String> = BySeat::default();
    let mut weights: [u32; END_OF_NAME + 1] = std::array::from_fn(|number| match u8::try_from(number) {
        Ok(b'a'..=b'z') => 16,
        Ok(b'0'..=b'9' | b'-' | b'.' | b'_') => 8,
        Ok(_) => 1,
        Err(_) => 32,
    });
    for seat in Seat::ALL {
        let given = given.map(|names| shortened(&names[seat])).unwrap_or_default();
        // The name of a seat before this one, or this seat's own.
        let same = names.0[..seat.index()].iter().position(|name| *name == given).unwrap_or(seat.index());
        let same = coder.uniform(same as u32, seat.index() as u32 + 1) as usize;
        if same < seat.index() {
            names[seat] = names.0[same].clone();
            continue;
        }
        let mut bytes = Vec::new();
        loop {
            let byte = coder.weighted(given.as_bytes().get(bytes.len()).map_or(END_OF_NAME, |&byte| byte.into()), &weights);
            weights[byte] += 32;
            match u8::try_from(byte) {
                Ok(byte) if bytes.len() < NAME_BYTES => bytes.push(byte),
                Ok(_) => return Err(LinkError::Name(seat)),
                Err(_) => break,
            }
        }
        names[seat] = String::from_utf8(bytes).map_err(|_| LinkError::Name(seat))?;
    }
    Ok(names)
}

fn shortened(name: &str) -> String {
    if name.len() <= NAME_BYTES {
        return name.to_owned();
    }
    format!("{}{ELLIPSIS}", &name[..name.floor_char_boundary(NAME_BYTES - ELLIPSIS.len())])
}

fn turns(coder: &mut RangeCoder<'_>, map: &Map, given: Option<&[SessionTurn]>) -> Result<Vec<SessionTurn>, LinkError> {
    let is_finished = coder.usually(given.is_some_and(|turns| turns.last().is_some_and(|turn| turn.scores.is_some())));
    // A finished game has as many turns as the rules let it have.
    let most = Ruleset::MAX;
    let count = if is_finished { most } else { coder.uniform(given.map_or(0, |turns| turns.len() as u32), most + 1) };
    let mut session = Session::new(map.clone());
    let mut habits = BySeat::from_fn(|_| Habits::default());
    let mut turns = Vec::new();
    for turn in 0..count as usize {
        if session.game().is_over() {
            if is_finished {
                break;
            }
            return Err(LinkError::GameOver { turn: turn + 1 });
        }
        let before = *session.game().state();
        let responses = BySeat::from_fn(|seat| {
            let given = given.and_then(|turns| turns[turn].responses[seat].as_ref());
            before.alive.contains(seat).then(|| habits[seat].response(coder, &map.maze, &before, seat, given))
        });
        turns.extend(session.play(&responses));
    }
    Ok(turns)
}

/// What a player has done so far, of what it could have done. Actions of each kind are as likely as they were.
#[derive(Clone)]
struct Habits {
    /// The direction of the last move.
    heading: Direction,
    /// How many actions of each kind were chosen and could have been.
    chosen: [u32; KINDS],
    possible: [u32; KINDS],
}

/// The kinds of actions: to stay; to move ahead, aside or back to a cell without fruit, then with fruit; to shoot at
/// no player, or at one.
const KINDS: usize = 9;

impl Default for Habits {
    fn default() -> Habits {
        Habits { heading: Direction::Up, chosen: [1; KINDS], possible: [2; KINDS] }
    }
}

impl Habits {
    fn response(
        &mut self,
        coder: &mut RangeCoder<'_>,
        maze: &Maze,
        state: &State,
        seat: Seat,
        given: Option<&ParsedResponse>,
    ) -> ParsedResponse {
        let legal = state.legal_actions(maze, seat);
        let weight = |&action: &Action| {
            let kind = self.kind(maze, state, seat, action);
            16 + 1024 * self.chosen[kind] / self.possible[kind]
        };
        // After the legal actions comes the forfeit.
        let weights: Vec<u32> = legal.iter().map(weight).chain([1]).collect();
        let wanted = given.map_or(Action::Invalid, ParsedResponse::action);
        let index = legal.iter().position(|&action| action == wanted).unwrap_or(legal.len());
        let Some(&action) = legal.get(coder.weighted(index, &weights)) else { return forfeit(coder, given) };
        for &action in legal {
            self.possible[self.kind(maze, state, seat, action)] += 1;
        }
        self.chosen[self.kind(maze, state, seat, action)] += 1;
        if let Action::Move(direction) = action {
            self.heading = direction;
        }
        ParsedResponse::Action { number: action::to_number(action), taunt: None }
    }

    fn kind(&self, maze: &Maze, state: &State, seat: Seat, action: Action) -> usize {
        let from = state.cells[seat];
        match action {
            Action::Stay | Action::Invalid => 0,
            Action::Move(direction) => {
                let turned = [1, 2, 3, 2][(4 + direction.index() - self.heading.index()) % 4];
                let to = maze.neighbour(from, direction);
                let has_fruit = state.small_fruits.contains(to) || state.large_fruits.contains(to);
                turned + 3 * usize::from(has_fruit)
            }
            Action::Shoot(direction) => {
                let is_hit = |other: Seat| other != seat && maze.is_lit(from, direction, state.cells[other]);
                7 + usize::from(state.alive.iter().any(is_hit))
            }
        }
    }
}

/// Codes the response of a player that forfeits: nothing that could be read, or the number of an illegal action.
fn forfeit(coder: &mut RangeCoder<'_>, given: Option<&ParsedResponse>) -> ParsedResponse {
    let (verdict, number) = match given {
        Some(&ParsedResponse::Action { number, .. }) if number != action::UNREADABLE => (None, number),
        Some(ParsedResponse::Nothing(verdict)) => (Some(*verdict), 0),
        _ => (Some(Verdict::Ok), 0),
    };
    let index =
        verdict.map_or(Verdict::OF_RUNS.len(), |given| Verdict::OF_RUNS.iter().take_while(|&&verdict| verdict != given).count());
    match Verdict::OF_RUNS.get(coder.uniform(index as u32, Verdict::OF_RUNS.len() as u32 + 1) as usize) {
        Some(&verdict) => ParsedResponse::Nothing(verdict),
        None => ParsedResponse::Action { number: coder.integer(number), taunt: None },
    }
}
