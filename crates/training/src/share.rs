//! How the outputs of a net share a whole, and the slopes of a loss on the shares.

use pacman2_bots::arithmetic::exp_of_negative;

/// The shares of several outputs. Each is its part times e to the power of its output, divided by the sum of all.
pub(crate) struct Shares<const N: usize> {
    pub(crate) shares: [f32; N],
    /// The derivative of each share's logarithm with respect to its output, without the others.
    steepness: [f32; N],
    /// The index of the greatest output.
    most: usize,
}

impl<const N: usize> Shares<N> {
    pub(crate) fn new(parts: [f32; N], outputs: [f32; N]) -> Shares<N> {
        let most = (1..N).fold(0, |most, index| if outputs[index] > outputs[most] { index } else { most });
        let below = outputs.map(|output| output - outputs[most]);
        let weighed: [f32; N] = std::array::from_fn(|index| parts[index] * exp_of_negative(below[index]));
        let total: f32 = weighed.iter().sum();
        let steepness = below.map(|below| if below > -256.0 { 256.0 / (256.0 + below) } else { 0.0 });
        Shares { shares: weighed.map(|weighed| weighed / total), steepness, most }
    }

    /// Returns the derivatives of the cross-entropy with this target with respect to the outputs.
    pub(crate) fn slopes(&self, target: &[f32; N]) -> [f32; N] {
        let mut slopes: [f32; N] = std::array::from_fn(|index| (self.shares[index] - target[index]) * self.steepness[index]);
        // Outputs are relative to the greatest one. If that rises, all others fall.
        slopes[self.most] -= slopes.iter().sum::<f32>();
        slopes
    }
}
