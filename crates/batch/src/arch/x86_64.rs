//! What an x86-64 machine may have.

#[path = "avx2.rs"]
mod avx2;
#[path = "avx512.rs"]
mod avx512;

use super::Work;
use super::portable::Portable;
use crate::instruction_set::InstructionSet;

pub(crate) fn has(set: InstructionSet) -> bool {
    match set {
        InstructionSet::Portable => true,
        InstructionSet::Avx2 => avx2::available(),
        InstructionSet::Avx512 => avx512::available(),
    }
}

/// Does the work with that instruction set.
///
/// # Panics
///
/// If the machine does not have it.
pub(crate) fn with<W: Work>(set: InstructionSet, work: W) -> W::Done {
    assert!(has(set), "this machine does not have {set}");
    match set {
        InstructionSet::Portable => work.with::<Portable>(),
        InstructionSet::Avx2 => work.with::<avx2::Avx2>(),
        InstructionSet::Avx512 => work.with::<avx512::Avx512>(),
    }
}
