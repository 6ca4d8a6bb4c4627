//! The recurrence of the numbers.

/// The distance of the older summand: glibc's default generator is its `TYPE_3`, of degree 31 and separation 3.
pub(crate) const DEGREE: usize = 31;

/// The distance of the newer summand.
pub(crate) const SEPARATION: usize = 3;

/// Replaces all numbers by the next 31.
#[inline(always)]
pub(crate) fn next_round(numbers: &mut [u32; DEGREE]) {
    // Three sums in registers, since each number depends on the one three places before.
    let mut sums = [numbers[28], numbers[29], numbers[30]];
    let (triples, last) = numbers.as_chunks_mut::<SEPARATION>();
    for triple in triples {
        for (number, sum) in triple.iter_mut().zip(&mut sums) {
            *sum = sum.wrapping_add(*number);
            *number = *sum;
        }
    }
    last[0] = last[0].wrapping_add(sums[0]);
}
