//! Distances in the maze, with walls and wraparound.

use pacman2_rules::{Cell, CellSet, Direction, Maze};

/// The distances from one cell to every other.
pub struct Distances {
    steps: [u8; 128],
}

impl Distances {
    /// The number of steps that stands for an unreachable cell.
    const UNREACHABLE: u8 = u8::MAX;

    /// Computes the distances from a cell along cells for which `may_enter` returns true.
    ///
    /// ```
    /// use pacman2_bots::distance::Distances;
    /// use pacman2_rules::picture;
    ///
    /// # let picture = "+---+---+---+---+---+---+\n| 0                   1 |\n+   +   +   +   +   +   +\n|                       |\n+   +   +   +   +   +   +\n|                       |\n+   +   +   +   +   +   +\n|                       |\n+   +   +   +   +   +   +\n|                       |\n+   +   +   +   +   +   +\n| 2                   3 |\n+---+---+---+---+---+---+";
    /// let (maze, state) = picture::read(picture)?;
    /// let distances = Distances::from(&maze, maze.cell(0, 0).unwrap(), |_| true);
    /// assert_eq!(distances.to(maze.cell(5, 5).unwrap()), Some(10));
    /// # Ok::<(), pacman2_rules::picture::PictureError>(())
    /// ```
    #[must_use]
    pub fn from(maze: &Maze, start: Cell, may_enter: impl Fn(Cell) -> bool) -> Distances {
        let mut steps = [Distances::UNREACHABLE; 128];
        let mut queue = [start; pacman2_rules::MAX_CELLS];
        let (mut head, mut tail) = (0, 1);
        steps[start.index()] = 0;
        while head < tail {
            let cell = queue[head];
            head += 1;
            for direction in Direction::ALL.into_iter().filter(|&direction| maze.is_open(cell, direction)) {
                let next = maze.neighbour(cell, direction);
                if steps[next.index()] == Distances::UNREACHABLE && may_enter(next) {
                    steps[next.index()] = steps[cell.index()] + 1;
                    queue[tail] = next;
                    tail += 1;
                }
            }
        }
        Distances { steps }
    }

    /// Returns the steps to a cell, or `None` if it cannot be reached.
    #[must_use]
    pub fn to(&self, cell: Cell) -> Option<u8> {
        Some(self.steps[cell.index()]).filter(|&steps| steps != Distances::UNREACHABLE)
    }
}

/// A shortest path from some cells to others.
pub struct Path {
    /// The cell where it begins.
    pub from: Cell,
    /// Its length in steps.
    pub steps: u8,
}

impl Path {
    /// Returns a shortest path from one of `starts` to one of `goals` that enters no cell of `barred`; among equally short ones, the
    /// one from the earliest start. Returns `None` if there is no path.
    pub fn shortest(maze: &Maze, starts: &[Cell], goals: CellSet, barred: CellSet) -> Option<Path> {
        // Nearer cells come first. Cells at the same distance are in the order of their starts.
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
                // Each cell is written to the end of the queue, and the next one overwrites it if it was not new. A branch here would be
                // mispredicted so often that a search took almost twice as long.
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

/// Room for every cell, and a power of two, so that no index needs a bounds check.
const QUEUE: usize = 128;

/// A cell and the path on which it was reached.
#[derive(Clone, Copy, Default)]
struct Reached {
    cell: Cell,
    from: Cell,
    steps: u8,
}
