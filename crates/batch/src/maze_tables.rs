//! What the twelve steps ask about the maze and the ruleset of each lane.
//!
//! There are two answers: [`SharedMaze`](shared::SharedMaze) if all lanes play on one maze, and
//! [`LaneMazes`](per_lane::LaneMazes) if each has its own.

pub(crate) mod per_lane;
pub(crate) mod shared;

use pacman2_rules::{Action, Ruleset};

use crate::lanes::{Bytes, Column, LANES, Lanes, SpawnCells, Table};
use crate::soa_states::max_total_strength;

/// [`Action::Invalid`] in lanes. Other actions are their index in [`Action::ALL`].
pub(crate) const INVALID: u8 = 9;

/// The first of the actions that shoot. Those before it stay or move.
pub(crate) const FIRST_SHOT: u8 = 5;

/// Returns the action as it is in lanes.
pub(crate) fn action_byte(action: Action) -> u8 {
    action.index().map_or(INVALID, |index| index as u8)
}

/// The mazes and rulesets of 64 games.
pub(crate) trait MazeTables<L: Lanes> {
    /// What lies ahead of a player in the direction of its action.
    type Ahead: Copy;
    /// How far a player's lights would reach, unless one may return.
    type Reach: Copy;
    /// The same if one may return.
    type ReturningReach: Copy;
    /// The cells that a light reaches.
    type Light: Copy;
    /// Where a player stands, in the coordinates that lights are compared in.
    type Coordinates: Copy;

    fn ahead(&self, lanes: L, cells: &[L::Bytes; 4], actions: &[L::Bytes; 4]) -> [Self::Ahead; 4];
    /// Returns the cells after these actions, which are legal or to stay.
    fn walk(&self, lanes: L, cells: L::Bytes, actions: L::Bytes, ahead: Self::Ahead) -> L::Bytes;
    /// Returns where the action moves into a wall.
    fn hits_wall(&self, lanes: L, cells: L::Bytes, actions: L::Bytes, ahead: Self::Ahead) -> L::Mask;
    /// Returns the coordinates of these cells. No light reaches those of the dead.
    fn coordinates(&self, lanes: L, cells: &[L::Bytes; 4]) -> [Self::Coordinates; 4];
    /// Returns how far lights from these cells would reach, unless [`light_may_return`](MazeTables::light_may_return).
    fn reach(&self, lanes: L, cells: &[L::Bytes; 4]) -> [Self::Reach; 4];
    /// Returns the same if [`light_may_return`](MazeTables::light_may_return).
    fn returning_reach(&self, lanes: L, cells: &[L::Bytes; 4]) -> [Self::ReturningReach; 4];
    /// Returns the lights of those who shoot, from these coordinates. The lights of the others reach nothing.
    fn light(&self, lanes: L, from: Shooter<Self::Coordinates, Self::Ahead, Self::Reach>, actions: L::Bytes) -> Self::Light;
    /// Returns the lights of those who shoot if [`light_may_return`](MazeTables::light_may_return).
    fn returning_light(
        &self,
        lanes: L,
        from: Shooter<Self::Coordinates, Self::Ahead, Self::ReturningReach>,
        actions: L::Bytes,
    ) -> Self::Light;
    /// Returns whether [`reaches`](MazeTables::reaches) may report a shooter's own cell, because a light meets no wall.
    fn light_may_return(&self) -> bool;
    /// Returns where the light reaches the coordinates.
    fn reaches(&self, lanes: L, light: Self::Light, coordinates: Self::Coordinates) -> L::Mask;
    /// Returns the numbers that these cells have in sets of fruit. Those of the dead mean nothing.
    #[inline(always)]
    fn fruit_places(&self, lanes: L, cells: &[L::Bytes; 4]) -> [L::Bytes; 4] {
        let _ = lanes;
        *cells
    }
    /// Returns how many words of a set of fruit are used: one if no number of a cell there is above 63.
    fn words(&self) -> usize;
    /// Returns the cells where fruit spawns, with the numbers that they have in sets of fruit.
    fn spawn_cells(&self) -> SpawnCells<'_>;

    fn ruleset(&self, lanes: L) -> LaneRuleset<L::Bytes>;
    /// Returns where the skill cost is odd, or `None` if it is so nowhere.
    fn odd_skill_cost(&self, lanes: L) -> Option<L::Mask>;
    /// Returns where light hits players that forfeit: where the ruling is `Judge`, and where it is `Prose`.
    fn forfeit_rulings(&self, lanes: L) -> [L::Mask; 2];
}

/// What the light of a player depends on, beside its action.
#[derive(Clone, Copy)]
pub(crate) struct Shooter<C, A, R> {
    pub(crate) coordinates: C,
    pub(crate) ahead: A,
    pub(crate) reach: R,
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

            /// Returns the seven numbers, eight bits each.
            pub(crate) fn packed(&self) -> u64 {
                let mut packed = 0;
                $(packed = packed << 8 | u64::from(self.$name);)+
                packed
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

/// Draws legal actions for the living with these fractions, from the open sides of their cells as bits; the dead stay.
#[inline(always)]
pub(crate) fn draw_actions<L: Lanes>(
    lanes: L,
    cells: L::Bytes,
    open: L::Bytes,
    can_shoot: L::Mask,
    fractions: &<L::Bytes as Bytes>::Fractions,
) -> L::Bytes {
    let one = lanes.splat(1);
    let moves = open.look_up_16(&OPEN_UP_TO[3]);
    let choices = (moves + one).masked_add(can_shoot, lanes.splat(4));
    let choice = choices.mul_hi(fractions);
    if L::TABLES_ARE_QUICK {
        let row = open.look_up_16(&ROWS_OF_CHOICES);
        return (row + choice).look_up(&CHOICES).masked(!cells.sign_mask() & choice.gt_i8(lanes.splat(0)));
    }
    // Choice 0 is to stay, then come the open sides, and then the shots in the order of directions. An open side is chosen if as
    // many are open before it as the choice says; counting those before which fewer are open gives its action. For a shot that
    // is the last move, 4, and then come as many more as the choice exceeds the moves.
    let action = choice.saturating_sub(moves);
    let action = action.masked_add(choice.gt_i8(lanes.splat(0)), one);
    let action = action.masked_add(choice.gt_i8(open.look_up_16(&OPEN_UP_TO[0])), one);
    let action = action.masked_add(choice.gt_i8(open.look_up_16(&OPEN_UP_TO[1])), one);
    let action = action.masked_add(choice.gt_i8(open.look_up_16(&OPEN_UP_TO[2])), one);
    action.masked(!cells.sign_mask())
}

/// How many sides are open up to a direction, by the open sides.
static OPEN_UP_TO: [[u8; 16]; 4] = {
    let mut counts = [[0; 16]; 4];
    let mut direction = 0;
    while direction < 4 {
        let mut open: usize = 0;
        while open < 16 {
            counts[direction][open] = (open & ((2 << direction) - 1)).count_ones() as u8;
            open += 1;
        }
        direction += 1;
    }
    counts
};

/// The action of each choice from 1 to 8, by the open sides.
static CHOICES: Table = {
    let mut actions = [0; 128];
    let mut open: usize = 0;
    while open < 16 {
        let moves = open.count_ones() as usize;
        let (mut direction, mut choice) = (0, 1);
        while direction < 4 {
            if open >> direction & 1 != 0 {
                actions[8 * open + choice - 1] = 1 + direction as u8;
                choice += 1;
            }
            actions[8 * open + moves + direction] = FIRST_SHOT + direction as u8;
            direction += 1;
        }
        open += 1;
    }
    Table(actions)
};

/// Where in [`CHOICES`] a choice 0 would be, by the open sides.
static ROWS_OF_CHOICES: [u8; 16] = {
    let mut rows = [0; 16];
    let mut open = 0;
    while open < 16 {
        rows[open] = (8 * open as u8).wrapping_sub(1);
        open += 1;
    }
    rows
};

/// Makes a table with a byte for each move, by its direction, and 0 for all other actions.
const fn of_moves(bytes: [u8; 4]) -> [u8; 16] {
    [0, bytes[0], bytes[1], bytes[2], bytes[3], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Makes a table with a byte for each shot, by its direction, and 0 for all other actions.
const fn of_shots(bytes: [u8; 4]) -> [u8; 16] {
    [0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3], 0, 0, 0, 0, 0, 0, 0]
}
