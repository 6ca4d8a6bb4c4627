//! Functions in plain arithmetic, so that every machine finds the same.

/// About e to the power of a number that is not positive; 0 below -256. Its slope is a little steeper: `256 / (256 + power)` times
/// its value.
#[inline]
pub fn exp_of_negative(power: f32) -> f32 {
    let mut value = (1.0 + power / 256.0).max(0.0);
    for _ in 0..8 {
        value *= value;
    }
    value
}
