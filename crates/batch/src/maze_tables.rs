//! What the twelve steps ask about the maze and the ruleset of each lane: what can be computed is computed, and the rest is looked
//! up lane by lane.
//!
//! Cells are numbered as in the largest maze, so that rows and columns are the same in all. What remains of a maze are its
//! walls, line by line: all that a walk or a light along a line can meet is in one word.
//!
//! Positions on a line are counted in the direction of the walk or the light, so that a step adds one in all four directions.

use pacman2_rules::{Action, Direction, ForfeitRuling, MAX_SIDE, MazeRows, Ruleset};

use crate::lanes::{Bytes, Column, LANES, LINES, LINES_PER_DIRECTION, Lanes, TIMES_ELEVEN, Walls};
use crate::soa_states::max_total_strength;

/// [`Action::Invalid`] in lanes. Other actions are their index in [`Action::ALL`].
pub(crate) const INVALID: u8 = 9;

/// The first of the actions that shoot. Those before it stay or move.
pub(crate) const FIRST_SHOT: u8 = 5;

/// Returns the action as it is in lanes.
pub(crate) fn action_byte(action: Action) -> u8 {
    action.index().map_or(INVALID, |index| index as u8)
}

/// The mazes and rulesets of 64 lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneMazes {
    walls: Box<[Walls; LANES]>,
    width: Column<u8>,
    height: Column<u8>,
    /// Where fruit spawns, as two words.
    pub(crate) spawn_cells: [[u64; 2]; LANES],
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
    /// Makes lanes without mazes.
    pub(crate) fn new() -> LaneMazes {
        LaneMazes {
            walls: Box::new([Walls([0; LINES]); LANES]),
            width: Column([1; LANES]),
            height: Column([1; LANES]),
            spawn_cells: [[0; 2]; LANES],
            ruleset_ids: [0; LANES],
            ruleset: LaneRuleset::zeros(),
            odd_skill_cost: 0,
            judge: 0,
            prose: 0,
        }
    }

    /// Gives a lane a maze.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, maze: &LaneMaze) {
        self.walls[lane] = maze.walls;
        self.width.0[lane] = maze.width;
        self.height.0[lane] = maze.height;
        self.spawn_cells[lane] = maze.spawn_cells;
        // Most often it is that of the game before.
        if self.ruleset_ids[lane] != maze.ruleset_id {
            self.put_ruleset(lane, maze);
        }
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
fn set_bit(bits: &mut u64, lane: usize, value: bool) {
    *bits = *bits & !(1 << lane) | u64::from(value) << lane;
}

/// The maze and the ruleset of one lane.
#[derive(Clone, Debug)]
pub(crate) struct LaneMaze {
    walls: Walls,
    width: u8,
    height: u8,
    spawn_cells: [u64; 2],
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
            walls: lines_by_direction(rows),
            width: rows.width,
            height: rows.height,
            spawn_cells: [spawn_cells as u64, (spawn_cells >> 64) as u64],
            ruleset: lane_ruleset,
            forfeit_ruling: ruleset.forfeit_ruling,
            ruleset_id: lane_ruleset.packed() | (ruleset.forfeit_ruling as u64) << 56,
        }
    }
}

/// Returns the walls of all lines, as bits by position.
pub(crate) fn lines_by_direction(rows: &MazeRows) -> Walls {
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
    let mut walls = [0; LINES];
    walls.copy_from_slice(lines.as_flattened());
    Walls(walls)
}

/// Returns the cells of a row that are closed in a direction, as bits.
fn closed(rows: &MazeRows, direction: Direction, row: usize) -> u16 {
    !rows.open[direction.index()][row] & ((1 << rows.width) - 1)
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

impl LaneMazes {
    /// Returns what lies ahead of players in the directions of their actions.
    #[inline(always)]
    pub(crate) fn ahead<L: Lanes>(
        &self,
        lanes: L,
        cells: &[L::Bytes; 4],
        actions: &[L::Bytes; 4],
    ) -> [Ahead<L::Bytes, L::Mask>; 4] {
        let through = by_seat!(seat => self.line_through(lanes, cells[seat], actions[seat]));
        let first_lines = by_seat!(seat => actions[seat].look_up_16(&FIRST_LINES));
        let free = lanes.steps_to_wall(
            &self.walls,
            by_seat!(seat => first_lines[seat] + through[seat].line),
            by_seat!(seat => through[seat].position),
            by_seat!(seat => through[seat].length),
        );
        by_seat!(seat => Ahead { line: through[seat], free: free[seat] })
    }

    /// Returns the open sides of cells, as bits.
    #[inline(always)]
    pub(crate) fn open_sides<L: Lanes>(&self, lanes: L, cells: L::Bytes) -> L::Bytes {
        let [row, col] = lanes.divided_by_eleven(cells);
        let (width, height, one) = (lanes.load(&self.width), lanes.load(&self.height), lanes.splat(1));
        let first_line = |direction| lanes.splat(LINES_PER_DIRECTION * direction);
        let lines = [col, first_line(1) + row, first_line(2) + col, first_line(3) + row];
        let positions = [height - row - one, col, row, width - col - one];
        let steps = lanes.steps_to_wall(&self.walls, lines, positions, [height, width, height, width]);
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
    #[inline(always)]
    pub(crate) fn ruleset<L: Lanes>(&self, lanes: L) -> LaneRuleset<L::Bytes> {
        self.ruleset.load(lanes)
    }

    /// Returns where the skill cost is odd, or `None` if it is so nowhere.
    #[inline(always)]
    pub(crate) fn odd_skill_cost<L: Lanes>(&self, lanes: L) -> Option<L::Mask> {
        (self.odd_skill_cost != 0).then(|| lanes.mask(self.odd_skill_cost))
    }

    /// Returns where light hits players that forfeit: where the ruling is `Judge`, and where it is `Prose`.
    #[inline(always)]
    pub(crate) fn forfeit_rulings<L: Lanes>(&self, lanes: L) -> [L::Mask; 2] {
        [lanes.mask(self.judge), lanes.mask(self.prose)]
    }
}

impl<B: Bytes> Ahead<B, B::Mask> {
    /// Returns the cells after these actions, which are legal or to stay.
    #[inline(always)]
    pub(crate) fn walk<L: Lanes<Bytes = B, Mask = B::Mask>>(self, lanes: L, cells: B, actions: B) -> B {
        let Ahead { line, .. } = self;
        let one = lanes.splat(1);
        let step = actions.look_up_16(&STEPS);
        let wraps = (line.position + one).equals(line.length) & !step.equals(lanes.splat(0));
        // From the last cell of a line to its first one.
        let back = line.length - one;
        let back = B::select(line.vertical, back.look_up_16(&TIMES_ELEVEN), back);
        let back = B::select(line.backward, back, lanes.splat(0) - back);
        cells + B::select(wraps, back, step)
    }

    /// Returns where the action moves into a wall.
    #[inline(always)]
    pub(crate) fn hits_wall(self, actions: B) -> B::Mask {
        self.free.lt_u8(actions.look_up_16(&LEAST_FREE))
    }

    /// Returns the lights of those who shoot, from these coordinates. The lights of the others reach nothing.
    #[inline(always)]
    pub(crate) fn light<L: Lanes<Bytes = B, Mask = B::Mask>>(
        self,
        lanes: L,
        [along_row, along_column]: [B; 2],
        actions: B,
    ) -> Light<B, B::Mask> {
        let Ahead { line, free } = self;
        let one = lanes.splat(1);
        let own = B::select(line.vertical, along_column, along_row);
        // Without a wall ahead, a light reaches all cells of the line but its own.
        let reach = free.min_u8(line.length - one).masked(!actions.lt_u8(lanes.splat(FIRST_SHOT)));
        let first = B::select(line.backward, own - reach, own + one);
        // A cell behind the shooter is ahead of it by as much less than the whole line.
        let around = B::select(line.backward, lanes.splat(0) - line.length, line.length);
        Light { vertical: line.vertical, first, reach, around }
    }
}

impl<B: Bytes> Light<B, B::Mask> {
    /// Returns where the light reaches the coordinates.
    #[inline(always)]
    pub(crate) fn reaches(self, [along_row, along_column]: [B; 2]) -> B::Mask {
        let Light { vertical, first, reach, around } = self;
        let ahead = B::select(vertical, along_column, along_row) - first;
        ahead.min_u8(ahead + around).lt_u8(reach)
    }
}

/// Returns the coordinates of these cells, along their rows and along their columns. No light reaches those of the dead.
#[inline(always)]
pub(crate) fn coordinates<L: Lanes>(lanes: L, cells: L::Bytes) -> [L::Bytes; 2] {
    let [along_row, along_column] = lanes.coordinates(cells);
    let (dead, nowhere) = (cells.sign_mask(), lanes.splat(NO_COORDINATE));
    [L::Bytes::select(dead, nowhere, along_row), L::Bytes::select(dead, nowhere, along_column)]
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

/// Makes a table with a byte for each move, by its direction, and 0 for all other actions.
const fn of_moves(bytes: [u8; 4]) -> [u8; 16] {
    [0, bytes[0], bytes[1], bytes[2], bytes[3], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Defines the numbers of a ruleset once: for one game, for columns of games, and in lanes.
///
/// It spells everything out field by field, because closures over fields would not be compiled for the instruction set of
/// their caller.
macro_rules! lane_ruleset {
    ($($(#[doc = $doc:literal])+ $name:ident = |$ruleset:ident| $value:expr;)+) => {
        /// The numbers of a ruleset: a `u8` for one game, a column or lanes of them for many.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct LaneRuleset<B> {
            $($(#[doc = $doc])+ pub(crate) $name: B,)+
        }

        impl LaneRuleset<u8> {
            /// Returns the numbers of one game. They mean nothing if lanes cannot play it.
            pub(crate) fn new(ruleset: &Ruleset) -> LaneRuleset<u8> {
                LaneRuleset { $($name: { let $ruleset = ruleset; ($value) as u8 },)+ }
            }

            /// Returns the seven numbers, eight bits each.
            pub(crate) fn packed(&self) -> u64 {
                let mut packed = 0;
                $(packed = packed << 8 | u64::from(self.$name);)+
                packed
            }
        }

        impl LaneRuleset<Column<u8>> {
            /// Makes columns of zeros.
            pub(crate) fn zeros() -> LaneRuleset<Column<u8>> {
                LaneRuleset { $($name: Column([0; LANES]),)+ }
            }

            /// Puts the numbers of a game into a lane.
            pub(crate) fn put(&mut self, lane: usize, ruleset: &LaneRuleset<u8>) {
                $(self.$name.0[lane] = ruleset.$name;)+
            }

            /// Loads the numbers of all lanes.
            #[inline(always)]
            pub(crate) fn load<L: Lanes>(&self, lanes: L) -> LaneRuleset<L::Bytes> {
                LaneRuleset { $($name: lanes.load(&self.$name),)+ }
            }
        }
    };
}

lane_ruleset! {
    /// Turns from one spawn of fruit to the next.
    generator_interval = |ruleset| ruleset.generator_interval;
    /// Turns that a boost lasts.
    large_fruit_duration = |ruleset| ruleset.large_fruit_duration;
    /// Strength that a boost adds.
    large_fruit_enhancement = |ruleset| ruleset.large_fruit_enhancement;
    /// Strength that a shot costs.
    skill_cost = |ruleset| ruleset.skill_cost;
    /// One and a half times the skill cost, rounded down.
    hit_gain = |ruleset| 3 * ruleset.skill_cost / 2;
    /// One and a half times the skill cost, rounded up.
    hit_loss = |ruleset| (3 * ruleset.skill_cost + 1) / 2;
    /// The [`max_total_strength`].
    max_total_strength = |ruleset| max_total_strength(ruleset).unwrap_or(0);
}

/// Draws legal actions for the living with these fractions, from the open sides of their cells as bits; the dead stay.
#[inline(always)]
pub(crate) fn draw_actions<L: Lanes>(
    lanes: L,
    cells: L::Bytes,
    open: L::Bytes,
    can_shoot: L::Mask,
    fractions: &<L::Bytes as Bytes>::Fractions,
) -> L::Bytes {
    let one = lanes.splat(1);
    let moves = open.look_up_16(&OPEN_UP_TO[3]);
    let choices = (moves + one).masked_add(can_shoot, lanes.splat(4));
    let choice = choices.mul_hi(fractions);
    // Choice 0 is to stay, then come the open sides, and then the shots in the order of directions. An open side is chosen if as
    // many are open before it as the choice says; counting those before which fewer are open gives its action. For a shot that
    // is the last move, 4, and then come as many more as the choice exceeds the moves.
    let action = choice.saturating_sub(moves);
    let action = action.masked_add(choice.gt_i8(lanes.splat(0)), one);
    let action = action.masked_add(choice.gt_i8(open.look_up_16(&OPEN_UP_TO[0])), one);
    let action = action.masked_add(choice.gt_i8(open.look_up_16(&OPEN_UP_TO[1])), one);
    let action = action.masked_add(choice.gt_i8(open.look_up_16(&OPEN_UP_TO[2])), one);
    action.masked(!cells.sign_mask())
}

/// How many sides are open up to a direction, by the open sides.
static OPEN_UP_TO: [[u8; 16]; 4] = {
    let mut counts = [[0; 16]; 4];
    let mut direction = 0;
    while direction < 4 {
        let mut open: usize = 0;
        while open < 16 {
            counts[direction][open] = (open & ((2 << direction) - 1)).count_ones() as u8;
            open += 1;
        }
        direction += 1;
    }
    counts
};
