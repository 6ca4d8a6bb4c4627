//! Botzone's map generator: the same seed gives the same map as Botzone's judge.
//!
//! The ten steps and their numbers are the judge's procedure as observed from outside; 150 of the judge's own maps, in
//! `fixtures/botzone-maps.txt`, confirm them. The order of draws, odd bounds and limits that look arbitrary are Botzone's and
//! have no other reason. Each draw determines all later ones, so none may be added, saved or moved.
//!
//! Only the top-left quadrant is generated, with the middle row and column if a side is odd. The rest is mirrored.

use std::iter::successors;
use std::ops::ControlFlow::{self, Break, Continue};

use pacman2_rules::Direction::{self, Down, Left, Right, Up};
use pacman2_rules::MAX_CELLS;

use crate::bits::{GENERATOR, LARGE_FRUIT, SMALL_FRUIT};
use crate::glibc::{GlibcRand, Jump};

/// A map in Botzone's bits. Both matrices are in one piece, row by row from the top; zeros follow the last cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grid {
    /// The number of columns.
    pub(crate) width: u8,
    /// The number of rows.
    pub(crate) height: u8,
    /// Botzone's `static`: 1, 2, 4, 8 for a wall to the north, east, south, west; 16 for a generator.
    pub(crate) walls: [u8; MAX_CELLS],
    /// Botzone's `content`: 1, 2, 4, 8 for the players 0 to 3; 16 for a small fruit, 32 for a large one.
    pub(crate) content: [u8; MAX_CELLS],
}

/// Returns Botzone's map of a seed. A given width or height (6 to 11) replaces the drawn one.
pub(crate) fn generate(seed: i32, width: Option<u8>, height: Option<u8>) -> Grid {
    let mut rand = GlibcRand::new(seed);
    // Both sides are drawn even if they are given.
    let drawn_width = draw_side(&mut rand);
    let drawn_height = draw_side(&mut rand);
    let width = width.unwrap_or(drawn_width);
    let height = height.unwrap_or(drawn_height);
    loop {
        // A map without room is discarded; the next one continues the sequence of random numbers.
        if let Some(grid) = attempt(width, height, &mut rand) {
            return grid;
        }
    }
}

/// Steps 2 to 10. Returns `None` if step 8 or 9 finds no room.
fn attempt(width: u8, height: u8, rand: &mut GlibcRand) -> Option<Grid> {
    let (mut grid, quadrant) = wall_every_cell(width, height);
    let generator = draw_generator(quadrant, rand);
    let opened_borders = carve(&mut grid, quadrant, generator, rand);
    open_missing_borders(&mut grid, quadrant, opened_borders, rand);
    open_rim(&mut grid, quadrant, rand);
    wall_generator(&mut grid, quadrant, generator);
    symmetrise_middle(&mut grid, quadrant);
    let mut rooms = find_rooms(&grid, quadrant, generator);
    let player = take_room(&mut rooms, quadrant, rand)?;
    let large_fruit = take_room(&mut rooms, quadrant, rand)?;
    // Not earlier, because most attempts at a small map fail before.
    mirror_walls(&mut grid, quadrant);
    grid.place_mirrored(player, PLAYERS);
    grid.place_mirrored(large_fruit, [LARGE_FRUIT; 4]);
    scatter_small_fruits(&mut grid, quadrant, rand);
    Some(grid)
}

/// Step 1, once for the width and once for the height: draws a side. Short sides are rare.
fn draw_side(rand: &mut GlibcRand) -> u8 {
    let shortest = if rand.below(0, 3) == 0 { 6 } else { 9 };
    rand.below(shortest, 12) as u8
}

/// Step 2: returns a grid with all walls, and the quadrant that the next steps fill.
fn wall_every_cell(width: u8, height: u8) -> (Grid, Quadrant) {
    let mut grid = Grid { width, height, walls: [0; MAX_CELLS], content: [0; MAX_CELLS] };
    grid.walls[..usize::from(width) * usize::from(height)].fill(ALL_WALLS);
    let quadrant = Quadrant { rows: height.div_ceil(2).into(), cols: width.div_ceil(2).into() };
    (grid, quadrant)
}

/// Step 3: draws the cell of the quadrant's generator. Step 7 sets its bits, and those of its mirror images.
fn draw_generator(quadrant: Quadrant, rand: &mut GlibcRand) -> Spot {
    quadrant.inner().draw_spot(rand)
}

/// Step 4: opens walls by depth-first search until all cells of the quadrant are visited. Returns the borders opened on
/// the way, as wall bits.
fn carve(grid: &mut Grid, quadrant: Quadrant, generator: Spot, rand: &mut GlibcRand) -> u8 {
    // Column first, unlike everywhere else.
    let col = rand.below(0, quadrant.cols);
    let row = rand.below(0, quadrant.rows);
    let mut carving = Carving {
        grid,
        quadrant,
        generator,
        rand,
        marked: [[false; MAX_QUADRANT_SIDE]; MAX_QUADRANT_SIDE],
        unmarked: quadrant.rows * quadrant.cols,
        opened_borders: 0,
    };
    // The next steps do not depend on whether all cells were visited.
    let _ = carving.visit(Spot { row, col });
    carving.opened_borders
}

/// Step 4 in progress.
struct Carving<'a> {
    grid: &'a mut Grid,
    quadrant: Quadrant,
    generator: Spot,
    rand: &'a mut GlibcRand,
    marked: [[bool; MAX_QUADRANT_SIDE]; MAX_QUADRANT_SIDE],
    unmarked: usize,
    opened_borders: u8,
}

impl Carving<'_> {
    /// Continues at `spot`, and breaks when all cells are marked. No cell is visited twice, so the recursion is at most 36
    /// deep, the cells of the largest quadrant.
    fn visit(&mut self, spot: Spot) -> ControlFlow<()> {
        self.mark(spot)?;
        for direction in DIRECTION_ORDERS[self.rand.below(0, 24)] {
            match self.quadrant.neighbour(spot, direction) {
                None => self.open_border_once(spot, direction),
                Some(next) if self.marked[next.row][next.col] => {}
                Some(next) if next == self.generator => self.mark(next)?,
                Some(next) => {
                    self.grid.open(spot, direction);
                    self.grid.open(next, direction.opposite());
                    self.visit(next)?;
                }
            }
        }
        Continue(())
    }

    fn mark(&mut self, spot: Spot) -> ControlFlow<()> {
        self.marked[spot.row][spot.col] = true;
        self.unmarked -= 1;
        if self.unmarked == 0 { Break(()) } else { Continue(()) }
    }

    fn open_border_once(&mut self, spot: Spot, direction: Direction) {
        if self.opened_borders & wall(direction) == 0 {
            self.opened_borders |= wall(direction);
            self.grid.open(spot, direction);
        }
    }
}

/// The 24 permutations of the directions, in lexicographic order of up, right, down, left.
static DIRECTION_ORDERS: [[Direction; 4]; 24] = {
    let mut orders = [Direction::ALL; 24];
    let mut index = 0;
    while index < 24 {
        orders[index] = direction_order(index);
        index += 1;
    }
    orders
};

const fn direction_order(index: usize) -> [Direction; 4] {
    let mut order = Direction::ALL;
    let nths = [index / 6, index / 2 % 3, index % 2];
    let mut place = 0;
    while place < nths.len() {
        // The nth of those that are left moves here.
        let mut nth = nths[place];
        while nth > 0 {
            order.swap(place + nth, place + nth - 1);
            nth -= 1;
        }
        place += 1;
    }
    order
}

/// Step 5: opens one border on each side of the quadrant that has no open one.
fn open_missing_borders(grid: &mut Grid, quadrant: Quadrant, opened_borders: u8, rand: &mut GlibcRand) {
    let (last_row, last_col) = (quadrant.rows - 1, quadrant.cols - 1);
    for direction in [Left, Right, Up, Down] {
        if opened_borders & wall(direction) != 0 {
            continue;
        }
        let (row, col) = match direction {
            Left => (rand.below(0, quadrant.rows), 0),
            Right => (rand.below(0, quadrant.rows), last_col),
            Up => (0, rand.below(0, quadrant.cols)),
            Down => (last_row, rand.below(0, quadrant.cols)),
        };
        grid.open(Spot { row, col }, direction);
    }
}

/// Step 6: opens a quarter of the quadrant's rim.
fn open_rim(grid: &mut Grid, quadrant: Quadrant, rand: &mut GlibcRand) {
    for spot in quadrant.spots() {
        let on_left = spot.col == 0;
        let on_right = spot.col == quadrant.cols - 1;
        if (on_left || on_right) && rand.below(0, 4) == 0 {
            grid.open(spot, if on_left { Left } else { Right });
        }
        let on_top = spot.row == 0;
        let on_bottom = spot.row == quadrant.rows - 1;
        if (on_top || on_bottom) && rand.below(0, 4) == 0 {
            grid.open(spot, if on_top { Up } else { Down });
        }
    }
}

/// Step 7: restores the walls around the generator, on both sides. Step 4 can start at the generator, and steps 5 and 6 open
/// borders of any cell.
fn wall_generator(grid: &mut Grid, quadrant: Quadrant, generator: Spot) {
    *grid.walls_mut(generator) = GENERATOR | ALL_WALLS;
    for direction in Direction::ALL {
        if let Some(next) = quadrant.neighbour(generator, direction) {
            *grid.walls_mut(next) |= wall(direction.opposite());
        }
    }
}

/// Makes the cells of a middle row or column symmetric, since they are their own mirror images.
fn symmetrise_middle(grid: &mut Grid, quadrant: Quadrant) {
    if grid.height % 2 == 1 {
        for col in 0..quadrant.cols {
            let walls = grid.walls_mut(Spot { row: quadrant.rows - 1, col });
            *walls = *walls & !SOUTH | (*walls & NORTH) << 2;
        }
    }
    if grid.width % 2 == 1 {
        for row in 0..quadrant.rows {
            let walls = grid.walls_mut(Spot { row, col: quadrant.cols - 1 });
            *walls = *walls & !EAST | (*walls & WEST) >> 2;
        }
    }
}

/// The spots of the quadrant where a player or a large fruit can be.
type Rooms = [[bool; MAX_QUADRANT_SIDE]; MAX_QUADRANT_SIDE];

fn find_rooms(grid: &Grid, quadrant: Quadrant, generator: Spot) -> Rooms {
    let mut rooms = [[false; MAX_QUADRANT_SIDE]; MAX_QUADRANT_SIDE];
    for spot in quadrant.inner().spots() {
        rooms[spot.row][spot.col] = spot != generator && !is_exposed(grid, quadrant, spot);
    }
    rooms
}

/// Returns whether a shot from here can leave the quadrant. It would hit the shooter's own mirror image.
fn is_exposed(grid: &Grid, quadrant: Quadrant, spot: Spot) -> bool {
    Direction::ALL.into_iter().any(|direction| {
        let onward = |&from: &Spot| quadrant.neighbour(from, direction);
        let lacks = |spot: Spot, walls: u8| grid.walls[grid.index(spot)] & walls == 0;
        let both_ways = wall(direction) | wall(direction.opposite());
        lacks(spot, wall(direction)) && successors(onward(&spot), onward).all(|further| lacks(further, both_ways))
    })
}

/// Steps 8 and 9: draws the room of player 0 and that of a large fruit. Each has its own number of tries.
fn take_room(rooms: &mut Rooms, quadrant: Quadrant, rand: &mut GlibcRand) -> Option<Spot> {
    // Each try draws a row and a column.
    static ALL_TRIES: Jump = Jump::new(2 * TRIES);
    if rooms.as_flattened().contains(&true) {
        let spot = (0..TRIES).map(|_| quadrant.inner().draw_spot(rand)).find(|spot| rooms[spot.row][spot.col])?;
        rooms[spot.row][spot.col] = false;
        return Some(spot);
    }
    rand.jump(&ALL_TRIES);
    None
}

/// Copies the walls of the quadrant to their mirror images.
fn mirror_walls(grid: &mut Grid, quadrant: Quadrant) {
    for spot in quadrant.spots() {
        let walls = *grid.walls_mut(spot);
        let mirrored = [walls, swap_east_west(walls), swap_north_south(walls), swap_north_south(swap_east_west(walls))];
        for (image, walls) in grid.images(spot).into_iter().zip(mirrored) {
            *grid.walls_mut(image) = walls;
        }
    }
}

fn swap_east_west(walls: u8) -> u8 {
    walls & (NORTH | SOUTH | GENERATOR) | (walls & EAST) << 2 | (walls & WEST) >> 2
}

fn swap_north_south(walls: u8) -> u8 {
    walls & (EAST | WEST | GENERATOR) | (walls & NORTH) << 2 | (walls & SOUTH) >> 2
}

/// Step 10: places small fruit on some of the free cells.
fn scatter_small_fruits(grid: &mut Grid, quadrant: Quadrant, rand: &mut GlibcRand) {
    for spot in quadrant.inner().spots() {
        if grid.is_free(spot) && rand.below(0, 7) <= 2 {
            grid.place_mirrored(spot, [SMALL_FRUIT; 4]);
        }
    }
}

const NORTH: u8 = 1;
const EAST: u8 = 2;
const SOUTH: u8 = 4;
const WEST: u8 = 8;
const ALL_WALLS: u8 = NORTH | EAST | SOUTH | WEST;

/// The longest side of a quadrant.
const MAX_QUADRANT_SIDE: usize = 6;

/// The number of tries of steps 8 and 9 before the map is discarded. It is 1001, not 1000: in 18 of the fixtures Botzone ran
/// out of tries, for players as well as for large fruit, and any other limit gives other maps.
const TRIES: usize = 1001;

const PLAYERS: [u8; 4] = [1, 2, 4, 8];

/// A row and a column, from the top-left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spot {
    row: usize,
    col: usize,
}

/// Returns the bit of the wall on this side of a cell.
fn wall(direction: Direction) -> u8 {
    match direction {
        Up => NORTH,
        Right => EAST,
        Down => SOUTH,
        Left => WEST,
    }
}

/// The part of the grid that is generated, from the top-left corner.
#[derive(Debug, Clone, Copy)]
struct Quadrant {
    rows: usize,
    cols: usize,
}

impl Quadrant {
    /// Returns the quadrant without its last row and column, where Botzone puts nothing: if a side is odd, those cells are
    /// their own mirror images. It does the same for even sides.
    fn inner(self) -> Self {
        Self { rows: self.rows - 1, cols: self.cols - 1 }
    }

    fn draw_spot(self, rand: &mut GlibcRand) -> Spot {
        let row = rand.below(0, self.rows);
        let col = rand.below(0, self.cols);
        Spot { row, col }
    }

    /// Returns all spots, row by row.
    fn spots(self) -> impl Iterator<Item = Spot> {
        (0..self.rows).flat_map(move |row| (0..self.cols).map(move |col| Spot { row, col }))
    }

    /// Returns the next spot in a direction, or `None` if it is outside the quadrant.
    fn neighbour(self, spot: Spot, direction: Direction) -> Option<Spot> {
        let (row, col) = match direction {
            Up => (spot.row.checked_sub(1)?, spot.col),
            Right => (spot.row, spot.col + 1),
            Down => (spot.row + 1, spot.col),
            Left => (spot.row, spot.col.checked_sub(1)?),
        };
        (row < self.rows && col < self.cols).then_some(Spot { row, col })
    }
}

impl Grid {
    fn index(&self, Spot { row, col }: Spot) -> usize {
        row * usize::from(self.width) + col
    }

    fn walls_mut(&mut self, spot: Spot) -> &mut u8 {
        &mut self.walls[self.index(spot)]
    }

    /// Removes the wall on this side of the cell. The other side of the wall belongs to the neighbour.
    fn open(&mut self, spot: Spot, direction: Direction) {
        *self.walls_mut(spot) &= !wall(direction);
    }

    /// Returns the spot and its mirror images across the vertical axis, the horizontal axis and both: the order of players.
    fn images(&self, Spot { row, col }: Spot) -> [Spot; 4] {
        let far_row = usize::from(self.height) - 1 - row;
        let far_col = usize::from(self.width) - 1 - col;
        [(row, col), (row, far_col), (far_row, col), (far_row, far_col)].map(|(row, col)| Spot { row, col })
    }

    /// Returns whether nothing is on the spot, not even a generator.
    fn is_free(&self, spot: Spot) -> bool {
        self.walls[self.index(spot)] & GENERATOR == 0 && self.content[self.index(spot)] == 0
    }

    fn place_mirrored(&mut self, spot: Spot, contents: [u8; 4]) {
        for (image, content) in self.images(spot).into_iter().zip(contents) {
            self.content[self.index(image)] = content;
        }
    }
}

#[cfg(test)]
mod tests {
    use pacman2_rules::{Cell, Ruleset};

    use super::*;
    use crate::{Map, MapSize, content_bits, static_bits};

    #[test]
    fn maps_are_those_of_botzone() {
        let mut maps = 0;
        for line in include_str!("../fixtures/botzone-maps.txt").lines() {
            if line.starts_with('#') {
                continue;
            }
            let (seed, expected) = parse_fixture(line);
            assert_eq!(generate(seed, None, None), expected, "seed {seed}");
            // Given sides that equal the drawn ones change nothing, since sides are drawn in any case.
            let given = generate(seed, Some(expected.width), Some(expected.height));
            assert_eq!(given, expected, "seed {seed}, sides given");
            let Map { maze, start, .. } = Map::generate(seed, MapSize::default(), Ruleset::default()).unwrap();
            let bits = |bits: &dyn Fn(Cell) -> u8| maze.cells().map(bits).collect::<Vec<u8>>();
            let cells = maze.cells().count();
            assert_eq!(bits(&|cell| static_bits(&maze, cell)), expected.walls[..cells], "seed {seed}");
            assert_eq!(bits(&|cell| content_bits(&start, cell)), expected.content[..cells], "seed {seed}");
            maps += 1;
        }
        assert_eq!(maps, 150);
    }

    #[test]
    fn direction_orders_are_sorted() {
        let orders: Vec<_> = (0..24).map(|index| direction_order(index).map(|d| d as u8)).collect();
        assert_eq!(orders[0], [0, 1, 2, 3]);
        assert_eq!(orders[23], [3, 2, 1, 0]);
        assert!(orders.is_sorted_by(|a, b| a < b), "{orders:?}");
    }

    #[test]
    fn given_sides_replace_the_drawn_ones() {
        let drawn = generate(1, None, None);
        let narrow = generate(1, Some(6), None);
        let low = generate(1, None, Some(6));
        assert_eq!((drawn.width, drawn.height), (10, 7));
        assert_eq!((narrow.width, narrow.height), (6, 7));
        assert_eq!((low.width, low.height), (10, 6));
    }

    #[test]
    fn maps_of_every_size_keep_the_laws() {
        for width in 6..=11 {
            for height in 6..=11 {
                for seed in -50..50 {
                    let grid = generate(seed, Some(width), Some(height));
                    assert_eq!((grid.width, grid.height), (width, height));
                    check_laws(&grid, &format!("seed {seed}, {width} × {height}"));
                }
            }
        }
    }

    #[test]
    fn maps_of_extreme_seeds_keep_the_laws() {
        for seed in [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX] {
            check_laws(&generate(seed, None, None), &format!("seed {seed}"));
        }
    }

    /// Shares in tenths of a percent, counted over 300,000 seeds. 5,000 seeds come close.
    #[test]
    fn maps_are_as_varied_as_botzones() {
        let seeds = 5000;
        let (mut sides, mut exits) = ([0; 12], [0; 5]);
        let (mut without_fruit, mut by_fruits) = (0, [0; 23]);
        for seed in 0..seeds {
            let grid = generate(seed, None, None);
            check_laws(&grid, &format!("seed {seed}"));
            sides[usize::from(grid.width)] += 1;
            sides[usize::from(grid.height)] += 1;
            for walls in spots(&grid).map(|spot| walls_at(&grid, spot)).filter(|walls| walls & GENERATOR == 0) {
                exits[walls.count_zeros() as usize - 4] += 1;
            }
            let fruits = grid.content.into_iter().filter(|&c| c == SMALL_FRUIT).count();
            without_fruit += i32::from(fruits == 0);
            by_fruits[fruits / 4] += 1;
        }
        check_shares("sides", &sides[6..], &[55, 55, 55, 278, 278, 278], 20);
        check_shares("exits", &exits, &[0, 126, 579, 232, 63], 5);
        check_shares("no small fruit", &[without_fruit, seeds - without_fruit], &[10, 990], 5);
        let most_often = (0..by_fruits.len()).max_by_key(|&quarter| by_fruits[quarter]);
        assert!(matches!(most_often, Some(5 | 6)), "20 to 24 small fruits are most often: {by_fruits:?}");
    }

    /// Reads a line of the fixture: seed, width, height and both matrices, two hexadecimal digits a cell.
    fn parse_fixture(line: &str) -> (i32, Grid) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [seed, width, height, walls, content] = fields[..] else { panic!("five fields: {line}") };
        let (width, height): (u8, u8) = (width.parse().unwrap(), height.parse().unwrap());
        let matrix = |hex: &str| {
            assert_eq!(hex.len(), 2 * usize::from(width) * usize::from(height), "{line}");
            let mut cells = [0; MAX_CELLS];
            let numbers = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
            cells.iter_mut().zip(numbers).for_each(|(cell, number)| *cell = number);
            cells
        };
        let grid = Grid { width, height, walls: matrix(walls), content: matrix(content) };
        (seed.parse().unwrap(), grid)
    }

    /// Checks each count's share of the total within a tolerance, all in tenths of a percent.
    fn check_shares(what: &str, counts: &[i32], expected: &[i32], tolerance: i32) {
        let total: i32 = counts.iter().sum();
        let shares: Vec<i32> = counts.iter().map(|count| (count * 1000 + total / 2) / total).collect();
        let near = shares.iter().zip(expected).all(|(share, expected)| share.abs_diff(*expected) <= tolerance as u32);
        assert!(near && shares.len() == expected.len(), "{what}: {shares:?} instead of {expected:?}");
    }

    /// Checks what holds for every map that Botzone generates.
    fn check_laws(grid: &Grid, map: &str) {
        let cells = usize::from(grid.width) * usize::from(grid.height);
        assert!(grid.walls[cells..].iter().chain(&grid.content[cells..]).all(|&bits| bits == 0), "{map}");
        for spot in spots(grid) {
            check_cell(grid, spot, map);
        }
        check_content(grid, map);
        check_connected(grid, map);
        check_no_player_in_line_of_fire(grid, map);
    }

    /// Checks known bits, two-sided walls, and mirror images.
    fn check_cell(grid: &Grid, spot: Spot, map: &str) {
        let walls = walls_at(grid, spot);
        assert!(walls < GENERATOR || walls == GENERATOR | ALL_WALLS, "{map}: {walls} at {spot:?}");
        for direction in Direction::ALL {
            let there = walls_at(grid, wrapped_neighbour(grid, spot, direction));
            let (near, far) = (walls & wall(direction) != 0, there & wall(direction.opposite()) != 0);
            assert_eq!(near, far, "{map}: wall {direction:?} of {spot:?} has two sides");
        }
        let [_, aside, below, _] = grid.images(spot);
        let generator = walls & GENERATOR;
        assert_eq!(walls_at(grid, aside), swap_east_west(walls) | generator, "{map}: {spot:?} aside");
        assert_eq!(walls_at(grid, below), swap_north_south(walls) | generator, "{map}: {spot:?} below");
        let fruit = |spot: Spot| content_at(grid, spot) & (SMALL_FRUIT | LARGE_FRUIT);
        assert!(fruit(spot) == fruit(aside) && fruit(spot) == fruit(below), "{map}: fruit at {spot:?}");
    }

    /// Checks four generators, four large fruits, each player in its quadrant, and at most one thing on a cell.
    fn check_content(grid: &Grid, map: &str) {
        let count = |matches: fn(&Grid, Spot) -> bool| spots(grid).filter(|&spot| matches(grid, spot)).count();
        assert_eq!(count(|grid, spot| walls_at(grid, spot) & GENERATOR != 0), 4, "{map}: generators");
        assert_eq!(count(|grid, spot| content_at(grid, spot) == LARGE_FRUIT), 4, "{map}: large fruits");
        for spot in spots(grid) {
            let content = content_at(grid, spot);
            let known = [0, 1, 2, 4, 8, SMALL_FRUIT, LARGE_FRUIT].contains(&content);
            assert!(known, "{map}: {content} at {spot:?}");
            let on_generator = content != 0 && walls_at(grid, spot) & GENERATOR != 0;
            assert!(!on_generator, "{map}: {content} on the generator at {spot:?}");
        }
        let player = |bit: u8| spots(grid).filter(move |&spot| content_at(grid, spot) == bit).collect::<Vec<_>>();
        let [first] = player(PLAYERS[0])[..] else { panic!("{map}: player 0 stands at one cell") };
        let quadrant = Quadrant { rows: usize::from(grid.height) / 2, cols: usize::from(grid.width) / 2 };
        assert!(first.row < quadrant.rows && first.col < quadrant.cols, "{map}: player 0 at {first:?}");
        for (bit, image) in PLAYERS.into_iter().zip(grid.images(first)) {
            assert_eq!(player(bit), [image], "{map}: player of bit {bit}");
        }
    }

    /// Checks that every cell without a generator can be reached from every other.
    fn check_connected(grid: &Grid, map: &str) {
        let mut reached: Vec<Spot> = spots(grid).filter(|&spot| content_at(grid, spot) == PLAYERS[0]).collect();
        let mut next = 0;
        while let Some(&spot) = reached.get(next) {
            next += 1;
            for direction in Direction::ALL {
                let there = wrapped_neighbour(grid, spot, direction);
                if walls_at(grid, spot) & wall(direction) == 0 && !reached.contains(&there) {
                    reached.push(there);
                }
            }
        }
        assert_eq!(reached.len() + 4, spots(grid).count(), "{map}: connected");
    }

    /// Follows each shot, around the edges, to a wall or back to its shooter.
    fn check_no_player_in_line_of_fire(grid: &Grid, map: &str) {
        for shooter in spots(grid).filter(|&spot| is_player(grid, spot)) {
            for direction in Direction::ALL {
                let mut shot = shooter;
                while walls_at(grid, shot) & wall(direction) == 0 {
                    shot = wrapped_neighbour(grid, shot, direction);
                    if shot == shooter {
                        break;
                    }
                    assert!(!is_player(grid, shot), "{map}: {shooter:?} can shoot {shot:?}");
                }
            }
        }
    }

    /// Returns the next spot in a direction, around the edges.
    fn wrapped_neighbour(grid: &Grid, Spot { row, col }: Spot, direction: Direction) -> Spot {
        let (rows, cols) = (usize::from(grid.height), usize::from(grid.width));
        let (row, col) = match direction {
            Up => (row + rows - 1, col),
            Right => (row, col + 1),
            Down => (row + 1, col),
            Left => (row, col + cols - 1),
        };
        Spot { row: row % rows, col: col % cols }
    }

    fn spots(grid: &Grid) -> impl Iterator<Item = Spot> {
        Quadrant { rows: usize::from(grid.height), cols: usize::from(grid.width) }.spots()
    }

    fn walls_at(grid: &Grid, spot: Spot) -> u8 {
        grid.walls[grid.index(spot)]
    }

    fn content_at(grid: &Grid, spot: Spot) -> u8 {
        grid.content[grid.index(spot)]
    }

    fn is_player(grid: &Grid, spot: Spot) -> bool {
        PLAYERS.contains(&content_at(grid, spot))
    }
}
