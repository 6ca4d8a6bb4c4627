//! The same code for each of the four seats, unrolled.
//!
//! A loop over four seats may stay a loop, and then what it indexes is in memory instead of registers. That halves the speed of
//! random play, so these macros unroll it.

/// Runs a block for each seat.
macro_rules! each_seat {
    ($seat:ident $body:block) => {
        each_of!($seat in [0, 1, 2, 3] $body)
    };
}

/// Runs a block for each of the other seats.
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

/// Evaluates a mask for each of the other seats, and combines the three with "or".
macro_rules! any_other {
    ($other:ident of $seat:ident => $mask:expr) => {{
        let [first, second, third] = others($seat);
        let first = {
            let $other: usize = first;
            $mask
        };
        let second = {
            let $other: usize = second;
            $mask
        };
        let third = {
            let $other: usize = third;
            $mask
        };
        first | second | third
    }};
}

/// Evaluates an expression for each seat.
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

/// Returns the index of two seats in the list of all pairs of seats.
#[inline(always)]
pub(crate) const fn pair(one: usize, other: usize) -> usize {
    [[0, 0, 1, 2], [0, 0, 3, 4], [1, 3, 0, 5], [2, 4, 5, 0]][one][other]
}

/// Returns the three other seats.
#[inline(always)]
pub(crate) const fn others(seat: usize) -> [usize; 3] {
    [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]][seat]
}
