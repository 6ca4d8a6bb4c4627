//! Botzone's numbers for orders: −1 stays, 0 to 3 walk and 4 to 7 shoot up, right, down, left.

use pacman2_rules::{Action, Direction};
use serde_json::Value;

/// What Botzone shows in place of an answer that could not be read.
pub const UNREADABLE: i32 = -10;

/// The number of an order.
pub fn to_number(action: Action) -> i32 {
    match action {
        Action::Stay => -1,
        Action::Move(direction) => direction.index() as i32,
        Action::Shoot(direction) => direction.index() as i32 + 4,
        Action::Invalid => UNREADABLE,
    }
}

/// The order of a number; every other number is an illegal order.
pub fn from_number(number: i32) -> Action {
    match number {
        -1 => Action::Stay,
        0..4 => Action::Move(Direction::ALL[number as usize]),
        4..8 => Action::Shoot(Direction::ALL[number as usize - 4]),
        _ => Action::Invalid,
    }
}

/// The whole number that a JSON value is, if it fits 32 bits. Botzone's platform reads and writes JSON as JavaScript does,
/// so `1.0` is the number 1 there too.
pub fn integer(value: &Value) -> Option<i32> {
    let number = match (value.as_i64(), value.as_f64()) {
        (Some(number), _) => number,
        (None, Some(number)) if number.fract() == 0.0 && number.abs() < 1e15 => number as i64,
        _ => return None,
    };
    i32::try_from(number).ok()
}
