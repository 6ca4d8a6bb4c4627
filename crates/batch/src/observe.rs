//! Observations for learning: what a player sees, as bytes, and masks of the actions it may take.
//!
//! [`observe`] and [`action_mask`] handle one position and specify the format. [`Games`](crate::Games) write the same for all
//! their games at once, from lanes.
//!
//! Every player sees the whole board. Views of different players differ in the order of the players, which starts with the
//! observer, and the centred one also in where the cells are shown. Numbers above 255 become 255, and those below 0 become 0.
//!
//! A [compact](View::Compact) view of a player is [`COMPACT`] bytes:
//!
//! | from | content |
//! |---|---|
//! | 0 | the cells, 11 rows of 11, with the board in the upper left corner; bits [`WALLS`] … [`FIELD`] of each; 0 outside the board |
//! | [`PLAYERS`] | four players of [`PLAYER`] bytes each, first the observer, then the next seats in turn: [`ROW`], [`COL`], [`ALIVE`], [`STRENGTH`], [`BOOST_TURNS_LEFT`]; for the dead what they had, where they died |
//! | [`TURNS_LEFT`] | turns to the end of the game |
//! | [`TURNS_UNTIL_SPAWN`] | turns until the generators spawn fruit, including that turn |
//! | [`WIDTH`], [`HEIGHT`] | size of the board |
//! | [`SEAT`] | seat of the observer |
//! | [`GENERATOR_INTERVAL`] … [`SKILL_COST`] | the ruleset |
//!
//! A view as [planes](View::Planes) is [`PLANES`] planes of 11 rows of 11: one for each bit of a cell, 0 or 1, from the lowest;
//! then two for each player, in the same order, with its strength and the turns left of its boost in the one cell where it
//! stands, 0 for the dead; then [`TURNS_LEFT_PLANE`] and [`TURNS_UNTIL_SPAWN_PLANE`], with that number in all cells of the board.
//!
//! In the [centred](View::PlanesCentred) view the observer stands, or died, in row and column [`MIDDLE`]. The board wraps around, so
//! it is repeated in all directions, and the view shows 11 rows of 11 cells of that. All of them belong to the board, and a player is
//! shown in each place where its cell is.

mod reference;
pub(crate) mod simd;

pub use reference::{action_mask, observe};

use std::fmt;
use std::str::FromStr;

use pacman2_rules::{MAX_CELLS, MAX_SIDE};

/// The length of a compact view of one player.
pub const COMPACT: usize = 150;
/// The offset of the players.
pub const PLAYERS: usize = MAX_CELLS;
/// The length of a player.
pub const PLAYER: usize = 5;
/// In a player: the row where it stands, 0 at the top.
pub const ROW: usize = 0;
/// In a player: the column where it stands, 0 at the left.
pub const COL: usize = 1;
/// In a player: 1 if it is alive, else 0.
pub const ALIVE: usize = 2;
/// In a player: its strength, boost included.
pub const STRENGTH: usize = 3;
/// In a player: for how many more turns its boost lasts.
pub const BOOST_TURNS_LEFT: usize = 4;
/// The offset of the turns to the end of the game.
pub const TURNS_LEFT: usize = PLAYERS + 4 * PLAYER;
/// The offset of the turns until fruit spawns.
pub const TURNS_UNTIL_SPAWN: usize = TURNS_LEFT + 1;
/// The offset of the number of columns.
pub const WIDTH: usize = TURNS_LEFT + 2;
/// The offset of the number of rows.
pub const HEIGHT: usize = TURNS_LEFT + 3;
/// The offset of the observer's seat.
pub const SEAT: usize = TURNS_LEFT + 4;
/// The offset of the turns from one spawn of fruit to the next.
pub const GENERATOR_INTERVAL: usize = TURNS_LEFT + 5;
/// The offset of the turns that a boost lasts.
pub const LARGE_FRUIT_DURATION: usize = TURNS_LEFT + 6;
/// The offset of the strength of a boost.
pub const LARGE_FRUIT_ENHANCEMENT: usize = TURNS_LEFT + 7;
/// The offset of the strength that a light costs.
pub const SKILL_COST: usize = TURNS_LEFT + 8;

/// In a cell: the walls as met by a player in it, one bit for each of [`Direction::ALL`](pacman2_rules::Direction::ALL).
pub const WALLS: u8 = 0b1111;
/// In a cell: small fruit.
pub const SMALL_FRUIT: u8 = 1 << 4;
/// In a cell: large fruit.
pub const LARGE_FRUIT: u8 = 1 << 5;
/// In a cell: a generator.
pub const GENERATOR: u8 = 1 << 6;
/// In a cell: it belongs to the board.
pub const FIELD: u8 = 1 << 7;

/// The row and the column of the observer in the centred view.
pub const MIDDLE: u8 = MAX_SIDE / 2;

/// The number of planes.
pub const PLANES: usize = 18;
/// The first plane of the players. Each has one for its strength and one for the turns left of its boost.
pub const PLAYER_PLANES: usize = 8;
/// The plane of the turns to the end of the game.
pub const TURNS_LEFT_PLANE: usize = 16;
/// The plane of the turns until fruit spawns.
pub const TURNS_UNTIL_SPAWN_PLANE: usize = 17;

/// The length of a mask: one byte for each of [`Action::ALL`](pacman2_rules::Action::ALL).
pub const ACTIONS: usize = 9;

/// A format of observations.
///
/// ```
/// use pacman2_batch::observe::View;
///
/// assert_eq!("planes_centred".parse(), Ok(View::PlanesCentred));
/// assert_eq!(View::Planes.shape(), [18, 11, 11]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum View {
    /// A byte per cell, then numbers.
    #[default]
    Compact,
    /// One plane per feature.
    Planes,
    /// Planes, with the observer in the middle of a tiled board.
    PlanesCentred,
}

impl View {
    /// All views.
    pub const ALL: [View; 3] = [View::Compact, View::Planes, View::PlanesCentred];

    /// Returns the name: `compact`, `planes` or `planes_centred`.
    pub const fn name(self) -> &'static str {
        match self {
            View::Compact => "compact",
            View::Planes => "planes",
            View::PlanesCentred => "planes_centred",
        }
    }

    /// Returns the number of bytes for one player.
    #[expect(clippy::len_without_is_empty, reason = "no view is empty")]
    pub const fn len(self) -> usize {
        match self {
            View::Compact => COMPACT,
            View::Planes | View::PlanesCentred => PLANES * MAX_CELLS,
        }
    }

    /// Returns the shape of the array for one player.
    pub const fn shape(self) -> &'static [usize] {
        match self {
            View::Compact => &[COMPACT],
            View::Planes | View::PlanesCentred => &[PLANES, MAX_SIDE as usize, MAX_SIDE as usize],
        }
    }

    /// Returns whether the observer is in the middle.
    pub const fn is_centred(self) -> bool {
        matches!(self, View::PlanesCentred)
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for View {
    type Err = ParseViewError;

    /// Parses a [name](View::name).
    ///
    /// # Errors
    ///
    /// If there is no view of that name.
    fn from_str(name: &str) -> Result<View, ParseViewError> {
        let found = View::ALL.into_iter().find(|view| view.name() == name);
        found.ok_or_else(|| ParseViewError { name: name.to_owned() })
    }
}

/// The error of parsing a name that is not the name of a [`View`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown view \"{name}\"; expected compact, planes or planes_centred")]
pub struct ParseViewError {
    name: String,
}
