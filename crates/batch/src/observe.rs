//! What a player sees, as bytes for who learns: views of a position, and masks of what may be ordered.
//!
//! [`observe`] and [`action_mask`] say it plainly, of one position: they are the specification. [`Games`](crate::Games) write
//! the same for all their games at once, from lanes.
//!
//! Every player sees the whole board; views differ in the order of the players, who are told from the one that looks on, and,
//! where they are centred, in where the field is cut open. Numbers above 255 are told as 255, and those below 0 as 0.
//!
//! A [compact](View::Compact) view of a player is [`COMPACT`] bytes:
//!
//! | from | what |
//! |---|---|
//! | 0 | the cells, 11 rows of 11, the field in the upper left corner; bits [`WALLS`] … [`FIELD`] of each; 0 beside the field |
//! | [`PLAYERS`] | four players of [`PLAYER`] bytes each, the one that looks on first, then the next seats, seat 0 after 3: [`ROW`], [`COL`], [`ALIVE`], [`STRENGTH`], [`BOOST_TURNS_LEFT`]; of the dead what they had, where they last stood |
//! | [`TURNS_LEFT`] | turns to the end of the game |
//! | [`TURNS_UNTIL_BIRTH`] | turns until the generators bear, the coming one included |
//! | [`WIDTH`], [`HEIGHT`] | of the field |
//! | [`SEAT`] | of who looks on |
//! | [`GENERATOR_INTERVAL`] … [`SKILL_COST`] | settings |
//!
//! A view as [planes](View::Planes) is [`PLANES`] planes of 11 rows of 11: one for each bit of a cell, 0 or 1, from the lowest;
//! then two for each player, in the same order, with its strength and its boost's turns left in the one cell where it stands,
//! 0 for the dead; then [`TURNS_LEFT_PLANE`] and [`TURNS_UNTIL_BIRTH_PLANE`], with that number on all of the field.
//!
//! In a centred view the field is rolled, as it wraps around, so that who looks on stands, or last stood, in row `height / 2`
//! and column `width / 2`. Walls, fruit, generators and rows and columns of players move along; the field stays in the corner.

pub(crate) mod lanes;
mod plain;
mod sight;

pub use plain::{action_mask, observe};
pub use sight::ObservationTables;

use std::fmt;
use std::str::FromStr;

use pacman2_rules::{MAX_CELLS, MAX_SIDE};

/// Bytes of a compact view: of one player.
pub const COMPACT: usize = 150;
/// Where the players are.
pub const PLAYERS: usize = MAX_CELLS;
/// Bytes of one of them.
pub const PLAYER: usize = 5;
/// Of a player: the row where it stands, 0 at the top.
pub const ROW: usize = 0;
/// Of a player: the column where it stands, 0 at the left.
pub const COL: usize = 1;
/// Of a player: 1 if it lives, 0 if not.
pub const ALIVE: usize = 2;
/// Of a player: its strength, boost included.
pub const STRENGTH: usize = 3;
/// Of a player: for how many more turns its boost lasts.
pub const BOOST_TURNS_LEFT: usize = 4;
/// Where the turns to the end of the game are.
pub const TURNS_LEFT: usize = PLAYERS + 4 * PLAYER;
/// Where the turns until the generators bear are.
pub const TURNS_UNTIL_BIRTH: usize = TURNS_LEFT + 1;
/// Where the field's columns are.
pub const WIDTH: usize = TURNS_LEFT + 2;
/// Where the field's rows are.
pub const HEIGHT: usize = TURNS_LEFT + 3;
/// Where the seat of who looks on is.
pub const SEAT: usize = TURNS_LEFT + 4;
/// Where the turns from one birth of fruit to the next are.
pub const GENERATOR_INTERVAL: usize = TURNS_LEFT + 5;
/// Where the turns that a boost lasts are.
pub const LARGE_FRUIT_DURATION: usize = TURNS_LEFT + 6;
/// Where the strength that a boost lends is.
pub const LARGE_FRUIT_ENHANCEMENT: usize = TURNS_LEFT + 7;
/// Where the strength that a light costs is.
pub const SKILL_COST: usize = TURNS_LEFT + 8;

/// Of a cell: the four bits of walls in [`pacman2_rules::Direction::ALL`], as who stands there meets them.
pub const WALLS: u8 = 0b1111;
/// Of a cell: small fruit.
pub const SMALL_FRUIT: u8 = 1 << 4;
/// Of a cell: large fruit.
pub const LARGE_FRUIT: u8 = 1 << 5;
/// Of a cell: a generator.
pub const GENERATOR: u8 = 1 << 6;
/// Of a cell: it belongs to the field.
pub const FIELD: u8 = 1 << 7;

/// How many planes there are.
pub const PLANES: usize = 18;
/// The first plane of the players; each has one for its strength and one for its boost's turns left.
pub const PLAYER_PLANES: usize = 8;
/// The plane of the turns to the end of the game.
pub const TURNS_LEFT_PLANE: usize = 16;
/// The plane of the turns until the generators bear.
pub const TURNS_UNTIL_BIRTH_PLANE: usize = 17;

/// How many orders have a place in a mask: those of [`pacman2_rules::Order::ALL`].
pub const ACTIONS: usize = 9;

/// A way to show a position to a player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum View {
    /// Codes of cells, and numbers.
    #[default]
    Compact,
    /// Planes.
    Planes,
    /// Codes of cells and numbers, who looks on in the middle.
    CompactCentred,
    /// Planes, who looks on in the middle.
    PlanesCentred,
}

impl View {
    /// All of them.
    pub const ALL: [View; 4] = [View::Compact, View::Planes, View::CompactCentred, View::PlanesCentred];

    /// Its name: `compact`, `planes`, `compact_centred` or `planes_centred`.
    pub const fn name(self) -> &'static str {
        match self {
            View::Compact => "compact",
            View::Planes => "planes",
            View::CompactCentred => "compact_centred",
            View::PlanesCentred => "planes_centred",
        }
    }

    /// Bytes for one player.
    #[expect(clippy::len_without_is_empty, reason = "no view is empty")]
    pub const fn len(self) -> usize {
        match self {
            View::Compact | View::CompactCentred => COMPACT,
            View::Planes | View::PlanesCentred => PLANES * MAX_CELLS,
        }
    }

    /// The same as the sides of an array.
    pub const fn shape(self) -> &'static [usize] {
        match self {
            View::Compact | View::CompactCentred => &[COMPACT],
            View::Planes | View::PlanesCentred => &[PLANES, MAX_SIDE as usize, MAX_SIDE as usize],
        }
    }

    /// Whether who looks on is in the middle.
    pub const fn is_centred(self) -> bool {
        matches!(self, View::CompactCentred | View::PlanesCentred)
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for View {
    type Err = ParseViewError;

    fn from_str(name: &str) -> Result<View, ParseViewError> {
        View::ALL.into_iter().find(|view| view.name() == name).ok_or_else(|| ParseViewError(name.to_owned()))
    }
}

/// A name of no view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseViewError(String);

impl fmt::Display for ParseViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no view; compact, planes, compact_centred and planes_centred are", self.0)
    }
}

impl std::error::Error for ParseViewError {}
