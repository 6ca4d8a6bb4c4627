//! Which instruction sets this CPU has.

use super::machine::is_available;
use crate::instruction_set::InstructionSet;

impl InstructionSet {
    /// Returns whether this CPU has the instruction set.
    pub fn is_available(self) -> bool {
        is_available(self)
    }

    /// Returns the instruction sets of this CPU, from slowest to fastest.
    ///
    /// ```
    /// use pacman2_batch::InstructionSet;
    ///
    /// assert_eq!(InstructionSet::available().next(), Some(InstructionSet::Portable));
    /// ```
    pub fn available() -> impl Iterator<Item = InstructionSet> {
        InstructionSet::ALL.into_iter().filter(|set| set.is_available())
    }

    /// Returns the fastest instruction set of this CPU.
    pub fn best() -> InstructionSet {
        InstructionSet::available().last().unwrap_or(InstructionSet::Portable)
    }

    /// Panics unless this CPU has the instruction set.
    pub(crate) fn assert_available(self) {
        if !self.is_available() {
            self.panic_unavailable()
        }
    }
}
