//! Observations of one position for all four players: what is constant on a maze is computed once, and what the players share
//! once per position. Tests compare them with [`observe`](super::observe).

use pacman2_rules::{Action, Cell, MAX_CELLS, MAX_SIDE, Maze, Seat, State};

use super::reference::{clamp_to_byte, static_cell_code};
use super::*;

const SIDE: usize = MAX_SIDE as usize;

/// The codes of 11 rows of 11 cells.
type Codes = [u8; MAX_CELLS];

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
            let roll = if view.is_centred() { self.roll_to_middle(state.cells[seat]) } else { [0; 2] };
            let rolled;
            let codes = if roll == [0; 2] {
                &codes
            } else {
                rolled = self.rolled(&codes, roll);
                &rolled
            };
            match view {
                View::Compact | View::CompactCentred => self.write_compact(codes, state, seat, roll, into),
                View::Planes | View::PlanesCentred => self.write_planes(codes, state, seat, roll, into),
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

    /// Returns how far down and to the right the board is rolled to have the cell in its middle.
    fn roll_to_middle(&self, cell: Cell) -> [usize; 2] {
        let (row, col) = (usize::from(self.rows[cell.index()]), usize::from(self.cols[cell.index()]));
        [(self.height + self.height / 2 - row) % self.height, (self.width + self.width / 2 - col) % self.width]
    }

    fn rolled(&self, codes: &Codes, [down, right]: [usize; 2]) -> Codes {
        let mut rolled = [0; MAX_CELLS];
        for row in 0..self.height {
            let from = &codes[row * SIDE..][..self.width];
            let into = &mut rolled[(row + down) % self.height * SIDE..][..self.width];
            into[right..].copy_from_slice(&from[..self.width - right]);
            into[..right].copy_from_slice(&from[self.width - right..]);
        }
        rolled
    }

    /// Returns the row and the column where a cell is shown on the rolled board.
    #[inline]
    fn shown(&self, cell: Cell, [down, right]: [usize; 2]) -> [usize; 2] {
        let wrapped = |index: usize, side: usize| if index >= side { index - side } else { index };
        let (row, col) = (usize::from(self.rows[cell.index()]), usize::from(self.cols[cell.index()]));
        [wrapped(row + down, self.height), wrapped(col + right, self.width)]
    }

    fn write_compact(&self, codes: &Codes, state: &State, seat: Seat, roll: [usize; 2], into: &mut [u8]) {
        let mut numbers = [0; COMPACT - PLAYERS];
        let (players, rest) = numbers.split_at_mut(TURNS_LEFT - PLAYERS);
        for (after, player) in players.chunks_exact_mut(PLAYER).enumerate() {
            let seat = Seat::ALL[(seat.index() + after) % 4];
            let [row, col] = self.shown(state.cells[seat], roll);
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

    fn write_planes(&self, codes: &Codes, state: &State, seat: Seat, roll: [usize; 2], into: &mut [u8]) {
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
                let [row, col] = self.shown(state.cells[seat], roll);
                planes[PLAYER_PLANES + 2 * after][row * SIDE + col] = clamp_to_byte(state.strength[seat]);
                planes[PLAYER_PLANES + 2 * after + 1][row * SIDE + col] = clamp_to_byte(state.boost_turns_left[seat]);
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
