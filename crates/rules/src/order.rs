//! What a player orders its figure to do in a turn.

use std::fmt;
use std::str::FromStr;

use crate::field::Direction;

/// A player's order for one turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
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

impl Order {
    /// The nine orders that can be legal.
    pub const ALL: [Order; 9] = {
        use Direction::*;
        [
            Order::Stay,
            Order::Move(Up),
            Order::Move(Right),
            Order::Move(Down),
            Order::Move(Left),
            Order::Shoot(Up),
            Order::Shoot(Right),
            Order::Shoot(Down),
            Order::Shoot(Left),
        ]
    };

    /// A number below 16 for tables: 0 to stay, 4 + direction to walk, 8 + direction to shoot, 12 if invalid.
    ///
    /// Asked as two questions it needs no jump. One `match` becomes a jump that is guessed wrong: turns of random orders are
    /// a third faster so.
    #[inline(always)]
    pub(crate) fn code(self) -> usize {
        let direction = match self {
            Order::Move(direction) | Order::Shoot(direction) => direction.index(),
            Order::Stay | Order::Invalid => 0,
        };
        let kind = match self {
            Order::Stay => 0,
            Order::Move(_) => 1,
            Order::Shoot(_) => 2,
            Order::Invalid => 3,
        };
        4 * kind + direction
    }

    /// The legal orders of a player, in the order of [`Order::ALL`].
    ///
    /// `open` has bit `d` set where no wall stands in the `d`-th of [`Direction::ALL`].
    #[inline]
    pub(crate) fn legal(open: u8, can_shoot: bool) -> &'static [Order] {
        let list = &LEGAL[usize::from(open & 15) | usize::from(can_shoot) << 4];
        &list.orders[..list.len]
    }
}

/// The legal orders for each set of open sides, first without and then with enough strength to shoot.
static LEGAL: [OrderList; 32] = {
    let mut lists = [OrderList { len: 0, orders: [Order::Stay; 9] }; 32];
    let mut index = 0;
    while index < 32 {
        let mut next = 0;
        while next < 9 {
            let order = Order::ALL[next];
            let legal = match order {
                Order::Stay => true,
                Order::Move(direction) => index >> direction.index() & 1 != 0,
                Order::Shoot(_) => index >> 4 != 0,
                Order::Invalid => false,
            };
            if legal {
                lists[index].orders[lists[index].len] = order;
                lists[index].len += 1;
            }
            next += 1;
        }
        index += 1;
    }
    lists
};

#[derive(Clone, Copy)]
struct OrderList {
    len: usize,
    orders: [Order; 9],
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Stay => f.pad("stay"),
            Order::Move(direction) => direction.fmt(f),
            Order::Shoot(direction) => f.pad(&format!("shoot {direction}")),
            Order::Invalid => f.pad("invalid"),
        }
    }
}

impl FromStr for Order {
    type Err = ParseOrderError;

    fn from_str(text: &str) -> Result<Order, ParseOrderError> {
        Order::ALL
            .into_iter()
            .chain([Order::Invalid])
            .find(|order| order.to_string() == text)
            .ok_or_else(|| ParseOrderError(text.to_owned()))
    }
}

/// A text that names no order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseOrderError(String);

impl fmt::Display for ParseOrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no order; stay, up, right, down, left, shoot up … shoot left or invalid is", self.0)
    }
}

impl std::error::Error for ParseOrderError {}
