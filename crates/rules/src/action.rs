//! What a player does in a turn.

use std::fmt;
use std::str::FromStr;

use crate::cell::Direction;

/// A player's action in one turn.
///
/// ```
/// use pacman2_rules::{Action, Direction};
///
/// let action = Action::Shoot(Direction::Left);
/// assert_eq!(action.to_string(), "shoot left");
/// assert_eq!("shoot left".parse(), Ok(action));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Action {
    /// Stay where you are.
    #[default]
    Stay,
    /// Walk one cell.
    Move(Direction),
    /// Stay and shoot light.
    Shoot(Direction),
    /// No known action, as of a bot whose output cannot be parsed. It is always illegal: the player forfeits.
    Invalid,
}

impl Action {
    /// All actions that can be legal: stay, the four moves, the four shots.
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

    /// Returns the place in [`Action::ALL`], or `None` for [`Action::Invalid`].
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

    /// Returns an index below 16 for tables: 0 to stay, 4 + direction to move, 8 + direction to shoot, 12 if invalid.
    ///
    /// Two small matches compile without a jump. A single `match` compiles to a jump that is often mispredicted; turns of
    /// random actions are a third faster without it.
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

    /// Returns the legal actions of a player, in the order of [`Action::ALL`].
    ///
    /// Bit `d` of `open` is set if no wall blocks the `d`-th of [`Direction::ALL`].
    #[inline]
    pub(crate) fn legal(open: u8, can_shoot: bool) -> &'static [Action] {
        let list = &LEGAL[usize::from(open & 15) | usize::from(can_shoot) << 4];
        &list.actions[..list.len]
    }
}

/// The legal actions for each set of open sides, first without and then with enough strength to shoot.
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

/// A text that names no [`Action`].
///
/// ```
/// use pacman2_rules::Action;
///
/// let error = "jump".parse::<Action>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown action \"jump\"; expected stay, up, right, down, left, shoot up, shoot right, shoot down, shoot left or invalid"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseActionError(String);

impl fmt::Display for ParseActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = Action::ALL.map(|action| action.to_string()).join(", ");
        write!(f, "unknown action \"{}\"; expected {expected} or invalid", self.0)
    }
}

impl std::error::Error for ParseActionError {}
