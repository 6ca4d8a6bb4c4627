//! The symmetries of the board, a torus. Tests of other crates include this file, too.

use pacman2_rules::{Action, Cell, Direction, Maze, MazeSpec, Square, State, Walls};

/// A symmetry of mazes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mirror {
    LeftAndRight,
    UpAndDown,
    /// Rows and columns are exchanged.
    Diagonal,
    /// The shift down and to the right, around the edges.
    Moved(usize, usize),
}

impl Mirror {
    /// Returns the row and column of a cell's image.
    fn place(self, maze: &Maze, cell: Cell) -> (usize, usize) {
        let (height, width) = (usize::from(maze.height()), usize::from(maze.width()));
        let (row, col) = (usize::from(maze.row(cell)), usize::from(maze.col(cell)));
        match self {
            Mirror::LeftAndRight => (row, width - 1 - col),
            Mirror::UpAndDown => (height - 1 - row, col),
            Mirror::Diagonal => (col, row),
            Mirror::Moved(rows, cols) => ((row + rows) % height, (col + cols) % width),
        }
    }

    fn direction(self, direction: Direction) -> Direction {
        match (self, direction) {
            (Mirror::LeftAndRight, Direction::Left | Direction::Right) => direction.opposite(),
            (Mirror::UpAndDown, Direction::Up | Direction::Down) => direction.opposite(),
            (Mirror::Diagonal, Direction::Up) => Direction::Left,
            (Mirror::Diagonal, Direction::Left) => Direction::Up,
            (Mirror::Diagonal, Direction::Down) => Direction::Right,
            (Mirror::Diagonal, Direction::Right) => Direction::Down,
            _ => direction,
        }
    }

    /// Returns the image of an action.
    pub(crate) fn action(self, action: Action) -> Action {
        match action {
            Action::Move(direction) => Action::Move(self.direction(direction)),
            Action::Shoot(direction) => Action::Shoot(self.direction(direction)),
            Action::Stay | Action::Invalid => action,
        }
    }

    /// Returns the image of the maze.
    pub(crate) fn maze(self, maze: &Maze) -> Maze {
        let plan = maze.spec();
        let (width, height) =
            if matches!(self, Mirror::Diagonal) { (plan.height, plan.width) } else { (plan.width, plan.height) };
        let mut squares = plan.squares.clone();
        for cell in maze.cells() {
            let mut walls = Walls::NONE;
            for direction in Direction::ALL.into_iter().filter(|&direction| maze.walls(cell).contains(direction)) {
                walls.insert(self.direction(direction));
            }
            let (row, col) = self.place(maze, cell);
            squares[row * usize::from(width) + col] = Square { walls, generator: maze.generators().contains(cell) };
        }
        Maze::new(&MazeSpec { width, height, squares, ruleset: plan.ruleset }).expect("the image of a valid maze is valid")
    }

    /// Returns the image of a position in `maze`, whose image is `other`.
    pub(crate) fn state(self, maze: &Maze, other: &Maze, state: &State) -> State {
        let image = |cell| {
            let (row, col) = self.place(maze, cell);
            other.cell(row, col).expect("the image of a cell is in the image of the maze")
        };
        State {
            cells: state.cells.map(image),
            small_fruits: state.small_fruits.iter().map(image).collect(),
            large_fruits: state.large_fruits.iter().map(image).collect(),
            ..*state
        }
    }
}
