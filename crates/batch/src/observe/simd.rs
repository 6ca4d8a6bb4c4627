//! Observations of games in lanes, as [`super::observe`] makes them: one game at a time, with its cells in two registers.
//!
//! The bytes of cells are computed once for each maze, and the fruits are added from the bits in the lane. The first eight
//! planes are the bits of these bytes. All four players see the same cells, except in centred views: then the tiled cells are
//! looked up in the cells as they are.

use pacman2_rules::{MAX_CELLS, MAX_SIDE, MazeRows, Ruleset};

use super::reference::clamp_to_byte;
use super::*;
use crate::lanes::{Bytes, COLS, Column, LANES, Lanes, ROWS, Table, lanes_of};
use crate::soa_states::{DEAD, NumbersByGame, PackedState, STRIDE};

/// What is constant in the observations on a maze.
#[derive(Clone, Debug)]
pub(crate) struct ViewTables {
    /// The cells without fruit, numbered as in lanes.
    static_codes: Table,
    width: u8,
    height: u8,
    /// The first cell of row `index % height`, and column `index % width`: where centred views find their cells.
    tiled_rows: Table,
    tiled_cols: Table,
    /// How many rows and columns after a player's the first ones of its centred view are.
    to_first: [u8; 2],
    /// What follows the players in a compact view, without the last byte. What changes is 0.
    rest: [u8; 8],
    skill_cost: u8,
}

/// Nine bytes follow the players.
const _: () = assert!(COMPACT - TURNS_LEFT == 9 && SKILL_COST == COMPACT - 1);

impl ViewTables {
    pub(crate) fn new(rows: &MazeRows, ruleset: &Ruleset) -> ViewTables {
        let mut static_codes = [0; 128];
        for (row, codes) in static_codes.chunks_exact_mut(MAX_SIDE.into()).enumerate().take(rows.height.into()) {
            let [up, right, down, left] = rows.open.map(|rows| !rows[row]);
            let generators = rows.generators[row];
            for (col, code) in codes.iter_mut().enumerate().take(rows.width.into()) {
                let bit = |row: u16| (row >> col & 1) as u8;
                *code = bit(up) | bit(right) << 1 | bit(down) << 2 | bit(left) << 3 | FIELD;
                *code |= bit(generators) * GENERATOR;
            }
        }
        let (mut tiled_rows, mut tiled_cols) = ([0; 128], [0; 128]);
        let (mut row, mut col) = (0, 0);
        for (row_start, tiled_col) in tiled_rows.iter_mut().zip(&mut tiled_cols).take(2 * usize::from(MAX_SIDE)) {
            (*row_start, *tiled_col) = (row * STRIDE, col);
            (row, col) = (wrapped(row + 1, rows.height), wrapped(col + 1, rows.width));
        }
        let to_first = [rows.height, rows.width].map(|side| (side * MIDDLE - MIDDLE) % side);
        let mut rest = [0; 8];
        rest[WIDTH - TURNS_LEFT] = rows.width;
        rest[HEIGHT - TURNS_LEFT] = rows.height;
        rest[GENERATOR_INTERVAL - TURNS_LEFT] = clamp_to_byte(ruleset.generator_interval);
        rest[LARGE_FRUIT_DURATION - TURNS_LEFT] = clamp_to_byte(ruleset.large_fruit_duration);
        rest[LARGE_FRUIT_ENHANCEMENT - TURNS_LEFT] = clamp_to_byte(ruleset.large_fruit_enhancement);
        ViewTables {
            static_codes: Table(static_codes),
            width: rows.width,
            height: rows.height,
            tiled_rows: Table(tiled_rows),
            tiled_cols: Table(tiled_cols),
            to_first,
            rest,
            skill_cost: clamp_to_byte(ruleset.skill_cost),
        }
    }
}

/// A game as all four players see it.
struct GameView<'a, L: Lanes> {
    lanes: L,
    tables: &'a ViewTables,
    cells: [L::Bytes; 2],
    players: [Player; 4],
    turns_left: u8,
    turns_until_spawn: u8,
}

#[derive(Clone, Copy)]
struct Player {
    row: u8,
    col: u8,
    alive: u8,
    strength: u8,
    boost_turns_left: u8,
}

impl<'a, L: Lanes> GameView<'a, L> {
    #[inline(always)]
    fn new(lanes: L, tables: &'a ViewTables, game: &PackedState) -> GameView<'a, L> {
        let fruit = |bits, code| lanes.splat(code).masked(lanes.mask(bits));
        let [low, high] = halves_of(lanes, &tables.static_codes);
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
        GameView {
            lanes,
            tables,
            cells,
            players,
            turns_left: shown_turns_left(game),
            turns_until_spawn: game.generator_turns_left,
        }
    }

    /// Returns the game as one player sees it in a centred view.
    #[inline(always)]
    fn centred_on(&self, seat: usize) -> GameView<'a, L> {
        let ViewTables { width, height, to_first: [rows_to_first, cols_to_first], .. } = *self.tables;
        let Player { row, col, .. } = self.players[seat];
        let first_row = wrapped(row + rows_to_first, height);
        let first_col = wrapped(col + cols_to_first, width);
        let players = by_seat!(seat => {
            let player = self.players[seat];
            Player {
                row: wrapped(player.row + height - first_row, height),
                col: wrapped(player.col + width - first_col, width),
                ..player
            }
        });
        GameView { cells: self.tiled(first_row, first_col), players, ..*self }
    }

    /// Returns the cells of the tiled maze from this row and this column on.
    #[inline(always)]
    fn tiled(&self, first_row: u8, first_col: u8) -> [L::Bytes; 2] {
        let mut cells = Table([0; 128]);
        let (halves, _) = cells.0.as_chunks_mut();
        (halves[0], halves[1]) = (array(self.lanes, self.cells[0]), array(self.lanes, self.cells[1]));
        let ([low_rows, high_rows], [low_cols, high_cols]) = (halves_of(self.lanes, &ROWS), halves_of(self.lanes, &COLS));
        [
            self.indices(first_row, first_col, low_rows, low_cols).look_up(&cells),
            self.indices(first_row, first_col, high_rows, high_cols).look_up(&cells),
        ]
    }

    /// Returns the cells that are shown in these rows and columns.
    #[inline(always)]
    fn indices(&self, first_row: u8, first_col: u8, rows: L::Bytes, cols: L::Bytes) -> L::Bytes {
        let rows = (rows + self.lanes.splat(first_row)).look_up(&self.tables.tiled_rows);
        rows + (cols + self.lanes.splat(first_col)).look_up(&self.tables.tiled_cols)
    }

    #[inline(always)]
    fn write_compact(&self, seat: usize, into: &mut [u8; COMPACT]) {
        // Two registers are longer than the cells, and eight bytes are written for each player. What is too much is overwritten
        // by what follows.
        put(into, 0, array(self.lanes, self.cells[0]));
        put(into, LANES, array(self.lanes, self.cells[1]));
        each_seat!(after {
            let Player { row, col, alive, strength, boost_turns_left } = self.players[(seat + after) % 4];
            put(into, PLAYERS + PLAYER * after, [row, col, alive, strength, boost_turns_left, 0, 0, 0]);
        });
        let mut rest = self.tables.rest;
        rest[0] = self.turns_left;
        rest[TURNS_UNTIL_SPAWN - TURNS_LEFT] = self.turns_until_spawn;
        rest[SEAT - TURNS_LEFT] = seat as u8;
        put(into, TURNS_LEFT, rest);
        into[SKILL_COST] = self.tables.skill_cost;
    }

    /// Writes planes. `TILED` is whether the cells are tiled, so that players are shown several times.
    #[inline(always)]
    fn write_planes<const TILED: bool>(&self, seat: usize, into: &mut [u8; BYTES_OF_PLANES]) {
        // Each plane overwrites the excess of the one before.
        for bit in 0..PLAYER_PLANES {
            let selected = self.lanes.splat(1 << bit);
            let plane = [is_set(self.lanes, self.cells[0], selected), is_set(self.lanes, self.cells[1], selected)];
            put_plane(self.lanes, plane, bit, into);
        }
        let zeros = self.lanes.splat(0);
        for after in 0..4 {
            let player = self.players[(seat + after) % 4];
            let plane = PLAYER_PLANES + 2 * after;
            put_plane(self.lanes, [zeros; 2], plane, into);
            put_plane(self.lanes, [zeros; 2], plane + 1, into);
            let (strength, boost_turns_left) = (player.strength * player.alive, player.boost_turns_left * player.alive);
            let mut show = |row: u8, col: u8| {
                let cell = usize::from(row) * usize::from(MAX_SIDE) + usize::from(col);
                into[(plane * MAX_CELLS + cell).min(BYTES_OF_PLANES - 1)] = strength;
                into[((plane + 1) * MAX_CELLS + cell).min(BYTES_OF_PLANES - 1)] = boost_turns_left;
            };
            if TILED {
                for row in (player.row..MAX_SIDE).step_by(self.tables.height.into()) {
                    for col in (player.col..MAX_SIDE).step_by(self.tables.width.into()) {
                        show(row, col);
                    }
                }
            } else {
                show(player.row, player.col);
            }
        }
        self.write_turn_planes(into);
    }

    /// Writes the last two planes, whose numbers change in each turn.
    #[inline(always)]
    fn write_turn_planes(&self, into: &mut [u8; BYTES_OF_PLANES]) {
        put_plane(self.lanes, self.on_board(self.turns_left), TURNS_LEFT_PLANE, into);
        let [low, high] = self.on_board(self.turns_until_spawn);
        let last = TURNS_UNTIL_SPAWN_PLANE * MAX_CELLS;
        put(into, last, array(self.lanes, low));
        // The excess of the last plane would be in the next view, or outside the buffer.
        let [rest @ .., _, _, _, _, _, _, _] = array(self.lanes, high);
        put(into, last + LANES, rest);
    }

    /// Returns the number in all cells of the board.
    #[inline(always)]
    fn on_board(&self, number: u8) -> [L::Bytes; 2] {
        let number = self.lanes.splat(number);
        [number.masked(self.cells[0].sign_mask()), number.masked(self.cells[1].sign_mask())]
    }
}

const BYTES_OF_PLANES: usize = PLANES * MAX_CELLS;

/// Returns the turns left as observations show them.
#[inline(always)]
fn shown_turns_left(game: &PackedState) -> u8 {
    (u16::from(game.turns_left) + game.turns_beyond).min(u8::MAX.into()) as u8
}

/// Returns a number below twice the side, modulo the side.
#[inline(always)]
fn wrapped(number: u8, side: u8) -> u8 {
    if number >= side { number - side } else { number }
}

/// Returns 1 where any of these bits is set, else 0.
#[inline(always)]
fn is_set<L: Lanes>(lanes: L, cells: L::Bytes, bits: L::Bytes) -> L::Bytes {
    lanes.splat(1).masked(!(cells & bits).equals(lanes.splat(0)))
}

/// Loads the two halves of a table.
#[inline(always)]
fn halves_of<L: Lanes>(lanes: L, table: &Table) -> [L::Bytes; 2] {
    let (halves, _) = table.0.as_chunks();
    [lanes.load(&Column(halves[0])), lanes.load(&Column(halves[1]))]
}

#[inline(always)]
fn array<L: Lanes>(lanes: L, bytes: L::Bytes) -> [u8; LANES] {
    let mut column = Column([0; LANES]);
    lanes.store(bytes, &mut column);
    column.0
}

/// Writes the bytes from offset `at` on.
#[inline(always)]
fn put<const COUNT: usize, const ROOM: usize>(into: &mut [u8; ROOM], at: usize, bytes: [u8; COUNT]) {
    // An array is written by a few instructions, while a slice would be copied by a call.
    *into[at..].first_chunk_mut().expect("the buffer has room for the bytes") = bytes;
}

/// Writes a plane that is not the last one, and some bytes after it.
#[inline(always)]
fn put_plane<L: Lanes>(lanes: L, [low, high]: [L::Bytes; 2], plane: usize, into: &mut [u8; BYTES_OF_PLANES]) {
    put(into, plane * MAX_CELLS, array(lanes, low));
    put(into, plane * MAX_CELLS + LANES, array(lanes, high));
}

/// Writes what all four players see of a game.
pub(crate) trait ViewWriter {
    /// The number of bytes written.
    const BYTES: usize;
    fn write<L: Lanes>(lanes: L, tables: &ViewTables, game: &PackedState, into: &mut [u8]);
}

pub(crate) struct Compact;
pub(crate) struct Planes;
pub(crate) struct PlanesCentred;

/// Splits a buffer into the views of the four players, which fill it.
#[inline(always)]
fn split_by_seat<const BYTES: usize>(into: &mut [u8]) -> &mut [[u8; BYTES]; 4] {
    into.as_chunks_mut().0.first_chunk_mut().expect("the buffer has room for four views")
}

impl ViewWriter for Compact {
    const BYTES: usize = 4 * COMPACT;

    #[inline(always)]
    fn write<L: Lanes>(lanes: L, tables: &ViewTables, game: &PackedState, into: &mut [u8]) {
        let view = GameView::new(lanes, tables, game);
        let into = split_by_seat(into);
        each_seat!(seat { view.write_compact(seat, &mut into[seat]); });
    }
}

impl ViewWriter for Planes {
    const BYTES: usize = 4 * BYTES_OF_PLANES;

    #[inline(always)]
    fn write<L: Lanes>(lanes: L, tables: &ViewTables, game: &PackedState, into: &mut [u8]) {
        let view = GameView::new(lanes, tables, game);
        for (seat, into) in split_by_seat(into).iter_mut().enumerate() {
            view.write_planes::<false>(seat, into);
        }
    }
}

impl Planes {
    /// Returns whether views that once showed a position were not overwritten as a whole. They show it at the latest since then.
    #[inline(always)]
    pub(crate) fn still_show(game: &PackedState, views: &[u8]) -> bool {
        // The first cell belongs to every maze. The last number before it is 0, unless a player with a boost is in the last cell, and
        // fruit is never 0 turns away: three such numbers are seldom equal. All are next to what `update` writes.
        let numbers = [shown_turns_left(game), game.generator_turns_left];
        views.as_chunks::<BYTES_OF_PLANES>().0.iter().enumerate().all(|(seat, view)| {
            let last = (seat + 3) % 4;
            let in_last_cell = if usize::from(game.cells[last]) == MAX_CELLS - 1 { game.boost_turns_left[last] } else { 0 };
            [view[TURNS_LEFT_PLANE * MAX_CELLS], view[TURNS_UNTIL_SPAWN_PLANE * MAX_CELLS]] == numbers
                && view[TURNS_LEFT_PLANE * MAX_CELLS - 1] == in_last_cell
        })
    }

    /// Writes what has changed since the views showed an earlier position of the same game.
    #[inline(always)]
    pub(crate) fn update<L: Lanes>(lanes: L, tables: &ViewTables, earlier: &PackedState, game: &PackedState, into: &mut [u8]) {
        let view = GameView::new(lanes, tables, game);
        let into = split_by_seat(into);
        each_seat!(seat {
            let is_same = earlier.cells[seat] == game.cells[seat]
                && earlier.strength[seat] == game.strength[seat]
                && earlier.boost_turns_left[seat] == game.boost_turns_left[seat];
            if !is_same {
                let player = view.players[seat];
                let [from, to] = [earlier.cells[seat], game.cells[seat]].map(|cell| usize::from(cell & !DEAD).min(MAX_CELLS - 1));
                let had_boost = (earlier.boost_turns_left[seat] | game.boost_turns_left[seat]) != 0;
                for (observer, into) in into.iter_mut().enumerate() {
                    let plane = (PLAYER_PLANES + 2 * ((seat + 4 - observer) % 4)) * MAX_CELLS;
                    into[plane + from] = 0;
                    into[plane + to] = player.strength * player.alive;
                    if had_boost {
                        into[plane + MAX_CELLS + from] = 0;
                        into[plane + MAX_CELLS + to] = player.boost_turns_left * player.alive;
                    }
                }
            }
        });
        for (bit, earlier, now) in
            [(SMALL_FRUIT, earlier.small_fruits, game.small_fruits), (LARGE_FRUIT, earlier.large_fruits, game.large_fruits)]
        {
            let plane = bit.ilog2() as usize * MAX_CELLS;
            for word in 0..2 {
                for cell in lanes_of(earlier[word] ^ now[word]) {
                    let is_there = (now[word] >> cell & 1) as u8;
                    into.iter_mut().for_each(|into| into[plane + (LANES * word + cell).min(MAX_CELLS - 1)] = is_there);
                }
            }
        }
        into.iter_mut().for_each(|into| view.write_turn_planes(into));
    }
}

impl ViewWriter for PlanesCentred {
    const BYTES: usize = 4 * BYTES_OF_PLANES;

    #[inline(always)]
    fn write<L: Lanes>(lanes: L, tables: &ViewTables, game: &PackedState, into: &mut [u8]) {
        let view = GameView::new(lanes, tables, game);
        for (seat, into) in split_by_seat(into).iter_mut().enumerate() {
            view.centred_on(seat).write_planes::<true>(seat, into);
        }
    }
}

/// Returns the action masks of the four players, as [`super::action_mask`] does.
#[inline(always)]
pub(crate) fn masks(tables: &ViewTables, game: &PackedState) -> [&'static [u8; ACTIONS]; 4] {
    by_seat!(seat => &MASKS[mask_index(tables, game.cells[seat], game.strength[seat])])
}

/// Returns what [`masks`] does, as bits.
#[inline(always)]
pub(crate) fn legal_bits(tables: &ViewTables, numbers: &NumbersByGame, lane: usize) -> [u32; 4] {
    by_seat!(seat => {
        let index = mask_index(tables, numbers.cells[lane][seat], numbers.strength[lane][seat]) as u32;
        1 | (index & 15) << 1 | ((index >> 4) * 0x1e0)
    })
}

/// Returns the index of a player's mask in [`MASKS`].
#[inline(always)]
fn mask_index(tables: &ViewTables, cell: u8, strength: u8) -> usize {
    let open = !tables.static_codes.0[usize::from(cell & !DEAD)] & WALLS;
    let can_shoot = strength as i8 > tables.skill_cost as i8;
    let index = usize::from(open | u8::from(can_shoot) << 4);
    if cell & DEAD == 0 { index % 32 } else { 0 }
}

/// Masks by open sides, first without and then with the strength to shoot.
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
