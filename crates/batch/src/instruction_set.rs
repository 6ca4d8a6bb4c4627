//! The instruction sets and their names. `arch/available.rs` finds out which of them the CPU has.

use std::fmt;
use std::str::FromStr;

/// An instruction set that games can be played with. All give the same results.
///
/// ```
/// use pacman2_batch::InstructionSet;
///
/// let best = InstructionSet::best();
/// assert!(best.is_available());
/// assert_eq!(best.name().parse(), Ok(best));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InstructionSet {
    /// Plain Rust, for every CPU.
    Portable,
    /// NEON: all AArch64 CPUs.
    Neon,
    /// AVX2: most x86-64 CPUs since 2013.
    Avx2,
}

impl InstructionSet {
    /// All instruction sets, from slowest to fastest.
    pub const ALL: [InstructionSet; 3] = [InstructionSet::Portable, InstructionSet::Neon, InstructionSet::Avx2];

    /// Returns the name: `portable`, `neon` or `avx2`.
    pub const fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Neon => "neon",
            InstructionSet::Avx2 => "avx2",
        }
    }

    #[cold]
    pub(crate) fn panic_unavailable(self) -> ! {
        panic!("instruction set {self} is not available on this CPU")
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for InstructionSet {
    type Err = ParseInstructionSetError;

    /// Parses a [name](InstructionSet::name).
    ///
    /// # Errors
    ///
    /// If there is no instruction set of that name. Whether this CPU has it does not matter.
    fn from_str(name: &str) -> Result<InstructionSet, ParseInstructionSetError> {
        let found = InstructionSet::ALL.into_iter().find(|set| set.name() == name);
        found.ok_or_else(|| ParseInstructionSetError { name: name.to_owned() })
    }
}

/// The error of parsing a name that is not the name of an [`InstructionSet`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown instruction set \"{name}\"; expected portable, neon or avx2")]
pub struct ParseInstructionSetError {
    name: String,
}
