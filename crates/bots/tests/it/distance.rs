//! Shortest paths: one search from many cells, compared with a search from each.

use pacman2_bots::distance::{Distances, Path};
use pacman2_rules::{Cell, CellSet, Direction, Maze, MazeSpec, Ruleset, Square, Walls};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Returns a random maze of any size, with walls that may be one-sided.
fn maze(below: &mut impl FnMut(usize) -> usize) -> Maze {
    let [width, height] = [1 + below(11), 1 + below(11)];
    let one_in = 1 + below(6);
    let squares = (0..width * height).map(|_| {
        let mut walls = Walls::NONE;
        Direction::ALL.into_iter().filter(|_| below(one_in) == 0).for_each(|side| walls.insert(side));
        Square { walls, generator: false }
    });
    let squares = squares.collect();
    Maze::new(&MazeSpec { width: width as u8, height: height as u8, squares, ruleset: Ruleset::default() }).unwrap()
}

/// Finds the path by its definition.
fn plainly(maze: &Maze, starts: &[Cell], goals: CellSet, barred: CellSet) -> Option<(Cell, u8)> {
    let ways = starts.iter().filter_map(|&from| {
        let distances = Distances::from(maze, from, |cell| !barred.contains(cell));
        Some((from, goals.iter().filter_map(|goal| distances.to(goal)).min()?))
    });
    ways.min_by_key(|&(_, steps)| steps)
}

#[test]
fn the_shortest_path_equals_separate_searches() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut below = |most: usize| (random.next_u64() % most as u64) as usize;
    let (mut none, mut longest) = (0, 0);
    for _ in 0..20_000 {
        let maze = maze(&mut below);
        let cells: Vec<Cell> = maze.cells().collect();
        let mut some = |most| -> Vec<Cell> { (0..below(most)).map(|_| cells[below(cells.len())]).collect() };
        let (starts, goals, barred) = (some(6), some(4), some(12));
        let (goals, barred) = (goals.into_iter().collect(), barred.into_iter().collect());
        let way = Path::shortest(&maze, &starts, goals, barred).map(|way| (way.from, way.steps));
        assert_eq!(way, plainly(&maze, &starts, goals, barred), "{maze:?} {starts:?} {goals:?} {barred:?}");
        none += i32::from(way.is_none());
        longest = way.map_or(longest, |(_, steps)| longest.max(steps));
    }
    assert!((1000..19_000).contains(&none) && longest > 15, "{none} {longest}");
}
