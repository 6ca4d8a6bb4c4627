//! What a player orders its figure to do in a turn.

use std::fmt;
use std::str::FromStr;

use crate::field::Direction;

/// A player's order for one turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Action {
    /// Stand still.
    #[default]
    Stay,
    /// Walk one cell.
    Move(Direction),
    /// Stand still and shoot light.
    Shoot(Direction),
    /// No order that exists: a bot's answer that could not be read, or a number that names nothing. It is illegal
    /// everywhere, and whoever gives it forfeits.
    Invalid,
}

impl Action {
    /// The nine orders that can be legal.
    pub const ALL: [Action; 9] = {
        use Direction::*;
        [
            Action::Stay,
            Action::Move(Up),
            Action::Move(Right),
            Action::Move(Down),
            Action::Move(Left),
            Action::Shoot(Up),
            Action::Shoot(Right),
            Action::Shoot(Down),
            Action::Shoot(Left),
        ]
    };

    /// Returns the action's place in [`Action::ALL`], or `None` for [`Action::Invalid`].
    ///
    /// ```
    /// use pacman2_rules::{Action, Direction};
    ///
    /// assert_eq!(Action::Shoot(Direction::Up).index(), Some(5));
    /// assert_eq!(Action::Invalid.index(), None);
    /// ```
    #[must_use]
    #[inline]
    pub const fn index(self) -> Option<usize> {
        match self {
            Action::Stay => Some(0),
            Action::Move(direction) => Some(1 + direction.index()),
            Action::Shoot(direction) => Some(5 + direction.index()),
            Action::Invalid => None,
        }
    }

    /// A number below 16 for tables: 0 to stay, 4 + direction to walk, 8 + direction to shoot, 12 if invalid.
    ///
    /// Asked as two questions it needs no jump. One `match` becomes a jump that is guessed wrong: turns of random orders are
    /// a third faster so.
    #[inline(always)]
    pub(crate) fn code(self) -> usize {
        let direction = match self {
            Action::Move(direction) | Action::Shoot(direction) => direction.index(),
            Action::Stay | Action::Invalid => 0,
        };
        let kind = match self {
            Action::Stay => 0,
            Action::Move(_) => 1,
            Action::Shoot(_) => 2,
            Action::Invalid => 3,
        };
        4 * kind + direction
    }

    /// The legal orders of a player, in the order of [`Order::ALL`].
    ///
    /// `open` has bit `d` set where no wall stands in the `d`-th of [`Direction::ALL`].
    #[inline]
    pub(crate) fn legal(open: u8, can_shoot: bool) -> &'static [Action] {
        let list = &LEGAL[usize::from(open & 15) | usize::from(can_shoot) << 4];
        &list.actions[..list.len]
    }
}

/// The legal orders for each set of open sides, first without and then with enough strength to shoot.
static LEGAL: [ActionList; 32] = {
    let mut lists = [ActionList { len: 0, actions: [Action::Stay; 9] }; 32];
    let mut index = 0;
    while index < 32 {
        let mut next = 0;
        while next < 9 {
            let action = Action::ALL[next];
            let legal = match action {
                Action::Stay => true,
                Action::Move(direction) => index >> direction.index() & 1 != 0,
                Action::Shoot(_) => index >> 4 != 0,
                Action::Invalid => false,
            };
            if legal {
                lists[index].actions[lists[index].len] = action;
                lists[index].len += 1;
            }
            next += 1;
        }
        index += 1;
    }
    lists
};

#[derive(Clone, Copy)]
struct ActionList {
    len: usize,
    actions: [Action; 9],
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Stay => f.pad("stay"),
            Action::Move(direction) => direction.fmt(f),
            Action::Shoot(direction) => f.pad(&format!("shoot {direction}")),
            Action::Invalid => f.pad("invalid"),
        }
    }
}

impl FromStr for Action {
    type Err = ParseActionError;

    fn from_str(text: &str) -> Result<Action, ParseActionError> {
        Action::ALL
            .into_iter()
            .chain([Action::Invalid])
            .find(|action| action.to_string() == text)
            .ok_or_else(|| ParseActionError(text.to_owned()))
    }
}

/// A text that names no order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseActionError(String);

impl fmt::Display for ParseActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no order; stay, up, right, down, left, shoot up … shoot left or invalid is", self.0)
    }
}

impl std::error::Error for ParseActionError {}
