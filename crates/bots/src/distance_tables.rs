//! Tables of a maze that are computed once per map: distances, directions, lights and dead ends.

use std::sync::Arc;

use pacman2_rules::{Cell, CellSet, Direction, Maze};

/// A byte for every pair of cells.
type Table = Box<[[u8; 128]; 128]>;

/// Precomputed tables of a maze.
///
/// ```
/// use pacman2_bots::distance_tables::DistanceTables;
/// use pacman2_rules::{Direction, picture};
///
/// let (maze, _) = picture::read(
///     "
///      +---+---+---+---+---+---+
///      | 0                   1 |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      | 2                   3 |
///      +---+---+---+---+---+---+",
/// )?;
/// let tables = DistanceTables::new(&maze);
/// let (from, to) = (maze.cell(0, 0).unwrap(), maze.cell(0, 5).unwrap());
/// assert_eq!(tables.steps(from, to), 5);
/// assert_eq!(tables.towards(from, to), Some(Direction::Right));
/// # Ok::<(), pacman2_rules::picture::PictureError>(())
/// ```
pub struct DistanceTables {
    steps: Table,
    towards: Table,
    sure_lights: Table,
    reach: [CellSet; 128],
    lit_from: [CellSet; 128],
    dead_ends: [DeadEnd; 128],
    to_spawns: [u8; 128],
}

/// A cell's position in a dead end, a part of the maze with one exit. Depth 0 means that the cell is not in a dead end.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct DeadEnd {
    /// Steps to the exit.
    pub depth: u8,
    /// The nearest cell with more than one way on.
    pub exit: Cell,
}

/// The tables of the map that a bot plays on, computed once.
#[derive(Default)]
pub(crate) struct KnownMap(Option<(Arc<Maze>, DistanceTables)>);

impl KnownMap {
    /// Returns the tables of a maze, and whether they were computed just now because the map is another one.
    pub(crate) fn learn(&mut self, maze: &Arc<Maze>) -> (&DistanceTables, bool) {
        let is_new = !self.0.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, maze) || **known == **maze);
        if is_new {
            self.0 = None;
        }
        (&self.0.get_or_insert_with(|| (Arc::clone(maze), DistanceTables::new(maze))).1, is_new)
    }
}

impl DistanceTables {
    /// The number of steps that stands for an unreachable cell.
    pub const UNREACHABLE: u8 = u8::MAX;

    /// The table entry for no direction.
    const NO_DIRECTION: u8 = 4;

    /// Computes the tables. For Botzone's maps this takes some 10 µs.
    #[must_use]
    pub fn new(maze: &Maze) -> DistanceTables {
        let mut reach = [CellSet::EMPTY; 128];
        let mut lit_from = [CellSet::EMPTY; 128];
        for cell in maze.cells() {
            let open = Direction::ALL.into_iter().filter(|&side| maze.is_open(cell, side));
            reach[cell.index()] = open.map(|side| maze.neighbour(cell, side)).chain([cell]).collect();
            let ways = Direction::ALL.map(|side| maze.ray(cell, side));
            lit_from[cell.index()] = ways.into_iter().fold(CellSet::EMPTY, |all, way| all | way);
        }
        let steps = all_steps(maze, &reach);
        let mut to_spawns = [DistanceTables::UNREACHABLE; 128];
        for cell in maze.cells() {
            let spawns = maze.spawn_cells().iter().map(|spawn| steps[cell.index()][spawn.index()]);
            to_spawns[cell.index()] = spawns.min().unwrap_or(DistanceTables::UNREACHABLE);
        }
        let towards = first_steps(maze, &steps);
        let sure_lights = sure_lights(maze, &reach);
        DistanceTables { dead_ends: dead_ends(maze, &reach), steps, towards, sure_lights, reach, lit_from, to_spawns }
    }

    /// Returns the steps from a cell to every cell by index; [`DistanceTables::UNREACHABLE`] if there is no way.
    #[must_use]
    #[inline]
    pub fn steps_from(&self, cell: Cell) -> &[u8; 128] {
        &self.steps[cell.index()]
    }

    /// Returns the steps from one cell to another.
    #[must_use]
    #[inline]
    pub fn steps(&self, from: Cell, to: Cell) -> u8 {
        self.steps[from.index()][to.index()]
    }

    /// Returns the first step of a shortest path; `None` if there is no path or the cells are the same.
    #[must_use]
    #[inline]
    pub fn towards(&self, from: Cell, to: Cell) -> Option<Direction> {
        Direction::ALL.get(usize::from(self.towards[from.index()][to.index()])).copied()
    }

    /// Returns the direction in which a light from `from` hits a player at `at` whatever it does: the ray covers the cell and all
    /// cells it can move to.
    #[must_use]
    #[inline]
    pub fn sure_light(&self, from: Cell, at: Cell) -> Option<Direction> {
        Direction::ALL.get(usize::from(self.sure_lights[from.index()][at.index()])).copied()
    }

    /// Returns the cell and the cells one step away.
    #[must_use]
    #[inline]
    pub fn reach(&self, cell: Cell) -> CellSet {
        self.reach[cell.index()]
    }

    /// Returns the cells that lights from this cell can hit.
    #[must_use]
    #[inline]
    pub fn light_targets(&self, cell: Cell) -> CellSet {
        self.lit_from[cell.index()]
    }

    /// Returns the position of a cell in a dead end.
    #[must_use]
    #[inline]
    pub fn dead_end(&self, cell: Cell) -> DeadEnd {
        self.dead_ends[cell.index()]
    }

    /// Returns the steps to the nearest cell where fruit spawns.
    #[must_use]
    #[inline]
    pub fn steps_to_spawn(&self, cell: Cell) -> u8 {
        self.to_spawns[cell.index()]
    }
}

fn table() -> Table {
    Box::new([[u8::MAX; 128]; 128])
}

/// Computes all distances. The ball around a cell grows to the union of its neighbours' balls, for all cells at once. A set of cells
/// is two words, so this is several times as fast as a search from each cell.
fn all_steps(maze: &Maze, reach: &[CellSet; 128]) -> Table {
    let mut steps = table();
    let mut balls = [CellSet::EMPTY; 128];
    for cell in maze.cells() {
        balls[cell.index()] = CellSet::of(cell);
        steps[cell.index()][cell.index()] = 0;
    }
    // No path is longer than the number of cells.
    for radius in 1..=pacman2_rules::MAX_CELLS as u8 {
        let smaller = balls;
        let mut has_grown = false;
        for cell in maze.cells() {
            let ball = reach[cell.index()].iter().fold(CellSet::EMPTY, |ball, next| ball | smaller[next.index()]);
            let new = ball & !smaller[cell.index()];
            has_grown |= !new.is_empty();
            new.iter().for_each(|far| steps[cell.index()][far.index()] = radius);
            balls[cell.index()] = ball;
        }
        if !has_grown {
            break;
        }
    }
    steps
}

fn first_steps(maze: &Maze, steps: &Table) -> Table {
    let mut towards = table();
    for from in maze.cells() {
        // From the last direction to the first, so that the first of equally short ones remains.
        for side in Direction::ALL.into_iter().rev().filter(|&side| maze.is_open(from, side)) {
            let next = &steps[maze.neighbour(from, side).index()];
            for to in maze.cells() {
                let is_on_the_way = next[to.index()] < steps[from.index()][to.index()];
                let way = &mut towards[from.index()][to.index()];
                *way = if is_on_the_way { side.index() as u8 } else { *way };
            }
        }
    }
    towards
}

fn sure_lights(maze: &Maze, reach: &[CellSet; 128]) -> Table {
    let mut lights = Box::new([[DistanceTables::NO_DIRECTION; 128]; 128]);
    for from in maze.cells() {
        for side in Direction::ALL {
            let way = maze.ray(from, side);
            for at in way.iter().filter(|at| (reach[at.index()] & !way).is_empty()) {
                lights[from.index()][at.index()] = side.index() as u8;
            }
        }
    }
    lights
}

/// Repeatedly removes cells with at most one neighbour. The removed cells are the dead ends.
fn dead_ends(maze: &Maze, reach: &[CellSet; 128]) -> [DeadEnd; 128] {
    let mut rest: CellSet = maze.cells().collect();
    let mut taken = [(Cell::default(), Cell::default()); pacman2_rules::MAX_CELLS];
    let mut count = 0;
    loop {
        let before = count;
        for cell in maze.cells().filter(|&cell| rest.contains(cell)).collect::<CellSet>().iter() {
            let others = reach[cell.index()] & rest & !CellSet::of(cell);
            let Some(next) = others.iter().next().filter(|_| others.len() == 1) else { continue };
            rest.remove(cell);
            taken[count] = (cell, next);
            count += 1;
        }
        if count == before {
            break;
        }
    }
    let mut ends = [DeadEnd::default(); 128];
    for &(cell, next) in taken[..count].iter().rev() {
        let DeadEnd { depth, exit } = ends[next.index()];
        ends[cell.index()] = DeadEnd { depth: depth + 1, exit: if depth == 0 { next } else { exit } };
    }
    ends
}
