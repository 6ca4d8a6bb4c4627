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
    /// SSE4.1 with SSSE3: x86-64 CPUs of Intel since 2008, of AMD since 2011.
    Sse41,
    /// NEON: all AArch64 CPUs.
    Neon,
    /// 128-bit SIMD of WebAssembly, if the program is compiled for it.
    Simd128,
    /// AVX2: most x86-64 CPUs since 2013.
    Avx2,
    /// AVX-512 with VBMI2, BITALG and GFNI: AMD since Zen 4, Intel since Ice Lake.
    Avx512,
}

impl InstructionSet {
    /// All instruction sets, from slowest to fastest.
    pub const ALL: [InstructionSet; 6] = [
        InstructionSet::Portable,
        InstructionSet::Sse41,
        InstructionSet::Neon,
        InstructionSet::Simd128,
        InstructionSet::Avx2,
        InstructionSet::Avx512,
    ];

    /// Returns the name: `portable`, `sse4.1`, `neon`, `simd128`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Sse41 => "sse4.1",
            InstructionSet::Neon => "neon",
            InstructionSet::Simd128 => "simd128",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
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
#[error("unknown instruction set \"{name}\"; expected portable, sse4.1, neon, simd128, avx2 or avx512")]
pub struct ParseInstructionSetError {
    name: String,
}
