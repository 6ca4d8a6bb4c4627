//! The instruction sets of x86-64.

#[path = "avx2.rs"]
mod avx2;
#[path = "register.rs"]
mod register;
#[path = "registers.rs"]
mod registers;

use avx2::Avx2;

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

/// Returns whether this CPU has the instruction set.
pub(super) fn is_available(set: InstructionSet) -> bool {
    match set {
        InstructionSet::Portable => true,
        InstructionSet::Avx2 => Avx2::detect().is_some(),
        InstructionSet::Neon => false,
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
        InstructionSet::Neon => set.panic_unavailable(),
    }
}
