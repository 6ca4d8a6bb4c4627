//! A maze for each lane: what can be computed is computed, and the rest is looked up lane by lane.
//!
//! Cells are numbered as in the largest maze, so that rows and columns are the same in all. What remains of a maze are its
//! walls, line by line: all that a walk or a light along a line can meet is in one word.
//!
//! Positions on a line are counted in the direction of the walk or the light, so that a step adds one in all four directions.

use std::array;
use std::sync::Arc;

use pacman2_rules::{Direction, ForfeitRuling, MAX_SIDE, MazeRows, Ruleset};

use super::{FIRST_SHOT, LaneRuleset, MazeTables, Shooter, of_moves};
use crate::lanes::{
    Bytes, Column, FIRST_COLUMN, LANES, LINES, LINES_PER_DIRECTION, LaneWalls, Lanes, SpawnCells, TIMES_ELEVEN, TwoWayWalls,
    Walls, WallsByDirection, place_of_walls,
};

/// The mazes and rulesets of 64 lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneMazes {
    walls_by_direction: AllWalls<WallsByDirection>,
    two_way_walls: AllWalls<TwoWayWalls>,
    width: Column<u8>,
    height: Column<u8>,
    spawn_cells: [[u64; 2]; LANES],
    /// The lanes with cells in the second word of a set, as bits.
    large: u64,
    /// The lanes with one-way walls, as bits.
    one_way: u64,
    /// The [`LaneMaze::ruleset_id`] of each lane.
    ruleset_ids: [u64; LANES],
    ruleset: LaneRuleset<Column<u8>>,
    /// The lanes with an odd skill cost, as bits.
    odd_skill_cost: u64,
    /// The lanes with the ruling `Judge`, as bits.
    judge: u64,
    /// The lanes with the ruling `Prose`, as bits.
    prose: u64,
}

impl LaneMazes {
    /// Makes lanes without mazes. Those with mazes on the list, which is not empty, will share their walls.
    pub(crate) fn new(listed: Option<ListedWalls>) -> LaneMazes {
        let (by_direction, two_way) = listed.map(|listed| (listed.by_direction, listed.two_way)).unzip();
        LaneMazes {
            walls_by_direction: AllWalls::new(by_direction, WallsByDirection([0; LINES])),
            two_way_walls: AllWalls::new(two_way, TwoWayWalls([0; 32])),
            width: Column([1; LANES]),
            height: Column([1; LANES]),
            spawn_cells: [[0; 2]; LANES],
            large: 0,
            one_way: 0,
            ruleset_ids: [0; LANES],
            ruleset: LaneRuleset::zeros(),
            odd_skill_cost: 0,
            judge: 0,
            prose: 0,
        }
    }

    /// Gives a lane a maze, except for its walls.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, maze: &LaneMaze) {
        self.width.0[lane] = maze.width;
        self.height.0[lane] = maze.height;
        self.spawn_cells[lane] = maze.spawn_cells;
        set_bit(&mut self.large, lane, maze.is_large);
        set_bit(&mut self.one_way, lane, maze.has_one_way_walls);
        // Most often it is that of the game before.
        if self.ruleset_ids[lane] != maze.ruleset_id {
            self.put_ruleset(lane, maze);
        }
    }

    /// Gives a lane the walls of a maze, whose place on the list is given if they are there.
    #[inline]
    pub(crate) fn put_walls<'a>(&mut self, lane: usize, place: Option<usize>, walls: impl Fn() -> &'a MazeWalls) {
        self.walls_by_direction.put(lane, place, || &walls().by_direction);
        self.two_way_walls.put(lane, place, || &walls().two_way);
    }

    #[inline(always)]
    fn walls(&self) -> Walls<'_> {
        let two_way = if self.one_way == 0 { Some(self.two_way_walls.of_lanes()) } else { None };
        Walls { by_direction: self.walls_by_direction.of_lanes(), two_way }
    }

    #[cold]
    fn put_ruleset(&mut self, lane: usize, maze: &LaneMaze) {
        self.ruleset_ids[lane] = maze.ruleset_id;
        self.ruleset.put(lane, &maze.ruleset);
        set_bit(&mut self.odd_skill_cost, lane, !maze.ruleset.skill_cost.is_multiple_of(2));
        set_bit(&mut self.judge, lane, maze.forfeit_ruling == ForfeitRuling::Judge);
        set_bit(&mut self.prose, lane, maze.forfeit_ruling == ForfeitRuling::Prose);
    }
}

/// Sets or clears the bit of a lane.
#[inline(always)]
pub(crate) fn set_bit(bits: &mut u64, lane: usize, value: bool) {
    *bits = *bits & !(1 << lane) | u64::from(value) << lane;
}

/// One kind of walls of all lanes.
#[derive(Clone, Debug)]
struct AllWalls<T> {
    walls: KeptWalls<T>,
    /// The place of each lane's walls there.
    places: [u32; LANES],
}

/// Where walls are. Those of 256 mazes on a list take 16 or 24 KB, and those of 4,096 lanes 256 or 384 KB.
#[derive(Clone, Debug)]
enum KeptWalls<T> {
    Listed(Arc<[T]>),
    OfLanes(Box<[T; LANES]>),
}

impl<T: Copy> AllWalls<T> {
    fn new(listed: Option<Arc<[T]>>, none: T) -> AllWalls<T> {
        match listed {
            Some(listed) => AllWalls { walls: KeptWalls::Listed(listed), places: [0; LANES] },
            None => AllWalls::own([none; LANES]),
        }
    }

    fn own(walls: [T; LANES]) -> AllWalls<T> {
        AllWalls { walls: KeptWalls::OfLanes(Box::new(walls)), places: array::from_fn(place_of_walls::<T>) }
    }

    #[inline(always)]
    fn put<'a>(&mut self, lane: usize, place: Option<usize>, walls: impl FnOnce() -> &'a T)
    where
        T: 'a,
    {
        match (&mut self.walls, place) {
            (KeptWalls::Listed(_), Some(place)) => self.places[lane] = place_of_walls::<T>(place),
            (KeptWalls::Listed(_), None) => self.put_unlisted(lane, walls()),
            (KeptWalls::OfLanes(all), _) => all[lane] = *walls(),
        }
    }

    /// Puts walls into a lane that are not on the list. From then on, all lanes have their own.
    #[cold]
    fn put_unlisted(&mut self, lane: usize, walls: &T) {
        let listed = self.of_lanes().checked();
        let mut all = array::from_fn(|lane| *listed.of_lane(lane));
        all[lane] = *walls;
        *self = AllWalls::own(all);
    }

    #[inline(always)]
    fn of_lanes(&self) -> LaneWalls<'_, T> {
        let all = match &self.walls {
            KeptWalls::Listed(walls) => &walls[..],
            KeptWalls::OfLanes(walls) => &walls[..],
        };
        LaneWalls { all, places: &self.places }
    }
}

/// The walls of a maze, for all instruction sets.
#[derive(Clone, Debug)]
pub(crate) struct MazeWalls {
    pub(crate) by_direction: WallsByDirection,
    /// They mean nothing if a wall of the maze is one-way.
    pub(crate) two_way: TwoWayWalls,
}

/// The walls of mazes on a list.
#[derive(Clone)]
pub(crate) struct ListedWalls {
    by_direction: Arc<[WallsByDirection]>,
    two_way: Arc<[TwoWayWalls]>,
}

impl ListedWalls {
    pub(crate) fn new<'a>(all: impl Iterator<Item = &'a MazeWalls> + Clone) -> ListedWalls {
        ListedWalls {
            by_direction: all.clone().map(|walls| walls.by_direction).collect(),
            two_way: all.map(|walls| walls.two_way).collect(),
        }
    }
}

/// The maze and the ruleset of one lane, without the walls.
#[derive(Clone, Debug)]
pub(crate) struct LaneMaze {
    width: u8,
    height: u8,
    spawn_cells: [u64; 2],
    /// Some cells are in the second word of a set.
    is_large: bool,
    has_one_way_walls: bool,
    ruleset: LaneRuleset<u8>,
    forfeit_ruling: ForfeitRuling,
    /// The last two as one number.
    ruleset_id: u64,
}

impl LaneMaze {
    pub(crate) fn new(rows: &MazeRows, ruleset: &Ruleset) -> LaneMaze {
        let spawn_cells = rows.spawn_cells().iter().rev().fold(0, |bits, &row| bits << MAX_SIDE | u128::from(row));
        let lane_ruleset = LaneRuleset::new(ruleset);
        LaneMaze {
            width: rows.width,
            height: rows.height,
            spawn_cells: [spawn_cells as u64, (spawn_cells >> 64) as u64],
            is_large: u32::from(MAX_SIDE) * u32::from(rows.height.saturating_sub(1)) + u32::from(rows.width) > u64::BITS,
            has_one_way_walls: has_one_way_walls(rows),
            ruleset: lane_ruleset,
            forfeit_ruling: ruleset.forfeit_ruling,
            ruleset_id: lane_ruleset.packed() | (ruleset.forfeit_ruling as u64) << 56,
        }
    }
}

impl MazeWalls {
    pub(crate) fn new(rows: &MazeRows) -> MazeWalls {
        let lines = lines_by_direction(rows);
        let [_, right, down, _] = &lines;
        let (width, height) = (usize::from(rows.width), usize::from(rows.height));
        // A wall before a cell is one that blocks the way to it.
        let before = |ahead: u16, length: usize| repeated(ahead << 1 | ahead >> (length - 1), length);
        let (mut by_direction, mut two_way) = ([0; LINES], [0; 32]);
        by_direction.copy_from_slice(lines.as_flattened());
        let (in_rows, in_columns) = two_way.split_at_mut(FIRST_COLUMN.into());
        for (walls, &ahead) in in_rows.iter_mut().zip(&right[..height]) {
            *walls = before(ahead, width);
        }
        for (walls, &ahead) in in_columns.iter_mut().zip(&down[..width]) {
            *walls = before(ahead, height);
        }
        MazeWalls { by_direction: WallsByDirection(by_direction), two_way: TwoWayWalls(two_way) }
    }
}

/// Returns the walls of all lines, as bits by position.
fn lines_by_direction(rows: &MazeRows) -> [[u16; LINES_PER_DIRECTION as usize]; 4] {
    let mut lines = [[0; LINES_PER_DIRECTION as usize]; 4];
    let [up, right, down, left] = &mut lines;
    let (width, height) = (u32::from(rows.width), usize::from(rows.height));
    for row in 0..height {
        right[row] = closed(rows, Direction::Right, row);
        left[row] = closed(rows, Direction::Left, row).reverse_bits() >> (u16::BITS - width);
        for (lines, direction, position) in [(&mut *up, Direction::Up, height - 1 - row), (&mut *down, Direction::Down, row)] {
            let row = closed(rows, direction, row);
            for (col, line) in lines.iter_mut().enumerate() {
                *line |= (row >> col & 1) << position;
            }
        }
    }
    lines
}

/// Returns the cells of a row that are closed in a direction, as bits.
fn closed(rows: &MazeRows, direction: Direction, row: usize) -> u16 {
    !rows.open[direction.index()][row] & ((1 << rows.width) - 1)
}

/// Repeats the lowest bits of a number.
fn repeated(bits: u16, length: usize) -> u16 {
    let bits = u32::from(bits) & ((1 << length) - 1);
    (0..16).step_by(length).fold(0, |all, by| all | bits << by) as u16
}

/// Returns whether a wall blocks one way only.
pub(crate) fn has_one_way_walls(rows: &MazeRows) -> bool {
    let (width, height) = (rows.width, usize::from(rows.height));
    let turned = |row: u16| row << 1 | row >> (width - 1);
    (0..height).any(|row| {
        let below = if row + 1 < height { row + 1 } else { 0 };
        let right = turned(closed(rows, Direction::Right, row)) & ((1 << width) - 1);
        right != closed(rows, Direction::Left, row) || closed(rows, Direction::Down, row) != closed(rows, Direction::Up, below)
    })
}

/// The line through a player in the direction of its action. For those who stay it means nothing.
#[derive(Clone, Copy)]
pub(crate) struct Line<B, M> {
    /// The line is a column, not a row.
    vertical: M,
    /// The direction is up or left: positions are counted from the other end.
    backward: M,
    line: B,
    position: B,
    length: B,
}

/// The line ahead of a player, up to the next wall.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<B, M> {
    line: Line<B, M>,
    /// Steps to the next wall; if there is none, at least the length of the line.
    free: B,
}

/// A light along a line.
///
/// The coordinates of a line begin at 22 times its number. So those of two lines differ by 12 to 230, and as bytes by 12 to 244 in both
/// directions. Counted from the first coordinate in the light, they are beyond its reach, also after the length of a line has been added or
/// subtracted: one comparison finds both whether a cell is on the line and how far away it is.
#[derive(Clone, Copy)]
pub(crate) struct Light<B, M> {
    /// The line is a column, not a row.
    vertical: M,
    /// The least coordinate in the light, if the line went on beyond its ends.
    first: B,
    /// How many cells it reaches.
    reach: B,
    /// The way from a coordinate beyond the end to the one that is meant.
    around: B,
}

impl<L: Lanes> MazeTables<L> for LaneMazes {
    type Ahead = Ahead<L::Bytes, L::Mask>;
    type Reach = ();
    type ReturningReach = ();
    type Light = Light<L::Bytes, L::Mask>;
    /// Along the row, and along the column.
    type Coordinates = [L::Bytes; 2];

    #[inline(always)]
    fn ahead(&self, lanes: L, cells: &[L::Bytes; 4], actions: &[L::Bytes; 4]) -> [Self::Ahead; 4] {
        let through = by_seat!(seat => self.line_through(lanes, cells[seat], actions[seat]));
        let first_lines = by_seat!(seat => actions[seat].look_up_16(&FIRST_LINES));
        let free = lanes.steps_to_wall(
            self.walls(),
            by_seat!(seat => first_lines[seat] + through[seat].line),
            by_seat!(seat => through[seat].position),
            by_seat!(seat => through[seat].length),
        );
        by_seat!(seat => Ahead { line: through[seat], free: free[seat] })
    }

    #[inline(always)]
    fn walk(&self, lanes: L, cells: L::Bytes, actions: L::Bytes, Ahead { line, .. }: Self::Ahead) -> L::Bytes {
        let one = lanes.splat(1);
        let step = actions.look_up_16(&STEPS);
        let wraps = (line.position + one).equals(line.length) & !step.equals(lanes.splat(0));
        // From the last cell of a line to its first one.
        let back = line.length - one;
        let back = L::Bytes::select(line.vertical, back.look_up_16(&TIMES_ELEVEN), back);
        let back = L::Bytes::select(line.backward, back, lanes.splat(0) - back);
        cells + L::Bytes::select(wraps, back, step)
    }

    #[inline(always)]
    fn hits_wall(&self, _: L, _: L::Bytes, actions: L::Bytes, Ahead { free, .. }: Self::Ahead) -> L::Mask {
        free.lt_u8(actions.look_up_16(&LEAST_FREE))
    }

    #[inline(always)]
    fn coordinates(&self, lanes: L, cells: &[L::Bytes; 4]) -> [[L::Bytes; 2]; 4] {
        by_seat!(seat => {
            let [along_row, along_column] = lanes.coordinates(cells[seat]);
            let dead = cells[seat].sign_mask();
            let nowhere = lanes.splat(NO_COORDINATE);
            [L::Bytes::select(dead, nowhere, along_row), L::Bytes::select(dead, nowhere, along_column)]
        })
    }

    #[inline(always)]
    fn reach(&self, _: L, _: &[L::Bytes; 4]) -> [(); 4] {
        [(); 4]
    }

    #[inline(always)]
    fn light(
        &self,
        lanes: L,
        Shooter { coordinates: [along_row, along_column], ahead: Ahead { line, free }, .. }: Shooter<
            [L::Bytes; 2],
            Self::Ahead,
            (),
        >,
        actions: L::Bytes,
    ) -> Self::Light {
        let one = lanes.splat(1);
        let own = L::Bytes::select(line.vertical, along_column, along_row);
        // Without a wall ahead, a light reaches all cells of the line but its own.
        let reach = free.min_u8(line.length - one).masked(!actions.lt_u8(lanes.splat(FIRST_SHOT)));
        let first = L::Bytes::select(line.backward, own - reach, own + one);
        // A cell behind the shooter is ahead of it by as much less than the whole line.
        let around = L::Bytes::select(line.backward, lanes.splat(0) - line.length, line.length);
        Light { vertical: line.vertical, first, reach, around }
    }

    #[inline(always)]
    fn returning_light(&self, lanes: L, from: Shooter<[L::Bytes; 2], Self::Ahead, ()>, actions: L::Bytes) -> Self::Light {
        self.light(lanes, from, actions)
    }

    #[inline(always)]
    fn returning_reach(&self, _: L, _: &[L::Bytes; 4]) -> [(); 4] {
        [(); 4]
    }

    #[inline(always)]
    fn light_may_return(&self) -> bool {
        false
    }

    #[inline(always)]
    fn reaches(
        &self,
        _: L,
        Light { vertical, first, reach, around }: Self::Light,
        [along_row, along_column]: [L::Bytes; 2],
    ) -> L::Mask {
        let ahead = L::Bytes::select(vertical, along_column, along_row) - first;
        ahead.min_u8(ahead + around).lt_u8(reach)
    }

    #[inline(always)]
    fn words(&self) -> usize {
        if self.large == 0 { 1 } else { 2 }
    }

    #[inline(always)]
    fn spawn_cells(&self) -> SpawnCells<'_> {
        SpawnCells::OfLanes(&self.spawn_cells)
    }

    #[inline(always)]
    fn ruleset(&self, lanes: L) -> LaneRuleset<L::Bytes> {
        self.ruleset.load(lanes)
    }

    #[inline(always)]
    fn odd_skill_cost(&self, lanes: L) -> Option<L::Mask> {
        (self.odd_skill_cost != 0).then(|| lanes.mask(self.odd_skill_cost))
    }

    #[inline(always)]
    fn forfeit_rulings(&self, lanes: L) -> [L::Mask; 2] {
        [lanes.mask(self.judge), lanes.mask(self.prose)]
    }
}

impl LaneMazes {
    /// Returns the open sides of cells, as bits.
    #[inline(always)]
    pub(crate) fn open_sides<L: Lanes>(&self, lanes: L, cells: L::Bytes) -> L::Bytes {
        let [row, col] = lanes.divided_by_eleven(cells);
        let (width, height, one) = (lanes.load(&self.width), lanes.load(&self.height), lanes.splat(1));
        let first_line = |direction| lanes.splat(LINES_PER_DIRECTION * direction);
        let lines = [col, first_line(1) + row, first_line(2) + col, first_line(3) + row];
        let positions = [height - row - one, col, row, width - col - one];
        let steps = lanes.steps_to_wall(self.walls(), lines, positions, [height, width, height, width]);
        let sides = by_seat!(direction => lanes.splat(1 << direction).masked(!steps[direction].equals(lanes.splat(0))));
        sides[0] | sides[1] | sides[2] | sides[3]
    }

    /// Returns the lines through these cells in the directions of the actions.
    #[inline(always)]
    fn line_through<L: Lanes>(&self, lanes: L, cells: L::Bytes, actions: L::Bytes) -> Line<L::Bytes, L::Mask> {
        let vertical = !actions.look_up_16(&IS_HORIZONTAL).sign_mask();
        let backward = actions.look_up_16(&IS_BACKWARD).sign_mask();
        let [row, col] = lanes.divided_by_eleven(cells);
        let line = L::Bytes::select(vertical, col, row);
        let length = L::Bytes::select(vertical, lanes.load(&self.height), lanes.load(&self.width));
        let position = in_direction(lanes, backward, L::Bytes::select(vertical, row, col), length);
        Line { vertical, backward, line, position, length }
    }
}

/// Returns the position as counted in the direction of the line.
#[inline(always)]
fn in_direction<L: Lanes>(lanes: L, backward: L::Mask, position: L::Bytes, length: L::Bytes) -> L::Bytes {
    L::Bytes::select(backward, length - position - lanes.splat(1), position)
}

/// The coordinates of the dead. These are 12 to 243 away from all others, in both directions, so that no light reaches them.
const NO_COORDINATE: u8 = 243;

/// Has the highest bit set for actions along rows.
static IS_HORIZONTAL: [u8; 16] = by_direction([0, 0x80, 0, 0x80]);

/// Has the highest bit set for actions up and to the left.
static IS_BACKWARD: [u8; 16] = by_direction([0x80, 0, 0, 0x80]);

/// The first line in the direction of an action.
static FIRST_LINES: [u8; 16] = by_direction([0, LINES_PER_DIRECTION, 2 * LINES_PER_DIRECTION, 3 * LINES_PER_DIRECTION]);

/// How many cells must be free ahead for an action.
static LEAST_FREE: [u8; 16] = of_moves([1; 4]);

/// What a move adds to a cell, unless it wraps around the field.
static STEPS: [u8; 16] = of_moves([0u8.wrapping_sub(MAX_SIDE), 1, MAX_SIDE, 0u8.wrapping_sub(1)]);

/// Makes a table with a byte for each action, by its direction. For other actions it is the byte of the first direction.
const fn by_direction([up, right, down, left]: [u8; 4]) -> [u8; 16] {
    [up, up, right, down, left, up, right, down, left, up, up, up, up, up, up, up]
}
