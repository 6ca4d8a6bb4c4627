//! Jumps over the numbers that Botzone draws and drops when it finds no room on a map.
//!
//! Each number after a jump is a sum of 31 products, of known factors and the numbers before it.

#[cfg_attr(target_arch = "x86_64", path = "jump/x86_64.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "jump/portable.rs")]
mod arch;

pub(super) use arch::jump;

use super::recurrence::{DEGREE, SEPARATION};

/// How many numbers a jump skips.
pub(crate) const PLACES: usize = 2002;

/// The factors by which 31 numbers are multiplied to get the one that is so many places after the first: the remainder of a power
/// of x divided by x³¹ − x²⁸ − 1, the polynomial of the recurrence.
struct Power([u32; DEGREE]);

impl Power {
    /// The factors for [`PLACES`].
    const fn of_jump() -> Power {
        let mut power = Power([0; DEGREE]);
        power.0[0] = 1;
        let mut exponent = 0;
        while exponent < PLACES {
            power = power.times_x();
            exponent += 1;
        }
        power
    }

    /// Returns the factors for one place more.
    const fn times_x(self) -> Power {
        let Power(factors) = self;
        let top = factors[DEGREE - 1];
        let mut product = [top; DEGREE];
        let mut place = 1;
        while place < DEGREE {
            product[place] = factors[place - 1];
            place += 1;
        }
        product[DEGREE - SEPARATION] = product[DEGREE - SEPARATION].wrapping_add(top);
        Power(product)
    }
}
