//! The instruction sets of AArch64.

#[path = "neon.rs"]
mod neon;
#[path = "register.rs"]
mod register;
#[path = "registers.rs"]
mod registers;

use neon::Neon;

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

/// Returns whether this CPU has the instruction set.
pub(super) fn is_available(set: InstructionSet) -> bool {
    matches!(set, InstructionSet::Portable | InstructionSet::Neon)
}

/// Does the work with that instruction set.
///
/// # Panics
///
/// If this CPU does not have it.
pub(crate) fn dispatch<W: Work>(set: InstructionSet, work: W) -> W::Output {
    match set {
        InstructionSet::Portable => work.run(Portable),
        InstructionSet::Neon => Neon::new().run(work),
        InstructionSet::Avx2 => set.panic_unavailable(),
    }
}
