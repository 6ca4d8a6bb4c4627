//! The encoder for processors without a version of its own.

use super::{INPUTS, Net};

/// Computes the outputs of the net for all four seats.
#[inline]
pub(super) fn encode(net: &Net, seats: &[[f32; INPUTS]; 4]) -> [f32; 4] {
    net.encode(seats)
}
