//! The instruction sets of x86-64.

#[path = "avx2.rs"]
mod avx2;
#[path = "avx512.rs"]
mod avx512;
#[cfg(feature = "observe")]
#[path = "prefetch.rs"]
mod prefetch;

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
