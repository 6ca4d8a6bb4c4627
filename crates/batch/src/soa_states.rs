//! The positions of 64 games as a structure of arrays: one column per number, one lane per game.

#[cfg(feature = "observe")]
use pacman2_rules::Maze;
use pacman2_rules::{BySeat, Cell, CellSet, MazeRows, Ruleset, Seat, SeatSet, State};

#[cfg(feature = "observe")]
use crate::lanes::by_game;
use crate::lanes::{CellSets, Column, LANES, set_index};

/// Marks the cell of a dead player, so that it equals no living player's.
pub(crate) const DEAD: u8 = 0x80;

/// The distance between rows of cells: lanes number cells as in the largest maze, which has room for all others.
pub(crate) const STRIDE: u8 = pacman2_rules::MAX_SIDE;

/// Returns the number of a cell in lanes.
#[inline]
fn number(rows: &MazeRows, cell: Cell) -> u8 {
    rows.row(cell) * STRIDE + rows.col(cell)
}

/// Returns the cell of a number in lanes.
fn cell(rows: &MazeRows, number: u8) -> Cell {
    rows.cell((number / STRIDE).into(), (number % STRIDE).into()).expect("lanes hold cells of their mazes")
}

/// Returns a set of cells as lanes have it.
fn words(rows: &MazeRows, cells: CellSet) -> [u64; 2] {
    let bits = moved_rows(cells.bits(), rows.height, rows.width, STRIDE);
    [bits as u64, (bits >> 64) as u64]
}

/// Returns the cells of a set as lanes have it.
fn cells(rows: &MazeRows, [low, high]: [u64; 2]) -> CellSet {
    rows.cells_of_bits(moved_rows(u128::from(low) | u128::from(high) << 64, rows.height, STRIDE, rows.width))
}

/// Moves rows of bits from the distance `from` to the distance `to`.
fn moved_rows(bits: u128, rows: u8, from: u8, to: u8) -> u128 {
    if from == to {
        return bits;
    }
    let row = (1 << from.min(to)) - 1;
    (0..u32::from(rows)).fold(0, |moved, number| moved | (bits >> (number * u32::from(from)) & row) << (number * u32::from(to)))
}

/// The positions of 64 games, with all numbers in bytes.
///
/// Games whose numbers might not fit are not accepted, and games that may outgrow their bytes are taken out after each turn,
/// while everything still fits.
#[derive(Clone, Debug)]
pub(crate) struct SoaStates {
    /// With [`DEAD`] where a player is dead.
    pub(crate) cells: [Column<u8>; 4],
    /// Signed.
    pub(crate) strength: [Column<u8>; 4],
    pub(crate) boost_turns_left: [Column<u8>; 4],
    pub(crate) generator_turns_left: Column<u8>,
    /// Turns to the end of the game: up to 255 here, the rest in `turns_beyond`.
    pub(crate) turns_left: Column<u8>,
    pub(crate) turns_beyond: [u16; LANES],
    pub(crate) small_fruits: CellSets,
    pub(crate) large_fruits: CellSets,
}

impl SoaStates {
    /// Creates lanes without games, in which no player is alive.
    pub(crate) fn empty() -> SoaStates {
        let none = Column([0; LANES]);
        SoaStates {
            cells: [Column([DEAD; LANES]); 4],
            strength: [none; 4],
            boost_turns_left: [none; 4],
            generator_turns_left: none,
            turns_left: none,
            turns_beyond: [0; LANES],
            small_fruits: [Column([0; LANES]); 2],
            large_fruits: [Column([0; LANES]); 2],
        }
    }

    /// Puts a position into a lane.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, state: &PackedState) {
        for seat in 0..4 {
            self.cells[seat].0[lane] = state.cells[seat];
            self.strength[seat].0[lane] = state.strength[seat];
            self.boost_turns_left[seat].0[lane] = state.boost_turns_left[seat];
        }
        self.generator_turns_left.0[lane] = state.generator_turns_left;
        self.turns_left.0[lane] = state.turns_left;
        self.turns_beyond[lane] = state.turns_beyond;
        for word in 0..2 {
            self.small_fruits[word].0[set_index(lane)] = state.small_fruits[word];
            self.large_fruits[word].0[set_index(lane)] = state.large_fruits[word];
        }
    }

    /// Takes the game out of a lane.
    #[inline]
    pub(crate) fn clear(&mut self, lane: usize) {
        for cells in &mut self.cells {
            cells.0[lane] = DEAD;
        }
    }

    /// Returns the strengths in a lane.
    #[inline]
    pub(crate) fn strength(&self, lane: usize) -> BySeat<i32> {
        BySeat(self.strength.each_ref().map(|column| i32::from(column.0[lane] as i8)))
    }

    /// Returns which players are alive in a lane, as 1 or 0.
    #[inline]
    #[cfg(feature = "observe")]
    pub(crate) fn alive(&self, lane: usize) -> [u8; 4] {
        self.cells.each_ref().map(|column| u8::from(column.0[lane] & DEAD == 0))
    }

    /// Returns the position in a lane.
    #[inline]
    pub(crate) fn packed(&self, lane: usize) -> PackedState {
        let bytes = |columns: &[Column<u8>; 4]| by_seat!(seat => columns[seat].0[lane]);
        self.packed_with(lane, bytes(&self.cells), bytes(&self.strength), bytes(&self.boost_turns_left))
    }

    /// Puts the four seats of each game side by side.
    #[inline(always)]
    #[cfg(feature = "observe")]
    pub(crate) fn by_game(&self) -> NumbersByGame {
        NumbersByGame {
            cells: by_game(&self.cells),
            strength: by_game(&self.strength),
            boost_turns_left: by_game(&self.boost_turns_left),
        }
    }

    /// Returns the position in a lane, as [`SoaStates::packed`] does, but with the numbers of players from where they are side by
    /// side: three loads instead of twelve.
    #[inline(always)]
    #[cfg(feature = "observe")]
    pub(crate) fn packed_from(&self, numbers: &NumbersByGame, lane: usize) -> PackedState {
        self.packed_with(lane, numbers.cells[lane], numbers.strength[lane], numbers.boost_turns_left[lane])
    }

    #[inline(always)]
    fn packed_with(&self, lane: usize, cells: [u8; 4], strength: [u8; 4], boost_turns_left: [u8; 4]) -> PackedState {
        let words = |sets: &CellSets| [sets[0].0[set_index(lane)], sets[1].0[set_index(lane)]];
        PackedState {
            cells,
            strength,
            boost_turns_left,
            generator_turns_left: self.generator_turns_left.0[lane],
            turns_left: self.turns_left.0[lane],
            turns_beyond: self.turns_beyond[lane],
            small_fruits: words(&self.small_fruits),
            large_fruits: words(&self.large_fruits),
        }
    }
}

/// The numbers of players, with the four seats of each game side by side.
#[cfg(feature = "observe")]
pub(crate) struct NumbersByGame {
    pub(crate) cells: [[u8; 4]; LANES],
    pub(crate) strength: [[u8; 4]; LANES],
    boost_turns_left: [[u8; 4]; LANES],
}

#[cfg(feature = "observe")]
impl NumbersByGame {
    /// The numbers of no game.
    pub(crate) const ZEROS: NumbersByGame =
        NumbersByGame { cells: [[0; 4]; LANES], strength: [[0; 4]; LANES], boost_turns_left: [[0; 4]; LANES] };
}

/// A position as a lane holds it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PackedState {
    pub(crate) cells: [u8; 4],
    pub(crate) strength: [u8; 4],
    pub(crate) boost_turns_left: [u8; 4],
    pub(crate) generator_turns_left: u8,
    pub(crate) turns_left: u8,
    pub(crate) turns_beyond: u16,
    pub(crate) small_fruits: [u64; 2],
    pub(crate) large_fruits: [u64; 2],
}

impl PackedState {
    /// Packs a position. Returns `None` if the game is over, if something lies outside the maze, or if a number may not fit.
    pub(crate) fn new(rows: &MazeRows, ruleset: &Ruleset, state: &State) -> Option<PackedState> {
        if !is_inside(rows, state) {
            return None;
        }
        let total: i32 = state
            .strength
            .0
            .iter()
            .map(|strength| strength.checked_abs())
            .try_fold(0, |sum, strength| strength.and_then(|strength| i32::checked_add(sum, strength)))?;
        let boost_turns = state.boost_turns_left.0.iter().try_fold(0u32, |sum, &turns| sum.checked_add(turns))?;
        let boost_turns = boost_turns.checked_add(state.large_fruits.len() * ruleset.large_fruit_duration)?;
        let fits = state.alive.len() > 1
            && state.turn < ruleset.turn_limit
            && state.strength.0.iter().all(|&strength| strength >= 0)
            && state.alive.iter().all(|seat| state.strength[seat] > 0)
            && max_total_strength(ruleset).is_some_and(|max| total <= i32::from(max))
            && boost_turns <= u8::MAX.into()
            && ruleset.generator_interval <= u8::MAX.into()
            && (1..=u8::MAX.into()).contains(&state.generator_turns_left);
        fits.then(|| PackedState::pack(rows, ruleset, state))
    }

    /// Packs a position for an observation only: the game may be over, and only numbers that a player sees need to fit.
    #[cfg(feature = "observe")]
    pub(crate) fn for_observation(maze: &Maze, state: &State) -> Option<PackedState> {
        let fits = state.turn <= maze.ruleset().turn_limit
            && state.strength.0.iter().all(|&strength| i8::try_from(strength).is_ok())
            && state.boost_turns_left.0.iter().all(|&turns| turns <= u8::MAX.into())
            && state.generator_turns_left <= u8::MAX.into();
        (fits && is_inside(maze.rows(), state)).then(|| PackedState::pack(maze.rows(), maze.ruleset(), state))
    }

    /// Packs a position that is known to fit.
    fn pack(rows: &MazeRows, ruleset: &Ruleset, state: &State) -> PackedState {
        let turns_left = ruleset.turn_limit - state.turn;
        let counted = u8::try_from(turns_left).unwrap_or(u8::MAX);
        PackedState {
            cells: Seat::ALL.map(|seat| {
                let cell = number(rows, state.cells[seat]);
                if state.alive.contains(seat) { cell } else { cell | DEAD }
            }),
            strength: state.strength.0.map(|strength| strength as u8),
            boost_turns_left: state.boost_turns_left.0.map(|turns| turns as u8),
            generator_turns_left: state.generator_turns_left as u8,
            turns_left: counted,
            turns_beyond: (turns_left - u32::from(counted)) as u16,
            small_fruits: words(rows, state.small_fruits),
            large_fruits: words(rows, state.large_fruits),
        }
    }

    /// Returns what the players receive if the game has ended: a sole survivor every small fruit in the maze.
    pub(crate) fn received(&self) -> [i32; 4] {
        let alive = self.cells.map(|cell| cell & DEAD == 0);
        let fruits = self.small_fruits.map(u64::count_ones).iter().sum::<u32>() as i32;
        let is_sole = alive.iter().filter(|&&alive| alive).count() == 1;
        alive.map(|alive| if is_sole && alive { fruits } else { 0 })
    }

    /// Unpacks the position.
    pub(crate) fn state(&self, rows: &MazeRows, ruleset: &Ruleset) -> State {
        let turns_left = u32::from(self.turns_left) + u32::from(self.turns_beyond);
        State {
            turn: ruleset.turn_limit - turns_left,
            generator_turns_left: self.generator_turns_left.into(),
            alive: SeatSet::from_fn(|seat| self.cells[seat.index()] & DEAD == 0),
            cells: BySeat(self.cells.map(|cell| self::cell(rows, cell & !DEAD))),
            strength: BySeat(self.strength.map(|strength| i32::from(strength as i8))),
            boost_turns_left: BySeat(self.boost_turns_left.map(u32::from)),
            small_fruits: cells(rows, self.small_fruits),
            large_fruits: cells(rows, self.large_fruits),
        }
    }
}

/// Returns whether all cells and fruits lie inside this maze. They may have been made for another one, which the rules allow
/// for the dead and for fruit.
fn is_inside(rows: &MazeRows, state: &State) -> bool {
    let cells = usize::from(rows.width) * usize::from(rows.height);
    state.cells.0.iter().all(|cell| cell.index() < cells)
        && [state.small_fruits, state.large_fruits].iter().all(|&fruits| rows.cells_of_bits(fruits.bits()) == fruits)
}

/// Returns how much strength the players may have together before a turn so that no number can exceed a signed byte in that
/// turn. Returns `None` if that is too little for a game.
pub(crate) fn max_total_strength(ruleset: &Ruleset) -> Option<u8> {
    // What a player gains in a fight others lose, so after it no player has more than all had together. Then a player may hit
    // three others, or be hit by three, starting from 0 if it has forfeited; each hit is one and a half times the cost,
    // rounded up. And it may gain a boost or a small fruit, or lose a boost, which it had gained before.
    let lights = 3 * ((3 * ruleset.skill_cost + 1) / 2) + ruleset.skill_cost;
    let max = i32::from(i8::MAX) - 1 - lights - ruleset.large_fruit_enhancement;
    (max >= MIN_TOTAL_STRENGTH.into()).then_some(max as u8)
}

/// In most games the players together have less strength than this.
const MIN_TOTAL_STRENGTH: u8 = 48;
