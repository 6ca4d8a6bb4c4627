//! The instruction sets of x86-64.

#[path = "avx2.rs"]
mod avx2;
#[path = "avx512.rs"]
mod avx512;

use avx2::Avx2;
use avx512::Avx512;

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

/// Returns whether this CPU has the instruction set.
pub(super) fn is_available(set: InstructionSet) -> bool {
    match set {
        InstructionSet::Portable => true,
        InstructionSet::Avx2 => Avx2::detect().is_some(),
        InstructionSet::Avx512 => Avx512::detect().is_some(),
    }
}

/// Does the work with that instruction set.
///
/// # Panics
///
/// If this CPU does not have it.
pub(crate) fn dispatch<W: Work>(set: InstructionSet, work: W) -> W::Output {
    match set {
        InstructionSet::Portable => work.run(Portable),
        InstructionSet::Avx2 => Avx2::detect().unwrap_or_else(|| set.panic_unavailable()).run(work),
        InstructionSet::Avx512 => Avx512::detect().unwrap_or_else(|| set.panic_unavailable()).run(work),
    }
}

/// Loads data into the cache without waiting for it.
#[cfg(feature = "observe")]
#[inline(always)]
#[allow(unsafe_code, reason = "calls an instruction; see below")]
fn prefetch<T>(data: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

    let first = std::ptr::from_ref(data).cast::<i8>();
    for line in (0..size_of::<T>()).step_by(64) {
        // SAFETY: every x86-64 CPU has this instruction, and it has no effect but on caches, for any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(line)) }
    }
}
