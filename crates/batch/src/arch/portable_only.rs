//! CPUs for which there is portable code only.

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

/// Returns whether this CPU has the instruction set.
pub(super) fn is_available(set: InstructionSet) -> bool {
    set == InstructionSet::Portable
}

/// Does the work with that instruction set.
///
/// # Panics
///
/// If this CPU does not have it.
pub(crate) fn dispatch<W: Work>(set: InstructionSet, work: W) -> W::Output {
    if set == InstructionSet::Portable { work.run(Portable) } else { set.panic_unavailable() }
}
