//! Seeds as people write them.

use std::ops::RangeInclusive;

/// The numbers that stand for a seed. It has 32 bits: Botzone writes it with a sign, and the Python package without one.
pub const SEEDS: RangeInclusive<i64> = i32::MIN as i64..=u32::MAX as i64;

/// Returns the seed that a number stands for.
///
/// ```
/// assert_eq!([-1, 4294967295, 42].map(pacman2_maps::seed_from), [Some(-1), Some(-1), Some(42)]);
/// assert_eq!(pacman2_maps::seed_from(1 << 32), None);
/// ```
#[must_use]
pub fn seed_from(number: i64) -> Option<i32> {
    SEEDS.contains(&number).then_some(number as i32)
}
