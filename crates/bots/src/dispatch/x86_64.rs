//! Dispatch for x86-64: functions are compiled for AVX2 too, and run so where the processor has it. The arithmetic and its order are
//! the same, without fused multiply-add, so every machine computes the same numbers.
#![allow(unsafe_code, reason = "calls a function compiled for AVX2 after detecting it")]

/// Calls this function of a net and its inputs, which has to be inlined.
#[inline]
pub(crate) fn call<N, I: ?Sized, O>(function: impl Fn(&N, &I) -> O, net: &N, inputs: &I) -> O {
    if is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just detected.
        return unsafe { call_avx2(function, net, inputs) };
    }
    function(net, inputs)
}

#[target_feature(enable = "avx2")]
fn call_avx2<N, I: ?Sized, O>(function: impl Fn(&N, &I) -> O, net: &N, inputs: &I) -> O {
    function(net, inputs)
}
