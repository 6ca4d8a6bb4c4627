//! WebAssembly with SIMD instructions.

#[path = "register.rs"]
mod register;
#[path = "registers.rs"]
mod registers;
#[path = "simd128.rs"]
mod simd128;

use simd128::Simd128;

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

/// Returns whether this CPU has the instruction set.
pub(super) fn is_available(set: InstructionSet) -> bool {
    matches!(set, InstructionSet::Portable | InstructionSet::Simd128)
}

/// Does the work with that instruction set.
///
/// # Panics
///
/// If this CPU does not have it.
pub(crate) fn dispatch<W: Work>(set: InstructionSet, work: W) -> W::Output {
    match set {
        InstructionSet::Portable => work.run(Portable),
        InstructionSet::Simd128 => Simd128::new().run(work),
        InstructionSet::Sse41 | InstructionSet::Neon | InstructionSet::Avx2 | InstructionSet::Avx512 => set.panic_unavailable(),
    }
}
