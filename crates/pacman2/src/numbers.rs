//! Numbers as JSON shows them.

/// Rounds to so many decimals.
pub(crate) fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (number * scale).round() / scale
}
