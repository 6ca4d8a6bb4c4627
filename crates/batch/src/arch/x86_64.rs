//! The instruction sets of x86-64.

#[path = "avx2.rs"]
mod avx2;
#[path = "avx512.rs"]
mod avx512;
#[path = "prefetch.rs"]
mod prefetch;
#[path = "register.rs"]
mod register;
#[path = "registers.rs"]
mod registers;
#[path = "sse41.rs"]
mod sse41;

use avx2::Avx2;
use avx512::Avx512;
use sse41::Sse41;

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

/// Returns whether this CPU has the instruction set.
pub(super) fn is_available(set: InstructionSet) -> bool {
    match set {
        InstructionSet::Portable => true,
        InstructionSet::Sse41 => Sse41::detect().is_some(),
        InstructionSet::Avx2 => Avx2::detect().is_some(),
        InstructionSet::Avx512 => Avx512::detect().is_some(),
        InstructionSet::Neon | InstructionSet::Simd128 => false,
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
        InstructionSet::Sse41 => Sse41::detect().unwrap_or_else(|| set.panic_unavailable()).run(work),
        InstructionSet::Avx2 => Avx2::detect().unwrap_or_else(|| set.panic_unavailable()).run(work),
        InstructionSet::Avx512 => Avx512::detect().unwrap_or_else(|| set.panic_unavailable()).run(work),
        InstructionSet::Neon | InstructionSet::Simd128 => set.panic_unavailable(),
    }
}
