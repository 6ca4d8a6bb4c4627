//! Tables of a maze for the quick twin of the policy net's properties: what is known about a cell and the four around it, in one word.

use pacman2_rules::{Cell, Direction, Maze};

use super::inputs::DISCOUNT;
use crate::distance_tables::DistanceTables;

/// A byte for each place where a player may be after its action: its cell, then the next one in each direction. Three bytes are unused.
pub(super) type PlaceBytes = u64;

/// A number of 16 bits for each of these places.
pub(super) type PlaceNumbers = [u16; 8];

/// A word for every pair of cells.
type Table = Box<[[PlaceBytes; 128]; 128]>;

/// Precomputed tables of a maze, by the cell where a player is. A place behind a wall has its values, too.
pub(crate) struct PlaceTables {
    /// By target: the steps from each place to it.
    steps: Table,
    /// By target: the [`DISCOUNT`] of fruit there for each place.
    discounts: Box<[[PlaceNumbers; 128]; 128]>,
    /// By the cell of another player: what holds for it and each place, as bits.
    relations: Table,
    fixed: [FixedPlaces; 128],
}

/// What is always so at the places around a cell.
#[derive(Clone, Copy, Default)]
pub(super) struct FixedPlaces {
    /// Steps to the nearest cell where fruit spawns.
    pub(super) to_spawn: PlaceBytes,
    /// Twice the depth in a dead end, of 3 at most.
    pub(super) dead_end: PlaceBytes,
    /// The bins of open sides.
    pub(super) open_sides: PlaceBytes,
}

/// The other player can come to the place in this turn.
pub(super) const COMES: u8 = 1;
/// The other player can light the place.
pub(super) const LIGHTS: u8 = 2;
/// The other player cannot miss a player at the place.
pub(super) const CANNOT_MISS: u8 = 4;
/// A player at the place can light the other one.
pub(super) const IS_TARGET: u8 = 8;
/// The place is in a dead end, and the other player is at its exit as soon.
pub(super) const SHUTS: u8 = 16;
/// The other player is in a dead end, and a player at the place is at its exit as soon.
pub(super) const IS_CAUGHT: u8 = 32;

impl PlaceTables {
    /// Computes the tables.
    pub(crate) fn new(tables: &DistanceTables, maze: &Maze) -> PlaceTables {
        let mut steps = table();
        let mut discounts = Box::new([[[0; 8]; 128]; 128]);
        let mut relations = table();
        let mut fixed = [FixedPlaces::default(); 128];
        // Each pair of cells once, although a cell is a place of five others.
        let mut of_cells = Box::new([[0; 128]; 128]);
        for cell in maze.cells() {
            maze.cells().for_each(|other| of_cells[cell.index()][other.index()] = relation(tables, cell, other));
        }
        for here in maze.cells() {
            let [up, right, down, left] = Direction::ALL.map(|direction| maze.neighbour(here, direction));
            let places = [here, up, right, down, left];
            fixed[here.index()] = FixedPlaces {
                to_spawn: word(places.map(|place| tables.steps_to_spawn(place))),
                dead_end: word(places.map(|place| 2 * tables.dead_end(place).depth.min(3))),
                open_sides: word(places.map(|place| (maze.open_sides(place).count_ones() as u8).clamp(1, 4) - 1)),
            };
            let steps_from = places.map(|place| tables.steps_from(place));
            let relations_of = places.map(|place| &of_cells[place.index()]);
            for other in maze.cells().map(Cell::index) {
                let to = steps_from.map(|steps| steps[other]);
                steps[here.index()][other] = word(to);
                discounts[here.index()][other][..5].copy_from_slice(&to.map(|to| DISCOUNT[usize::from(to.min(31))]));
                relations[here.index()][other] = word(relations_of.map(|relations| relations[other]));
            }
        }
        PlaceTables { steps, discounts, relations, fixed }
    }

    /// Returns by target the steps from each place around a cell.
    #[inline(always)]
    pub(super) fn steps_from(&self, here: Cell) -> &[PlaceBytes; 128] {
        &self.steps[here.index()]
    }

    /// Returns by target the discount of fruit there for each place around a cell.
    #[inline(always)]
    pub(super) fn discounts(&self, here: Cell) -> &[PlaceNumbers; 128] {
        &self.discounts[here.index()]
    }

    /// Returns by the cell of another player what holds for it and each place around a cell.
    #[inline(always)]
    pub(super) fn relations(&self, here: Cell) -> &[PlaceBytes; 128] {
        &self.relations[here.index()]
    }

    /// Returns what is always so at the places around a cell.
    #[inline(always)]
    pub(super) fn fixed(&self, here: Cell) -> &FixedPlaces {
        &self.fixed[here.index()]
    }
}

/// Returns the bytes of the places around a cell as a word.
fn word([here, up, right, down, left]: [u8; 5]) -> PlaceBytes {
    PlaceBytes::from_le_bytes([here, up, right, down, left, 0, 0, 0])
}

fn table() -> Table {
    Box::new([[0; 128]; 128])
}

/// Returns what holds for a place and the cell of another player.
fn relation(tables: &DistanceTables, place: Cell, other: Cell) -> u8 {
    let (end, other_end) = (tables.dead_end(place), tables.dead_end(other));
    let bits = [
        (COMES, tables.reach(other).contains(place)),
        (LIGHTS, tables.light_targets(other).contains(place)),
        (CANNOT_MISS, tables.sure_light(other, place).is_some()),
        (IS_TARGET, tables.light_targets(place).contains(other)),
        (SHUTS, end.depth > 0 && tables.steps(end.exit, other) <= end.depth + 1),
        (IS_CAUGHT, other_end.depth > 0 && tables.steps(place, other_end.exit) <= other_end.depth),
    ];
    bits.into_iter().map(|(bit, holds)| if holds { bit } else { 0 }).sum()
}
