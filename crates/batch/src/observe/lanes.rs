//! Views of games in lanes: what [`super::observe`] says, one game at a time, its cells in two registers.
//!
//! The bytes of cells are those of the ground, made once for each map, with the fruit added whose bits a lane has; and the
//! first eight planes are the eight bits of these bytes. All four players see the same cells, unless each has the field rolled
//! for itself: then a register of cells is looked up in the cells as they lie.

use pacman2_rules::{MAX_CELLS, MAX_SIDE, Maze};

use super::plain::{code_of_ground, told};
use super::*;
use crate::columns::{DEAD, Numbering, Row};
use crate::ground::own::{COLS, ELEVENFOLD, ROWS};
use crate::lanes::{Bytes, Column, LANES, Lanes, Mask, Table};

/// What no turn changes about what is seen.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// The cells without fruit, as in [`Numbering::WIDEST`].
    ground: Table,
    width: u8,
    height: u8,
    /// What comes behind the players in a compact view, where it changes 0, up to the last byte.
    rest: [u8; 8],
    skill_cost: u8,
}

/// Behind the players there are just so many bytes, and one.
const _: () = assert!(COMPACT - TURNS_LEFT == 9 && SKILL_COST == COMPACT - 1);

impl Scene {
    pub(crate) fn new(maze: &Maze) -> Scene {
        let mut ground = [0; 128];
        for cell in maze.cells() {
            ground[usize::from(Numbering::WIDEST.number(maze, cell))] = code_of_ground(maze, cell);
        }
        let settings = maze.ruleset();
        let mut rest = [0; 8];
        rest[WIDTH - TURNS_LEFT] = maze.width();
        rest[HEIGHT - TURNS_LEFT] = maze.height();
        rest[GENERATOR_INTERVAL - TURNS_LEFT] = told(settings.generator_interval);
        rest[LARGE_FRUIT_DURATION - TURNS_LEFT] = told(settings.large_fruit_duration);
        rest[LARGE_FRUIT_ENHANCEMENT - TURNS_LEFT] = told(settings.large_fruit_enhancement);
        Scene { ground: Table(ground), width: maze.width(), height: maze.height(), rest, skill_cost: told(settings.skill_cost) }
    }
}

/// A game as all four see it.
struct Sight<'a, L: Lanes> {
    scene: &'a Scene,
    cells: [L::Bytes; 2],
    players: [Player; 4],
    turns_left: u8,
    turns_until_birth: u8,
}

#[derive(Clone, Copy)]
struct Player {
    row: u8,
    col: u8,
    alive: u8,
    strength: u8,
    boost_turns_left: u8,
}

impl<'a, L: Lanes> Sight<'a, L> {
    #[inline(always)]
    fn new(scene: &'a Scene, game: &Row) -> Sight<'a, L> {
        let fruit = |bits, code| L::Bytes::all(code).only(L::Mask::from_bits(bits));
        let [low, high] = halves_of::<L>(&scene.ground);
        let cells = [
            low | fruit(game.small_fruits[0], SMALL_FRUIT) | fruit(game.large_fruits[0], LARGE_FRUIT),
            high | fruit(game.small_fruits[1], SMALL_FRUIT) | fruit(game.large_fruits[1], LARGE_FRUIT),
        ];
        let players = by_seat!(seat => {
            let cell = game.cells[seat];
            Player {
                row: ROWS.0[usize::from(cell & !DEAD)],
                col: COLS.0[usize::from(cell & !DEAD)],
                alive: u8::from(cell & DEAD == 0),
                strength: (game.strength[seat] as i8).max(0) as u8,
                boost_turns_left: game.boost_turns_left[seat],
            }
        });
        let turns_left = u16::from(game.turns_left) + game.turns_beyond;
        Sight {
            scene,
            cells,
            players,
            turns_left: turns_left.min(u8::MAX.into()) as u8,
            turns_until_birth: game.generator_turns_left,
        }
    }

    /// The same as one of them sees it in a centred view.
    #[inline(always)]
    fn centred_on(&self, seat: usize) -> Sight<'a, L> {
        let Scene { width, height, .. } = *self.scene;
        let Player { row, col, .. } = self.players[seat];
        // The row and the column that come to be the first ones.
        let first_row = wrapped(row + height - height / 2, height);
        let first_col = wrapped(col + width - width / 2, width);
        let players = by_seat!(seat => {
            let player = self.players[seat];
            Player {
                row: wrapped(player.row + height - first_row, height),
                col: wrapped(player.col + width - first_col, width),
                ..player
            }
        });
        Sight { cells: self.rolled(first_row, first_col), players, ..*self }
    }

    /// The cells with this row and this column as the first ones.
    #[inline(always)]
    fn rolled(&self, first_row: u8, first_col: u8) -> [L::Bytes; 2] {
        let mut cells = Table([0; 128]);
        let (halves, _) = cells.0.as_chunks_mut();
        (halves[0], halves[1]) = (array::<L>(self.cells[0]), array::<L>(self.cells[1]));
        let ([low_rows, high_rows], [low_cols, high_cols]) = (halves_of::<L>(&ROWS), halves_of::<L>(&COLS));
        let low = self.indices(first_row, first_col, low_rows, low_cols);
        let high = self.indices(first_row, first_col, high_rows, high_cols);
        // Beside the field the indices mean nothing.
        [low.look_up(&cells).only(self.cells[0].topmost()), high.look_up(&cells).only(self.cells[1].topmost())]
    }

    /// Which cells come to be in these rows and columns.
    #[inline(always)]
    fn indices(&self, first_row: u8, first_col: u8, rows: L::Bytes, cols: L::Bytes) -> L::Bytes {
        let rows = wrapped_in_lanes::<L>(rows + L::Bytes::all(first_row), L::Bytes::all(self.scene.height));
        let cols = wrapped_in_lanes::<L>(cols + L::Bytes::all(first_col), L::Bytes::all(self.scene.width));
        rows.look_up(&ELEVENFOLD) + cols
    }

    #[inline(always)]
    fn write_compact(&self, seat: usize, into: &mut [u8; COMPACT]) {
        // Two registers are longer than the cells; and eight bytes are written of each player, of which the next one and the
        // rest overwrite what is too much.
        put(into, 0, array::<L>(self.cells[0]));
        put(into, LANES, array::<L>(self.cells[1]));
        each_seat!(after {
            let Player { row, col, alive, strength, boost_turns_left } = self.players[(seat + after) % 4];
            put(into, PLAYERS + PLAYER * after, [row, col, alive, strength, boost_turns_left, 0, 0, 0]);
        });
        let mut rest = self.scene.rest;
        rest[0] = self.turns_left;
        rest[TURNS_UNTIL_BIRTH - TURNS_LEFT] = self.turns_until_birth;
        rest[SEAT - TURNS_LEFT] = seat as u8;
        put(into, TURNS_LEFT, rest);
        into[SKILL_COST] = self.scene.skill_cost;
    }

    #[inline(always)]
    fn write_planes(&self, seat: usize, into: &mut [u8; BYTES_OF_PLANES]) {
        // Each plane overwrites what the one before has too much.
        for bit in 0..PLAYER_PLANES {
            let only = L::Bytes::all(1 << bit);
            let plane = [is_set::<L>(self.cells[0], only), is_set::<L>(self.cells[1], only)];
            put_plane::<L>(plane, bit, into);
        }
        let none = L::Bytes::all(0);
        for after in 0..4 {
            let player = self.players[(seat + after) % 4];
            let cell = usize::from(player.row) * usize::from(MAX_SIDE) + usize::from(player.col);
            let plane = PLAYER_PLANES + 2 * after;
            put_plane::<L>([none; 2], plane, into);
            put_plane::<L>([none; 2], plane + 1, into);
            into[(plane * MAX_CELLS + cell).min(BYTES_OF_PLANES - 1)] = player.strength * player.alive;
            into[((plane + 1) * MAX_CELLS + cell).min(BYTES_OF_PLANES - 1)] = player.boost_turns_left * player.alive;
        }
        put_plane::<L>(self.on_field(self.turns_left), TURNS_LEFT_PLANE, into);
        let [low, high] = self.on_field(self.turns_until_birth);
        let last = TURNS_UNTIL_BIRTH_PLANE * MAX_CELLS;
        put(into, last, array::<L>(low));
        // The end of a view is the beginning of the next one, or of nothing.
        let [rest @ .., _, _, _, _, _, _, _] = array::<L>(high);
        put(into, last + LANES, rest);
    }

    /// The number in all cells of the field.
    #[inline(always)]
    fn on_field(&self, number: u8) -> [L::Bytes; 2] {
        let number = L::Bytes::all(number);
        [number.only(self.cells[0].topmost()), number.only(self.cells[1].topmost())]
    }
}

const BYTES_OF_PLANES: usize = PLANES * MAX_CELLS;

/// The number, or as much less as the side if it lies beyond.
#[inline(always)]
fn wrapped(number: u8, side: u8) -> u8 {
    if number >= side { number - side } else { number }
}

#[inline(always)]
fn wrapped_in_lanes<L: Lanes>(numbers: L::Bytes, side: L::Bytes) -> L::Bytes {
    numbers.minus(!numbers.below(side), side)
}

/// 1 where any of these bits is set.
#[inline(always)]
fn is_set<L: Lanes>(cells: L::Bytes, bits: L::Bytes) -> L::Bytes {
    L::Bytes::all(1).only(!(cells & bits).equals(L::Bytes::all(0)))
}

/// A table in two registers.
#[inline(always)]
fn halves_of<L: Lanes>(table: &Table) -> [L::Bytes; 2] {
    let (halves, _) = table.0.as_chunks();
    [L::Bytes::load(&Column(halves[0])), L::Bytes::load(&Column(halves[1]))]
}

#[inline(always)]
fn array<L: Lanes>(bytes: L::Bytes) -> [u8; LANES] {
    let mut column = Column([0; LANES]);
    bytes.store(&mut column);
    column.0
}

/// Writes so many bytes from there on.
#[inline(always)]
fn put<const COUNT: usize, const ROOM: usize>(into: &mut [u8; ROOM], at: usize, bytes: [u8; COUNT]) {
    // An array is written in a few instructions, where a slice of any length would be copied by a call.
    *into[at..].first_chunk_mut().expect("there is room") = bytes;
}

/// Writes a plane which is not the last one, and some bytes behind it.
#[inline(always)]
fn put_plane<L: Lanes>([low, high]: [L::Bytes; 2], plane: usize, into: &mut [u8; BYTES_OF_PLANES]) {
    put(into, plane * MAX_CELLS, array::<L>(low));
    put(into, plane * MAX_CELLS + LANES, array::<L>(high));
}

/// Writes what all four see of a game.
pub(crate) trait Writer {
    /// How many bytes that is.
    const BYTES: usize;
    fn write<L: Lanes>(scene: &Scene, game: &Row, into: &mut [u8]);
}

pub(crate) struct Compact;
pub(crate) struct CompactCentred;
pub(crate) struct Planes;
pub(crate) struct PlanesCentred;

/// Room for the four, of as many bytes each; `into` is just as long.
#[inline(always)]
fn by_seat<const BYTES: usize>(into: &mut [u8]) -> &mut [[u8; BYTES]; 4] {
    into.as_chunks_mut().0.first_chunk_mut().expect("four views")
}

impl Writer for Compact {
    const BYTES: usize = 4 * COMPACT;

    #[inline(always)]
    fn write<L: Lanes>(scene: &Scene, game: &Row, into: &mut [u8]) {
        let sight = Sight::<L>::new(scene, game);
        let into = by_seat(into);
        each_seat!(seat { sight.write_compact(seat, &mut into[seat]); });
    }
}

impl Writer for CompactCentred {
    const BYTES: usize = 4 * COMPACT;

    #[inline(always)]
    fn write<L: Lanes>(scene: &Scene, game: &Row, into: &mut [u8]) {
        let sight = Sight::<L>::new(scene, game);
        for (seat, into) in by_seat(into).iter_mut().enumerate() {
            sight.centred_on(seat).write_compact(seat, into);
        }
    }
}

impl Writer for Planes {
    const BYTES: usize = 4 * BYTES_OF_PLANES;

    #[inline(always)]
    fn write<L: Lanes>(scene: &Scene, game: &Row, into: &mut [u8]) {
        let sight = Sight::<L>::new(scene, game);
        for (seat, into) in by_seat(into).iter_mut().enumerate() {
            sight.write_planes(seat, into);
        }
    }
}

impl Writer for PlanesCentred {
    const BYTES: usize = 4 * BYTES_OF_PLANES;

    #[inline(always)]
    fn write<L: Lanes>(scene: &Scene, game: &Row, into: &mut [u8]) {
        let sight = Sight::<L>::new(scene, game);
        for (seat, into) in by_seat(into).iter_mut().enumerate() {
            sight.centred_on(seat).write_planes(seat, into);
        }
    }
}

/// What each may do, as [`super::action_mask`] says it.
#[inline(always)]
pub(crate) fn masks(scene: &Scene, game: &Row) -> [&'static [u8; ACTIONS]; 4] {
    by_seat!(seat => {
        let cell = game.cells[seat];
        let open = !scene.ground.0[usize::from(cell & !DEAD)] & WALLS;
        let can_shoot = game.strength[seat] as i8 > scene.skill_cost as i8;
        let index = usize::from(open | u8::from(can_shoot) << 4);
        &MASKS[if cell & DEAD == 0 { index % 32 } else { 0 }]
    })
}

/// The masks for each set of open sides, first without and then with the strength to shoot.
static MASKS: [[u8; ACTIONS]; 32] = {
    let mut masks = [[0; ACTIONS]; 32];
    let mut index = 0;
    while index < 32 {
        masks[index][0] = 1;
        let mut direction = 0;
        while direction < 4 {
            masks[index][1 + direction] = (index >> direction & 1) as u8;
            masks[index][5 + direction] = (index >> 4) as u8;
            direction += 1;
        }
        index += 1;
    }
    masks
};
