//! What is known of a map before its first turn. Whoever plays many turns on a map keeps it.

use pacman2_rules::{Cell, CellSet, Direction, Maze};

/// A byte for every pair of cells.
type Table = Box<[[u8; 128]; 128]>;

/// Everything about a map that no turn changes, looked up instead of searched for.
pub struct DistanceTables {
    steps: Table,
    towards: Table,
    sure_lights: Table,
    reach: [CellSet; 128],
    lit_from: [CellSet; 128],
    dead_ends: [DeadEnd; 128],
    to_births: [u8; 128],
}

/// How deep a cell lies in a dead end: a part of the maze with one way out. Depth 0 is not in one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct DeadEnd {
    /// Steps to the exit.
    pub depth: u8,
    /// The nearest cell from which there is more than one way.
    pub exit: Cell,
}

impl DistanceTables {
    /// The steps to a cell that cannot be reached.
    pub const NEVER: u8 = u8::MAX;

    /// Stands for no direction in the tables.
    const NO_DIRECTION: u8 = 4;

    /// Learns a map; on Botzone's it takes some hundredths of a millisecond.
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
        let mut to_births = [DistanceTables::NEVER; 128];
        for cell in maze.cells() {
            let births = maze.spawn_cells().iter().map(|birth| steps[cell.index()][birth.index()]);
            to_births[cell.index()] = births.min().unwrap_or(DistanceTables::NEVER);
        }
        let towards = first_steps(maze, &steps);
        let sure_lights = sure_lights(maze, &reach);
        DistanceTables { dead_ends: dead_ends(maze, &reach), steps, towards, sure_lights, reach, lit_from, to_births }
    }

    /// Steps from a cell to every other by its index, [`Knowledge::NEVER`] where no way leads.
    #[inline]
    pub fn steps_from(&self, cell: Cell) -> &[u8; 128] {
        &self.steps[cell.index()]
    }

    /// Steps from a cell to another.
    #[inline]
    pub fn steps(&self, from: Cell, to: Cell) -> u8 {
        self.steps[from.index()][to.index()]
    }

    /// The first step of a shortest way, if there is a way and it is not at its end.
    #[inline]
    pub fn towards(&self, from: Cell, to: Cell) -> Option<Direction> {
        Direction::ALL.get(usize::from(self.towards[from.index()][to.index()])).copied()
    }

    /// Where to shoot from a cell so that whoever stands in the other one is hit whatever it does: it and all its neighbours
    /// lie in that way of light.
    #[inline]
    pub fn sure_light(&self, from: Cell, at: Cell) -> Option<Direction> {
        Direction::ALL.get(usize::from(self.sure_lights[from.index()][at.index()])).copied()
    }

    /// The cell and those one step from it.
    #[inline]
    pub fn reach(&self, cell: Cell) -> CellSet {
        self.reach[cell.index()]
    }

    /// The cells that lights from this one can hit.
    #[inline]
    pub fn lit_from(&self, cell: Cell) -> CellSet {
        self.lit_from[cell.index()]
    }

    /// In what dead end a cell lies.
    #[inline]
    pub fn dead_end(&self, cell: Cell) -> DeadEnd {
        self.dead_ends[cell.index()]
    }

    /// Whether every way from a cell lies along one line, so that a light along it must hit who stands there.
    pub fn is_corridor(&self, maze: &Maze, cell: Cell) -> bool {
        let line = |side: Direction| maze.ray(cell, side) | maze.ray(cell, side.opposite());
        let others = self.reach(cell) & !CellSet::of(cell);
        [Direction::Up, Direction::Left].into_iter().any(|side| (others & !line(side)).is_empty())
    }

    /// Steps to the nearest cell where fruit is born.
    #[inline]
    pub fn steps_to_births(&self, cell: Cell) -> u8 {
        self.to_births[cell.index()]
    }
}

fn table() -> Table {
    Box::new([[u8::MAX; 128]; 128])
}

/// All distances. A ball around a cell grows by those around its neighbours, all cells at once: a set of cells is two words,
/// so this is several times as fast as a search from each cell.
fn all_steps(maze: &Maze, reach: &[CellSet; 128]) -> Table {
    let mut steps = table();
    let mut balls = [CellSet::EMPTY; 128];
    for cell in maze.cells() {
        balls[cell.index()] = CellSet::of(cell);
        steps[cell.index()][cell.index()] = 0;
    }
    // No way is longer than there are cells.
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
        // From the last direction to the first, so that of equally short ways the first stands.
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

/// Cells with at most one way on are taken away until there are none: what was taken away are the dead ends.
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
