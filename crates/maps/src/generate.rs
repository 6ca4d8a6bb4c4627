//! Botzone's map generator: the same seed gives the same map as Botzone's judge.
//!
//! The ten steps are those of `generate/reference.rs`, under the same names; that file has them in plain code and explains them.
//! Here sets of cells are bits, and steps look at all cells at once. Tests compare the maps of both.

#[cfg(test)]
mod reference;

use pacman2_rules::Direction::{self, Down, Left, Right, Up};
use pacman2_rules::{BySeat, MAX_SIDE, MazeRows, Ruleset, State};

use crate::glibc::{Bound, GlibcRand, JUMP};

/// A map as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) rows: MazeRows,
    /// The row and the column of player 0. The others are at its mirror images.
    pub(crate) first_player: (u8, u8),
    pub(crate) small_fruits: Rows,
    pub(crate) large_fruits: Rows,
}

impl Layout {
    /// Returns the position before the first turn.
    pub(crate) fn start(&self, ruleset: &Ruleset) -> State {
        let Layout { rows, first_player: (row, col), small_fruits, large_fruits } = self;
        let (far_row, far_col) = (rows.height - 1 - row, rows.width - 1 - col);
        let players = [(*row, *col), (*row, far_col), (far_row, *col), (far_row, far_col)];
        let cells = players.map(|(row, col)| rows.cell(row.into(), col.into()).expect("a player is in the maze"));
        State::start_with(ruleset, BySeat(cells), rows.set(small_fruits), rows.set(large_fruits))
    }
}

/// By row: cells as bits.
pub(crate) type Rows = [u16; MAX_SIDE as usize];

/// Returns Botzone's map of a seed. A given width or height (6 to 11) replaces the drawn one.
pub(crate) fn generate(seed: i32, width: Option<u8>, height: Option<u8>) -> Layout {
    let mut rand = GlibcRand::new(seed);
    rand.prepare(4);
    // Both sides are drawn even if they are given.
    let drawn_width = draw_side(&mut rand);
    let drawn_height = draw_side(&mut rand);
    let width = width.unwrap_or(drawn_width);
    let height = height.unwrap_or(drawn_height);
    let quadrant = Quadrant::new(width, height);
    loop {
        // A map without room is discarded; the next one continues the sequence of random numbers.
        if let Some(layout) = attempt(&quadrant, &mut rand) {
            return layout;
        }
    }
}

/// Steps 2 to 10. Returns `None` if step 8 or 9 finds no room.
fn attempt(quadrant: &Quadrant, rand: &mut GlibcRand) -> Option<Layout> {
    rand.prepare(quadrant.most_draws);
    let generator = draw_generator(quadrant, rand);
    let (mut open, opened_borders) = carve(quadrant, generator, rand);
    open_missing_borders(&mut open, quadrant, opened_borders, rand);
    open_rim(&mut open, quadrant, rand);
    wall_generator(&mut open, quadrant, generator);
    symmetrise_middle(&mut open, quadrant);
    let room = quadrant.inner & !generator & !exposed(&open, quadrant);
    let player = find_room(room, quadrant, rand)?;
    let large_fruit = find_room(room & !player, quadrant, rand)?;
    let small_fruits = scatter_small_fruits(quadrant.inner & !(generator | player | large_fruit), rand);
    let place = player.trailing_zeros();
    Some(Layout {
        rows: mirror_walls(&open, quadrant, generator),
        first_player: ((place / STRIDE) as u8, (place % STRIDE) as u8),
        small_fruits: quadrant.mirrored(small_fruits),
        large_fruits: quadrant.mirrored(large_fruit),
    })
}

/// Step 1, once for the width and once for the height: draws a side. Short sides are rare.
fn draw_side(rand: &mut GlibcRand) -> u8 {
    let shortest = if rand.below(0, 3) == 0 { 6 } else { 9 };
    rand.below(shortest, 12) as u8
}

/// Step 3: draws the cell of the quadrant's generator.
fn draw_generator(quadrant: &Quadrant, rand: &mut GlibcRand) -> u64 {
    quadrant.draw_inner(rand)
}

/// Step 4: opens walls by depth-first search until all cells of the quadrant are visited. Returns the open sides, and the borders
/// opened on the way, as bits by direction.
fn carve(quadrant: &Quadrant, generator: u64, rand: &mut GlibcRand) -> ([u64; 4], u8) {
    // Column first, unlike everywhere else.
    let col = rand.below_bound(quadrant.col_bound);
    let row = rand.below_bound(quadrant.row_bound);
    // By cell: the open sides, as bits by direction.
    let mut sides = [0_u8; (STRIDE * STRIDE) as usize];
    let mut opened_borders = 0;
    // The way here: cells, the order of directions of each, and the directions that were not tried.
    let mut path = [(0_u8, 0_u8, 0_u8); MAX_QUADRANT];
    let mut length = 0;
    let mut place = row * STRIDE + col;
    // All cells, those that are not marked except the generator's, and that one until it is marked; rotated so that the cell of this place
    // is at the centre.
    let mut sets = Surroundings { cells: quadrant.cells, unmarked: quadrant.cells & !generator, generator };
    sets.turn(place.wrapping_sub(CENTRE));
    loop {
        sets.unmarked &= !(1 << CENTRE);
        sets.generator &= !(1 << CENTRE);
        if sets.unmarked | sets.generator == 0 {
            return (sets_of_open_sides(&sides, quadrant.rows), opened_borders);
        }
        let mut order = rand.below(0, 24) as u8;
        let mut untried = ALL_DIRECTIONS;
        loop {
            // The generator is marked, but not visited. If it is the only cell left, though, marking it is the end, as a visit is, and walls
            // around it are restored later.
            let free = if sets.unmarked == 0 { sets.generator } else { sets.unmarked };
            let step = STEPS[usize::from(order)][usize::from(neighbours(free) & untried)];
            let tried = step.tried & untried;
            let borders = tried & !neighbours(sets.cells);
            let is_generator_marked = neighbours(sets.generator) & tried != 0;
            sets.generator = if is_generator_marked { 0 } else { sets.generator };
            sides[place as usize] |= borders & !opened_borders | step.way;
            opened_borders |= borders;
            if step.way != 0 {
                path[length] = (place as u8, order, untried & !tried);
                length += 1;
                sets.turn(step.turn.into());
                place = (place + u32::from(step.turn)) % u64::BITS;
                sides[place as usize] |= step.way_back;
                break;
            }
            // A cell without a way out. It is not the first: a generator alone separates no cells.
            length -= 1;
            let back = path[length];
            sets.turn(u32::from(back.0).wrapping_sub(place));
            (place, order, untried) = (back.0.into(), back.1, back.2);
        }
    }
}

/// Sets of cells as seen from one of them, which is at [`CENTRE`].
struct Surroundings {
    cells: u64,
    unmarked: u64,
    generator: u64,
}

impl Surroundings {
    /// Goes this many places on, or back if it wraps.
    #[inline(always)]
    fn turn(&mut self, places: u32) {
        for set in [&mut self.cells, &mut self.unmarked, &mut self.generator] {
            *set = set.rotate_right(places);
        }
    }
}

/// Returns for each direction the cells that are open there.
fn sets_of_open_sides(sides: &[u8; (STRIDE * STRIDE) as usize], rows: u32) -> [u64; 4] {
    let mut open = [0; 4];
    for (row, sides) in sides.as_chunks().0.iter().enumerate().take(rows as usize) {
        let sides = u64::from_le_bytes(*sides);
        for (direction, open) in open.iter_mut().enumerate() {
            // The factor brings the lowest bits of all bytes together.
            let cells = (sides >> direction & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            *open |= cells << (STRIDE as usize * row);
        }
    }
    open
}

/// Step 5: opens one border on each side of the quadrant that has no open one.
fn open_missing_borders(open: &mut [u64; 4], quadrant: &Quadrant, opened_borders: u8, rand: &mut GlibcRand) {
    let (last_row, last_col) = (quadrant.rows - 1, quadrant.cols - 1);
    let mut open_one = |direction: Direction, length: Bound, place: &dyn Fn(u32) -> u32| {
        let is_missing = opened_borders >> direction.index() & 1 == 0;
        let drawn = rand.below_if(is_missing, length);
        open[direction.index()] |= u64::from(is_missing) << place(drawn);
    };
    open_one(Left, quadrant.row_bound, &|row| row * STRIDE);
    open_one(Right, quadrant.row_bound, &|row| row * STRIDE + last_col);
    open_one(Up, quadrant.col_bound, &|col| col);
    open_one(Down, quadrant.col_bound, &|col| last_row * STRIDE + col);
}

/// Step 6: opens a quarter of the quadrant's rim, cell by cell, at the side before the top or the bottom.
fn open_rim(open: &mut [u64; 4], quadrant: &Quadrant, rand: &mut GlibcRand) {
    let (rows, cols) = (quadrant.rows, quadrant.cols);
    // In the order of draws: the left side of the first row, the tops of all its cells but the last, its right side, the last top; left
    // and right sides of the rows between; the last row as the first.
    let first = u64::from(rand.zeros_below_4(2 * (rows + cols) as usize));
    let between = (first >> (cols + 2)) & ((1 << (2 * (rows - 2))) - 1);
    let last = first >> (cols + 2 * (rows - 1));
    let (below, last_col) = (STRIDE * (rows - 1), cols - 1);
    let along = |sides: u64| sides >> 1 & (bit(0, last_col) - 1) | (sides >> (cols + 1) & 1) << last_col;
    // The factor brings every second bit to a row of its own.
    let each_row = |sides: u64| (sides & 0b0101_0101).wrapping_mul(1 << 18 | 1 << 12 | 1 << 6 | 1) & 0x0101_0101;
    let [up, right, down, left] = open;
    *up |= along(first);
    *right |= (first >> cols & 1 | each_row(between >> 1) << STRIDE | (last >> cols & 1) << below) << last_col;
    *down |= along(last) << below;
    *left |= first & 1 | each_row(between) << STRIDE | (last & 1) << below;
}

/// Step 7: restores the walls around the generator, on both sides. Mirroring restores those of the others.
fn wall_generator(open: &mut [u64; 4], quadrant: &Quadrant, generator: u64) {
    for direction in Direction::ALL {
        let next = generator.rotate_left(TURNS[direction.index()]) & quadrant.cells;
        open[direction.index()] &= !generator;
        open[direction.opposite().index()] &= !next;
    }
}

/// Part of step 6: makes the cells of the middle row and column symmetric, since they are their own mirror images.
fn symmetrise_middle(open: &mut [u64; 4], &Quadrant { middle_row, middle_col, .. }: &Quadrant) {
    let [up, right, down, left] = open;
    *down = *down & !middle_row | *up & middle_row;
    *right = *right & !middle_col | *left & middle_col;
}

/// The other part of step 6: returns the walls and generators of the whole map.
fn mirror_walls(open: &[u64; 4], quadrant: &Quadrant, generator: u64) -> MazeRows {
    let mut rows = MazeRows {
        width: quadrant.width,
        height: quadrant.height,
        open: Default::default(),
        generators: quadrant.mirrored(generator),
    };
    let last_row = usize::from(quadrant.height) - 1;
    for row in 0..quadrant.rows as usize {
        let [[up, up_mirrored], [right, right_mirrored], [down, down_mirrored], [left, left_mirrored]] =
            open.map(|cells| [row_of(cells, row), quadrant.mirror(row_of(cells, row))]);
        let (up, down) = (up | up_mirrored, down | down_mirrored);
        // In the middle row, which is its own mirror image, both are the same.
        for (row, [up, down]) in [(last_row - row, [down, up]), (row, [up, down])] {
            for (rows, cells) in rows.open.iter_mut().zip([up, right | left_mirrored, down, left | right_mirrored]) {
                rows[row] = cells;
            }
        }
    }
    rows
}

/// Returns the cells of the inner quadrant from which a shot can leave the quadrant. It would hit the shooter's own mirror image.
fn exposed(open: &[u64; 4], quadrant: &Quadrant) -> u64 {
    let in_direction = |direction: Direction| {
        let (to, back) = (direction.index(), direction.opposite().index());
        let one_behind = |cells: u64| cells.rotate_left(TURNS[back]);
        let border = !one_behind(quadrant.cells);
        // The cells from which the rest of the line, themselves included, is open both ways: one more at each step.
        let both_ways = open[to] & open[back];
        let mut free = both_ways & border;
        for _ in 1..MAX_QUADRANT_SIDE {
            free = both_ways & (border | one_behind(free));
        }
        open[to] & (border | one_behind(free))
    };
    in_direction(Up) | in_direction(Right) | in_direction(Down) | in_direction(Left)
}

/// Steps 8 and 9: draws a cell of these. Each step has its own number of tries.
fn find_room(room: u64, quadrant: &Quadrant, rand: &mut GlibcRand) -> Option<u64> {
    if room == 0 {
        rand.jump();
        return None;
    }
    let draw = |_| {
        rand.prepare(2);
        quadrant.draw_inner(rand)
    };
    (0..TRIES).map(draw).find(|cell| cell & room != 0)
}

/// Step 10: returns some of the free cells, for small fruit.
fn scatter_small_fruits(free: u64, rand: &mut GlibcRand) -> u64 {
    rand.prepare(free.count_ones() as usize);
    let mut rest = free;
    let mut fruits = 0;
    while rest != 0 {
        let cell = rest & rest.wrapping_neg();
        rest ^= cell;
        fruits |= if rand.below(0, 7) <= 2 { cell } else { 0 };
    }
    fruits
}

/// The number of tries of steps 8 and 9 before the map is discarded. It is 1001, not 1000: in 18 of the fixtures Botzone ran
/// out of tries, for players as well as for large fruit, and any other limit gives other maps.
const TRIES: usize = 1001;

const _: () = assert!(JUMP == 2 * TRIES, "where there is no room, a jump skips the row and the column of each try");

/// The longest side of a quadrant.
const MAX_QUADRANT_SIDE: usize = 6;
const MAX_QUADRANT: usize = MAX_QUADRANT_SIDE * MAX_QUADRANT_SIDE;

/// The distance of rows in a set of cells: more than a row has cells, so that a step never leads into another row.
const STRIDE: u32 = 8;

/// By direction: how far a set of cells is rotated to the left for a step.
const TURNS: [u32; 4] = [u64::BITS - STRIDE, 1, STRIDE, u64::BITS - 1];

fn bit(row: u32, col: u32) -> u64 {
    1 << (row * STRIDE + col)
}

fn row_of(cells: u64, row: usize) -> u16 {
    (cells >> (STRIDE as usize * row)) as u16 & ((1 << MAX_QUADRANT_SIDE) - 1)
}

/// The part of the map that is generated, from the top-left corner. Sets of its cells have a byte for each row.
#[derive(Debug, Clone, Copy)]
struct Quadrant {
    /// The sides of the map.
    width: u8,
    height: u8,
    rows: u32,
    cols: u32,
    /// The numbers of rows and columns, with and without the last one.
    row_bound: Bound,
    col_bound: Bound,
    inner_row_bound: Bound,
    inner_col_bound: Bound,
    /// How many numbers steps 3 to 6 draw at most: for the generator and the first cell, for each cell, for a border on each side, and for
    /// the rim.
    most_draws: usize,
    cells: u64,
    /// The cells without the last row and column, where Botzone puts nothing: if a side is odd, those cells are their own mirror
    /// images. It does the same for even sides.
    inner: u64,
    /// The cells of the middle row of the map, if there is one.
    middle_row: u64,
    /// The cells of the middle column of the map, if there is one.
    middle_col: u64,
}

impl Quadrant {
    fn new(width: u8, height: u8) -> Quadrant {
        let (rows, cols) = (u32::from(height.div_ceil(2)), u32::from(width.div_ceil(2)));
        let rectangle = |rows: u32, cols: u32| {
            let each_row = u64::from_le_bytes([1; 8]) & (bit(rows, 0) - 1);
            each_row * (bit(0, cols) - 1)
        };
        let cells = rectangle(rows, cols);
        let middle = |side: u8, cells: u64| if side.is_multiple_of(2) { 0 } else { cells };
        Quadrant {
            width,
            height,
            rows,
            cols,
            row_bound: Bound::new(rows),
            col_bound: Bound::new(cols),
            inner_row_bound: Bound::new(rows - 1),
            inner_col_bound: Bound::new(cols - 1),
            most_draws: (4 + rows * cols + 4 + 2 * (rows + cols)) as usize,
            cells,
            inner: rectangle(rows - 1, cols - 1),
            middle_row: middle(height, cells & !rectangle(rows - 1, cols)),
            middle_col: middle(width, cells & !rectangle(rows, cols - 1)),
        }
    }

    fn draw_inner(&self, rand: &mut GlibcRand) -> u64 {
        let row = rand.below_bound(self.inner_row_bound);
        let col = rand.below_bound(self.inner_col_bound);
        bit(row, col)
    }

    /// Returns the mirror images of a row's cells across the vertical axis.
    fn mirror(&self, row: u16) -> u16 {
        u16::from(REVERSED[usize::from(row)]) << (usize::from(self.width) - MAX_QUADRANT_SIDE)
    }

    /// Returns cells and all their mirror images.
    fn mirrored(&self, cells: u64) -> Rows {
        let mut rows = Rows::default();
        for row in 0..self.rows as usize {
            let near = row_of(cells, row);
            let both = near | self.mirror(near);
            (rows[row], rows[usize::from(self.height) - 1 - row]) = (both, both);
        }
        rows
    }
}

/// The bits of a quadrant's row in reverse.
static REVERSED: [u8; 1 << MAX_QUADRANT_SIDE] = {
    let mut reversed = [0; 1 << MAX_QUADRANT_SIDE];
    let mut row = 0;
    while row < reversed.len() {
        reversed[row] = (row as u8).reverse_bits() >> (8 - MAX_QUADRANT_SIDE);
        row += 1;
    }
    reversed
};

/// Where sets have the cell from which they are seen: all neighbours are at higher bits than 0.
const CENTRE: u32 = STRIDE + 1;

/// Returns the directions in which the neighbours of the cell at the centre are in a set, as bits.
#[inline(always)]
fn neighbours(set: u64) -> u8 {
    // The neighbours' bits are brought to bits 15 to 18 by a product in which no two bits meet.
    const AROUND: u64 = 1 << 1 | 1 << 8 | 1 << 10 | 1 << 17;
    const GATHER: u64 = 1 << 14 | 1 << 6 | 1 | 1 << 10;
    ((set & AROUND).wrapping_mul(GATHER) >> 15) as u8 & ALL_DIRECTIONS
}

/// All directions, as bits.
const ALL_DIRECTIONS: u8 = 0b1111;

/// Where to go from a cell.
#[derive(Clone, Copy)]
struct Step {
    /// The first direction with a way out, as a bit, or 0.
    way: u8,
    /// The opposite direction, as a bit.
    way_back: u8,
    /// How far the cell's bit is rotated to the left.
    turn: u8,
    /// The directions up to that one, as bits.
    tried: u8,
}

/// By order and by the directions with a way out, as bits. Orders are the permutations of the directions, in lexicographic order of up,
/// right, down, left.
static STEPS: [[Step; 16]; 24] = {
    let mut steps = [[Step { way: 0, way_back: 0, turn: 0, tried: ALL_DIRECTIONS }; 16]; 24];
    let mut order = 0;
    while order < 24 {
        let mut ways = 1;
        while ways < 16 {
            let nth = [order / 6, order / 2 % 3, order % 2, 0];
            let mut left = ALL_DIRECTIONS;
            let mut place = 0;
            while steps[order][ways].way == 0 {
                let (mut direction, mut passed) = (0, 0);
                while left >> direction & 1 == 0 || passed < nth[place] {
                    passed += (left >> direction & 1) as usize;
                    direction += 1;
                }
                left &= !(1 << direction);
                if ways >> direction & 1 != 0 {
                    steps[order][ways] = Step {
                        way: 1 << direction,
                        way_back: 1 << Direction::ALL[direction].opposite().index(),
                        turn: TURNS[direction] as u8,
                        tried: ALL_DIRECTIONS & !left,
                    };
                }
                place += 1;
            }
            ways += 1;
        }
        order += 1;
    }
    steps
};

#[cfg(test)]
mod tests {
    use pacman2_rules::Maze;

    use super::*;

    /// The plain reference is compared with Botzone's own maps in its file.
    #[test]
    fn maps_are_those_of_the_reference() {
        let edges = [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX];
        let others = (0..20_000).map(|number: i32| number.wrapping_mul(0x9e37_79b1_u32.cast_signed()));
        for seed in edges.into_iter().chain(others) {
            check(seed, None, None);
        }
        for width in 6..=11 {
            for height in 6..=11 {
                // Most attempts at the smallest maps fail, so that the reference takes ten times as long.
                for seed in 0..if width + height < 14 { 300 } else { 1000 } {
                    check(seed * 7919, Some(width), Some(height));
                }
            }
        }
    }

    fn check(seed: i32, width: Option<u8>, height: Option<u8>) {
        let (layout, grid) = (generate(seed, width, height), reference::generate(seed, width, height));
        assert_eq!(matrices(&layout), grid, "seed {seed}, {width:?} × {height:?}");
    }

    /// Returns a layout as the reference has it.
    fn matrices(layout: &Layout) -> reference::Grid {
        let Layout { rows, first_player: (row, col), small_fruits, large_fruits } = layout;
        let maze = Maze::from_rows(*rows, Ruleset::default()).unwrap();
        let (far_row, far_col) = (rows.height - 1 - row, rows.width - 1 - col);
        let players = [(*row, *col), (*row, far_col), (far_row, *col), (far_row, far_col)];
        let matrix = |number: &dyn Fn(usize, usize) -> u8| {
            (0..rows.height.into()).map(|row| (0..rows.width.into()).map(|col| number(row, col)).collect()).collect()
        };
        reference::Grid {
            width: rows.width,
            height: rows.height,
            walls: matrix(&|row, col| crate::bits::static_bits(&maze, maze.cell(row, col).unwrap())),
            content: matrix(&|row, col| {
                let players = (0..4).filter(|&seat| players[seat] == (row as u8, col as u8)).map(|seat| 1 << seat).sum::<u8>();
                let is_in = |fruits: &Rows| fruits[row] >> col & 1 != 0;
                players | u8::from(is_in(small_fruits)) << 4 | u8::from(is_in(large_fruits)) << 5
            }),
        }
    }
}
