//! Observations of one position, number by number: the specification of the others.

use pacman2_rules::{Action, Cell, Direction, MAX_CELLS, MAX_SIDE, Maze, Seat, State};

use super::*;

/// Writes what `seat` sees: [`View::len`] bytes.
///
/// # Panics
///
/// If the length of `into` is not [`View::len`].
///
/// ```
/// use pacman2_batch::observe::{self, View, observe};
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read("
///     turn 98/100
///     +---+---+---+
///     | 0   .   1 |
///     +---+---+---+
/// ").unwrap();
/// let mut view = vec![0; View::Compact.len()];
/// observe(View::Compact, &maze, &state, Seat::S1, &mut view);
/// assert_eq!(view[1] & observe::SMALL_FRUIT, observe::SMALL_FRUIT);
/// // The observer comes first, in row 0 and column 2.
/// assert_eq!(view[observe::PLAYERS..][..2], [0, 2]);
/// ```
pub fn observe(view: View, maze: &Maze, state: &State, seat: Seat, into: &mut [u8]) {
    assert!(into.len() == view.len(), "expected room for {} bytes, a view, got {}", view.len(), into.len());
    into.fill(0);
    let observation = Observation { maze, state, seat, frame: Frame::new(view, maze, state, seat) };
    match view {
        View::Compact => observation.write_compact(into),
        View::Planes | View::PlanesCentred => observation.write_planes(into),
    }
}

/// Returns which actions a player may take: 1 or 0 for each of [`Action::ALL`]. The dead, and all players when the game is over,
/// may only stay.
///
/// ```
/// use pacman2_batch::observe::action_mask;
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read("
///     turn 98/100
///     +---+---+---+
///     | 0   .   1 |
///     +---+---+---+
///     1: 5
/// ").unwrap();
/// // Stay and right for seat 0; stay, left and all shots for seat 1, which has the strength.
/// assert_eq!(action_mask(&maze, &state, Seat::S0), [1, 0, 1, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(action_mask(&maze, &state, Seat::S1), [1, 0, 0, 0, 1, 1, 1, 1, 1]);
/// ```
pub fn action_mask(maze: &Maze, state: &State, seat: Seat) -> [u8; ACTIONS] {
    if state.is_over(maze) || !state.alive.contains(seat) {
        return Action::ALL.map(|action| u8::from(action == Action::Stay));
    }
    Action::ALL.map(|action| u8::from(state.is_legal(maze, seat, action)))
}

/// Where a view shows the cells of the maze.
enum Frame {
    /// The maze is in the upper left corner.
    Corner,
    /// The maze is tiled around this row and column, which are in the middle.
    Tiled { row: u8, col: u8 },
}

impl Frame {
    fn new(view: View, maze: &Maze, state: &State, seat: Seat) -> Frame {
        match view.is_centred() {
            false => Frame::Corner,
            true => {
                let [row, col] = place(maze, state.cells[seat]);
                Frame::Tiled { row, col }
            }
        }
    }

    /// Returns the row and the column of the maze that are shown there.
    fn shown_at(&self, maze: &Maze, [row, col]: [u8; 2]) -> Option<[u8; 2]> {
        match *self {
            Frame::Corner => (row < maze.height() && col < maze.width()).then_some([row, col]),
            Frame::Tiled { row: row_of_middle, col: col_of_middle } => Some([
                wrapped(i16::from(row_of_middle) + offset(row), maze.height()),
                wrapped(i16::from(col_of_middle) + offset(col), maze.width()),
            ]),
        }
    }
}

/// Returns the row and the column of a cell. A cell made for a larger maze wraps around this one.
fn place(maze: &Maze, cell: Cell) -> [u8; 2] {
    [maze.row(cell) % maze.height(), maze.col(cell) % maze.width()]
}

/// Returns how far a row or column of the view is from the middle.
fn offset(shown: u8) -> i16 {
    i16::from(shown) - i16::from(MIDDLE)
}

fn wrapped(number: i16, side: u8) -> u8 {
    number.rem_euclid(side.into()) as u8
}

/// A position as one player sees it.
struct Observation<'a> {
    maze: &'a Maze,
    state: &'a State,
    seat: Seat,
    frame: Frame,
}

impl Observation<'_> {
    fn write_compact(&self, into: &mut [u8]) {
        for (index, [row, col]) in self.shown() {
            into[index] = self.cell_code(self.maze.cell(row.into(), col.into()).expect("the maze has this cell"));
        }
        for (seat, player) in self.seats().into_iter().zip(into[PLAYERS..TURNS_LEFT].chunks_mut(PLAYER)) {
            [player[ROW], player[COL]] = place(self.maze, self.state.cells[seat]);
            player[ALIVE] = u8::from(self.state.alive.contains(seat));
            player[STRENGTH] = self.strength(seat);
            player[BOOST_TURNS_LEFT] = clamp_to_byte(self.state.boost_turns_left[seat]);
        }
        into[TURNS_LEFT] = self.turns_left();
        into[TURNS_UNTIL_SPAWN] = clamp_to_byte(self.state.generator_turns_left);
        into[WIDTH] = self.maze.width();
        into[HEIGHT] = self.maze.height();
        into[SEAT] = self.seat.index() as u8;
        let ruleset = self.maze.ruleset();
        into[GENERATOR_INTERVAL] = clamp_to_byte(ruleset.generator_interval);
        into[LARGE_FRUIT_DURATION] = clamp_to_byte(ruleset.large_fruit_duration);
        into[LARGE_FRUIT_ENHANCEMENT] = clamp_to_byte(ruleset.large_fruit_enhancement);
        into[SKILL_COST] = clamp_to_byte(ruleset.skill_cost);
    }

    fn write_planes(&self, into: &mut [u8]) {
        let (planes, _) = into.as_chunks_mut::<MAX_CELLS>();
        for (index, [row, col]) in self.shown() {
            let code = self.cell_code(self.maze.cell(row.into(), col.into()).expect("the maze has this cell"));
            for (bit, plane) in planes[..PLAYER_PLANES].iter_mut().enumerate() {
                plane[index] = code >> bit & 1;
            }
            planes[TURNS_LEFT_PLANE][index] = self.turns_left();
            planes[TURNS_UNTIL_SPAWN_PLANE][index] = clamp_to_byte(self.state.generator_turns_left);
            for (number, seat) in self.seats().into_iter().enumerate() {
                if self.state.alive.contains(seat) && place(self.maze, self.state.cells[seat]) == [row, col] {
                    planes[PLAYER_PLANES + 2 * number][index] = self.strength(seat);
                    planes[PLAYER_PLANES + 2 * number + 1][index] = clamp_to_byte(self.state.boost_turns_left[seat]);
                }
            }
        }
    }

    /// Returns the indices in 11 rows of 11 that show the maze, each with the row and the column of the maze.
    fn shown(&self) -> impl Iterator<Item = (usize, [u8; 2])> {
        let places = (0..MAX_SIDE).flat_map(|row| (0..MAX_SIDE).map(move |col| [row, col]));
        places.enumerate().filter_map(|(index, shown)| Some((index, self.frame.shown_at(self.maze, shown)?)))
    }

    /// Returns the observer, and then the others in turn.
    fn seats(&self) -> [Seat; 4] {
        [0, 1, 2, 3].map(|after| Seat::ALL[(self.seat.index() + after) % 4])
    }

    fn cell_code(&self, cell: Cell) -> u8 {
        let fruit = |fruits: pacman2_rules::CellSet, bit| if fruits.contains(cell) { bit } else { 0 };
        static_cell_code(self.maze, cell)
            | fruit(self.state.small_fruits, SMALL_FRUIT)
            | fruit(self.state.large_fruits, LARGE_FRUIT)
    }

    fn strength(&self, seat: Seat) -> u8 {
        clamp_to_byte(self.state.strength[seat])
    }

    fn turns_left(&self) -> u8 {
        clamp_to_byte(self.maze.ruleset().turn_limit.saturating_sub(self.state.turn))
    }
}

/// Returns the bits of a cell that never change.
fn static_cell_code(maze: &Maze, cell: Cell) -> u8 {
    let walls = Direction::ALL.into_iter().filter(|&direction| maze.walls(cell).contains(direction));
    let generator = if maze.generators().contains(cell) { GENERATOR } else { 0 };
    walls.fold(FIELD | generator, |code, direction| code | 1 << direction.index())
}

/// Returns the number, or the nearest to it that a byte can hold.
pub(super) fn clamp_to_byte<N: TryInto<u8> + PartialOrd + Default>(number: N) -> u8 {
    let is_negative = number < N::default();
    number.try_into().unwrap_or(if is_negative { 0 } else { u8::MAX })
}
