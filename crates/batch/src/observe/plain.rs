//! Views of one position, number by number.

use pacman2_rules::{Action, Cell, Direction, MAX_CELLS, MAX_SIDE, Maze, Seat, State};

use super::*;

/// Writes what `seat` sees: [`View::len`] bytes.
///
/// # Panics
///
/// If there is not room for just as many.
pub fn observe(view: View, maze: &Maze, state: &State, seat: Seat, into: &mut [u8]) {
    assert!(into.len() == view.len(), "{} bytes for a view of {} bytes", into.len(), view.len());
    into.fill(0);
    let look = Look { maze, state, seat, frame: Frame::new(view, maze, state, seat) };
    match view {
        View::Compact | View::CompactCentred => look.write_compact(into),
        View::Planes | View::PlanesCentred => look.write_planes(into),
    }
}

/// Which orders a player may give, 1 or 0 for each of [`Order::ALL`]. Of the dead, and when the game is over, it is only to
/// stay, which is what they do.
pub fn action_mask(maze: &Maze, state: &State, seat: Seat) -> [u8; ACTIONS] {
    if state.is_over(maze) || !state.alive.contains(seat) {
        return Action::ALL.map(|action| u8::from(action == Action::Stay));
    }
    Action::ALL.map(|action| u8::from(state.is_legal(maze, seat, action)))
}

/// Where the field is cut open: how far down and to the right everything is rolled.
struct Frame {
    down: u8,
    right: u8,
}

impl Frame {
    fn new(view: View, maze: &Maze, state: &State, seat: Seat) -> Frame {
        if !view.is_centred() {
            return Frame { down: 0, right: 0 };
        }
        let (cell, width, height) = (state.cells[seat], maze.width(), maze.height());
        Frame { down: height + height / 2 - maze.row(cell) % height, right: width + width / 2 - maze.col(cell) % width }
    }

    /// Row and column where a cell is shown. A cell that was made for a larger field is shown on this one all the same.
    fn place(&self, maze: &Maze, cell: Cell) -> [u8; 2] {
        [(maze.row(cell) + self.down) % maze.height(), (maze.col(cell) + self.right) % maze.width()]
    }

    /// The same as a place in 11 rows of 11.
    fn index(&self, maze: &Maze, cell: Cell) -> usize {
        let [row, col] = self.place(maze, cell);
        usize::from(row) * usize::from(MAX_SIDE) + usize::from(col)
    }
}

/// Somebody looks at a position.
struct Look<'a> {
    maze: &'a Maze,
    state: &'a State,
    seat: Seat,
    frame: Frame,
}

impl Look<'_> {
    fn write_compact(&self, into: &mut [u8]) {
        for cell in self.maze.cells() {
            into[self.frame.index(self.maze, cell)] = self.code(cell);
        }
        for (seat, player) in self.seats().into_iter().zip(into[PLAYERS..TURNS_LEFT].chunks_mut(PLAYER)) {
            [player[ROW], player[COL]] = self.frame.place(self.maze, self.state.cells[seat]);
            player[ALIVE] = u8::from(self.state.alive.contains(seat));
            player[STRENGTH] = self.strength(seat);
            player[BOOST_TURNS_LEFT] = told(self.state.boost_turns_left[seat]);
        }
        into[TURNS_LEFT] = self.turns_left();
        into[TURNS_UNTIL_BIRTH] = told(self.state.generator_turns_left);
        into[WIDTH] = self.maze.width();
        into[HEIGHT] = self.maze.height();
        into[SEAT] = self.seat.index() as u8;
        let settings = self.maze.ruleset();
        into[GENERATOR_INTERVAL] = told(settings.generator_interval);
        into[LARGE_FRUIT_DURATION] = told(settings.large_fruit_duration);
        into[LARGE_FRUIT_ENHANCEMENT] = told(settings.large_fruit_enhancement);
        into[SKILL_COST] = told(settings.skill_cost);
    }

    fn write_planes(&self, into: &mut [u8]) {
        let (planes, _) = into.as_chunks_mut::<MAX_CELLS>();
        for cell in self.maze.cells() {
            let (code, index) = (self.code(cell), self.frame.index(self.maze, cell));
            for (bit, plane) in planes[..PLAYER_PLANES].iter_mut().enumerate() {
                plane[index] = code >> bit & 1;
            }
            planes[TURNS_LEFT_PLANE][index] = self.turns_left();
            planes[TURNS_UNTIL_BIRTH_PLANE][index] = told(self.state.generator_turns_left);
        }
        for (number, seat) in self.seats().into_iter().enumerate().filter(|&(_, seat)| self.state.alive.contains(seat)) {
            let index = self.frame.index(self.maze, self.state.cells[seat]);
            planes[PLAYER_PLANES + 2 * number][index] = self.strength(seat);
            planes[PLAYER_PLANES + 2 * number + 1][index] = told(self.state.boost_turns_left[seat]);
        }
    }

    /// Who looks on, and the others after it.
    fn seats(&self) -> [Seat; 4] {
        [0, 1, 2, 3].map(|after| Seat::ALL[(self.seat.index() + after) % 4])
    }

    fn code(&self, cell: Cell) -> u8 {
        let fruit = |fruits: pacman2_rules::CellSet, bit| if fruits.contains(cell) { bit } else { 0 };
        code_of_ground(self.maze, cell)
            | fruit(self.state.small_fruits, SMALL_FRUIT)
            | fruit(self.state.large_fruits, LARGE_FRUIT)
    }

    fn strength(&self, seat: Seat) -> u8 {
        told(self.state.strength[seat])
    }

    fn turns_left(&self) -> u8 {
        told(self.maze.ruleset().turn_limit.saturating_sub(self.state.turn))
    }
}

/// What no turn changes about a cell.
pub(super) fn code_of_ground(maze: &Maze, cell: Cell) -> u8 {
    let walls = Direction::ALL.into_iter().filter(|&direction| maze.walls(cell).stands(direction));
    let generator = if maze.generators().contains(cell) { GENERATOR } else { 0 };
    walls.fold(FIELD | generator, |code, direction| code | 1 << direction.index())
}

/// The number, or the nearest to it that a byte can tell.
pub(super) fn told<N: TryInto<u8> + PartialOrd + Default>(number: N) -> u8 {
    let is_negative = number < N::default();
    number.try_into().unwrap_or(if is_negative { 0 } else { u8::MAX })
}
