//! Observations of one position for all four players: what is constant on a maze is computed once, and what the players share
//! once per position. Tests compare them with [`observe`](super::observe).

use pacman2_rules::{Action, Cell, MAX_CELLS, MAX_SIDE, Maze, Seat, State};

use super::reference::{clamp_to_byte, static_cell_code};
use super::*;

const SIDE: usize = MAX_SIDE as usize;

/// The codes of 11 rows of 11 cells.
type Codes = [u8; MAX_CELLS];

/// The row and the column of the maze in the upper left corner of a centred view.
struct Frame {
    first_row: usize,
    first_col: usize,
}

/// Tables of one maze that make observations on it faster.
///
/// ```
/// use pacman2_batch::observe::{ObservationTables, View, observe};
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read("
///     turn 98/100
///     +---+---+---+
///     | 0   .   1 |
///     +---+---+---+
/// ").unwrap();
/// let tables = ObservationTables::new(&maze);
/// let mut views = vec![0; 4 * View::Planes.len()];
/// tables.observe_all(View::Planes, &state, &mut views);
///
/// let mut first = vec![0; View::Planes.len()];
/// observe(View::Planes, &maze, &state, Seat::S0, &mut first);
/// assert_eq!(views[..first.len()], first);
/// ```
#[derive(Clone, Debug)]
pub struct ObservationTables {
    width: usize,
    height: usize,
    turn_limit: u32,
    skill_cost: i32,
    /// The bits of cells that never change.
    static_codes: Codes,
    /// The index of a cell in 11 rows of 11, its row, and its column.
    indices: [u8; 128],
    rows: [u8; 128],
    cols: [u8; 128],
    /// The end of a compact view.
    ruleset: [u8; 4],
}

impl ObservationTables {
    /// Prepares a maze.
    pub fn new(maze: &Maze) -> ObservationTables {
        let ruleset = maze.ruleset();
        let mut tables = ObservationTables {
            width: maze.width().into(),
            height: maze.height().into(),
            turn_limit: ruleset.turn_limit,
            skill_cost: ruleset.skill_cost,
            static_codes: [0; MAX_CELLS],
            indices: [0; 128],
            rows: [0; 128],
            cols: [0; 128],
            ruleset: [
                clamp_to_byte(ruleset.generator_interval),
                clamp_to_byte(ruleset.large_fruit_duration),
                clamp_to_byte(ruleset.large_fruit_enhancement),
                clamp_to_byte(ruleset.skill_cost),
            ],
        };
        for cell in maze.cells() {
            let (index, row, col) = (cell.index(), maze.row(cell), maze.col(cell));
            let shown = row * MAX_SIDE + col;
            (tables.rows[index], tables.cols[index], tables.indices[index]) = (row, col, shown);
            tables.static_codes[usize::from(shown)] = static_cell_code(maze, cell);
        }
        tables
    }

    /// Writes what all four players see of a position on this maze, seat by seat: four times [`View::len`] bytes.
    ///
    /// # Panics
    ///
    /// If the length of `into` is not that.
    pub fn observe_all(&self, view: View, state: &State, into: &mut [u8]) {
        assert!(into.len() == 4 * view.len(), "expected room for {} bytes, four views, got {}", 4 * view.len(), into.len());
        let codes = self.codes(state);
        for (seat, into) in Seat::ALL.into_iter().zip(into.chunks_exact_mut(view.len())) {
            let tiled;
            let (codes, frame) = if view.is_centred() {
                let frame = self.tiled_around(state.cells[seat]);
                tiled = self.tiled(&codes, &frame);
                (&tiled, Some(frame))
            } else {
                (&codes, None)
            };
            match view {
                View::Compact | View::CompactCentred => self.write_compact(codes, state, seat, frame.as_ref(), into),
                View::Planes | View::PlanesCentred => self.write_planes(codes, state, seat, frame.as_ref(), into),
            }
        }
    }

    /// Returns the masks of all four players, as [`action_mask`] does one by one.
    pub fn action_masks(&self, maze: &Maze, state: &State) -> [[u8; ACTIONS]; 4] {
        if state.is_over(maze) {
            return [MASKS[0]; 4];
        }
        Seat::ALL.map(|seat| {
            if !state.alive.contains(seat) {
                return MASKS[0];
            }
            let open = maze.open_sides(state.cells[seat]) & 15;
            MASKS[usize::from(open) | usize::from(state.strength[seat] > self.skill_cost) << 4]
        })
    }

    fn codes(&self, state: &State) -> Codes {
        let mut codes = self.static_codes;
        for cell in state.small_fruits.iter() {
            codes[self.index(cell)] |= SMALL_FRUIT;
        }
        for cell in state.large_fruits.iter() {
            codes[self.index(cell)] |= LARGE_FRUIT;
        }
        codes
    }

    #[inline]
    fn index(&self, cell: Cell) -> usize {
        usize::from(self.indices[cell.index()])
    }

    /// Returns the frame with this cell in the middle.
    fn tiled_around(&self, cell: Cell) -> Frame {
        let middle = usize::from(MIDDLE);
        let first = |number: u8, side: usize| (usize::from(number) + side * middle - middle) % side;
        Frame { first_row: first(self.rows[cell.index()], self.height), first_col: first(self.cols[cell.index()], self.width) }
    }

    fn tiled(&self, codes: &Codes, &Frame { first_row, first_col }: &Frame) -> Codes {
        let mut tiled = [0; MAX_CELLS];
        let mut row = first_row;
        for into in tiled.as_chunks_mut::<SIDE>().0 {
            let from = &codes[row * SIDE..][..self.width];
            let (left, rest) = into.split_at_mut((self.width - first_col).min(SIDE));
            left.copy_from_slice(&from[first_col..][..left.len()]);
            rest.chunks_mut(self.width).for_each(|into| into.copy_from_slice(&from[..into.len()]));
            row = if row + 1 == self.height { 0 } else { row + 1 };
        }
        tiled
    }

    /// Returns the row and the column of a cell.
    #[inline]
    fn place(&self, cell: Cell) -> [usize; 2] {
        [self.rows[cell.index()].into(), self.cols[cell.index()].into()]
    }

    /// Returns the first row and the first column in which a frame shows a cell. It shows the cell again after each height and width
    /// of the maze.
    #[inline]
    fn first_shown(&self, cell: Cell, frame: &Frame) -> [usize; 2] {
        let wrapped =
            |number: usize, first: usize, side: usize| if number >= first { number - first } else { number + side - first };
        let [row, col] = self.place(cell);
        [wrapped(row, frame.first_row, self.height), wrapped(col, frame.first_col, self.width)]
    }

    /// Returns where a frame shows a cell, next to the middle.
    #[inline]
    fn nearest_shown(&self, cell: Cell, frame: &Frame) -> [usize; 2] {
        let near = |first: usize, side: usize| {
            let lowest = usize::from(MIDDLE) - side / 2;
            lowest + (first + side * SIDE - lowest) % side
        };
        let [row, col] = self.first_shown(cell, frame);
        [near(row, self.height), near(col, self.width)]
    }

    fn write_compact(&self, codes: &Codes, state: &State, seat: Seat, frame: Option<&Frame>, into: &mut [u8]) {
        let mut numbers = [0; COMPACT - PLAYERS];
        let (players, rest) = numbers.split_at_mut(TURNS_LEFT - PLAYERS);
        for (after, player) in players.chunks_exact_mut(PLAYER).enumerate() {
            let seat = Seat::ALL[(seat.index() + after) % 4];
            let cell = state.cells[seat];
            let [row, col] = frame.map_or_else(|| self.place(cell), |frame| self.nearest_shown(cell, frame));
            player[ROW] = row as u8;
            player[COL] = col as u8;
            player[ALIVE] = u8::from(state.alive.contains(seat));
            player[STRENGTH] = clamp_to_byte(state.strength[seat]);
            player[BOOST_TURNS_LEFT] = clamp_to_byte(state.boost_turns_left[seat]);
        }
        rest[0] = self.turns_left(state);
        rest[TURNS_UNTIL_SPAWN - TURNS_LEFT] = clamp_to_byte(state.generator_turns_left);
        rest[WIDTH - TURNS_LEFT] = self.width as u8;
        rest[HEIGHT - TURNS_LEFT] = self.height as u8;
        rest[SEAT - TURNS_LEFT] = seat.index() as u8;
        rest[GENERATOR_INTERVAL - TURNS_LEFT..].copy_from_slice(&self.ruleset);
        into[..PLAYERS].copy_from_slice(codes);
        into[PLAYERS..].copy_from_slice(&numbers);
    }

    fn write_planes(&self, codes: &Codes, state: &State, seat: Seat, frame: Option<&Frame>, into: &mut [u8]) {
        let (planes, _) = into.as_chunks_mut::<MAX_CELLS>();
        for (bit, plane) in planes[..PLAYER_PLANES].iter_mut().enumerate() {
            for (shown, code) in plane.iter_mut().zip(codes) {
                *shown = code >> bit & 1;
            }
        }
        planes[PLAYER_PLANES..TURNS_LEFT_PLANE].as_flattened_mut().fill(0);
        let on_board =
            [(TURNS_LEFT_PLANE, self.turns_left(state)), (TURNS_UNTIL_SPAWN_PLANE, clamp_to_byte(state.generator_turns_left))];
        for (plane, number) in on_board {
            for (shown, code) in planes[plane].iter_mut().zip(codes) {
                *shown = if code & FIELD != 0 { number } else { 0 };
            }
        }
        for after in 0..4 {
            let seat = Seat::ALL[(seat.index() + after) % 4];
            if state.alive.contains(seat) {
                let (strength, boost) = (clamp_to_byte(state.strength[seat]), clamp_to_byte(state.boost_turns_left[seat]));
                let mut show = |row: usize, col: usize| {
                    planes[PLAYER_PLANES + 2 * after][row * SIDE + col] = strength;
                    planes[PLAYER_PLANES + 2 * after + 1][row * SIDE + col] = boost;
                };
                let cell = state.cells[seat];
                match frame {
                    None => {
                        let [row, col] = self.place(cell);
                        show(row, col);
                    }
                    Some(frame) => {
                        let [row, col] = self.first_shown(cell, frame);
                        for row in (row..SIDE).step_by(self.height) {
                            (col..SIDE).step_by(self.width).for_each(|col| show(row, col));
                        }
                    }
                }
            }
        }
    }

    fn turns_left(&self, state: &State) -> u8 {
        clamp_to_byte(self.turn_limit.saturating_sub(state.turn))
    }
}

/// Masks by open sides, without and then with the strength to shoot. The first is also that of the dead.
static MASKS: [[u8; ACTIONS]; 32] = {
    let mut masks = [[0; ACTIONS]; 32];
    let mut index = 0;
    while index < 32 {
        let mut action = 0;
        while action < ACTIONS {
            masks[index][action] = match Action::ALL[action] {
                Action::Stay => 1,
                Action::Move(direction) => (index >> direction.index() & 1) as u8,
                Action::Shoot(_) | Action::Invalid => (index >> 4) as u8,
            };
            action += 1;
        }
        index += 1;
    }
    masks
};
