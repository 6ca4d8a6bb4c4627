//! The bounds between the bins of [properties](super::PROPERTIES) that [`super::PolicyPosition`] and its quick twin
//! [`super::AllSeats`] both find as numbers: a number is in the bin of how many bounds it is above.

pub(super) const TURNS_LEFT: [i32; 9] = [1, 2, 3, 5, 8, 13, 20, 40, 70];
pub(super) const BOOST_TURNS: [i32; 5] = [0, 1, 2, 3, 6];
pub(super) const UNTIL_SPAWN: [i32; 6] = [1, 2, 3, 5, 8, 12];
pub(super) const STRENGTH: [i32; 6] = [4, 5, 7, 10, 15, 24];
pub(super) const LEAD: [i32; 6] = [-10, -4, -1, 0, 3, 9];
/// Of discounted fruit, in ten-thousandths of a small one: that at the best place, and how much less there is at another one.
pub(super) const MOST_FOOD: [i32; 5] = [1_999, 5_999, 10_999, 20_999, 35_999];
pub(super) const LESS_FOOD: [i32; 6] = [99, 1_099, 2_599, 5_099, 10_099, 20_099];

/// Returns how many of the bounds a number is above: its bin.
#[inline(always)]
pub(super) fn bin<const COUNT: usize>(number: i32, bounds: &[i32; COUNT]) -> i32 {
    let mut count = 0;
    for &bound in bounds {
        count += i32::from(number > bound);
    }
    count
}
