//! The ground under the lanes: the map and the settings of each game, as the twelve steps ask for them.

pub(crate) mod own;
pub(crate) mod shared;

use pacman2_rules::{Action, ForfeitRuling, Maze};

use crate::columns::most_strength;
use crate::lanes::{Bytes, Lanes, Table};

/// Orders in lanes are their places in [`Order::ALL`], or this if they are [`Order::Invalid`].
pub(crate) const INVALID: u8 = 9;

/// The order as it is in lanes.
pub(crate) fn place(action: Action) -> u8 {
    Action::ALL.iter().position(|&other| other == action).map_or(INVALID, |place| place as u8)
}

/// What comes after the orders to walk.
pub(crate) const FIRST_LIGHT: u8 = 5;

/// The numbers of each lane's game.
pub(crate) struct Terms<B> {
    pub(crate) generator_interval: B,
    pub(crate) large_fruit_duration: B,
    pub(crate) large_fruit_enhancement: B,
    pub(crate) skill_cost: B,
    /// One and a half times the cost, rounded down.
    pub(crate) hit_gain: B,
    /// The same, rounded up.
    pub(crate) hit_loss: B,
    /// How much strength all four may have together before a turn, so that all numbers fit.
    pub(crate) most_strength: B,
}

/// The place of who is dead, on every line.
pub(crate) const NOWHERE: u8 = 255;

/// The maps and settings of 64 games.
pub(crate) trait Ground<L: Lanes> {
    /// What can be seen from a cell in the direction of an order.
    type Sight: Copy;
    /// Where a light shines.
    type Light: Copy;
    /// Where a player stands, for lights.
    type Spot: Copy;

    fn sights(&self, cells: &[L::Bytes; 4], actions: &[L::Bytes; 4]) -> [Self::Sight; 4];
    /// Where players get with these orders, which are legal or to stay.
    fn walk(&self, cells: L::Bytes, actions: L::Bytes, sight: Self::Sight) -> L::Bytes;
    /// Who is ordered to walk into a wall.
    fn walled(&self, cells: L::Bytes, actions: L::Bytes, sight: Self::Sight) -> L::Mask;
    /// The spots of these cells; those of the dead are nowhere, and no light shines on them.
    fn spot(&self, cells: L::Bytes) -> Self::Spot;
    /// The lights of those who shoot, from these spots; those of the others shine nowhere.
    fn light(&self, cells: L::Bytes, spot: Self::Spot, actions: L::Bytes, sight: Self::Sight) -> Self::Light;
    /// Whether some light, which meets no wall, shines on its own cell, too, where it must not count.
    fn shines_home(&self) -> bool;
    /// Where a light shines on a spot.
    fn lit(&self, light: Self::Light, spot: Self::Spot) -> L::Mask;
    /// Eight times the bits of the sides on which a cell is open.
    fn open_sides(&self, cells: L::Bytes) -> L::Bytes;
    /// The cells, as two words, where a lane's generators bear fruit.
    fn births(&self, lane: usize) -> [u64; 2];

    fn terms(&self) -> Terms<L::Bytes>;
    /// Where skills cost an odd number, if that is so anywhere.
    fn odd_cost(&self) -> Option<L::Mask>;
    /// Where light may hit the forfeited: only beside the living, and everywhere.
    fn forfeit_ruling(&self) -> [L::Mask; 2];
}

/// The numbers of a game that lanes can play; in others they mean nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) generator_interval: u8,
    pub(crate) large_fruit_duration: u8,
    pub(crate) large_fruit_enhancement: u8,
    pub(crate) skill_cost: u8,
    pub(crate) hit_gain: u8,
    pub(crate) hit_loss: u8,
    pub(crate) most_strength: u8,
    pub(crate) forfeit_ruling: ForfeitRuling,
}

impl Settings {
    pub(crate) fn new(maze: &Maze) -> Settings {
        let settings = maze.ruleset();
        Settings {
            generator_interval: settings.generator_interval as u8,
            large_fruit_duration: settings.large_fruit_duration as u8,
            large_fruit_enhancement: settings.large_fruit_enhancement as u8,
            skill_cost: settings.skill_cost as u8,
            hit_gain: (3 * settings.skill_cost / 2) as u8,
            hit_loss: ((3 * settings.skill_cost + 1) / 2) as u8,
            most_strength: most_strength(maze).unwrap_or(0),
            forfeit_ruling: settings.forfeit_ruling,
        }
    }
}

/// For each order eight times the bit of the side that must be open for it.
pub(crate) static SIDES: Table = {
    let mut sides = [0; 128];
    let mut direction = 0;
    while direction < 4 {
        sides[1 + direction] = 8 << direction;
        direction += 1;
    }
    Table(sides)
};

/// The order to do what is the `choice`-th thing that is open, for each set of open sides times eight plus `choice`: to
/// stay or to walk.
pub(crate) static WALKS: Table = {
    let mut walks = [0; 128];
    let mut index = 0;
    while index < 128 {
        let (open, choice) = (index >> 3, index & 7);
        let mut passed = 0;
        let mut direction = 0;
        while direction < 4 {
            if open >> direction & 1 != 0 {
                passed += 1;
                if passed == choice {
                    walks[index] = 1 + direction as u8;
                }
            }
            direction += 1;
        }
        index += 1;
    }
    Table(walks)
};

/// Legal orders for those who live, drawn with these fractions; to stay for the others.
#[inline(always)]
pub(crate) fn draw<L: Lanes, G: Ground<L>>(
    ground: &G,
    cells: L::Bytes,
    can_shoot: L::Mask,
    fractions: &<L::Bytes as Bytes>::Fractions,
) -> L::Bytes {
    let open = ground.open_sides(cells);
    let walks = open.count_ones();
    let choices = walks + L::Bytes::choose(can_shoot, L::Bytes::all(FIRST_LIGHT), L::Bytes::all(1));
    let choice = choices.part(fractions);
    // A choice beyond staying and walking is a light; lights are in the order of directions.
    let walk = (open | choice).look_up(&WALKS);
    let light = choice + (L::Bytes::all(FIRST_LIGHT - 1) - walks);
    let action = L::Bytes::choose(walks.below(choice), light, walk);
    action.only(!cells.topmost())
}
