//! Machines for which no instruction set has a file of its own.

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

pub(crate) fn has(set: InstructionSet) -> bool {
    set == InstructionSet::Portable
}

/// Does the work with that instruction set.
///
/// # Panics
///
/// If the machine does not have it.
pub(crate) fn with<W: Work>(set: InstructionSet, work: W) -> W::Done {
    assert!(has(set), "this machine does not have {set}");
    work.with::<Portable>()
}
