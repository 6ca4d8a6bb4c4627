//! Which instruction set to play with.

use std::fmt;
use std::str::FromStr;

use crate::arch;

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
    /// AVX2: most x86-64 CPUs since 2013.
    Avx2,
    /// AVX-512 with VBMI and BITALG: AMD since Zen 4, Intel since Ice Lake.
    Avx512,
}

impl InstructionSet {
    /// All instruction sets, from slowest to fastest.
    pub const ALL: [InstructionSet; 3] = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];

    /// Returns whether this CPU has the instruction set.
    pub fn is_available(self) -> bool {
        arch::is_available(self)
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

    /// Returns the name: `portable`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
        }
    }

    /// Panics unless this CPU has the instruction set.
    pub(crate) fn assert_available(self) {
        if !self.is_available() {
            self.panic_unavailable()
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
#[error("unknown instruction set \"{name}\"; expected portable, avx2 or avx512")]
pub struct ParseInstructionSetError {
    name: String,
}
