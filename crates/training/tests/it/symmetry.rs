//! The inputs of the nets are invariant under the symmetries of the board.

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::net::NetInputs;
use pacman2_bots::policy_net::PolicyPosition;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Cell, Direction, Maze, MazeSpec, Ruleset, Seat, Square, State, Walls};
use pacman2_training::{League, SelfPlay};

/// A symmetry of the maze, a torus.
#[derive(Clone, Copy, Debug)]
enum Mirror {
    LeftAndRight,
    UpAndDown,
    /// Transposes rows and columns.
    Diagonal,
    /// Shifts by rows down and columns to the right, with wraparound.
    Moved(usize, usize),
}

const MIRRORS: [Mirror; 5] =
    [Mirror::LeftAndRight, Mirror::UpAndDown, Mirror::Diagonal, Mirror::Moved(3, 0), Mirror::Moved(1, 4)];
/// Permutations of the seats.
const SEATS: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]];

impl Mirror {
    /// Returns row and column of a cell's image.
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

    fn maze(self, maze: &Maze) -> Maze {
        let spec = maze.spec();
        let is_transposed = matches!(self, Mirror::Diagonal);
        let (width, height) = if is_transposed { (spec.height, spec.width) } else { (spec.width, spec.height) };
        let mut squares = spec.squares.clone();
        for cell in maze.cells() {
            let mut walls = Walls::NONE;
            for direction in Direction::ALL.into_iter().filter(|&direction| maze.walls(cell).contains(direction)) {
                walls.insert(self.direction(direction));
            }
            let (row, col) = self.place(maze, cell);
            squares[row * usize::from(width) + col] = Square { walls, generator: maze.generators().contains(cell) };
        }
        Maze::new(&MazeSpec { width, height, squares, ruleset: spec.ruleset }).expect("the image of a valid maze is valid")
    }

    fn action(self, action: Action) -> Action {
        match action {
            Action::Move(direction) => Action::Move(self.direction(direction)),
            Action::Shoot(direction) => Action::Shoot(self.direction(direction)),
            other => other,
        }
    }

    /// Returns the image of a position, with the players on permuted seats.
    fn state(self, maze: &Maze, other: &Maze, state: &State, seats: [usize; 4]) -> State {
        let image = |cell| {
            let (row, col) = self.place(maze, cell);
            other.cell(row, col).expect("the image of a cell lies in the image of the maze")
        };
        let from = |seat: Seat| Seat::ALL[seats[seat.index()]];
        State {
            cells: BySeat::from_fn(|seat| image(state.cells[from(seat)])),
            strength: BySeat::from_fn(|seat| state.strength[from(seat)]),
            boost_turns_left: BySeat::from_fn(|seat| state.boost_turns_left[from(seat)]),
            alive: pacman2_rules::SeatSet::from_fn(|seat| state.alive.contains(from(seat))),
            small_fruits: state.small_fruits.iter().map(image).collect(),
            large_fruits: state.large_fruits.iter().map(image).collect(),
            ..*state
        }
    }
}

#[track_caller]
fn check(expected: &NetInputs, actual: &NetInputs, seats: [usize; 4], what: &str) {
    let near = |one: f32, other: f32| (one - other).abs() <= 1e-4 * (1.0 + one.abs());
    for (seat, from) in seats.into_iter().enumerate() {
        assert!(near(expected.points[from], actual.points[seat]), "{what}: {:?} {:?}", expected.points, actual.points);
        for (number, (&one, &other)) in expected.seats[from].iter().zip(&actual.seats[seat]).enumerate() {
            assert!(near(one, other), "{what}: input {number} of seat {from} is {one}, of its image on seat {seat} {other}");
        }
    }
}

/// Returns the rows of each living seat's actions, without the one that says whether the action is that of the quick policy, which
/// prefers directions.
fn rows(position: &PolicyPosition, seat: Seat, actions: &[Action]) -> Vec<Vec<u16>> {
    let rows = position.rows(seat, actions);
    let rows = rows[..actions.len()].iter().map(|rows| {
        let mut rows = rows.as_slice().to_vec();
        rows.remove(rows.len() - 4);
        rows
    });
    rows.collect()
}

#[test]
fn inputs_are_the_same_in_every_mirror_image_and_from_every_seat() {
    let mut positions = 0;
    for map in 0..6 {
        let league = League::new(Vec::new());
        let play = SelfPlay { league: &league, simulations: 8, seed: 1 };
        let record = play.play(map, || true).expect("Botzone makes a map of every seed").expect("not interrupted");
        let Map { maze, start, .. } =
            Map::generate(map, MapSize::default(), Ruleset::default()).expect("the game was played on it");
        let tables = DistanceTables::new(&maze);
        for mirror in MIRRORS {
            let other_maze = mirror.maze(&maze);
            let other_tables = DistanceTables::new(&other_maze);
            let (mut state, mut last) = (start, BySeat([Action::Stay; 4]));
            for turn in &record.turns {
                let expected = NetInputs::new(&tables, &maze, &state);
                for seats in SEATS {
                    let other = mirror.state(&maze, &other_maze, &state, seats);
                    let actual = NetInputs::new(&other_tables, &other_maze, &other);
                    check(&expected, &actual, seats, &format!("map {map}, turn {}, {mirror:?}", state.turn));
                    let other_last = BySeat::from_fn(|seat| mirror.action(last[Seat::ALL[seats[seat.index()]]]));
                    let position = PolicyPosition::new(&tables, &maze, &state).after(last);
                    let other_position = PolicyPosition::new(&other_tables, &other_maze, &other).after(other_last);
                    for seat in other.alive.iter() {
                        let from = Seat::ALL[seats[seat.index()]];
                        let legal = state.legal_actions(&maze, from);
                        let images: Vec<Action> = legal.iter().map(|&action| mirror.action(action)).collect();
                        let actual = rows(&other_position, seat, &images);
                        assert_eq!(actual, rows(&position, from, legal), "map {map}, {state:?}, {mirror:?}, {seat:?}");
                    }
                    positions += 1;
                }
                state.play(&maze, &turn.actions, &mut ());
                last = turn.actions;
            }
        }
    }
    assert!(positions > 5000, "{positions}");
}
