//! Each lane its own map: what can be computed is, and the rest is looked up lane by lane.
//!
//! Cells are numbered as on the largest field, so that rows and columns are the same for all. What is left of a map are its
//! walls, line by line: all that a walk or a light along a line can meet is in one word.
//!
//! Each line is looked at from where the walk or the light comes from: steps onwards add to the position on it, in all four
//! directions.

use pacman2_rules::{Cell, Direction, ForfeitRuling, MAX_SIDE, Maze};

use super::{FIRST_LIGHT, Ground, NOWHERE, Terms};
use crate::columns::Numbering;
use crate::lanes::{Bytes, Column, LANES, LINES, LINES_ONE_WAY, Lanes, Mask, Table, Walls};

/// The maps and settings of 64 lanes.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    walls: Box<Walls>,
    width: Column<u8>,
    height: Column<u8>,
    births: [[u64; 2]; LANES],
    terms: Terms<Column<u8>>,
    odd_cost: u64,
    judge: u64,
    prose: u64,
}

impl Own {
    /// Lanes without maps.
    pub(crate) fn new() -> Own {
        Own {
            walls: Box::new(Column([[0; LINES]; LANES])),
            width: Column([1; LANES]),
            height: Column([1; LANES]),
            births: [[0; 2]; LANES],
            terms: Terms::zeros(),
            odd_cost: 0,
            judge: 0,
            prose: 0,
        }
    }

    /// Gives a lane a map.
    pub(crate) fn put(&mut self, lane: usize, map: &OwnMap) {
        self.walls.0[lane] = map.walls;
        self.width.0[lane] = map.width;
        self.height.0[lane] = map.height;
        self.births[lane] = map.births;
        self.terms.put(lane, &map.terms);
        let choice = map.forfeit_ruling;
        put_bit(&mut self.odd_cost, lane, !map.terms.skill_cost.is_multiple_of(2));
        put_bit(&mut self.judge, lane, choice == ForfeitRuling::Judge);
        put_bit(&mut self.prose, lane, choice == ForfeitRuling::Prose);
    }
}

fn put_bit(bits: &mut u64, lane: usize, is: bool) {
    *bits = *bits & !(1 << lane) | u64::from(is) << lane;
}

/// The map and the settings of one lane.
#[derive(Clone, Debug)]
pub(crate) struct OwnMap {
    walls: [u16; LINES],
    width: u8,
    height: u8,
    births: [u64; 2],
    terms: Terms<u8>,
    forfeit_ruling: ForfeitRuling,
}

impl OwnMap {
    pub(crate) fn new(maze: &Maze) -> OwnMap {
        let mut walls = [0; LINES];
        for direction in Direction::ALL {
            for cell in maze.cells().filter(|&cell| !maze.is_open(cell, direction)) {
                let Position { line, position } = Position::of(maze, cell, direction);
                walls[usize::from(LINES_ONE_WAY) * direction.index() + usize::from(line)] |= 1 << position;
            }
        }
        let births = Numbering::WIDEST.bits(maze, maze.spawn_cells());
        OwnMap {
            walls,
            width: maze.width(),
            height: maze.height(),
            births: [births as u64, (births >> 64) as u64],
            terms: Terms::new(maze),
            forfeit_ruling: maze.ruleset().forfeit_ruling,
        }
    }
}

/// Where a cell lies for who looks in some direction.
struct Position {
    line: u8,
    position: u8,
}

impl Position {
    fn of(maze: &Maze, cell: Cell, direction: Direction) -> Position {
        let (row, col, width, height) = (maze.row(cell), maze.col(cell), maze.width(), maze.height());
        match direction {
            Direction::Up => Position { line: col, position: height - 1 - row },
            Direction::Right => Position { line: row, position: col },
            Direction::Down => Position { line: col, position: row },
            Direction::Left => Position { line: row, position: width - 1 - col },
        }
    }
}

/// From where a player looks, in the direction of its order; of who stays it means nothing.
#[derive(Clone, Copy)]
pub(crate) struct Look<B, M> {
    /// Along a column, not a row.
    vertical: M,
    /// Up or to the left: positions are counted from the other end.
    back: M,
    line: B,
    position: B,
    length: B,
}

/// What it sees.
#[derive(Clone, Copy)]
pub(crate) struct Sight<B, M> {
    look: Look<B, M>,
    /// Steps to the next wall; as many as the line is long, or more, if there is none.
    free: B,
}

/// A light.
#[derive(Clone, Copy)]
pub(crate) struct Light<B, M> {
    sight: Sight<B, M>,
    /// How far it shines.
    reach: B,
}

impl<L: Lanes> Ground<L> for Own {
    type Sight = Sight<L::Bytes, L::Mask>;
    type Light = Light<L::Bytes, L::Mask>;
    /// Row and column.
    type Spot = [L::Bytes; 2];

    #[inline(always)]
    fn sights(&self, cells: &[L::Bytes; 4], actions: &[L::Bytes; 4]) -> [Self::Sight; 4] {
        let looks = by_seat!(seat => self.look::<L>(cells[seat], actions[seat]));
        let first_lines = by_seat!(seat => actions[seat].look_up(&FIRST_LINES));
        let free = L::steps_to_wall(
            &self.walls,
            by_seat!(seat => first_lines[seat] + looks[seat].line),
            by_seat!(seat => looks[seat].position),
            by_seat!(seat => looks[seat].length),
        );
        by_seat!(seat => Sight { look: looks[seat], free: free[seat] })
    }

    #[inline(always)]
    fn walk(&self, cells: L::Bytes, actions: L::Bytes, sight: Self::Sight) -> L::Bytes {
        let one = L::Bytes::all(1);
        let walks = (actions - one).below(L::Bytes::all(FIRST_LIGHT - 1)) & !sight.free.equals(L::Bytes::all(0));
        let round = (sight.look.position + one).equals(sight.look.length);
        let step = actions.look_up(&STEPS);
        // From the last cell of a line to its first one.
        let far = sight.look.length - one;
        let far = L::Bytes::choose(sight.look.vertical, far.look_up(&ELEVENFOLD), far);
        let far = L::Bytes::choose(sight.look.back, far, L::Bytes::all(0) - far);
        cells.plus(walks, L::Bytes::choose(round, far, step))
    }

    #[inline(always)]
    fn walled(&self, _: L::Bytes, actions: L::Bytes, sight: Self::Sight) -> L::Mask {
        (actions - L::Bytes::all(1)).below(L::Bytes::all(FIRST_LIGHT - 1)) & sight.free.equals(L::Bytes::all(0))
    }

    #[inline(always)]
    fn light(&self, _: L::Bytes, _: Self::Spot, actions: L::Bytes, sight: Self::Sight) -> Self::Light {
        // If no wall is ahead it is farther than any cell of the line; the own cell is just behind.
        Light { sight, reach: sight.free.only(!actions.below(L::Bytes::all(FIRST_LIGHT))) }
    }

    #[inline(always)]
    fn shines_home(&self) -> bool {
        false
    }

    #[inline(always)]
    fn spot(&self, cells: L::Bytes) -> [L::Bytes; 2] {
        let dead = cells.topmost();
        let of_living = |places: L::Bytes| L::Bytes::choose(dead, L::Bytes::all(NOWHERE), places);
        [of_living(cells.look_up(&ROWS)), of_living(cells.look_up(&COLS))]
    }

    #[inline(always)]
    fn lit(&self, Light { sight, reach }: Self::Light, [row, col]: [L::Bytes; 2]) -> L::Mask {
        let position = L::Bytes::choose(sight.look.vertical, row, col);
        let position = seen_from::<L>(sight.look.back, position, sight.look.length);
        let ahead = position - sight.look.position;
        let ahead = ahead + sight.look.length.only(ahead.topmost());
        let line = L::Bytes::choose(sight.look.vertical, col, row);
        (ahead - L::Bytes::all(1)).below(reach) & line.equals(sight.look.line)
    }

    #[inline(always)]
    fn open_sides(&self, cells: L::Bytes) -> L::Bytes {
        let (row, col) = (cells.look_up(&ROWS), cells.look_up(&COLS));
        let (width, height, one) = (L::Bytes::load(&self.width), L::Bytes::load(&self.height), L::Bytes::all(1));
        let first_line = |direction| L::Bytes::all(LINES_ONE_WAY * direction);
        let lines = [col, first_line(1) + row, first_line(2) + col, first_line(3) + row];
        let positions = [height - row - one, col, row, width - col - one];
        let steps = L::steps_to_wall(&self.walls, lines, positions, [height, width, height, width]);
        let sides = by_seat!(direction => L::Bytes::all(8 << direction).only(!steps[direction].equals(L::Bytes::all(0))));
        sides[0] | sides[1] | sides[2] | sides[3]
    }

    #[inline(always)]
    fn births(&self, lane: usize) -> [u64; 2] {
        self.births[lane]
    }

    #[inline(always)]
    fn terms(&self) -> Terms<L::Bytes> {
        self.terms.load::<L>()
    }

    #[inline(always)]
    fn odd_cost(&self) -> Option<L::Mask> {
        (self.odd_cost != 0).then(|| L::Mask::from_bits(self.odd_cost))
    }

    #[inline(always)]
    fn forfeit_ruling(&self) -> [L::Mask; 2] {
        [L::Mask::from_bits(self.judge), L::Mask::from_bits(self.prose)]
    }
}

impl Own {
    /// Where players look from, and where to.
    #[inline(always)]
    fn look<L: Lanes>(&self, cells: L::Bytes, actions: L::Bytes) -> Look<L::Bytes, L::Mask> {
        let vertical = !actions.look_up(&ALONG_ROWS).topmost();
        let back = actions.look_up(&BACK).topmost();
        let (row, col) = (cells.look_up(&ROWS), cells.look_up(&COLS));
        let line = L::Bytes::choose(vertical, col, row);
        let length = L::Bytes::choose(vertical, L::Bytes::load(&self.height), L::Bytes::load(&self.width));
        let position = seen_from::<L>(back, L::Bytes::choose(vertical, row, col), length);
        Look { vertical, back, line, position, length }
    }
}

/// The position as it is counted in the direction one looks.
#[inline(always)]
fn seen_from<L: Lanes>(back: L::Mask, position: L::Bytes, length: L::Bytes) -> L::Bytes {
    L::Bytes::choose(back, length - position - L::Bytes::all(1), position)
}

/// The topmost bit for orders along rows.
static ALONG_ROWS: Table = by_direction([0, 0x80, 0, 0x80]);

/// The topmost bit for orders in directions in which positions are counted from the other end.
static BACK: Table = by_direction([0x80, 0, 0, 0x80]);

/// The first line in the direction of an order.
static FIRST_LINES: Table = by_direction([0, LINES_ONE_WAY, 2 * LINES_ONE_WAY, 3 * LINES_ONE_WAY]);

/// What an order to walk adds to a cell, if it does not leave the field on one side and enter on the other.
static STEPS: Table = {
    let steps = [0u8.wrapping_sub(MAX_SIDE), 1, MAX_SIDE, 0u8.wrapping_sub(1)];
    let mut table = [0; 128];
    let mut direction = 0;
    while direction < 4 {
        table[1 + direction] = steps[direction];
        direction += 1;
    }
    Table(table)
};

/// A byte for each order, by its direction; for others it is that of the first direction.
const fn by_direction(bytes: [u8; 4]) -> Table {
    let mut table = [bytes[0]; 128];
    let mut direction = 0;
    while direction < 4 {
        table[1 + direction] = bytes[direction];
        table[5 + direction] = bytes[direction];
        direction += 1;
    }
    Table(table)
}

/// Rows and columns of cells, and eleven times a number.
pub(crate) static ROWS: Table = computed(Computed::Row);
pub(crate) static COLS: Table = computed(Computed::Col);
pub(crate) static ELEVENFOLD: Table = computed(Computed::Elevenfold);

enum Computed {
    Row,
    Col,
    Elevenfold,
}

const fn computed(what: Computed) -> Table {
    let mut table = [0; 128];
    let mut index = 0;
    while index < 128 {
        let number = index as u8;
        table[index] = match what {
            Computed::Row => number / MAX_SIDE,
            Computed::Col => number % MAX_SIDE,
            Computed::Elevenfold => number.wrapping_mul(MAX_SIDE),
        };
        index += 1;
    }
    Table(table)
}
