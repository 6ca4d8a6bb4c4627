//! Jumps for processors without a version of their own: products of 64 bits, which SSE2 has, too.

use crate::glibc::jump::Power;
use crate::glibc::recurrence::{DEGREE, next_round};

/// Replaces the first 31 numbers by those [`PLACES`](crate::glibc::jump::PLACES) places after the numbers at `from`.
///
/// As in Karatsuba's multiplication, three sums of half as many products for half as many places give all.
pub(crate) fn jump(numbers: &mut [u32], from: usize) {
    let mut next = *numbers[from..].first_chunk().expect("31 numbers");
    let mut wide = [0; 4 * HALF];
    let (earlier, later) = wide.split_at_mut(DEGREE);
    widen(earlier, &next);
    next_round(&mut next);
    widen(later, &next);
    let [first, middle, last] = [0, HALF, 2 * HALF].map(|from| wide[from..].first_chunk().expect("two halves"));
    let less_middle = |numbers: &[u64; 2 * HALF]| std::array::from_fn(|place| numbers[place].wrapping_sub(middle[place]));
    let of_both = sums_of_products(middle, &HALVES.both);
    let of_first = sums_of_products(&less_middle(first), &HALVES.first);
    let of_last = sums_of_products(&less_middle(last), &HALVES.last);
    let (front, back) = numbers[..DEGREE].split_at_mut(HALF);
    for (numbers, sums) in [(front, &of_first), (back, &of_last)] {
        for (number, (sum, both)) in numbers.iter_mut().zip(sums.iter().zip(&of_both)) {
            *number = sum.wrapping_add(*both) as u32;
        }
    }
}

/// Half of the places, rounded up.
const HALF: usize = DEGREE.div_ceil(2);

/// Copies numbers to where products are 64 bits wide.
fn widen(wide: &mut [u64], numbers: &[u32; DEGREE]) {
    for (wide, &number) in wide.iter_mut().zip(numbers) {
        *wide = number.into();
    }
}

/// Returns for each place the sum of the products of the factors and the numbers from there on. Only the low 32 bits of numbers and
/// sums count.
#[inline(never)]
fn sums_of_products(numbers: &[u64; 2 * HALF], factors: &[u32; HALF]) -> [u64; HALF] {
    let mut sums = [0_u64; HALF];
    for (eight, sums) in sums.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        // Eight sums, so that they stay in registers.
        let mut local = [0_u64; 8];
        for (from, &factor) in factors.iter().enumerate() {
            for (sum, number) in local.iter_mut().zip(&numbers[from + 8 * eight..][..8]) {
                *sum = sum.wrapping_add((number & u64::from(u32::MAX)) * u64::from(factor));
            }
        }
        *sums = local;
    }
    sums
}

/// Halves of the factors.
struct Halves {
    first: [u32; HALF],
    last: [u32; HALF],
    /// The sums of those before.
    both: [u32; HALF],
}

static HALVES: Halves = {
    let Power(factors) = Power::of_jump();
    let mut halves = Halves { first: [0; HALF], last: [0; HALF], both: [0; HALF] };
    let mut place = 0;
    while place < HALF {
        halves.first[place] = factors[place];
        halves.last[place] = if HALF + place < DEGREE { factors[HALF + place] } else { 0 };
        halves.both[place] = halves.first[place].wrapping_add(halves.last[place]);
        place += 1;
    }
    halves
};
