//! The encoder for processors without a version of its own.

/// Computes the outputs of the net for all four seats with this function, which has to be inlined.
#[inline]
pub(super) fn encode<N, S>(plain: impl Fn(&N, &S) -> [f32; 4], net: &N, seats: &S) -> [f32; 4] {
    plain(net, seats)
}
