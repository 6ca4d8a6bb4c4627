//! Functions in basic arithmetic, so that every machine computes the same numbers.

/// Approximates e to the power of a non-positive number; 0 below -256. The derivative is `256 / (256 + power)` times the value.
///
/// ```
/// use pacman2_bots::arithmetic::exp_of_negative;
///
/// assert!((exp_of_negative(-1.0) - 0.3679).abs() < 1e-3);
/// ```
#[must_use]
#[inline]
pub fn exp_of_negative(power: f32) -> f32 {
    let mut value = (1.0 + power / 256.0).max(0.0);
    for _ in 0..8 {
        value *= value;
    }
    value
}

/// Returns the probabilities of the first `count` values: a value that is smaller by `temperature` is less likely by a factor e.
pub(crate) fn softmax(values: &[f32; 9], count: usize, temperature: f32) -> [f32; 9] {
    let most = values[..count].iter().copied().fold(f32::MIN, f32::max);
    let weights =
        std::array::from_fn(|index| if index < count { exp_of_negative((values[index] - most) / temperature) } else { 0.0 });
    let total: f32 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

/// Returns the number, or 0 if it is negative: one instruction, other than `f32::max`.
#[inline]
pub(crate) fn relu(number: f32) -> f32 {
    if number > 0.0 { number } else { 0.0 }
}

/// Rounds a number to one with this many binary digits after the point, in units of the last of them, and at most to 16 bits.
pub(crate) fn whole(number: f32, digits: u32) -> i32 {
    ((number * (1_u32 << digits) as f32).round() as i32).clamp(-32_767, 32_767)
}
