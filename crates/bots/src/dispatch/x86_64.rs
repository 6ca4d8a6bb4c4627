//! Dispatch for x86-64: computations are compiled for AVX2 too, without fused multiply-add, which would round differently.
#![allow(unsafe_code, reason = "calls a function compiled for AVX2 after detecting it")]

use std::sync::atomic::{AtomicU8, Ordering};

use super::Computation;

/// Whether the processor has AVX2: not known yet, or one of those below. One number to look at instead of one for each feature.
static KNOWN: AtomicU8 = AtomicU8::new(0);
const HAS_AVX2: u8 = 1;
const HAS_NOT: u8 = 2;

/// Runs a computation with AVX2 if the processor has it.
#[inline]
pub(crate) fn run<C: Computation>(computation: C) -> C::Output {
    let known = match KNOWN.load(Ordering::Relaxed) {
        0 => detect(),
        known => known,
    };
    if known == HAS_AVX2 {
        // SAFETY: the features were detected.
        return unsafe { run_with_avx2(computation) };
    }
    computation.compute()
}

#[cold]
fn detect() -> u8 {
    // Every processor with AVX2 has the others, too.
    let has_avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    let known = if has_avx2 { HAS_AVX2 } else { HAS_NOT };
    KNOWN.store(known, Ordering::Relaxed);
    known
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_with_avx2<C: Computation>(computation: C) -> C::Output {
    computation.compute()
}
