//! The encoder for x86-64, compiled for AVX2 where the processor has it. The arithmetic and its order are the same, without fused
//! multiply-add, so every machine computes the same numbers.
#![allow(unsafe_code, reason = "calls a function compiled for AVX2 after detecting it")]

/// Computes the outputs of the net for all four seats with this function, which has to be inlined.
#[inline]
pub(super) fn encode<N, S>(plain: impl Fn(&N, &S) -> [f32; 4], net: &N, seats: &S) -> [f32; 4] {
    if is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just detected.
        return unsafe { encode_avx2(plain, net, seats) };
    }
    plain(net, seats)
}

#[target_feature(enable = "avx2")]
fn encode_avx2<N, S>(plain: impl Fn(&N, &S) -> [f32; 4], net: &N, seats: &S) -> [f32; 4] {
    plain(net, seats)
}
