//! True distances: steps through the maze, walls and wrapping included.

use pacman2_rules::{Cell, CellSet, Direction, Maze};

/// How far it is from one cell to every other.
pub struct Distances {
    steps: [u8; 128],
}

impl Distances {
    /// What stands for a cell that cannot be reached.
    const NEVER: u8 = u8::MAX;

    /// The distances from a cell, walking only on cells for which `may_enter` holds.
    pub fn from(maze: &Maze, start: Cell, may_enter: impl Fn(Cell) -> bool) -> Distances {
        let mut steps = [Distances::NEVER; 128];
        let mut queue = [start; pacman2_rules::MAX_CELLS];
        let (mut head, mut tail) = (0, 1);
        steps[start.index()] = 0;
        while head < tail {
            let cell = queue[head];
            head += 1;
            for direction in Direction::ALL.into_iter().filter(|&direction| maze.is_open(cell, direction)) {
                let next = maze.neighbour(cell, direction);
                if steps[next.index()] == Distances::NEVER && may_enter(next) {
                    steps[next.index()] = steps[cell.index()] + 1;
                    queue[tail] = next;
                    tail += 1;
                }
            }
        }
        Distances { steps }
    }

    /// Steps to a cell, if it can be reached.
    pub fn to(&self, cell: Cell) -> Option<u8> {
        Some(self.steps[cell.index()]).filter(|&steps| steps != Distances::NEVER)
    }
}

/// The shortest way from some cells to others.
pub struct Path {
    /// Where it begins.
    pub from: Cell,
    /// How long it is.
    pub steps: u8,
}

impl Path {
    /// The shortest way from one of `starts` to one of `goals` that enters no cell of `barred`; of equally short ones that
    /// from the earliest start. `None` if there is no way.
    pub fn shortest(maze: &Maze, starts: &[Cell], goals: CellSet, barred: CellSet) -> Option<Path> {
        // Nearer cells come before farther ones. Equally far ones are in the order of their starts, and so are those that
        // are reached from them.
        let mut queue = [Reached::default(); QUEUE];
        let (mut head, mut tail) = (0, 0);
        let mut reached = CellSet::EMPTY;
        for &from in starts {
            if goals.contains(from) {
                return Some(Path { from, steps: 0 });
            }
            queue[tail % QUEUE] = Reached { cell: from, from, steps: 0 };
            tail += usize::from(!reached.contains(from));
            reached.insert(from);
        }
        let mut closed = barred | reached;
        while head < tail {
            let Reached { cell, from, steps } = queue[head % QUEUE];
            head += 1;
            let mut added = CellSet::EMPTY;
            for direction in Direction::ALL {
                let next = maze.neighbour(cell, direction);
                // Each is put at the end, and what is not new is overwritten by the next: a jump here would be guessed
                // wrong so often that a search took almost twice as long.
                let is_new = maze.is_open(cell, direction) & !(closed | added).contains(next);
                queue[tail % QUEUE] = Reached { cell: next, from, steps: steps + 1 };
                tail += usize::from(is_new);
                added |= if is_new { CellSet::of(next) } else { CellSet::EMPTY };
            }
            if !(added & goals).is_empty() {
                return Some(Path { from, steps: steps + 1 });
            }
            closed |= added;
        }
        None
    }
}

/// Room for every cell, and a power of two, so that no place in the queue has to be checked.
const QUEUE: usize = 128;

/// A cell, and the way on which it was reached.
#[derive(Clone, Copy, Default)]
struct Reached {
    cell: Cell,
    from: Cell,
    steps: u8,
}
