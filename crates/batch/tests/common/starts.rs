//! Maps and positions of all kinds, drawn from a seed.

#![allow(dead_code, reason = "each test program uses some of this")]

use std::ops::RangeInclusive;

use pacman2_rules::{
    BySeat, Cell, CellSet, Direction, ForfeitRuling, MAX_SIDE, Maze, MazeSpec, Ruleset, Seat, Square, State, Walls,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Chance of a seed.
pub(crate) struct Chance(Xoshiro256PlusPlus);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(Xoshiro256PlusPlus::seed_from_u64(seed))
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

    /// Each of the cells, once in so many times; never for 0.
    fn scatter(&mut self, cells: &[Cell], once_in: usize) -> CellSet {
        cells.iter().copied().filter(|_| once_in > 0 && self.one_in(once_in)).collect()
    }
}

/// How walls are built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Building {
    /// Between two cells, so that they stop both.
    TwoSided,
    /// On one side of a cell, so that they stop who leaves it but not who comes.
    OneSided,
    /// None, so that all lights go all the way round.
    Bare,
    /// Two-sided, but none across some rows and columns.
    Rings,
    /// One-sided, but none that stops who goes one way along some rows and columns.
    OneWayRings,
}

impl Building {
    pub(crate) const ALL: [Building; 5] =
        [Building::TwoSided, Building::OneSided, Building::Bare, Building::Rings, Building::OneWayRings];
}

/// What games are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Game {
    /// Something happens soon.
    Lively,
    /// Botzone's numbers.
    Botzone,
    /// Fruit is born all the time, so that players grow until lanes cannot hold them any more.
    Garden,
    /// Numbers, and strengths, from end to end.
    Odd,
}

impl Game {
    pub(crate) const ALL: [Game; 4] = [Game::Lively, Game::Botzone, Game::Garden, Game::Odd];
}

/// Any map and any position on it, in which the game goes on.
pub(crate) fn start(chance: &mut Chance) -> (Maze, State) {
    let game = chance.of(&[Game::Lively, Game::Lively, Game::Lively, Game::Botzone, Game::Garden, Game::Odd]);
    let maze = maze(chance, game);
    let state = state(chance, game, &maze);
    (maze, state)
}

/// A map for such a game; small half of the time, because much happens there.
pub(crate) fn maze(chance: &mut Chance, game: Game) -> Maze {
    let most = chance.of(&[4, MAX_SIDE]);
    let [width, height] = [(); 2].map(|()| chance.within(1..=most.into()) as u8);
    let building = chance.of(&Building::ALL);
    arena_of_size(chance, game, building, width, height)
}

pub(crate) fn arena_of_size(chance: &mut Chance, game: Game, building: Building, width: u8, height: u8) -> Maze {
    let generators = if game == Game::Garden { 3 } else { chance.of(&[0, 6, 16]) };
    let walls = walls(chance, building, width.into(), height.into());
    let square = |walls| Square { walls, generator: generators > 0 && chance.one_in(generators) };
    let squares = walls.into_iter().map(square).collect();
    Maze::new(&MazeSpec { width, height, squares, ruleset: settings(chance, game) }).expect("the plan is sound")
}

fn walls(chance: &mut Chance, building: Building, width: usize, height: usize) -> Vec<Walls> {
    let mut stands = vec![[false; 4]; width * height];
    let two_sided = matches!(building, Building::TwoSided | Building::Rings);
    let rings = matches!(building, Building::Rings | Building::OneWayRings);
    let once_in = chance.of(&[2, 4, 10]);
    // By direction and line, whether it has no walls.
    let bare = [[(); 11]; 4].map(|lines| lines.map(|()| rings && chance.one_in(2)));
    for cell in 0..if building == Building::Bare { 0 } else { stands.len() } {
        for direction in Direction::ALL {
            let (row, col) = (cell / width, cell % width);
            let is_vertical = matches!(direction, Direction::Up | Direction::Down);
            // The lines of two-sided walls go by the one of their two directions that comes first.
            let lines = if two_sided { direction.index() % 2 } else { direction.index() };
            if bare[lines][if is_vertical { col } else { row }] || !chance.one_in(once_in) {
                continue;
            }
            stands[cell][direction.index()] = true;
            if two_sided {
                let (rows, cols) = direction.delta();
                let row = (row + height).wrapping_add_signed(rows.into()) % height;
                let col = (col + width).wrapping_add_signed(cols.into()) % width;
                stands[row * width + col][direction.opposite().index()] = true;
            }
        }
    }
    stands.into_iter().map(build).collect()
}

fn build(sides: [bool; 4]) -> Walls {
    let mut walls = Walls::NONE;
    for direction in Direction::ALL.into_iter().filter(|direction| sides[direction.index()]) {
        walls.build(direction);
    }
    walls
}

pub(crate) fn settings(chance: &mut Chance, game: Game) -> Ruleset {
    let [intervals, durations, enhancements, costs, turn_limits] = match game {
        Game::Lively => [1..=6, 0..=5, 0..=12, 0..=6, 1..=30],
        Game::Botzone => [20..=20, 10..=10, 10..=10, 4..=4, 100..=100],
        Game::Garden => [1..=2, 0..=4, 0..=10, 0..=5, 200..=600],
        Game::Odd => [1..=300, 0..=40, 0..=40, 0..=20, 1..=600],
    };
    Ruleset {
        generator_interval: chance.count(intervals),
        large_fruit_duration: chance.count(durations),
        large_fruit_enhancement: chance.within(enhancements),
        skill_cost: chance.within(costs),
        turn_limit: chance.count(turn_limits),
        forfeit_ruling: chance.of(&ForfeitRuling::ALL),
    }
}

/// Any position on that map in which the game goes on.
pub(crate) fn state(chance: &mut Chance, game: Game, maze: &Maze) -> State {
    let cells: Vec<Cell> = maze.cells().collect();
    let crowded = [chance.of(&cells), chance.of(&cells)];
    let places = if chance.one_in(3) { &crowded[..] } else { &cells };
    let at = BySeat([(); 4].map(|()| chance.of(places)));
    let [small, large] = [chance.of(&[0, 8, 2, 1]), chance.of(&[0, 16, 16, 4])];
    let (small, large) = (chance.scatter(&cells, small), chance.scatter(&cells, large));
    let mut state = State::start(maze, at, small, large);
    let settings = maze.ruleset();
    for seat in Seat::ALL {
        if state.alive.len() > 2 && chance.one_in(8) {
            state.alive.remove(seat);
        }
        state.strength[seat] = strength(chance, game);
        state.boost_turns_left[seat] = if chance.one_in(3) { chance.count(0..=5) } else { 0 };
    }
    state.generator_turns_left = chance.count(1..=settings.generator_interval as i32);
    state.turn = match chance.below(8) {
        0 => settings.turn_limit - 1,
        1..=3 => chance.below(settings.turn_limit as usize) as u32,
        _ => 0,
    };
    if chance.one_in(12) {
        put_something_odd(chance, &mut state);
    }
    state
}

fn strength(chance: &mut Chance, game: Game) -> i32 {
    let most = match game {
        Game::Lively => chance.of(&[3, 20]),
        Game::Botzone | Game::Garden => 5,
        Game::Odd => chance.of(&[3, 12, 12, 30, 150]),
    };
    chance.within(1..=most)
}

/// What no game comes to by itself, or hardly ever.
fn put_something_odd(chance: &mut Chance, state: &mut State) {
    let seat = chance.of(&Seat::ALL);
    match chance.below(6) {
        0 => state.generator_turns_left = chance.of(&[0, 254, 255, 256, 300]),
        1 => state.strength[seat] = chance.of(&[0, -1, -10]),
        2 => state.strength[seat] = chance.of(&[100, 126, 127, 128, 255, 256, 1_000_000]),
        3 => state.boost_turns_left[seat] = chance.of(&[127, 128, 200, 255, 256, 100_000]),
        4 => state.large_fruits |= state.small_fruits,
        _ => state.strength = BySeat([20; 4]),
    }
}
