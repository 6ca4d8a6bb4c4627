//! What is learned from: a position as the net sees it, and how the points should have been shared.

use pacman2_bots::net::NetInputs;

/// How much the end of a game counts, and how much what the search expected.
const OUTCOME: f32 = 0.3;
const EXPECTED: f32 = 0.7;

/// A position, and how all points should be shared there.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// What the net sees.
    pub inputs: NetInputs,
    /// What each seat should have of all points; together 1.
    pub target: [f32; 4],
}

impl Sample {
    /// A position whose points were shared so by the search, and so in the end. `None` if there is nothing to share.
    ///
    /// What the hand-made evaluation gives no points can have none from the net: it is left out, and the others share.
    pub fn new(inputs: NetInputs, expected: [f32; 4], outcome: [f32; 4]) -> Option<Sample> {
        let (expected, outcome) = (shares(expected)?, shares(outcome)?);
        let mixed = |seat: usize| EXPECTED * expected[seat] + OUTCOME * outcome[seat];
        let possible = |seat: usize| if inputs.points[seat] > 0.0 { mixed(seat) } else { 0.0 };
        Some(Sample { target: shares(std::array::from_fn(possible))?, inputs })
    }
}

/// These numbers as parts of their sum.
fn shares(points: [f32; 4]) -> Option<[f32; 4]> {
    let total: f32 = points.iter().sum();
    (total > 0.0).then(|| points.map(|points| points / total))
}
