//! Seats in lanes: the same for each of four, spelt out.
//!
//! A loop over four seats might be kept as a loop, and then what it goes over is in memory and not in registers: that makes
//! random play half as fast. So these words write the four out.

/// The same for each seat.
macro_rules! each_seat {
    ($seat:ident $body:block) => {
        each_of!($seat in [0, 1, 2, 3] $body)
    };
}

/// The same for each seat but one.
macro_rules! each_other {
    ($other:ident of $seat:ident $body:block) => {{
        let [first, second, third] = others($seat);
        each_of!($other in [first, second, third] $body)
    }};
}

macro_rules! each_of {
    ($name:ident in [$($value:expr),+] $body:block) => {{
        $({
            let $name: usize = $value;
            $body
        })+
    }};
}

/// What is so of any of three others.
macro_rules! any_other {
    ($other:ident of $seat:ident => $is:expr) => {{
        let mut any = L::Mask::none();
        each_other!($other of $seat { any = any | $is; });
        any
    }};
}

/// A value for each seat.
macro_rules! by_seat {
    ($seat:ident => $value:expr) => {
        [
            {
                let $seat: usize = 0;
                $value
            },
            {
                let $seat: usize = 1;
                $value
            },
            {
                let $seat: usize = 2;
                $value
            },
            {
                let $seat: usize = 3;
                $value
            },
        ]
    };
}

/// The place of two seats in a list of all pairs of seats.
#[inline(always)]
pub(crate) const fn pair(one: usize, other: usize) -> usize {
    [[0, 0, 1, 2], [0, 0, 3, 4], [1, 3, 0, 5], [2, 4, 5, 0]][one][other]
}

/// The seats but one.
#[inline(always)]
pub(crate) const fn others(seat: usize) -> [usize; 3] {
    [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]][seat]
}
