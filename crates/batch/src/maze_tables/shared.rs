//! One maze for all lanes: everything about a cell is looked up in a table.
//!
//! The cells of a row are numbered so that no light along the row passes from the last number to the first, and so are the
//! cells of a column, with other numbers. A light then reaches an interval of numbers, and a hit is a comparison.

use pacman2_rules::{Cell, CellSet, Direction, ForfeitRuling, Maze};

use super::{FIRST_SHOT, LaneRuleset, MazeTables, NO_COORDINATE, SIDE_OF_MOVE};
use crate::lanes::{Bytes, Lanes, Table};

/// The tables of one maze.
#[derive(Clone, Debug)]
pub(crate) struct SharedMaze {
    /// Open sides, as bits times eight.
    open: Table,
    /// By direction: the difference (exclusive or) between a cell and the next one; 0 if a wall is in the way.
    steps: [Table; 4],
    /// The coordinate of a cell along its row, and along its column.
    coordinates: [Table; 2],
    /// By direction: how many coordinates a light from this cell reaches, plus sixteen times how far the lowest of them lies
    /// below the coordinate after the cell's own.
    lights: [Table; 4],
    spawn_cells: [u64; 2],
    ruleset: LaneRuleset<u8>,
    forfeit_ruling: ForfeitRuling,
    /// Whether some light goes all the way around.
    light_may_return: bool,
}

/// The lowest coordinate along a column.
const COLUMNS: u8 = 128;

impl SharedMaze {
    /// Makes the tables of a maze. Returns `None` if there is no numbering in which each light reaches an interval that begins
    /// at the coordinate after its own cell's, at the latest.
    pub(crate) fn new(maze: &Maze) -> Option<SharedMaze> {
        let spawn_cells = maze.spawn_cells().bits();
        let mut shared = SharedMaze {
            open: table(maze, |cell| maze.open_sides(cell) << 3),
            steps: by_direction(maze, |cell, direction| {
                let to = if maze.is_open(cell, direction) { maze.neighbour(cell, direction) } else { cell };
                (cell.index() ^ to.index()) as u8
            }),
            coordinates: [Line::Row, Line::Column].map(|line| coordinates(maze, line)),
            lights: [const { Table([0; 128]) }; 4],
            spawn_cells: [spawn_cells as u64, (spawn_cells >> 64) as u64],
            ruleset: LaneRuleset::new(maze.ruleset()),
            forfeit_ruling: maze.ruleset().forfeit_ruling,
            light_may_return: false,
        };
        for direction in Direction::ALL {
            for cell in maze.cells() {
                let (first, count) = shared.interval(maze, cell, direction)?;
                let home = shared.coordinates[Line::of(direction) as usize].0[cell.index()];
                let below = (home + 1).checked_sub(first)?;
                shared.lights[direction.index()].0[cell.index()] = below << 4 | count;
                shared.light_may_return |= (first..first + count).contains(&home);
            }
        }
        Some(shared)
    }

    /// Returns the coordinates that a light reaches, if they are an interval: the lowest, and how many.
    fn interval(&self, maze: &Maze, from: Cell, direction: Direction) -> Option<(u8, u8)> {
        let ray = maze.ray(from, direction);
        let coordinates = &self.coordinates[Line::of(direction) as usize];
        let coordinate = |cell: Cell| coordinates.0[cell.index()];
        let Some(first) = ray.iter().map(coordinate).min() else { return Some((coordinate(from), 0)) };
        let last = ray.iter().map(coordinate).max()?;
        let is_inside = |cell: &Cell| (first..=last).contains(&coordinate(*cell)) && *cell != from;
        (maze.cells().filter(is_inside).collect::<CellSet>() == ray).then_some((first, last - first + 1))
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

/// Numbers the cells along these lines. Each line is cut where no light passes, if there is such a point.
fn coordinates(maze: &Maze, line: Line) -> Table {
    let (lines, length, forward, base) = match line {
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
            maze.cell(row.into(), col.into()).expect("the cell is in the maze")
        };
        let never_stopped = |direction| (0..length).all(|step| maze.is_open(cell(step), direction));
        let [forward_free, backward_free] = [forward, forward.opposite()].map(never_stopped);
        let is_cut = |step: &u8| {
            (forward_free || !maze.is_open(cell(step + length - 1), forward))
                && (backward_free || !maze.is_open(cell(*step), forward.opposite()))
        };
        let start = (0..length).find(is_cut).unwrap_or(0);
        for step in 0..length {
            table.0[cell(start + step).index()] = base + number * length + step;
        }
    }
    table
}

impl<L: Lanes> MazeTables<L> for SharedMaze {
    type Ahead = ();
    /// Whether it runs along a column, the lowest coordinate that it reaches, and how many.
    type Light = (L::Mask, L::Bytes, L::Bytes);
    /// The coordinate along the row, and along the column.
    type Coordinates = [L::Bytes; 2];

    #[inline(always)]
    fn ahead(&self, _: L, _: &[L::Bytes; 4], _: &[L::Bytes; 4]) -> [(); 4] {
        [(); 4]
    }

    #[inline(always)]
    fn walk(&self, lanes: L, cells: L::Bytes, actions: L::Bytes, (): ()) -> L::Bytes {
        cells ^ cells.look_up_in(&self.steps, actions - lanes.splat(1))
    }

    #[inline(always)]
    fn hits_wall(&self, lanes: L, cells: L::Bytes, actions: L::Bytes, (): ()) -> L::Mask {
        let none = lanes.splat(0);
        let required = actions.look_up(&SIDE_OF_MOVE);
        !required.equals(none) & (self.open_sides(lanes, cells) & required).equals(none)
    }

    #[inline(always)]
    fn coordinates(&self, lanes: L, cells: L::Bytes) -> [L::Bytes; 2] {
        let dead = cells.sign_mask();
        let of_living = |coordinates: L::Bytes| L::Bytes::select(dead, lanes.splat(NO_COORDINATE), coordinates);
        [of_living(cells.look_up(&self.coordinates[0])), of_living(cells.look_up(&self.coordinates[1]))]
    }

    #[inline(always)]
    fn light(&self, lanes: L, cells: L::Bytes, [row, column]: Self::Coordinates, actions: L::Bytes, (): ()) -> Self::Light {
        let direction = actions - lanes.splat(FIRST_SHOT);
        let vertical = (direction & lanes.splat(1)).equals(lanes.splat(0));
        let light = cells.look_up_in(&self.lights, direction);
        let home = L::Bytes::select(vertical, column, row);
        let first = home + lanes.splat(1) - light.high_nibble();
        (vertical, first, light & lanes.splat(0x0f))
    }

    #[inline(always)]
    fn light_may_return(&self) -> bool {
        self.light_may_return
    }

    #[inline(always)]
    fn reaches(&self, _: L, (vertical, first, count): Self::Light, [row, column]: [L::Bytes; 2]) -> L::Mask {
        (L::Bytes::select(vertical, column, row) - first).lt_u8(count)
    }

    #[inline(always)]
    fn open_sides(&self, _: L, cells: L::Bytes) -> L::Bytes {
        cells.look_up(&self.open)
    }

    #[inline(always)]
    fn spawn_cells(&self, _: usize) -> [u64; 2] {
        self.spawn_cells
    }

    #[inline(always)]
    fn ruleset(&self, lanes: L) -> LaneRuleset<L::Bytes> {
        self.ruleset.splat(lanes)
    }

    #[inline(always)]
    fn odd_skill_cost(&self, lanes: L) -> Option<L::Mask> {
        (!self.ruleset.skill_cost.is_multiple_of(2)).then(|| !lanes.none())
    }

    #[inline(always)]
    fn forfeit_rulings(&self, lanes: L) -> [L::Mask; 2] {
        let everywhere_if = |is: bool| if is { !lanes.none() } else { lanes.none() };
        let ruling = self.forfeit_ruling;
        [everywhere_if(ruling == ForfeitRuling::Judge), everywhere_if(ruling == ForfeitRuling::Prose)]
    }
}
