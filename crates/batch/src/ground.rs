//! The ground under the lanes: the map and the settings of each game, as the twelve steps ask for them.

pub(crate) mod own;
pub(crate) mod shared;

use pacman2_rules::{Action, Maze};

use crate::columns::most_strength;
use crate::lanes::{Bytes, Column, LANES, Lanes, Table};

/// Orders in lanes are their places in [`Order::ALL`], or this if they are [`Order::Invalid`].
pub(crate) const INVALID: u8 = 9;

/// The order as it is in lanes.
pub(crate) fn place(action: Action) -> u8 {
    Action::ALL.iter().position(|&other| other == action).map_or(INVALID, |place| place as u8)
}

/// What comes after the orders to walk.
pub(crate) const FIRST_LIGHT: u8 = 5;

/// Defines the numbers of a game from one table: of one game as bytes, of many games as columns or in lanes.
///
/// All is spelled out field by field: closures over fields would leave the instruction set of their caller.
macro_rules! terms {
    ($($(#[doc = $doc:literal])+ $name:ident = |$maze:ident, $ruleset:ident| $value:expr;)+) => {
        /// The numbers of each game: a `u8` for one game, a column or lanes of them for many.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Terms<B> {
            $($(#[doc = $doc])+ pub(crate) $name: B,)+
        }

        impl Terms<u8> {
            /// The numbers of a game. They mean nothing where lanes cannot play it.
            pub(crate) fn new(maze: &Maze) -> Terms<u8> {
                Terms { $($name: { let ($maze, $ruleset) = (maze, maze.ruleset()); ($value) as u8 },)+ }
            }

            /// The same numbers in all lanes.
            #[inline(always)]
            pub(crate) fn in_all<L: Lanes>(&self) -> Terms<L::Bytes> {
                Terms { $($name: L::Bytes::all(self.$name),)+ }
            }
        }

        impl Terms<Column<u8>> {
            /// Columns of zeros.
            pub(crate) fn zeros() -> Terms<Column<u8>> {
                Terms { $($name: Column([0; LANES]),)+ }
            }

            /// Puts the numbers of a game into its lane.
            pub(crate) fn put(&mut self, lane: usize, terms: &Terms<u8>) {
                $(self.$name.0[lane] = terms.$name;)+
            }

            /// The numbers of all lanes.
            #[inline(always)]
            pub(crate) fn load<L: Lanes>(&self) -> Terms<L::Bytes> {
                Terms { $($name: L::Bytes::load(&self.$name),)+ }
            }
        }
    };
}

terms! {
    /// Turns from one spawn of fruit to the next.
    generator_interval = |_maze, ruleset| ruleset.generator_interval;
    /// Turns that a boost lasts.
    large_fruit_duration = |_maze, ruleset| ruleset.large_fruit_duration;
    /// Strength that a boost adds.
    large_fruit_enhancement = |_maze, ruleset| ruleset.large_fruit_enhancement;
    /// Strength that a shot costs.
    skill_cost = |_maze, ruleset| ruleset.skill_cost;
    /// One and a half times the cost, rounded down.
    hit_gain = |_maze, ruleset| 3 * ruleset.skill_cost / 2;
    /// The same, rounded up.
    hit_loss = |_maze, ruleset| (3 * ruleset.skill_cost + 1) / 2;
    /// How much strength all four may have together before a turn, so that all numbers fit.
    most_strength = |maze, _ruleset| most_strength(maze).unwrap_or(0);
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
