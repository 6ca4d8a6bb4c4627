//! Botzone's bits: the numbers of its two matrices for a cell.

use pacman2_rules::{Cell, Direction, Maze, Seat, State};

/// The largest number of generators on a map.
pub(crate) const MAX_GENERATORS: usize = 4;
/// The bit of a generator in `static`; bits 0 to 3 are walls in the order of [`Direction::ALL`].
pub(crate) const GENERATOR: u8 = 16;
/// The bit of small fruit in `content`; bits 0 to 3 are the players.
pub(crate) const SMALL_FRUIT: u8 = 16;
/// The bit of large fruit in `content`.
pub(crate) const LARGE_FRUIT: u8 = 32;

/// Returns the number of a cell in `static`: 1, 2, 4, 8 for walls up, right, down, left; 16 for a generator.
///
/// ```
/// use pacman2_rules::picture;
///
/// let (maze, _) = picture::read("
///     +---+---+
///     | 0   1 |
///     +---+---+
/// ").unwrap();
/// let bits: Vec<u8> = maze.cells().map(|cell| pacman2_maps::static_bits(&maze, cell)).collect();
/// assert_eq!(bits, [1 + 4 + 8, 1 + 2 + 4]);
/// ```
#[must_use]
pub fn static_bits(maze: &Maze, cell: Cell) -> u8 {
    let walls = Direction::ALL.map(|direction| u8::from(maze.walls(cell).contains(direction)) << direction.index());
    let generator = if maze.generators().contains(cell) { GENERATOR } else { 0 };
    walls.iter().sum::<u8>() | generator
}

/// Returns the number of a cell in `content`: 1, 2, 4, 8 for living players, 16 for small fruit, 32 for large fruit.
///
/// ```
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     +----+----+
///     | 03   o  |
///     +----+----+
/// ").unwrap();
/// let bits: Vec<u8> = maze.cells().map(|cell| pacman2_maps::content_bits(&state, cell)).collect();
/// assert_eq!(bits, [1 + 8, 32]);
/// ```
#[must_use]
pub fn content_bits(state: &State, cell: Cell) -> u8 {
    let players: u8 = state.standing_on(cell).iter().map(player).sum();
    let small = if state.small_fruits.contains(cell) { SMALL_FRUIT } else { 0 };
    let large = if state.large_fruits.contains(cell) { LARGE_FRUIT } else { 0 };
    players | small | large
}

/// Returns the bit of a player in `content`.
pub(crate) fn player(seat: Seat) -> u8 {
    1 << seat.index()
}
