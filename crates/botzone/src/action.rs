//! Botzone's numbers for actions: −1 stays, 0 to 3 move and 4 to 7 shoot, each up, right, down, left.

use pacman2_rules::{Action, Direction};
use serde_json::Value;

/// The number that Botzone shows in place of a response that it could not read.
pub const UNREADABLE: i32 = -10;

/// Returns Botzone's number of an action.
///
/// ```
/// use pacman2_botzone::action;
/// use pacman2_rules::{Action, Direction};
///
/// assert_eq!(action::to_number(Action::Stay), -1);
/// assert_eq!(action::to_number(Action::Move(Direction::Right)), 1);
/// assert_eq!(action::to_number(Action::Shoot(Direction::Up)), 4);
/// ```
#[must_use]
pub fn to_number(action: Action) -> i32 {
    match action {
        Action::Stay => -1,
        Action::Move(direction) => direction.index() as i32,
        Action::Shoot(direction) => direction.index() as i32 + 4,
        Action::Invalid => UNREADABLE,
    }
}

/// Returns the action of a number; every number but −1 to 7 is [`Action::Invalid`].
///
/// ```
/// use pacman2_botzone::action;
/// use pacman2_rules::{Action, Direction};
///
/// assert_eq!(action::from_number(7), Action::Shoot(Direction::Left));
/// assert_eq!(action::from_number(8), Action::Invalid);
/// ```
#[must_use]
pub fn from_number(number: i32) -> Action {
    match number {
        -1 => Action::Stay,
        0..4 => Action::Move(Direction::ALL[number as usize]),
        4..8 => Action::Shoot(Direction::ALL[number as usize - 4]),
        _ => Action::Invalid,
    }
}

/// Names an action by its number: an unknown one by the number itself.
///
/// ```
/// use pacman2_botzone::action;
///
/// assert_eq!((action::name(-1).as_str(), action::name(9).as_str()), ("stay", "9"));
/// ```
#[must_use]
pub fn name(number: i32) -> String {
    match from_number(number) {
        Action::Invalid => number.to_string(),
        action => action.to_string(),
    }
}

/// Returns the whole number that a JSON value is, if it fits in 32 bits.
///
/// Botzone's platform reads and writes JSON as JavaScript does, so `1.0` is the number 1.
///
/// ```
/// use pacman2_botzone::action;
/// use serde_json::json;
///
/// assert_eq!(action::integer(&json!(1.0)), Some(1));
/// assert_eq!(action::integer(&json!(1.5)), None);
/// assert_eq!(action::integer(&json!("1")), None);
/// ```
#[must_use]
pub fn integer(value: &Value) -> Option<i32> {
    let number = match (value.as_i64(), value.as_f64()) {
        (Some(number), _) => number,
        (None, Some(number)) if number.fract() == 0.0 && number.abs() < 1e15 => number as i64,
        _ => return None,
    };
    i32::try_from(number).ok()
}
