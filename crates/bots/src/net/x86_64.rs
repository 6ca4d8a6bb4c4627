//! The encoder for x86-64, compiled for AVX2 where the processor has it. The arithmetic and its order are the same, without fused
//! multiply-add, so every machine computes the same numbers.
#![allow(unsafe_code, reason = "calls a function compiled for AVX2 after detecting it")]

use super::{INPUTS, Net};

/// Computes the outputs of the net for all four seats.
#[inline]
pub(super) fn encode(net: &Net, seats: &[[f32; INPUTS]; 4]) -> [f32; 4] {
    if is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just detected.
        return unsafe { encode_avx2(net, seats) };
    }
    net.encode(seats)
}

#[target_feature(enable = "avx2")]
fn encode_avx2(net: &Net, seats: &[[f32; INPUTS]; 4]) -> [f32; 4] {
    net.encode(seats)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::WEIGHTS;

    #[test]
    fn avx2_changes_no_bit() {
        let weights = std::array::from_fn(|place| ((place * 7919 % 1009) as f32 - 504.0) / 700.0);
        let net = Net::from_weights(&weights);
        assert_eq!(net.weights().len(), WEIGHTS);
        for round in 0..100 {
            let number = |seat: usize, input: usize| ((round * 31 + seat * 17 + input * 13) % 101) as f32 / 33.0 - 1.0;
            let seats = std::array::from_fn(|seat| std::array::from_fn(|input| number(seat, input)));
            assert_eq!(encode(&net, &seats).map(f32::to_bits), net.encode(&seats).map(f32::to_bits));
        }
    }
}
