//! True distances: steps through the maze, walls and wrapping included.

use rules::{Arena, Cell, Direction};

/// How far it is from one cell to every other.
pub struct Distances {
    steps: [u8; 128],
}

impl Distances {
    /// What stands for a cell that cannot be reached.
    const NEVER: u8 = u8::MAX;

    /// The distances from a cell, walking only on cells for which `may_enter` holds.
    pub fn from(arena: &Arena, start: Cell, may_enter: impl Fn(Cell) -> bool) -> Distances {
        let mut steps = [Distances::NEVER; 128];
        let mut queue = [start; rules::MAX_CELLS];
        let (mut head, mut tail) = (0, 1);
        steps[start.index()] = 0;
        while head < tail {
            let cell = queue[head];
            head += 1;
            for direction in Direction::ALL.into_iter().filter(|&direction| arena.is_open(cell, direction)) {
                let next = arena.neighbour(cell, direction);
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
