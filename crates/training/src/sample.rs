//! Training samples: a position as the net sees it, and the target for the shares of points.

use pacman2_bots::net::NetInputs;

/// A position and the target for the seats' shares of all points.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The inputs of the net.
    pub inputs: NetInputs,
    /// Each seat's share of all points. The shares add up to 1.
    pub target: [f32; 4],
}

impl Sample {
    /// Creates a sample from the points that the search `expected` and the final scores (`outcome`), in any common unit.
    /// `search_share` is the part of what the search expected in the target; the rest is the outcome.
    ///
    /// Returns `None` if there are no points to share. A seat that the hand-made evaluation gives no points cannot get any from the
    /// net; its target is 0 and the others share the rest.
    ///
    /// ```
    /// use pacman2_bots::net::{INPUTS, NetInputs};
    /// use pacman2_training::Sample;
    ///
    /// let inputs = NetInputs { seats: [[0.0; INPUTS]; 4], points: [25.0; 4] };
    /// let sample = Sample::new(inputs, [100.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 50.0], 0.75).expect("there are points");
    /// assert_eq!(sample.target, [0.75, 0.0, 0.0, 0.25]);
    /// ```
    #[must_use]
    pub fn new(inputs: NetInputs, expected: [f32; 4], outcome: [f32; 4], search_share: f32) -> Option<Sample> {
        let (expected, outcome) = (shares(expected)?, shares(outcome)?);
        let outcome_share = 1.0 - search_share;
        let mixed = |seat: usize| search_share * expected[seat] + outcome_share * outcome[seat];
        let possible = |seat: usize| if inputs.points[seat] > 0.0 { mixed(seat) } else { 0.0 };
        Some(Sample { target: shares(std::array::from_fn(possible))?, inputs })
    }
}

/// Divides the numbers by their sum; `None` if that is not positive.
fn shares(points: [f32; 4]) -> Option<[f32; 4]> {
    let total: f32 = points.iter().sum();
    (total > 0.0).then(|| points.map(|points| points / total))
}
