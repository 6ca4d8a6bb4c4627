//! Jumps for x86-64: with AVX2, eight products of 32 bits at a time.
#![allow(unsafe_code, reason = "calls a function compiled for AVX2 after detecting it, and loads and stores its registers")]

#[path = "portable.rs"]
mod portable;

use std::arch::x86_64::*;

use crate::glibc::jump::Power;
use crate::glibc::recurrence::DEGREE;

/// Replaces the first 31 numbers by those [`PLACES`](crate::glibc::jump::PLACES) places after the numbers at `from`.
#[inline]
pub(crate) fn jump(numbers: &mut [u32], from: usize) {
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature was detected.
        unsafe { jump_with_avx2(numbers, from) }
    } else {
        portable::jump(numbers, from);
    }
}

#[target_feature(enable = "avx2")]
fn jump_with_avx2(numbers: &mut [u32], from: usize) {
    let before: &[u32; DEGREE] = numbers[from..].first_chunk().expect("31 numbers");
    // Four registers of sums, so that they stay where they are.
    let mut sums = [_mm256_setzero_si256(); 4];
    for (&number, factors) in before.iter().zip(&FACTORS.0) {
        let number = _mm256_set1_epi32(number.cast_signed());
        for (sum, first) in sums.iter_mut().zip(FIRST_SUMS) {
            *sum = _mm256_add_epi32(*sum, _mm256_mullo_epi32(number, load(&factors[first..])));
        }
    }
    for (&sum, first) in sums.iter().zip(FIRST_SUMS) {
        store(&mut numbers[first..], sum);
    }
}

/// The place of the first sum of each register. One sum is in two of them.
const FIRST_SUMS: [usize; 4] = [0, 8, 16, DEGREE - 8];

#[inline]
#[target_feature(enable = "avx2")]
fn load(numbers: &[u32]) -> __m256i {
    let numbers: &[u32; 8] = numbers.first_chunk().expect("eight numbers");
    // SAFETY: these are 32 bytes.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(numbers: &mut [u32], register: __m256i) {
    let numbers: &mut [u32; 8] = numbers.first_chunk_mut().expect("eight numbers");
    // SAFETY: these are 32 bytes.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), register) }
}

/// By number before the jump and by place after it: the factor. Two lines of the cache for each number before.
#[repr(align(64))]
struct Factors([[u32; DEGREE + 1]; DEGREE]);

static FACTORS: Factors = {
    let mut factors = [[0; DEGREE + 1]; DEGREE];
    let mut power = Power::of_jump();
    let mut after = 0;
    while after < DEGREE {
        let mut before = 0;
        while before < DEGREE {
            factors[before][after] = power.0[before];
            before += 1;
        }
        power = power.times_x();
        after += 1;
    }
    Factors(factors)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_jump_to_the_same_numbers() {
        let mut numbers: [u32; 2 * DEGREE] = std::array::from_fn(|place| (place as u32).wrapping_mul(0x9e37_79b1));
        for from in (0..=DEGREE).cycle().take(1000) {
            let mut portable = numbers;
            portable::jump(&mut portable, from);
            jump(&mut numbers, from);
            assert_eq!(numbers, portable);
        }
    }
}
