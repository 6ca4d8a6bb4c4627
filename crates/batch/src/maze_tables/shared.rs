//! One maze for all lanes: everything about a cell is looked up in a table.
//!
//! The cells of a row are numbered so that no light along the row passes from the last number to the first, and so are the
//! cells of a column, with other numbers. A light then reaches an interval of numbers, and a hit is a comparison.

use pacman2_rules::{Cell, CellSet, Direction, ForfeitRuling, MAX_CELLS, Maze};

use super::{LaneRuleset, MazeTables, Shooter, of_moves, of_shots};
use crate::lanes::{Bytes, CellTable, Lanes, NEVER_FRUIT, SpawnCells, Table};
use crate::soa_states::Numbering;

/// The tables of one maze.
#[derive(Clone, Debug)]
pub(crate) struct SharedMaze {
    /// How many sixteens of cells there are.
    sixteens: usize,
    /// Which sides are open, as bits, and at which sides the field ends, as bits times sixteen.
    sides: CellTable,
    /// By action: what a move adds to a cell.
    steps: [u8; 16],
    /// By action: what a move adds beyond that if the field ends at that side.
    wraps: [u8; 16],
    /// The coordinate of a cell along its row, and along its column, counted from 1. The dead have 0.
    coordinates: [CellTable; 2],
    /// Along the row, and along the column: how many cells a light reaches forward, plus sixteen times how many backward.
    reaches: [CellTable; 2],
    /// For mazes in which a light may go all the way around, by direction: how many coordinates a light from this cell reaches, plus sixteen times how far the lowest of them lies
    /// below the coordinate after the cell's own.
    lights: [CellTable; 4],
    /// The number of a cell in sets of fruit.
    fruit_places: Table,
    /// How many words of a set of fruit are used.
    words: usize,
    spawn_cells: [u64; 2],
    ruleset: LaneRuleset<u8>,
    forfeit_ruling: ForfeitRuling,
    /// Whether some light does not reach a number of coordinates from the one beside the shooter on, because it goes all the way
    /// around.
    light_may_return: bool,
}

impl SharedMaze {
    /// Makes the tables of a maze whose cells lanes number like this. Returns `None` if there are no coordinates in which each light
    /// reaches an interval that begins at the coordinate after its own cell's, at the latest.
    pub(crate) fn new(maze: &Maze, numbering: Numbering) -> Option<SharedMaze> {
        let spawn_cells = numbering.bits(maze.rows(), maze.spawn_cells());
        let (width, stride) = (maze.width(), numbering.stride);
        let (all_rows, last_cell) = (stride * maze.height(), stride * (maze.height() - 1) + width - 1);
        let minus = |number: u8| number.wrapping_neg();
        let number = |cell| usize::from(numbering.number(maze.rows(), cell));
        let table = |byte: &dyn Fn(Cell) -> u8| {
            let mut table = Table([0; 128]);
            maze.cells().for_each(|cell| table.0[number(cell)] = byte(cell));
            table
        };
        let along = [Line::Row, Line::Column].map(|line| coordinates(maze, line));
        let mut shared = SharedMaze {
            sixteens: usize::from(last_cell) / 16 + 1,
            sides: CellTable::new(table(&|cell| maze.open_sides(cell) | border(maze, cell) << 4)),
            steps: of_moves([minus(stride), 1, stride, minus(1)]),
            wraps: of_moves([all_rows, minus(width), minus(all_rows), width]),
            coordinates: along.each_ref().map(|along| CellTable::new(table(&|cell| along[cell.index()]))),
            reaches: [const { CellTable { bytes: Table([0; 128]), changes: Table([0; 128]) } }; 2],
            lights: [const { CellTable { bytes: Table([0; 128]), changes: Table([0; 128]) } }; 4],
            fruit_places: table(&|cell| number(cell) as u8),
            words: if last_cell >= 64 { 2 } else { 1 },
            spawn_cells: [spawn_cells as u64, (spawn_cells >> 64) as u64],
            ruleset: LaneRuleset::new(maze.ruleset()),
            forfeit_ruling: maze.ruleset().forfeit_ruling,
            light_may_return: false,
        };
        let (mut reaches, mut lights) = ([const { Table([0; 128]) }; 2], [const { Table([0; 128]) }; 4]);
        for direction in Direction::ALL {
            for cell in maze.cells() {
                let line = Line::of(direction) as usize;
                let (first, count) = interval(maze, &along[line], cell, direction)?;
                let home = along[line][cell.index()];
                let below = (home + 1).checked_sub(first)?;
                lights[direction.index()].0[number(cell)] = below << 4 | count;
                let is_backward = matches!(direction, Direction::Up | Direction::Left);
                let beside = if is_backward { home - count.min(home) } else { home + 1 };
                shared.light_may_return |= count > 0 && first != beside;
                reaches[line].0[number(cell)] |= if is_backward { count << 4 } else { count };
            }
        }
        shared.reaches = reaches.map(CellTable::new);
        shared.lights = lights.map(CellTable::new);
        Some(shared)
    }

    /// Returns which cells may have fruit in games that begin with these fruits, unless sets of fruit do not become smaller by that.
    pub(crate) fn fruit_places(&self, fruits: [u64; 2]) -> Option<FruitPlaces> {
        let [low, high] = [0, 1].map(|word| fruits[word] | self.spawn_cells[word]);
        let cells = u128::from(low) | u128::from(high) << 64;
        (self.words > 1 && cells.count_ones() <= u64::BITS).then_some(FruitPlaces { cells })
    }

    /// Returns the same maze with these numbers of cells in sets of fruit.
    pub(crate) fn with_fruit_places(&self, places: FruitPlaces) -> SharedMaze {
        SharedMaze { fruit_places: places.table(), words: 1, spawn_cells: places.renumbered(self.spawn_cells), ..self.clone() }
    }
}

/// Numbers for the cells that may have fruit, in their order, from 0 to at most 63.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FruitPlaces {
    /// The cells, as bits.
    cells: u128,
}

impl FruitPlaces {
    /// Returns the cells and their numbers.
    fn numbers(self) -> impl Iterator<Item = (u32, u32)> {
        (0..u128::BITS).filter(move |cell| self.cells >> cell & 1 != 0).zip(0..)
    }

    fn table(self) -> Table {
        let mut table = Table([NEVER_FRUIT; 128]);
        for (cell, number) in self.numbers() {
            table.0[cell as usize] = number as u8;
        }
        table
    }

    /// Returns a set of fruit with the new numbers.
    pub(crate) fn renumbered(self, [low, high]: [u64; 2]) -> [u64; 2] {
        let cells = u128::from(low) | u128::from(high) << 64;
        [self.numbers().map(|(cell, number)| ((cells >> cell & 1) as u64) << number).sum(), 0]
    }

    /// Returns a set of fruit with the maze's own numbers.
    pub(crate) fn restored(self, [numbers, _]: [u64; 2]) -> [u64; 2] {
        let cells: u128 = self.numbers().map(|(cell, number)| u128::from(numbers >> number & 1) << cell).sum();
        [cells as u64, (cells >> 64) as u64]
    }
}

/// A byte for each cell, by its index.
type ByCell = [u8; MAX_CELLS];

/// Returns the coordinates that a light reaches, if they are an interval: the lowest, and how many.
fn interval(maze: &Maze, coordinates: &ByCell, from: Cell, direction: Direction) -> Option<(u8, u8)> {
    let ray = maze.ray(from, direction);
    let coordinate = |cell: Cell| coordinates[cell.index()];
    let Some(first) = ray.iter().map(coordinate).min() else { return Some((coordinate(from), 0)) };
    let last = ray.iter().map(coordinate).max()?;
    let is_inside = |cell: &Cell| (first..=last).contains(&coordinate(*cell)) && *cell != from;
    (maze.cells().filter(is_inside).collect::<CellSet>() == ray).then_some((first, last - first + 1))
}

/// Returns the sides of a cell at which the field ends, as bits.
fn border(maze: &Maze, cell: Cell) -> u8 {
    let (row, col) = (maze.row(cell), maze.col(cell));
    let ends = [row == 0, col + 1 == maze.width(), row + 1 == maze.height(), col == 0];
    (0..).zip(ends).map(|(direction, ends)| u8::from(ends) << direction).sum()
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
fn coordinates(maze: &Maze, line: Line) -> ByCell {
    let (lines, length, forward) = match line {
        Line::Row => (maze.height(), maze.width(), Direction::Right),
        Line::Column => (maze.width(), maze.height(), Direction::Down),
    };
    let mut coordinates = [0; MAX_CELLS];
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
            coordinates[cell(start + step).index()] = 1 + number * length + step;
        }
    }
    coordinates
}

impl<L: Lanes> MazeTables<L> for SharedMaze {
    /// Which sides are open, and at which the field ends.
    type Ahead = L::Bytes;
    /// Along the row, and along the column.
    type Reach = [L::Bytes; 2];
    /// By direction.
    type ReturningReach = [L::Bytes; 4];
    /// Whether it runs along a column, the lowest coordinate that it reaches, and how many; the last two as signed numbers whose
    /// sign bit is flipped.
    type Light = (L::Mask, L::Bytes, L::Bytes);
    /// The coordinate along the row, and along the column.
    type Coordinates = [L::Bytes; 2];

    #[inline(always)]
    fn ahead(&self, lanes: L, cells: &[L::Bytes; 4], _: &[L::Bytes; 4]) -> [L::Bytes; 4] {
        self.sides(lanes, cells)
    }

    #[inline(always)]
    fn walk(&self, _: L, cells: L::Bytes, actions: L::Bytes, sides: L::Bytes) -> L::Bytes {
        let side = actions.look_up_16(&BORDER_OF_MOVE);
        // True for those who do not move, too, to whom 0 is added.
        let wraps = (sides & side).equals(side);
        (cells + actions.look_up_16(&self.steps)).masked_add(wraps, actions.look_up_16(&self.wraps))
    }

    #[inline(always)]
    fn hits_wall(&self, lanes: L, _: L::Bytes, actions: L::Bytes, sides: L::Bytes) -> L::Mask {
        let none = lanes.splat(0);
        let required = actions.look_up_16(&SIDE_OF_MOVE);
        !required.equals(none) & (sides & required).equals(none)
    }

    #[inline(always)]
    fn coordinates(&self, lanes: L, cells: &[L::Bytes; 4]) -> [[L::Bytes; 2]; 4] {
        let [row, column] = &self.coordinates;
        let [rows, columns] = lanes.look_up_cells_twice([row, column], self.sixteens, cells);
        by_seat!(seat => [rows[seat], columns[seat]])
    }

    #[inline(always)]
    fn reach(&self, lanes: L, cells: &[L::Bytes; 4]) -> [[L::Bytes; 2]; 4] {
        let [row, column] = &self.reaches;
        let [rows, columns] = lanes.look_up_cells_twice([row, column], self.sixteens, cells);
        by_seat!(seat => [rows[seat], columns[seat]])
    }

    #[inline(always)]
    fn light(
        &self,
        lanes: L,
        Shooter { coordinates, reach, .. }: Shooter<[L::Bytes; 2], L::Bytes, [L::Bytes; 2]>,
        actions: L::Bytes,
    ) -> Self::Light {
        let vertical = actions.look_up_16(&SHOOTS_ALONG_COLUMN).sign_mask();
        let backward = actions.look_up_16(&SHOOTS_BACKWARD).sign_mask();
        let of_line = |[row, column]: [L::Bytes; 2]| L::Bytes::select(vertical, column, row);
        let (home, reach) = (of_line(coordinates), of_line(reach));
        let count = L::Bytes::select(backward, reach.high_nibble(), reach) & actions.look_up_16(&LOW_BITS_IF_SHOT);
        let sign = lanes.splat(0x80);
        let first = home + L::Bytes::select(backward, sign - count, lanes.splat(0x81));
        (vertical, first, count ^ sign)
    }

    #[inline(always)]
    fn returning_reach(&self, lanes: L, cells: &[L::Bytes; 4]) -> [[L::Bytes; 4]; 4] {
        let [up, right, down, left] = &self.lights;
        let [ups, rights] = lanes.look_up_cells_twice([up, right], self.sixteens, cells);
        let [downs, lefts] = lanes.look_up_cells_twice([down, left], self.sixteens, cells);
        by_seat!(seat => [ups[seat], rights[seat], downs[seat], lefts[seat]])
    }

    #[inline(always)]
    fn returning_light(
        &self,
        lanes: L,
        Shooter { coordinates: [row, column], reach: [up, right, down, left], .. }: Shooter<
            [L::Bytes; 2],
            L::Bytes,
            [L::Bytes; 4],
        >,
        actions: L::Bytes,
    ) -> Self::Light {
        let vertical = actions.look_up_16(&SHOOTS_ALONG_COLUMN).sign_mask();
        let backward = actions.look_up_16(&SHOOTS_BACKWARD).sign_mask();
        let along_row = L::Bytes::select(backward, left, right);
        let light = L::Bytes::select(vertical, L::Bytes::select(backward, up, down), along_row);
        let home = L::Bytes::select(vertical, column, row);
        let first = home + lanes.splat(0x81) - light.high_nibble();
        (vertical, first, (light & actions.look_up_16(&LOW_BITS_IF_SHOT)) ^ lanes.splat(0x80))
    }

    #[inline(always)]
    fn light_may_return(&self) -> bool {
        self.light_may_return
    }

    #[inline(always)]
    fn reaches(&self, _: L, (vertical, first, count): Self::Light, [row, column]: [L::Bytes; 2]) -> L::Mask {
        count.gt_i8(L::Bytes::select(vertical, column, row) - first)
    }

    #[inline(always)]
    fn fruit_places(&self, _: L, cells: &[L::Bytes; 4]) -> [L::Bytes; 4] {
        if L::TABLES_ARE_QUICK { by_seat!(seat => cells[seat].look_up(&self.fruit_places)) } else { *cells }
    }

    #[inline(always)]
    fn words(&self) -> usize {
        self.words
    }

    #[inline(always)]
    fn spawn_cells(&self) -> SpawnCells<'_> {
        SpawnCells::Same(self.spawn_cells)
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

impl SharedMaze {
    /// Returns which sides of these cells are open, as bits, and at which the field ends, as bits times sixteen. The dead have
    /// none.
    #[inline(always)]
    pub(crate) fn sides<L: Lanes>(&self, lanes: L, cells: &[L::Bytes; 4]) -> [L::Bytes; 4] {
        lanes.look_up_cells(&self.sides, self.sixteens, cells)
    }
}

/// The side that must be open for a move, as a bit.
static SIDE_OF_MOVE: [u8; 16] = of_moves([1, 2, 4, 8]);

/// The same times sixteen.
static BORDER_OF_MOVE: [u8; 16] = of_moves([0x10, 0x20, 0x40, 0x80]);

/// Has the highest bit set for shots up and down.
static SHOOTS_ALONG_COLUMN: [u8; 16] = of_shots([0x80, 0, 0x80, 0]);

/// Has the highest bit set for shots up and to the left.
static SHOOTS_BACKWARD: [u8; 16] = of_shots([0x80, 0, 0, 0x80]);

/// Has the lower four bits set for shots.
static LOW_BITS_IF_SHOT: [u8; 16] = of_shots([15; 4]);
