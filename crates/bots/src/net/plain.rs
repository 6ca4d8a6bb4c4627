//! The encoder, where no wider registers are known.

use super::{INPUTS, Net};

/// The outputs of the net for all four seats.
#[inline]
pub(super) fn encode(net: &Net, seats: &[[f32; INPUTS]; 4]) -> [f32; 4] {
    net.encode(seats)
}
