//! One map for all lanes: everything about a cell is looked up in a table.
//!
//! Lights: the cells of a row are numbered so that no light along it can pass from the last number to the first; so are
//! those of a column, in other numbers. A light then shines on an interval of numbers, and whom it hits is a comparison.

use pacman2_rules::{Cell, CellSet, Direction, ForfeitRuling, Maze};

use super::{FIRST_LIGHT, Ground, NOWHERE, Terms};
use crate::lanes::{Bytes, Lanes, Mask, Table};

/// The tables of a map.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    /// Eight times the bits of open sides.
    open: Table,
    /// By direction: what changes of a cell's number for who walks; 0 if a wall is in the way.
    steps: [Table; 4],
    /// The cell's numbers in its row and in its column.
    places: [Table; 2],
    /// By direction: on how many numbers a light from here shines, and sixteen times how far the lowest of them is below the
    /// number after this cell's own.
    lights: [Table; 4],
    births: [u64; 2],
    terms: Terms<u8>,
    forfeit_ruling: ForfeitRuling,
    /// Whether some light goes all the way round.
    unhindered: bool,
}

/// From here on numbers are those of columns.
const COLUMNS: u8 = 128;

impl Shared {
    /// The tables of an arena, if each of its lights shines on an interval of some numbering, up to the next number at most
    /// or from it on.
    pub(crate) fn new(maze: &Maze) -> Option<Shared> {
        let births = maze.spawn_cells().bits();
        let mut shared = Shared {
            open: table(maze, |cell| maze.open_sides(cell) << 3),
            steps: by_direction(maze, |cell, direction| {
                let to = if maze.is_open(cell, direction) { maze.neighbour(cell, direction) } else { cell };
                (cell.index() ^ to.index()) as u8
            }),
            places: [Line::Row, Line::Column].map(|line| places(maze, line)),
            lights: [const { Table([0; 128]) }; 4],
            births: [births as u64, (births >> 64) as u64],
            terms: Terms::new(maze),
            forfeit_ruling: maze.ruleset().forfeit_ruling,
            unhindered: false,
        };
        for direction in Direction::ALL {
            for cell in maze.cells() {
                let (first, count) = shared.interval(maze, cell, direction)?;
                let home = shared.places[Line::of(direction) as usize].0[cell.index()];
                let below = (home + 1).checked_sub(first)?;
                shared.lights[direction.index()].0[cell.index()] = below << 4 | count;
                shared.unhindered |= (first..first + count).contains(&home);
            }
        }
        Some(shared)
    }

    /// The numbers of the cells in the way of a light, if they are an interval: the lowest, and how many.
    fn interval(&self, maze: &Maze, from: Cell, direction: Direction) -> Option<(u8, u8)> {
        let way = maze.ray(from, direction);
        let places = &self.places[Line::of(direction) as usize];
        let place = |cell: Cell| places.0[cell.index()];
        let Some(first) = way.iter().map(place).min() else { return Some((place(from), 0)) };
        let last = way.iter().map(place).max()?;
        let within = |cell: &Cell| (first..=last).contains(&place(*cell)) && *cell != from;
        (maze.cells().filter(within).collect::<CellSet>() == way).then_some((first, last - first + 1))
    }
}

fn table(maze: &Maze, byte: impl Fn(Cell) -> u8) -> Table {
    let mut table = Table([0; 128]);
    for cell in maze.cells() {
        table.0[cell.index()] = byte(cell);
    }
    table
}

fn by_direction(maze: &Maze, byte: impl Fn(Cell, Direction) -> u8) -> [Table; 4] {
    Direction::ALL.map(|direction| table(maze, |cell| byte(cell, direction)))
}

/// What a light runs along.
#[derive(Clone, Copy)]
enum Line {
    Row,
    Column,
}

impl Line {
    fn of(direction: Direction) -> Line {
        match direction {
            Direction::Left | Direction::Right => Line::Row,
            Direction::Up | Direction::Down => Line::Column,
        }
    }
}

/// The numbers of the cells along these lines. Each line is cut where no light passes, if there is such a place.
fn places(maze: &Maze, line: Line) -> Table {
    let (lines, length, onwards, base) = match line {
        Line::Row => (maze.height(), maze.width(), Direction::Right, 0),
        Line::Column => (maze.width(), maze.height(), Direction::Down, COLUMNS),
    };
    let mut table = Table([0; 128]);
    for number in 0..lines {
        let cell = |step: u8| {
            let (row, col) = match line {
                Line::Row => (number, step % length),
                Line::Column => (step % length, number),
            };
            maze.cell(row.into(), col.into()).expect("a cell of the field")
        };
        let never_stopped = |direction| (0..length).all(|step| maze.is_open(cell(step), direction));
        let [onwards_free, back_free] = [onwards, onwards.opposite()].map(never_stopped);
        let is_cut = |step: &u8| {
            (onwards_free || !maze.is_open(cell(step + length - 1), onwards))
                && (back_free || !maze.is_open(cell(*step), onwards.opposite()))
        };
        let start = (0..length).find(is_cut).unwrap_or(0);
        for step in 0..length {
            table.0[cell(start + step).index()] = base + number * length + step;
        }
    }
    table
}

impl<L: Lanes> Ground<L> for Shared {
    type Sight = ();
    /// Whether along a column, the lowest number on which it shines, and how many they are.
    type Light = (L::Mask, L::Bytes, L::Bytes);
    /// The number in the row, and in the column.
    type Spot = [L::Bytes; 2];

    #[inline(always)]
    fn sights(&self, _: &[L::Bytes; 4], _: &[L::Bytes; 4]) -> [(); 4] {
        [(); 4]
    }

    #[inline(always)]
    fn walk(&self, cells: L::Bytes, actions: L::Bytes, (): ()) -> L::Bytes {
        cells ^ cells.look_up_in(&self.steps, actions - L::Bytes::all(1))
    }

    #[inline(always)]
    fn walled(&self, cells: L::Bytes, actions: L::Bytes, (): ()) -> L::Mask {
        // No cell is open on the sides of which nothing is asked.
        let none = L::Bytes::all(0);
        let wanted = actions.look_up(&super::SIDES);
        !wanted.equals(none) & (Ground::<L>::open_sides(self, cells) & wanted).equals(none)
    }

    #[inline(always)]
    fn light(&self, cells: L::Bytes, [row, column]: Self::Spot, actions: L::Bytes, (): ()) -> Self::Light {
        let direction = actions - L::Bytes::all(FIRST_LIGHT);
        let vertical = (direction & L::Bytes::all(1)).equals(L::Bytes::all(0));
        let light = cells.look_up_in(&self.lights, direction);
        let home = L::Bytes::choose(vertical, column, row);
        let first = home + L::Bytes::all(1) - light.sixteenth();
        (vertical, first, light & L::Bytes::all(0x0f))
    }

    #[inline(always)]
    fn shines_home(&self) -> bool {
        self.unhindered
    }

    #[inline(always)]
    fn spot(&self, cells: L::Bytes) -> [L::Bytes; 2] {
        let dead = cells.topmost();
        let of_living = |places: L::Bytes| L::Bytes::choose(dead, L::Bytes::all(NOWHERE), places);
        [of_living(cells.look_up(&self.places[0])), of_living(cells.look_up(&self.places[1]))]
    }

    #[inline(always)]
    fn lit(&self, (vertical, first, count): Self::Light, [row, column]: [L::Bytes; 2]) -> L::Mask {
        (L::Bytes::choose(vertical, column, row) - first).below(count)
    }

    #[inline(always)]
    fn open_sides(&self, cells: L::Bytes) -> L::Bytes {
        cells.look_up(&self.open)
    }

    #[inline(always)]
    fn births(&self, _: usize) -> [u64; 2] {
        self.births
    }

    #[inline(always)]
    fn terms(&self) -> Terms<L::Bytes> {
        self.terms.in_all::<L>()
    }

    #[inline(always)]
    fn odd_cost(&self) -> Option<L::Mask> {
        (!self.terms.skill_cost.is_multiple_of(2)).then(|| !L::Mask::none())
    }

    #[inline(always)]
    fn forfeit_ruling(&self) -> [L::Mask; 2] {
        let all = |is: bool| if is { !L::Mask::none() } else { L::Mask::none() };
        let choice = self.forfeit_ruling;
        [all(choice == ForfeitRuling::Judge), all(choice == ForfeitRuling::Prose)]
    }
}
