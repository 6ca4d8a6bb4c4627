//! Which instruction set to play with.

use std::fmt;
use std::str::FromStr;

use crate::arch;

/// An instruction set that lanes are made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InstructionSet {
    /// What every machine has.
    Portable,
    /// AVX2, on most x86-64 machines since 2013.
    Avx2,
    /// AVX-512 with VBMI and BITALG: AMD since Zen 4, Intel since Ice Lake.
    Avx512,
}

impl InstructionSet {
    /// All of them, the slowest first.
    pub const ALL: [InstructionSet; 3] = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        arch::has(self)
    }

    /// Those that this machine has, the slowest first.
    pub fn available() -> impl Iterator<Item = InstructionSet> {
        InstructionSet::ALL.into_iter().filter(|set| set.is_available())
    }

    /// The fastest that this machine has.
    pub fn best() -> InstructionSet {
        InstructionSet::available().last().unwrap_or(InstructionSet::Portable)
    }

    /// Its name: `portable`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for InstructionSet {
    type Err = ParseInstructionSetError;

    fn from_str(name: &str) -> Result<InstructionSet, ParseInstructionSetError> {
        InstructionSet::ALL.into_iter().find(|set| set.name() == name).ok_or_else(|| ParseInstructionSetError(name.to_owned()))
    }
}

/// A name of no instruction set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseInstructionSetError(String);

impl fmt::Display for ParseInstructionSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no instruction set; portable, avx2 and avx512 are", self.0)
    }
}

impl std::error::Error for ParseInstructionSetError {}
