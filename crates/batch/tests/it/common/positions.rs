//! Mazes and positions of all kinds, drawn from a seed.

use std::ops::RangeInclusive;

use pacman2_rules::{
    BySeat, Cell, CellSet, Direction, ForfeitRuling, MAX_SIDE, Maze, MazeSpec, Ruleset, Seat, Square, State, Walls,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Random numbers of the tests, independent of those of the games.
pub(crate) struct TestRng(Xoshiro256PlusPlus);

impl TestRng {
    pub(crate) fn new(seed: u64) -> TestRng {
        TestRng(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    pub(crate) fn within(&mut self, range: RangeInclusive<i32>) -> i32 {
        range.start() + self.below((range.end() - range.start() + 1) as usize) as i32
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn count(&mut self, range: RangeInclusive<i32>) -> u32 {
        self.within(range) as u32
    }

    /// Draws each cell with probability `1 / once_in`, or never for 0.
    fn scatter(&mut self, cells: &[Cell], once_in: usize) -> CellSet {
        cells.iter().copied().filter(|_| once_in > 0 && self.one_in(once_in)).collect()
    }
}

/// How walls are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WallKind {
    /// Between two cells: they stop both.
    TwoSided,
    /// On one side of a cell: they stop players that leave it, but not those that enter.
    OneSided,
    /// No walls: all lights go all the way around.
    Absent,
    /// Two-sided, but with rows and columns without walls.
    Rings,
    /// One-sided, but with rows and columns without walls in one direction.
    OneWayRings,
}

impl WallKind {
    pub(crate) const ALL: [WallKind; 5] =
        [WallKind::TwoSided, WallKind::OneSided, WallKind::Absent, WallKind::Rings, WallKind::OneWayRings];
}

/// A kind of game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GameKind {
    /// Events happen soon.
    Lively,
    /// Botzone's ruleset.
    Botzone,
    /// Fruit spawns all the time, so that players grow until lanes cannot hold them.
    Garden,
    /// Rulesets and strengths over their whole range.
    Odd,
}

impl GameKind {
    pub(crate) const ALL: [GameKind; 4] = [GameKind::Lively, GameKind::Botzone, GameKind::Garden, GameKind::Odd];
}

/// Draws a maze and a position on it in which the game goes on.
pub(crate) fn start(rng: &mut TestRng) -> (Maze, State) {
    let kind =
        rng.of(&[GameKind::Lively, GameKind::Lively, GameKind::Lively, GameKind::Botzone, GameKind::Garden, GameKind::Odd]);
    let maze = maze(rng, kind);
    let state = state(rng, kind, &maze);
    (maze, state)
}

/// Draws a maze for a kind of game. Half of them are small, because more happens there.
pub(crate) fn maze(rng: &mut TestRng, kind: GameKind) -> Maze {
    let max = rng.of(&[4, MAX_SIDE]);
    let [width, height] = [(); 2].map(|()| rng.within(1..=max.into()) as u8);
    let wall_kind = rng.of(&WallKind::ALL);
    maze_of_size(rng, kind, wall_kind, width, height)
}

pub(crate) fn maze_of_size(rng: &mut TestRng, kind: GameKind, wall_kind: WallKind, width: u8, height: u8) -> Maze {
    let generators = if kind == GameKind::Garden { 3 } else { rng.of(&[0, 6, 16]) };
    let walls = walls(rng, wall_kind, width.into(), height.into());
    let square = |walls| Square { walls, generator: generators > 0 && rng.one_in(generators) };
    let squares = walls.into_iter().map(square).collect();
    Maze::new(&MazeSpec { width, height, squares, ruleset: ruleset(rng, kind) }).expect("the maze is valid")
}

fn walls(rng: &mut TestRng, wall_kind: WallKind, width: usize, height: usize) -> Vec<Walls> {
    let mut walls = vec![[false; 4]; width * height];
    let two_sided = matches!(wall_kind, WallKind::TwoSided | WallKind::Rings);
    let rings = matches!(wall_kind, WallKind::Rings | WallKind::OneWayRings);
    let once_in = rng.of(&[2, 4, 10]);
    // By direction and line: whether it has no walls.
    let without_walls = [[(); 11]; 4].map(|lines| lines.map(|()| rings && rng.one_in(2)));
    for cell in 0..if wall_kind == WallKind::Absent { 0 } else { walls.len() } {
        for direction in Direction::ALL {
            let (row, col) = (cell / width, cell % width);
            let is_vertical = matches!(direction, Direction::Up | Direction::Down);
            // Two-sided walls belong to the first of their two directions.
            let lines = if two_sided { direction.index() % 2 } else { direction.index() };
            if without_walls[lines][if is_vertical { col } else { row }] || !rng.one_in(once_in) {
                continue;
            }
            walls[cell][direction.index()] = true;
            if two_sided {
                let (rows, cols) = direction.delta();
                let row = (row + height).wrapping_add_signed(rows.into()) % height;
                let col = (col + width).wrapping_add_signed(cols.into()) % width;
                walls[row * width + col][direction.opposite().index()] = true;
            }
        }
    }
    walls.into_iter().map(build).collect()
}

fn build(sides: [bool; 4]) -> Walls {
    let mut walls = Walls::NONE;
    for direction in Direction::ALL.into_iter().filter(|direction| sides[direction.index()]) {
        walls.insert(direction);
    }
    walls
}

pub(crate) fn ruleset(rng: &mut TestRng, kind: GameKind) -> Ruleset {
    let [intervals, durations, enhancements, costs, turn_limits] = match kind {
        GameKind::Lively => [1..=6, 0..=5, 0..=12, 0..=6, 1..=30],
        GameKind::Botzone => [20..=20, 10..=10, 10..=10, 4..=4, 100..=100],
        GameKind::Garden => [1..=2, 0..=4, 0..=10, 0..=5, 200..=600],
        GameKind::Odd => [1..=300, 0..=40, 0..=40, 0..=20, 1..=600],
    };
    Ruleset {
        generator_interval: rng.count(intervals),
        large_fruit_duration: rng.count(durations),
        large_fruit_enhancement: rng.within(enhancements),
        skill_cost: rng.within(costs),
        turn_limit: rng.count(turn_limits),
        forfeit_ruling: rng.of(&ForfeitRuling::ALL),
    }
}

/// Draws a position on a maze in which the game goes on.
pub(crate) fn state(rng: &mut TestRng, kind: GameKind, maze: &Maze) -> State {
    let cells: Vec<Cell> = maze.cells().collect();
    let crowded = [rng.of(&cells), rng.of(&cells)];
    let places = if rng.one_in(3) { &crowded[..] } else { &cells };
    let at = BySeat([(); 4].map(|()| rng.of(places)));
    let [small, large] = [rng.of(&[0, 8, 2, 1]), rng.of(&[0, 16, 16, 4])];
    let (small, large) = (rng.scatter(&cells, small), rng.scatter(&cells, large));
    let mut state = State::start(maze, at, small, large);
    let ruleset = maze.ruleset();
    for seat in Seat::ALL {
        if state.alive.len() > 2 && rng.one_in(8) {
            state.alive.remove(seat);
        }
        state.strength[seat] = strength(rng, kind);
        state.boost_turns_left[seat] = if rng.one_in(3) { rng.count(0..=5) } else { 0 };
    }
    state.generator_turns_left = rng.count(1..=ruleset.generator_interval as i32);
    state.turn = match rng.below(8) {
        0 => ruleset.turn_limit - 1,
        1..=3 => rng.below(ruleset.turn_limit as usize) as u32,
        _ => 0,
    };
    if rng.one_in(12) {
        make_unusual(rng, &mut state);
    }
    state
}

fn strength(rng: &mut TestRng, kind: GameKind) -> i32 {
    let max = match kind {
        GameKind::Lively => rng.of(&[3, 20]),
        GameKind::Botzone | GameKind::Garden => 5,
        GameKind::Odd => rng.of(&[3, 12, 12, 30, 150]),
    };
    rng.within(1..=max)
}

/// Changes a position to one that games never or rarely reach.
fn make_unusual(rng: &mut TestRng, state: &mut State) {
    let seat = rng.of(&Seat::ALL);
    match rng.below(6) {
        0 => state.generator_turns_left = rng.of(&[0, 254, 255, 256, 300]),
        1 => state.strength[seat] = rng.of(&[0, -1, -10]),
        2 => state.strength[seat] = rng.of(&[100, 126, 127, 128, 255, 256, 1_000_000]),
        3 => state.boost_turns_left[seat] = rng.of(&[127, 128, 200, 255, 256, 100_000]),
        4 => state.large_fruits |= state.small_fruits,
        _ => state.strength = BySeat([20; 4]),
    }
}
