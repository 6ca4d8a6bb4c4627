//! What the twelve steps ask about the maze and the ruleset of each lane.
//!
//! There are two answers: [`SharedMaze`](shared::SharedMaze) if all lanes play on one maze, and
//! [`LaneMazes`](per_lane::LaneMazes) if each has its own.

pub(crate) mod per_lane;
pub(crate) mod shared;

use pacman2_rules::{Action, Ruleset};

use crate::lanes::{Bytes, Column, LANES, Lanes, Table};
use crate::soa_states::max_total_strength;

/// [`Action::Invalid`] in lanes. Other actions are their index in [`Action::ALL`].
pub(crate) const INVALID: u8 = 9;

/// The first of the actions that shoot. Those before it stay or move.
pub(crate) const FIRST_SHOT: u8 = 5;

/// Returns the action as it is in lanes.
pub(crate) fn action_byte(action: Action) -> u8 {
    action.index().map_or(INVALID, |index| index as u8)
}

/// The coordinate of the dead on every line: no light reaches it.
pub(crate) const NO_COORDINATE: u8 = 255;

/// The mazes and rulesets of 64 games.
pub(crate) trait MazeTables<L: Lanes> {
    /// What lies ahead of a player in the direction of its action.
    type Ahead: Copy;
    /// The cells that a light reaches.
    type Light: Copy;
    /// Where a player stands, in the coordinates that lights are compared in.
    type Coordinates: Copy;

    fn ahead(&self, lanes: L, cells: &[L::Bytes; 4], actions: &[L::Bytes; 4]) -> [Self::Ahead; 4];
    /// Returns the cells after these actions, which are legal or to stay.
    fn walk(&self, lanes: L, cells: L::Bytes, actions: L::Bytes, ahead: Self::Ahead) -> L::Bytes;
    /// Returns where the action moves into a wall.
    fn hits_wall(&self, lanes: L, cells: L::Bytes, actions: L::Bytes, ahead: Self::Ahead) -> L::Mask;
    /// Returns the coordinates of these cells. Those of the dead are [`NO_COORDINATE`].
    fn coordinates(&self, lanes: L, cells: L::Bytes) -> Self::Coordinates;
    /// Returns the lights of those who shoot, from these coordinates. The lights of the others reach nothing.
    fn light(
        &self,
        lanes: L,
        cells: L::Bytes,
        coordinates: Self::Coordinates,
        actions: L::Bytes,
        ahead: Self::Ahead,
    ) -> Self::Light;
    /// Returns whether [`reaches`](MazeTables::reaches) may report a shooter's own cell, because a light meets no wall.
    fn light_may_return(&self) -> bool;
    /// Returns where the light reaches the coordinates.
    fn reaches(&self, lanes: L, light: Self::Light, coordinates: Self::Coordinates) -> L::Mask;
    /// Returns the open sides of cells, as bits times eight.
    fn open_sides(&self, lanes: L, cells: L::Bytes) -> L::Bytes;
    /// Returns the cells where fruit spawns in a lane, as two words.
    fn spawn_cells(&self, lane: usize) -> [u64; 2];

    fn ruleset(&self, lanes: L) -> LaneRuleset<L::Bytes>;
    /// Returns where the skill cost is odd, or `None` if it is so nowhere.
    fn odd_skill_cost(&self, lanes: L) -> Option<L::Mask>;
    /// Returns where light hits players that forfeit: where the ruling is `Judge`, and where it is `Prose`.
    fn forfeit_rulings(&self, lanes: L) -> [L::Mask; 2];
}

/// Defines the numbers of a ruleset once: for one game, for columns of games, and in lanes.
///
/// It spells everything out field by field, because closures over fields would not be compiled for the instruction set of
/// their caller.
macro_rules! lane_ruleset {
    ($($(#[doc = $doc:literal])+ $name:ident = |$ruleset:ident| $value:expr;)+) => {
        /// The numbers of a ruleset: a `u8` for one game, a column or lanes of them for many.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct LaneRuleset<B> {
            $($(#[doc = $doc])+ pub(crate) $name: B,)+
        }

        impl LaneRuleset<u8> {
            /// Returns the numbers of one game. They mean nothing if lanes cannot play it.
            pub(crate) fn new(ruleset: &Ruleset) -> LaneRuleset<u8> {
                LaneRuleset { $($name: { let $ruleset = ruleset; ($value) as u8 },)+ }
            }

            /// Returns the same numbers in all lanes.
            #[inline(always)]
            pub(crate) fn splat<L: Lanes>(&self, lanes: L) -> LaneRuleset<L::Bytes> {
                LaneRuleset { $($name: lanes.splat(self.$name),)+ }
            }
        }

        impl LaneRuleset<Column<u8>> {
            /// Makes columns of zeros.
            pub(crate) fn zeros() -> LaneRuleset<Column<u8>> {
                LaneRuleset { $($name: Column([0; LANES]),)+ }
            }

            /// Puts the numbers of a game into a lane.
            pub(crate) fn put(&mut self, lane: usize, ruleset: &LaneRuleset<u8>) {
                $(self.$name.0[lane] = ruleset.$name;)+
            }

            /// Loads the numbers of all lanes.
            #[inline(always)]
            pub(crate) fn load<L: Lanes>(&self, lanes: L) -> LaneRuleset<L::Bytes> {
                LaneRuleset { $($name: lanes.load(&self.$name),)+ }
            }
        }
    };
}

lane_ruleset! {
    /// Turns from one spawn of fruit to the next.
    generator_interval = |ruleset| ruleset.generator_interval;
    /// Turns that a boost lasts.
    large_fruit_duration = |ruleset| ruleset.large_fruit_duration;
    /// Strength that a boost adds.
    large_fruit_enhancement = |ruleset| ruleset.large_fruit_enhancement;
    /// Strength that a shot costs.
    skill_cost = |ruleset| ruleset.skill_cost;
    /// One and a half times the skill cost, rounded down.
    hit_gain = |ruleset| 3 * ruleset.skill_cost / 2;
    /// One and a half times the skill cost, rounded up.
    hit_loss = |ruleset| (3 * ruleset.skill_cost + 1) / 2;
    /// The [`max_total_strength`].
    max_total_strength = |ruleset| max_total_strength(ruleset).unwrap_or(0);
}

/// Draws legal actions for the living with these fractions; the dead stay.
#[inline(always)]
pub(crate) fn draw_actions<L: Lanes, M: MazeTables<L>>(
    lanes: L,
    mazes: &M,
    cells: L::Bytes,
    can_shoot: L::Mask,
    fractions: &<L::Bytes as Bytes>::Fractions,
) -> L::Bytes {
    let open = mazes.open_sides(lanes, cells);
    let moves = open.count_ones();
    let choices = moves + L::Bytes::select(can_shoot, lanes.splat(FIRST_SHOT), lanes.splat(1));
    let choice = choices.mul_hi(fractions);
    // Choice 0 is to stay, then come the open sides, and then the shots in the order of directions.
    let walk = (open | choice).look_up(&NTH_OPEN_MOVE);
    let shot = choice + (lanes.splat(FIRST_SHOT - 1) - moves);
    let action = L::Bytes::select(moves.lt_u8(choice), shot, walk);
    action.masked(!cells.sign_mask())
}

/// The action of the `n`-th move that is open, or to stay for 0: indexed by the open sides times eight, plus `n`.
static NTH_OPEN_MOVE: Table = {
    let mut moves = [0; 128];
    let mut index = 0;
    while index < 128 {
        let (open, choice) = (index >> 3, index & 7);
        let mut passed = 0;
        let mut direction = 0;
        while direction < 4 {
            if open >> direction & 1 != 0 {
                passed += 1;
                if passed == choice {
                    moves[index] = 1 + direction as u8;
                }
            }
            direction += 1;
        }
        index += 1;
    }
    Table(moves)
};

/// The side that must be open for an action, as a bit times eight.
static SIDE_OF_MOVE: Table = {
    let mut sides = [0; 128];
    let mut direction = 0;
    while direction < 4 {
        sides[1 + direction] = 8 << direction;
        direction += 1;
    }
    Table(sides)
};
