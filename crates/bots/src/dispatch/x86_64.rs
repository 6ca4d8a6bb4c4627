//! Dispatch for x86-64: computations are compiled for AVX2 too, without fused multiply-add, which would round differently.
#![allow(unsafe_code, reason = "calls a function compiled for AVX2 after detecting it")]

use super::Computation;

/// Runs a computation with AVX2 if the processor has it.
#[inline]
pub(crate) fn run<C: Computation>(computation: C) -> C::Output {
    // Every processor with AVX2 has the others, too.
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the features were just detected.
        return unsafe { run_with_avx2(computation) };
    }
    computation.compute()
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_with_avx2<C: Computation>(computation: C) -> C::Output {
    computation.compute()
}
